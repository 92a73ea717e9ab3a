"""The numbers that the papers print, read from the file ``printed.toml`` of each."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from reprolib.rerun.records.registry import parsed_toml, printed_name, printed_text
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts import printed_file as paper_file
from reprolib.rerun.verdicts.number import Number, designs_of

#: Settings of a row, a column or a table, and what they are if none of them says it.
DEFAULTS: dict[str, Any] = {
    "trials": 1,
    "scale": 1,
    "digits": 2,
    "role": "",
    "judged": HEADLINE,
    "folds": None,
    "spread_of": "",
    "drawn_once": "",
    "searched": None,
}


@functools.cache
def paper_entry(paper: str) -> dict[str, Any]:
    """Everything that ``printed.toml`` of a paper says.

    Raises
    ------
    ValueError
        If there is no such paper, or its file is wrong (see `printed_file.faults`).
    """
    return parsed_entry(printed_text(paper), printed_name(paper))


def parsed_entry(text: str, file: str) -> dict[str, Any]:
    """Parse and check a paper's file.

    Parameters
    ----------
    text : str
    file : str
        Its name, for messages.

    Raises
    ------
    ValueError
        If it is no TOML, or has another form than it must; all faults are named.
    """
    return checked_entry(parsed_toml(text, file), file)


def checked_entry(entry: dict[str, Any], file: str) -> dict[str, Any]:
    """Return a parsed file, if it has the form that it must have.

    Raises
    ------
    ValueError
        If it has not; all faults are named.
    """
    if faults := paper_file.faults(entry):
        raise ValueError("\n".join(f"{file}: {fault}" for fault in faults))
    return entry


def controls(paper: str) -> frozenset[str]:
    """Readings that are experiments on the data or on the method, and none of the paper's text.

    They say what a difference depends on. No row is credited with one.
    """
    return controls_of(paper_entry(paper))


def controls_of(entry: Mapping[str, Any]) -> frozenset[str]:
    """Readings of a parsed file that are controls."""
    return frozenset(r["name"] for r in entry.get("readings", []) if r.get("control"))


def numbers(paper: str) -> list[Number]:
    """Every number printed in the paper's tables, in printed order."""
    return entry_numbers(paper, paper_entry(paper))


def printed_values(paper: str, key: Mapping[Any, Any]) -> dict[str, float]:
    """Printed values by metric, in the unit of the records.

    Parameters
    ----------
    paper : str
    key : mapping
        table (of the records), dataset, method and setting.
    """
    return {
        number.select["metric"]: number.value / number.scale
        for number in numbers(paper)
        if number.results == key["table"]
        and all(number.select[name] == key[name] for name in ("dataset", "method", "setting"))
    }


def in_printed_order(paper: str, datasets: Iterable[str]) -> list[str]:
    """Names of data sets in the order of the paper's tables; those that it lacks last, by name."""
    order = list(dict.fromkeys(number.select["dataset"] for number in numbers(paper)))
    place = {name: position for position, name in enumerate(order)}
    return sorted(map(str, datasets), key=lambda name: (place.get(name, len(order)), name))


def entry_numbers(paper: str, entry: Mapping[str, Any]) -> list[Number]:
    """Every number of a parsed file, in printed order."""
    return [
        _number(paper, table_key, table, row, column, printed)
        for table_key, table in entry["tables"].items()
        for row, printed_row in table["values"].items()
        for column, printed in zip(table["columns"], printed_row, strict=True)
        if printed != ""
    ]


def _number(paper, table_key, table, row, column, printed) -> Number:
    value, spread = printed if isinstance(printed, list) else (printed, None)
    merged = paper_file.settings_of(table, row, column)
    quantity = paper_file.quantity_of(table, row, column)
    quoted = paper_file.text_on(table.get("quoted", []), row, column)
    merged.pop("quantity", None)
    setting = {name: merged.pop(name, table.get(name, d)) for name, d in DEFAULTS.items()}
    designs = merged.pop("design", table.get("design", "splits"))
    results = merged.pop("results", table.get("results", table_key))
    not_run = table.get("not_run", {})
    return Number(
        paper=paper,
        table=table_key,
        row=row,
        column=column,
        value=float(value),
        spread=spread,
        designs=designs_of(designs),
        select={"setting": "", **merged},
        results=results,
        quantity=quantity,
        scores=_score_records(results, merged, table.get("scores", {}).get(column)),
        quoted=quoted,
        not_run=not_run.get(row, not_run.get(column, "")),
        explanation=paper_file.text_on(table.get("explanations", []), row, column),
        **{**setting, "role": "quoted" if quoted else setting["role"]},
    )


def _score_records(results: str, select: Mapping[str, str], other: Mapping[str, str] | None):
    """Columns of the records behind a selection: its own, unless the table names others."""
    if other is None:
        return {}
    differing = {("table" if name == "results" else name): value for name, value in other.items()}
    return {"table": results, "setting": "", **select, **differing}
