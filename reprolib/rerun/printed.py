"""The numbers that the papers print, read from ``reprolib/papers/<paper>.toml``."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from reprolib import paper_file
from reprolib.paper_file import Kind


@dataclass(frozen=True)
class Number:
    """One printed number, and what selects the records to hold against it.

    Parameters
    ----------
    paper, table, row, column : str
        Where it is printed.
    value, spread : float
        As printed; ``spread`` is the printed standard deviation over trials, or None.
    kind : {"mean", "test_set", "selected"}
        A mean over trials, a figure on one test set, or a selected hyperparameter.
    trials : int
        Trials behind the printed number (1 if there was one test set).
    scale : float
        Printed value over the unit of our records: 100 for percent of a fraction.
    digits : int
        Digits after the point in tables.
    select : dict
        Columns of the records and the values that select ours: dataset, method, metric.
    results : str
        Name of the table of our records.
    not_run : str
        Why it is not run, empty if it is.
    explanation : str
        Why it is not reproduced, from an experiment; empty if it is or nobody knows.
    """

    paper: str
    table: str
    row: str
    column: str
    value: float
    spread: float | None
    kind: Kind
    trials: int
    scale: float
    digits: int
    select: Mapping[str, str]
    results: str
    not_run: str = ""
    explanation: str = ""

    @property
    def id(self) -> str:
        """Name of the number: table/row/column."""
        return f"{self.table}/{self.row}/{self.column}"


@functools.cache
def paper_entry(paper: str) -> dict[str, Any]:
    """Everything that ``papers/<paper>.toml`` says.

    Raises
    ------
    ValueError
        If the package has no such file, or the file is wrong (see `reprolib.paper_file.faults`).
    """
    path = resources.files("reprolib") / "papers" / f"{paper}.toml"
    if not path.is_file():
        raise ValueError(f"paper is {paper!r}, but reprolib/papers has no {paper}.toml")
    return parsed_entry(path.read_text(encoding="utf-8"), f"reprolib/papers/{paper}.toml")


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
    try:
        entry = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from error
    if faults := paper_file.faults(entry):
        raise ValueError("\n".join(f"{file}: {fault}" for fault in faults))
    return entry


def numbers(paper: str) -> list[Number]:
    """Every number printed in the paper's tables, in printed order."""
    return entry_numbers(paper, paper_entry(paper))


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
    merged = {**table["rows"][row], **table["columns"][column]}
    setting = {
        name: merged.pop(name, table.get(name, default))
        for name, default in [("kind", "mean"), ("trials", 1), ("scale", 1), ("results", table_key)]
    }
    not_run = table.get("not_run", {})
    return Number(
        paper=paper,
        table=table_key,
        row=row,
        column=column,
        value=float(value),
        spread=spread,
        digits=merged.pop("digits", table.get("digits", 2)),
        select=merged,
        not_run=not_run.get(row, not_run.get(column, "")),
        explanation=_explanation(table, row, column),
        **setting,
    )


def _explanation(table, row, column) -> str:
    for entry in table.get("explanations", []):
        if entry["row"] in (row, "*") and entry["column"] in (column, "*"):
            return entry["text"]
    return ""
