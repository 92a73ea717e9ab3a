"""One printed number, as the tables of the papers have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["mean", "test_set", "seeded", "selected"]
#: Roles that a file states for a row, a column or a table; a quotation has an entry of its own.
StatedRole = Literal["own", "baseline"]
Role = Literal["own", "baseline", "quoted"]
Quantity = Literal["performance", "selection"]


@dataclass(frozen=True)
class Number:
    """One printed number, and what selects the records to compare with it.

    Parameters
    ----------
    paper, table, row, column : str
        Where it is printed.
    value, spread : float
        As printed; ``spread`` is the printed standard deviation over trials, or None.
    kind : {"mean", "test_set", "seeded", "selected"}
        A mean over trials, a figure on one test set, one run of a method with seeds on one test
        set, or a selected hyperparameter.
    role : {"own", "baseline", "quoted"}
        The paper's own method, one that it compares with, or a number of another source.
    quantity : {"performance", "selection"}
        How good a method is, or what was selected: a hyperparameter, or how many of the parts.
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
    searched : int, optional
        How many candidates a selection had; by default the length of the paths of ``scores``.
    scores : dict
        Columns of the records whose mean path a selection maximises, empty if there are none.
    quoted : str
        Where the paper has the number from, empty if it is an experiment of its own.
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
    role: Role
    quantity: Quantity
    trials: int
    scale: float
    digits: int
    select: Mapping[str, str]
    results: str
    searched: int | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    quoted: str = ""
    not_run: str = ""
    explanation: str = ""

    @property
    def id(self) -> str:
        """Name of the number: table/row/column."""
        return f"{self.table}/{self.row}/{self.column}"
