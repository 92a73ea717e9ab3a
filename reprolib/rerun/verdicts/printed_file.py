"""The form of a paper's file of printed numbers: what may stand in it, and what is wrong with one.

A form is said once and read twice: for faults with messages that a person can act on, and for the
JSON Schema that an editor reads.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

from reprolib.rerun.records.registry import nearest
from reprolib.rerun.records.task import HEADLINE

#: How a printed number was made; `errors` has the error model of each, by this name.
Design = Literal["splits", "cross-validation", "test set", "seeds", "runs", "selection"]
#: Roles that a file states for a row, a column or a table; a quotation has an entry of its own.
StatedRole = Literal["own", "baseline"]
Quantity = Literal["performance", "selection"]
#: What is printed beside a number.
Spread = Literal["standard deviation", "standard error", "95 % interval", "interquartile range"]
#: What is claimed of side a against side b.
Kind = Literal["better", "at least as good", "same"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_TYPES: Mapping[str, Any] = {
    "string": str,
    "number": int | float,
    "integer": int,
    "array": list,
    "object": dict,
}


def is_valid(value: Any, schema: Any) -> bool:
    """Whether a value is as a JSON Schema says; of its keywords, those that forms use.

    Parameters
    ----------
    value : object
        What stands in the file.
    schema : mapping, or False
        False allows nothing.
    """
    if schema is False:
        return False
    if "anyOf" in schema:
        return any(is_valid(value, each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        allowed = schema.get("enum", [schema.get("const")])
        return any(type(value) is type(each) and value == each for each in allowed)
    if "type" in schema and (
        isinstance(value, bool) or not isinstance(value, _TYPES[schema["type"]])
    ):
        return False
    if isinstance(value, str | list):
        least = schema.get("minLength", schema.get("minItems", 0))
        first, rest = schema.get("prefixItems", []), schema.get("items", {})
        return len(value) >= least and (
            isinstance(value, str)
            or (
                all(map(is_valid, value, first))
                and all(is_valid(item, rest) for item in value[len(first) :])
            )
        )
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
        return set(schema.get("required", ())) <= value.keys() and all(
            is_valid(item, known.get(key, other)) for key, item in value.items()
        )
    if isinstance(value, float) and not math.isfinite(value):
        return False
    if isinstance(value, int) and abs(value) >= 2**63:  # more than TOML's integers have
        return False
    return (
        ("minimum" not in schema or value >= schema["minimum"])
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and ("maximum" not in schema or value <= schema["maximum"])
    )


@dataclass(frozen=True)
class Value:
    """A value that has no keys of its own.

    Parameters
    ----------
    expected : str
        What it must be, in words.
    schema : dict
        The same as JSON Schema.
    about : str
        What it stands for.
    is_checked_later : bool
        Whether it is checked by code that knows the rest of the file.
    """

    expected: str
    schema: Mapping[str, Any]
    about: str = ""
    is_checked_later: bool = False

    def fits(self, value: Any) -> bool:
        """Whether a value is allowed."""
        return self.is_checked_later or is_valid(value, self.schema)

    def is_for(self, about: str) -> Self:
        """The same, with what it stands for."""
        return replace(self, about=about)


@dataclass(frozen=True)
class Table:
    """A table whose keys are known.

    Parameters
    ----------
    keys : dict
        Form of the value of every key.
    required : tuple of str
        Keys that must be there.
    either : tuple of str
        Keys of which one at least must be there.
    about : str
        What it stands for.
    """

    keys: Mapping[str, Form]
    required: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    about: str = ""
    expected: str = "a table"

    def fits(self, value: Any) -> bool:
        """Whether it is a table at all."""
        return isinstance(value, dict)

    def is_for(self, about: str) -> Self:
        """The same, with what it stands for."""
        return replace(self, about=about)


@dataclass(frozen=True)
class Named:
    """A table whose keys are names of the writer's own, all values of one form."""

    of: Form
    about: str = ""
    expected: str = "a table"

    def fits(self, value: Any) -> bool:
        """Whether it is a table at all."""
        return isinstance(value, dict)


@dataclass(frozen=True)
class Listed:
    """A list of tables of one form, with ``least`` entries or more."""

    of: Table
    about: str = ""
    expected: str = "a list of tables"
    least: int = 0

    def fits(self, value: Any) -> bool:
        """Whether it is a list of tables at all, and of enough."""
        return (
            isinstance(value, list) and len(value) >= self.least and all(map(self.of.fits, value))
        )


Form = Value | Table | Named | Listed


def key_faults(where: str, table: Any, form: Table) -> Iterator[str]:
    """Yield unknown and missing keys of a table, and values that are not what they must be."""
    if not form.fits(table):
        yield f"{where} must be a table"
        return
    for key, value in table.items():
        if key not in form.keys:
            yield f"{where}: unknown key {key!r}{nearest(key, form.keys)}"
        elif not form.keys[key].fits(value):
            yield f"{where}: {key} is {value!r}; it must be {form.keys[key].expected}"
    for key in form.required:
        if key not in table:
            yield f"{where}: {key} is missing"
    if form.either and not any(key in table for key in form.either):
        yield f"{where}: it selects nothing; say {' or '.join(form.either)}"


def table_faults(where: str, table: Any, form: Table) -> list[str]:
    """Faults of a table and, if its own keys are sound, of the tables in it."""
    found = list(key_faults(where, table, form))
    if found:
        return found
    for key, value in table.items():
        found += faults_within(f"{where}.{key}", value, form.keys[key])
    return found


def faults_within(where: str, value: Any, form: Form) -> Iterator[str]:
    """Yield the faults of what a value of the right kind holds."""
    if isinstance(form, Table):
        yield from table_faults(where, value, form)
    elif isinstance(form, Listed):
        for number, part in enumerate(value, start=1):
            yield from table_faults(f"{where}, entry {number}", part, form.of)
    elif isinstance(form, Named):
        for name, part in value.items():
            if isinstance(form.of, Table):
                yield from table_faults(f"{where}, {name!r}", part, form.of)
            elif not form.of.fits(part):
                yield f"{where}: {name!r} is {part!r}; it must be {form.of.expected}"


def schema(form: Form) -> dict[str, Any]:
    """JSON Schema of a form."""
    about = {"description": form.about} if form.about else {}
    if isinstance(form, Value):
        return {**about, **form.schema}
    if isinstance(form, Listed):
        least = {"minItems": form.least} if form.least else {}
        return {**about, "type": "array", "items": schema(form.of), **least}
    if isinstance(form, Named):
        return {**about, "type": "object", "additionalProperties": schema(form.of)}
    return {
        **about,
        "type": "object",
        "properties": {key: schema(of) for key, of in form.keys.items()},
        "required": list(form.required),
        **({"anyOf": [{"required": [key]} for key in form.either]} if form.either else {}),
        "additionalProperties": False,
    }


#: Columns of the records by which a row and a column of a printed table select ours.
SELECTORS = ("dataset", "method", "metric")
#: Columns of anyone's results, and what they are where the results have none.
COLUMNS: Mapping[str, Any] = {
    "table": "results",
    "dataset": "data",
    "method": "method",
    "metric": "value",
    "setting": "",
    "reading": HEADLINE,
    "n_test": 0,
    "trial": None,
    "value": None,
}


def _one_of(words: tuple[str, ...]) -> Value:
    return Value(f"one of {', '.join(words)}", {"enum": list(words)})


def _several(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema, "minItems": 1}


TEXT = Value("a text", {"type": "string", "minLength": 1})
TEXTS = Value("a list of texts", _several(TEXT.schema))
TEXT_OR_TEXTS = Value("a text, or a list of texts", {"anyOf": [TEXT.schema, TEXTS.schema]})
ANYTHING = Value("anything", {})
NUMBER = Value("a number", {"type": "number"})
COUNT = Value("a whole number, at least 0", {"type": "integer", "minimum": 0})
POSITIVE = Value("a whole number, at least 1", {"type": "integer", "minimum": 1})
_DESIGN = _one_of(get_args(Design)).schema
DESIGN = Value(
    f"one or a list of {', '.join(get_args(Design))}",
    {"anyOf": [_DESIGN, _several(_DESIGN)]},
    "how the printed number was made; of a list, the wider interval counts",
)
#: One printed number; `_value_faults` says what is wrong with it by its row and column.
PRINTED: Mapping[str, Any] = {
    "anyOf": [
        {"type": "number"},
        {"const": ""},
        {
            "type": "array",
            "prefixItems": [{"type": "number"}, {"type": "number", "minimum": 0}],
            "items": False,
            "minItems": 2,
        },
    ]
}
PRINTED_ROW = Value(
    "a list of printed numbers",
    {"type": "array", "items": PRINTED},
    "one entry a column: a number, [mean, spread], or an empty text where none is printed",
    is_checked_later=True,
)
TRUE = Value("true, or left out", {"const": True})
MARGIN = Value("a number above 0", {"type": "number", "exclusiveMinimum": 0})
SETTINGS: dict[str, Form] = {
    "design": DESIGN,
    "role": _one_of(get_args(StatedRole)).is_for(
        "the method of the paper, or one that it compares"
    ),
    "quantity": _one_of(get_args(Quantity)).is_for("a performance, or a chosen hyperparameter"),
    "trials": POSITIVE.is_for("behind a printed mean"),
    "spread": _one_of(get_args(Spread)).is_for(
        "what is printed beside a number, if not its standard deviation over trials: of an "
        "interval half its width; beside a median the upper quartile minus the lower"
    ),
    "fixed": TEXT.is_for("what fixes a selection before anything is learned, in words"),
    "pool": Value(
        "a table with without and of",
        {
            "type": "object",
            "properties": {"without": TEXT.schema, "of": POSITIVE.schema},
            "required": ["without", "of"],
            "additionalProperties": False,
        },
        "where ours are some of the paper's runs or subjects: how the names of the readings begin "
        "that leave one of ours out, and how many the paper has",
    ),
    "exact": Value("true, or a list of readings", {"anyOf": [TRUE.schema, TEXTS.schema]}).is_for(
        "nothing is left to chance, or not under these readings: on the paper's own data and "
        "splits, all of them, the difference is known and has no interval"
    ),
    "folds": POSITIVE.is_for("of a cross-validation"),
    "judged": TEXT.is_for("the reading that is judged, if not the headline"),
    "spread_of": TEXT.is_for("the reading whose spread is that of the design seeds"),
    "drawn_once": TEXT.is_for("metric of a mean at other draws of a choice that was made once"),
    "scale": Value(
        "a number above 0",
        {"type": "number", "exclusiveMinimum": 0},
        "printed value over ours: 100 if percent are printed and fractions recorded",
    ),
    "margin": MARGIN.is_for("difference that counts as none, instead of 1.5 percentage points"),
    "digits": Value(
        "a whole number, at least 0 and at most 15",
        {"type": "integer", "minimum": 0, "maximum": 15},
        "printed after the point",
    ),
    "results": TEXT.is_for("our table, if it is named otherwise"),
}
SELECTING: dict[str, Form] = {
    **dict.fromkeys(SELECTORS, TEXT.is_for("selects our records")),
    "setting": TEXT.is_for("training size, kernel or rank, where there are several"),
}
PLACE: dict[str, Form] = dict.fromkeys(("row", "column"), TEXT.is_for("name, or * for all"))
PAPER = Table(
    {
        **dict.fromkeys(("key", "title", "authors", "venue", "notebook"), TEXT),
        "year": COUNT,
        "short": TEXT.is_for("its method's name in a headline"),
        "method": TEXT.is_for("the method in ten words"),
        "stands": TEXT.is_for("how far it can be trusted, in a few words"),
        "in_short": TEXT.is_for("the same in some plain sentences"),
        "pages": Value("a text", {"type": "string"}),
    },
    ("key", "title", "authors", "venue", "notebook", "year"),
)
LINE = Table({**SETTINGS, **SELECTING})
NOTE = Table({**PLACE, "text": TEXT}, ("row", "column", "text"))
PRINTED_TABLE = Table(
    {
        **SETTINGS,
        "caption": TEXT,
        "page": COUNT,
        "mean": TRUE.is_for("a row with the means of the columns is shown, too"),
        "rows": Named(LINE, "printed name of every row, and what it says of its numbers"),
        "columns": Named(LINE, "printed name of every column, and what it says of its numbers"),
        "values": Named(PRINTED_ROW, "printed numbers by row"),
        "not_run": Named(TEXT, "row or column, and why it is not run"),
        "explanations": Listed(NOTE, "why a number is not reproduced, by experiment"),
        "quoted": Listed(NOTE, "where the paper has a number from"),
        "cells": Listed(
            Table({**SETTINGS, **PLACE}, ("row", "column")), "what holds for one number alone"
        ),
    },
    ("caption", "rows", "columns", "values"),
)
TRUE_OR_NAMES = Value("true, or a list of methods", {"anyOf": [TRUE.schema, TEXTS.schema]})


def _or_by_name(form: Value, expected: str) -> Value:
    """One value, or one by name."""
    by_name = {"type": "object", "additionalProperties": form.schema}
    return Value(expected, {"anyOf": [form.schema, by_name]})


#: What it asks, and (see `reprolib.rerun.records.task`) whom it concerns and what it changes.
READING = Table(
    {
        "name": TEXT.is_for("as in the records"),
        "question": TEXT.is_for("what the paper leaves open"),
        "text": TEXT.is_for("what this reading takes"),
        "control": TRUE.is_for("an experiment that is no reading of the text"),
        "quick": TRUE_OR_NAMES.is_for("the quick profile has it, too, of all or of some methods"),
        "methods": TEXTS.is_for("that are run under it"),
        "tables": TEXTS.is_for("where they are; everywhere by default"),
        "datasets": TEXTS.is_for("on which they are; on all by default"),
        "changes": Named(ANYTHING, "parameters of tasks that differ from those of the headline"),
        "beside": _or_by_name(TEXT, "a reading, or one by method").is_for(
            "the reading whose tasks measure this one, too"
        ),
        "trials": _or_by_name(
            POSITIVE, "a whole number, at least 1, or one by method or data set"
        ).is_for("of the full profile, instead of the method's own"),
    },
    ("name", "question", "text"),
)
SIDE = Table(
    {
        **dict.fromkeys(("method", "metric", "setting", "results", "reading"), TEXT),
        "value": NUMBER.is_for("a fixed value, in the printed unit"),
        "factor": NUMBER.is_for("times what is measured"),
        "at": POSITIVE.is_for("place on a recorded path, from 1"),
        "label": TEXT.is_for("what it is called in tables"),
        "within": TEXT.is_for("a reading that this side keeps while others are tried"),
    },
    either=("method", "value"),
)
OWN_SIDE = Table({key: of for key, of in SIDE.keys.items() if key != "value"}, ("method",))
CLAIM = Table(
    {
        "name": TEXT,
        "text": TEXT.is_for("the sentence of the paper"),
        "also": TEXTS.is_for("other sentences that say the same"),
        "not_judged": TEXT.is_for("why no contrast of ours can judge it"),
        "by": NUMBER.is_for("what the sentence means by far or large, in the printed unit"),
        "each": TRUE.is_for("the sentence is about every data set: each is judged"),
        "margin": MARGIN.is_for("difference that counts as none"),
        "page": COUNT,
        "tables": TEXTS.is_for("printed tables that it is about"),
        "claims": _one_of(KINDS).is_for("of side a against every one of b"),
        "metric": TEXT,
        "larger": _one_of(("better", "worse")).is_for("what a larger value of the metric is"),
        "a": OWN_SIDE,
        "b": Listed(SIDE, expected="a list of tables, at least one", least=1),
        **dict.fromkeys(("results", "reading"), TEXT),
        "family": TEXT.is_for("results table: the claim is judged in every setting of it, too"),
        "datasets": TEXTS,
        **{name: SETTINGS[name] for name in ("design", "folds", "scale")},
    },
    ("name", "text", "page"),
)
FILE = Table(
    {
        "paper": PAPER,
        "tables": Named(PRINTED_TABLE),
        "readings": Listed(READING),
        "claims": Listed(CLAIM),
    },
    ("paper", "tables"),
)
UNITS = Table(
    {
        **dict.fromkeys(("printed", "results"), TEXT.is_for("percent, fraction, or a name")),
        "margin": MARGIN.is_for("difference that counts as none, in the printed unit"),
    },
    about="units of print and results, and the margin of any other unit than a share",
)
#: The words that a number or a claim may be expected to have.
EXPECTED = _one_of(
    (
        "to the digit",
        "reproduced",
        "reproduced in a variant",
        "undecided",
        "undecided, differs",
        "not reproduced",
        "holds",
        "holds, but",
        "fails",
    )
)
_LINES = Named(
    Table(
        {
            **LINE.keys,
            "unit": TEXT.is_for(
                "of print and results alike where it is not that of [units], as of a time beside "
                "an accuracy; the row or column has a margin of its own"
            ),
        }
    ),
    "printed name, and what it says of its numbers",
)
ANYONES_TABLE = replace(
    PRINTED_TABLE,
    keys={**PRINTED_TABLE.keys, "rows": _LINES, "columns": _LINES},
    required=("rows", "columns", "values"),
)
#: A file of anyone's printed table: it may leave out what a paper of its own must say.
ANYONES = Table(
    {
        **FILE.keys,
        "paper": replace(PAPER, required=()),
        "tables": Named(ANYONES_TABLE),
        "columns": Table(
            {**dict.fromkeys(COLUMNS, TEXT), "trial": TEXT_OR_TEXTS},
            about="what the results call their columns; a trial may be named by several",
        ),
        "units": UNITS,
        "expect": Named(EXPECTED, "the word that a number or claim must have, at least"),
    },
    ("tables",),
)


def printed_schema() -> dict[str, Any]:
    """JSON Schema (Draft 2020-12) of ``printed.toml``: of a paper's file, and of anyone's.

    It knows keys and types. What names one another (a value of a row, a claim about a table) is
    checked where the file is read.

    Examples
    --------
    >>> from reprolib.rerun.verdicts.printed_file import printed_schema
    >>> printed_schema()["required"]
    ['tables']
    """
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "printed.toml"}
    return {**head, **schema(ANYONES)}


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
    found = list(key_faults("the file", entry, FILE))
    if found:
        return found
    found += table_faults("paper", entry["paper"], PAPER)
    for number, reading in enumerate(entry.get("readings", []), start=1):
        found += table_faults(f"readings, entry {number}", reading, READING)
    for name, table in entry["tables"].items():
        where = f"tables.{name}"
        found += table_faults(where, table, PRINTED_TABLE) or [
            *_name_faults(where, table),
            *_value_faults(where, table),
        ]
    for number, claim in enumerate(entry.get("claims", []), start=1):
        where = f"claims, entry {number}"
        wrong = table_faults(where, claim, CLAIM)
        if not wrong and "not_judged" not in claim:
            needed = ("tables", "claims", "metric", "larger", "a", "b")
            wrong = [f"{where}: {key} is missing" for key in needed if key not in claim] or [
                f"{where}: no table {name!r}{nearest(name, entry['tables'])}"
                for name in claim["tables"]
                if name not in entry["tables"]
            ]
            if not wrong and any(_selected(side) == _selected(claim["a"]) for side in claim["b"]):
                wrong = [f"{where}: side a is compared with itself; name a rival under b"]
        found += wrong
    names = Counter(claim.get("name") for claim in entry.get("claims", []))
    found += [f"claims: {n} have the name {name!r}" for name, n in names.items() if n > 1]
    return found


def anyones_faults(entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the form of anyone's file, before what it leaves out is filled in.

    Names that its parts have of one another are checked after (`faults`).
    """
    found = list(key_faults("the file", entry, ANYONES))
    if found:
        return found
    if not entry["tables"]:
        return ["tables: no table; give one, with rows, columns and values"]
    for name, table in entry["tables"].items():
        found += table_faults(f"tables.{name}", table, ANYONES_TABLE)
    for name, part in entry.items():
        if name != "tables":
            found += faults_within(name, part, ANYONES.keys[name])
    return found


def _selected(side: Mapping[str, Any]) -> dict[str, Any]:
    """What a side is, whatever it is called."""
    return {key: value for key, value in side.items() if key != "label"}


def _name_faults(where: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield names of rows and columns that the table lacks."""
    rows, columns = table["rows"], table["columns"]
    for name in table.get("not_run", {}):
        if name not in rows and name not in columns:
            yield f"{where}.not_run: no row or column {name!r}{nearest(name, [*rows, *columns])}"
    for key in ("explanations", "quoted", "cells"):
        for number, entry in enumerate(table.get(key, []), start=1):
            for part, names in (("row", rows), ("column", columns)):
                if entry[part] != "*" and entry[part] not in names:
                    yield (
                        f"{where}.{key}, entry {number}: no {part} {entry[part]!r}"
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
            if not is_valid(value, PRINTED):
                yield (
                    f"{where}.values: row {row!r}, column {column!r} is {value!r}; it must be a "
                    "number, a pair of a number and its spread, or an empty text"
                )
            elif value != "":
                selected = settings_of(table, row, column)
                quoted = text_on(table.get("quoted", []), row, column)
                if "role" not in table and "role" not in selected and not quoted:
                    yield f"{where}: nothing says the role of row {row!r}, column {column!r}"
                is_median = {**table, **selected}.get("spread") == "interquartile range"
                if is_median and "runs" in {**table, **selected}.get("design", ""):
                    yield (
                        f"{where}: row {row!r}, column {column!r} has an interquartile range and "
                        "the design runs, which compares standard deviations; print has none, so "
                        "leave the spread out"
                    )
                if not quantity_of(table, row, column):
                    yield f"{where}: nothing says the quantity of row {row!r}, column {column!r}"
                if row not in not_run and column not in not_run:
                    place = f"neither row {row!r} nor column {column!r}"
                    for name in (name for name in SELECTORS if name not in selected):
                        yield f"{where}: {place} says the {name}"


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
