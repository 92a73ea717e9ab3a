"""One printed number, as the tables of the papers have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reprolib.rerun.verdicts.words import MARGIN

#: How a printed number was made; `errors` has the error model of each, by this name.
Design = Literal["splits", "cross-validation", "test set", "seeds", "runs", "selection"]
#: What stands beside an interval.
DESIGN_TEXTS: Mapping[Design, str] = {
    "splits": "independent splits",
    "cross-validation": "one more cross-validation",
    "test set": "shared test set",
    "seeds": "one more run",
    "runs": "shared runs",
    "selection": "one more selection",
}
#: Roles that a file states for a row, a column or a table; a quotation has an entry of its own.
StatedRole = Literal["own", "baseline"]
Role = Literal["own", "baseline", "quoted"]
Quantity = Literal["performance", "selection"]


def designs_of(value: Any) -> tuple[Design, ...]:
    """One design or several, as a file states them."""
    designs: list[Any] = [value] if isinstance(value, str) else list(value)
    return tuple(designs)


@dataclass(frozen=True)
class Number:
    """One printed number, and what selects the records to compare with it.

    Parameters
    ----------
    paper, table, row, column : str
        Where it is printed.
    value, spread : float
        As printed; ``spread`` is the printed standard deviation over trials, or None.
    designs : tuple of {"splits", "cross-validation", "test set", "seeds", "runs", "selection"}
        How it was made: a mean over independent splits, or over the folds of one partition, one
        official test set, one run of a method with seeds, a mean over runs of a subject that are
        left out in turn, or what was selected once. Two where print contradicts the text: the
        wider interval counts.
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
    judged : str
        The reading whose records are judged: the headline, or the same protocol on more draws.
    folds : int, optional
        Of a cross-validation.
    spread_of : str
        For two designs: the reading whose spread stands for that of "seeds".
    drawn_once : str
        Metric, if any, whose spread is that of a choice made once for all trials, on either side.
    searched : int or mapping, optional
        How many candidates a selection had; or the results, metric and number of first trials
        whose shortest path says it. By default the length of the paths of ``scores``.
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
    designs: tuple[Design, ...]
    role: Role
    quantity: Quantity
    trials: int
    scale: float
    digits: int
    select: Mapping[str, str]
    results: str
    judged: str = "headline"
    folds: int | None = None
    spread_of: str = ""
    drawn_once: str = ""
    searched: int | Mapping[str, Any] | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    quoted: str = ""
    not_run: str = ""
    explanation: str = ""

    @property
    def id(self) -> str:
        """Name of the number: table/row/column."""
        return f"{self.table}/{self.row}/{self.column}"

    @property
    def margin(self) -> float:
        """Difference up to which a performance is reproduced, in the printed unit."""
        return MARGIN * self.scale / 100 if self.quantity == "performance" else float("inf")

    @property
    def design(self) -> str:
        """How it was made, in words."""
        return " or ".join(DESIGN_TEXTS[design] for design in self.designs)
