"""What is wrong with the form of a paper's file of printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

from reprolib.rerun.records.names import nearest
from reprolib.rerun.verdicts.claim import KINDS
from reprolib.rerun.verdicts.number import Design, Quantity, StatedRole

#: Columns of the records by which a row and a column of a printed table select ours.
SELECTORS = ("dataset", "method", "metric")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_printed(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) == 2 and all(map(_is_number, value)) and value[1] >= 0
    return value == "" or _is_number(value)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_table, value))


Rule = tuple[Callable[[Any], bool], str]
TEXT: Rule = (_is_text, "a text")
COUNT: Rule = (_is_count, "a whole number, at least 0")
TABLE: Rule = (_is_table, "a table")
TABLES: Rule = (_is_list_of_tables, "a list of tables")


def _one_of(words: tuple[str, ...]) -> Rule:
    return (lambda value: value in words, f"one of {', '.join(words)}")


def _is_design(value: Any) -> bool:
    listed = [value] if isinstance(value, str) else value
    return isinstance(listed, list) and listed != [] and set(listed) <= set(get_args(Design))


POSITIVE: Rule = (lambda value: _is_count(value) and value > 0, "a whole number, at least 1")
SETTINGS: dict[str, Rule] = {
    "design": (_is_design, f"one or a list of {', '.join(get_args(Design))}"),
    "role": _one_of(get_args(StatedRole)),
    "quantity": _one_of(get_args(Quantity)),
    **dict.fromkeys(("trials", "searched", "folds"), POSITIVE),
    **dict.fromkeys(("judged", "spread_of", "drawn_once"), TEXT),
    "scale": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    "digits": COUNT,
    "results": TEXT,
}
PAPER = {
    **dict.fromkeys(("key", "title", "authors", "venue", "notebook"), TEXT),
    "year": COUNT,
    "pages": ((lambda value: isinstance(value, str)), "a text"),
}
TOP = {"paper": TABLE, "tables": TABLE, "readings": TABLES, "claims": TABLES}
TABLE_KEYS = {
    **SETTINGS,
    "caption": TEXT,
    "page": COUNT,
    **dict.fromkeys(("rows", "columns", "values", "not_run", "scores"), TABLE),
    **dict.fromkeys(("explanations", "quoted", "cells"), TABLES),
}
LINE = {**SETTINGS, **dict.fromkeys((*SELECTORS, "setting"), TEXT)}
SCORES = {"results": TEXT, **dict.fromkeys((*SELECTORS, "setting"), TEXT)}
REQUIRED_OF_READINGS = dict.fromkeys(("name", "question", "text"), TEXT)
_IS_LIST_OF_TEXTS: Rule = (
    lambda value: isinstance(value, list) and value != [] and all(map(_is_text, value)),
    "a list of texts",
)
TRUE: Rule = (lambda value: value is True, "true, or left out")


def _is_trials(value: Any) -> bool:
    numbers = value.values() if isinstance(value, dict) else [value]
    return all(map(POSITIVE[0], numbers))


def _is_beside(value: Any) -> bool:
    return all(map(_is_text, value.values() if isinstance(value, dict) else [value]))


#: What it asks, and (see `reprolib.rerun.records.readings`) whom it concerns and what it changes.
READING = {
    **REQUIRED_OF_READINGS,
    **dict.fromkeys(("control", "quick"), TRUE),
    **dict.fromkeys(("methods", "tables", "datasets"), _IS_LIST_OF_TEXTS),
    "changes": TABLE,
    "beside": (_is_beside, "a reading, or one by method"),
    "trials": (_is_trials, "a whole number, at least 1, or one by method or data set"),
}
EXPLANATION = dict.fromkeys(("row", "column", "text"), TEXT)
CELL = {**SETTINGS, **dict.fromkeys(("row", "column"), TEXT)}
NUMBER: Rule = (_is_number, "a number")
SIDE = {
    **dict.fromkeys(("method", "metric", "setting", "results", "reading"), TEXT),
    **dict.fromkeys(("value", "factor"), NUMBER),
    "at": POSITIVE,
}
CLAIM = {
    **dict.fromkeys(("name", "text", "metric", "results", "reading"), TEXT),
    **dict.fromkeys(("tables", "datasets", "controls"), _IS_LIST_OF_TEXTS),
    "page": COUNT,
    "claims": _one_of(KINDS),
    "larger": _one_of(("better", "worse")),
    **{name: SETTINGS[name] for name in ("design", "folds", "scale")},
    "a": TABLE,
    "b": TABLES,
}
REQUIRED_OF_CLAIMS = ("name", "text", "page", "tables", "claims", "metric", "larger", "a", "b")


def faults(entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the form of a paper's file, one line for each fault; none if it is sound.

    Parameters
    ----------
    entry : dict
        The parsed file.

    Returns
    -------
    list of str
        Each with the table and the key: unknown and missing keys, entries of another type, rows
        without values or with more or fewer than there are columns, values that are no number,
        names of rows and columns that the table lacks.
    """
    found = list(_form("the file", entry, TOP, ("paper", "tables")))
    if found:
        return found
    found += _form("paper", entry["paper"], PAPER, PAPER.keys() - {"pages"})
    for number, reading in enumerate(entry.get("readings", []), start=1):
        found += _form(f"readings, entry {number}", reading, READING, REQUIRED_OF_READINGS)
    for name, table in entry["tables"].items():
        found += _table_faults(f"tables.{name}", table)
    for number, claim in enumerate(entry.get("claims", []), start=1):
        found += _claim_faults(f"claims, entry {number}", claim, entry)
    return found


def _claim_faults(where: str, claim: Mapping[str, Any], entry: Mapping[str, Any]) -> list[str]:
    found = list(_form(where, claim, CLAIM, REQUIRED_OF_CLAIMS))
    if found:
        return found
    for side in (claim["a"], *claim["b"]):
        found += _form(f"{where}, a side", side, SIDE, ())
    for name in claim["tables"]:
        if name not in entry["tables"]:
            found.append(f"{where}: no table {name!r}{nearest(name, entry['tables'])}")
    readings = [reading["name"] for reading in entry.get("readings", [])]
    for name in claim.get("controls", []):
        if name not in readings:
            found.append(f"{where}: no reading {name!r}{nearest(name, readings)}")
    return found


def _table_faults(where: str, table: Any) -> list[str]:
    if not _is_table(table):
        return [f"{where} must be a table"]
    found = list(_form(where, table, TABLE_KEYS, ("caption", "rows", "columns", "values")))
    if found:
        return found
    for part in ("rows", "columns"):
        for name, line in table[part].items():
            found += _form(f"{where}.{part}, {name!r}", line, LINE, ())
    for part in ("explanations", "quoted"):
        for number, entry in enumerate(table.get(part, []), start=1):
            found += _form(f"{where}.{part}, entry {number}", entry, EXPLANATION, EXPLANATION)
    for number, entry in enumerate(table.get("cells", []), start=1):
        found += _form(f"{where}.cells, entry {number}", entry, CELL, ("row", "column"))
    for name, scores in table.get("scores", {}).items():
        found += _form(f"{where}.scores, {name!r}", scores, SCORES, ())
    return found or [*_name_faults(where, table), *_value_faults(where, table)]


def _form(
    where: str, table: Any, rules: Mapping[str, Rule], required: Iterable[str]
) -> Iterator[str]:
    if not _is_table(table):
        yield f"{where} must be a table"
        return
    for key, value in table.items():
        if key not in rules:
            yield f"{where}: unknown key {key!r}{nearest(key, rules)}"
        elif not rules[key][0](value):
            yield f"{where}: {key} is {value!r}; it must be {rules[key][1]}"
    for key in required:
        if key not in table:
            yield f"{where}: {key} is missing"


def _name_faults(where: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield names of rows and columns that the table lacks."""
    rows, columns = table["rows"], table["columns"]
    for name in table.get("not_run", {}):
        if name not in rows and name not in columns:
            yield f"{where}.not_run: no row or column {name!r}{nearest(name, [*rows, *columns])}"
    for name in table.get("scores", {}):
        if name not in columns:
            yield f"{where}.scores: no column {name!r}{nearest(name, columns)}"
    for listed in ("explanations", "quoted", "cells"):
        for number, entry in enumerate(table.get(listed, []), start=1):
            for part, names in (("row", rows), ("column", columns)):
                if entry[part] != "*" and entry[part] not in names:
                    yield (
                        f"{where}.{listed}, entry {number}: no {part} {entry[part]!r}"
                        f"{nearest(entry[part], names)}"
                    )
    for name in table["values"]:
        if name not in rows:
            yield f"{where}.values: no row {name!r}{nearest(name, rows)}"
    for name in rows:
        if name not in table["values"]:
            yield f"{where}.values: row {name!r} has no values"


def _value_faults(where: str, table: Mapping[str, Any]) -> Iterator[str]:
    n_columns = len(table["columns"])
    not_run = table.get("not_run", {})
    for row, printed in table["values"].items():
        if row not in table["rows"]:
            continue
        if not isinstance(printed, list) or len(printed) != n_columns:
            count = len(printed) if isinstance(printed, list) else 1
            yield f"{where}.values: row {row!r} has {count} entries for {n_columns} columns"
            continue
        for column, value in zip(table["columns"], printed, strict=True):
            if not _is_printed(value):
                yield (
                    f"{where}.values: row {row!r}, column {column!r} is {value!r}; it must be a "
                    "number, a pair of a number and its spread, or an empty text"
                )
            elif value != "":
                yield from _meaning_faults(where, table, row, column)
                if row not in not_run and column not in not_run:
                    yield from _selector_faults(where, table, row, column)


def _meaning_faults(where: str, table: Mapping[str, Any], row: str, column: str) -> Iterator[str]:
    """Yield what the file must say of a number and does not: role, quantity, extent of a search."""
    stated = {**table, **settings_of(table, row, column)}
    quantity = quantity_of(table, row, column)
    if "role" not in stated and not text_on(table.get("quoted", []), row, column):
        yield f"{where}: nothing says the role of row {row!r}, column {column!r}"
    if not quantity:
        yield f"{where}: nothing says the quantity of row {row!r}, column {column!r}"
    bounded = "searched" in stated or column in table.get("scores", {})
    if quantity == "selection" and not bounded:
        yield (
            f"{where}: row {row!r}, column {column!r} is a selection; say out of how many under "
            "searched, or the records of its paths under scores"
        )


def text_on(entries: Iterable[Mapping[str, str]], row: str, column: str) -> str:
    """Text of the first entry on a row and column, an asterisk standing for all; else empty."""
    for entry in entries:
        if entry["row"] in (row, "*") and entry["column"] in (column, "*"):
            return entry["text"]
    return ""


def quantity_of(table: Mapping[str, Any], row: str, column: str) -> Any:
    """Quantity of a number: what its row or column says; a selection if its design is; the table's.

    Empty if nothing says it.
    """
    line = settings_of(table, row, column)
    implied = "selection" if line.get("design") == "selection" else table.get("quantity", "")
    return line.get("quantity", implied)


def settings_of(table: Mapping[str, Any], row: str, column: str) -> dict[str, Any]:
    """What a number's row and column say of it, and the entry on its cell alone, which wins."""
    own = [c for c in table.get("cells", []) if (c["row"], c["column"]) == (row, column)]
    merged = {**table["rows"][row], **table["columns"][column], **(own[0] if own else {})}
    return {name: value for name, value in merged.items() if name not in ("row", "column")}


def _selector_faults(where: str, table: Mapping[str, Any], row: str, column: str) -> Iterator[str]:
    selected = settings_of(table, row, column)
    for name in SELECTORS:
        if name not in selected:
            yield f"{where}: neither row {row!r} nor column {column!r} says the {name}"
