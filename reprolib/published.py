"""The numbers that the papers print, read from ``reprolib/papers/<paper>.toml``."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

Kind = Literal["mean", "test_set", "selected"]


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
        If the package has no such file.
    """
    path = resources.files("reprolib") / "papers" / f"{paper}.toml"
    if not path.is_file():
        raise ValueError(f"paper is {paper!r}, but reprolib/papers has no {paper}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def numbers(paper: str) -> list[Number]:
    """Every number printed in the paper's tables, in printed order."""
    entry = paper_entry(paper)
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
