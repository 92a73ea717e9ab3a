"""The numbers that the papers print, read from the file ``printed.toml`` of each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import scipy

from reprolib.rerun.printed.file import merged, text_on
from reprolib.rerun.printed.schema import (
    HEADLINE,
    MARGIN,
    Design,
    File,
    Pool,
    Quantity,
    Spread,
    Table,
)
from reprolib.rerun.records.registry import homes, printed_of
from reprolib.rerun.verdicts.words import SELECTION_MARGIN

#: Of a file, and a quotation, which has an entry of its own there.
Role = Literal["own", "baseline", "quoted"]
#: What a number is where neither its row, its column nor its table says it.
UNSAID: dict[str, Any] = {
    **dict.fromkeys(("spread_of", "drawn_once", "fixed", "setting", "role"), ""),
    "trials": 1,
    "scale": 1.0,
    "digits": 2,
    "judged": HEADLINE,
    "exact": False,
    "folds": None,
    "tested": None,
    "pool": None,
    "margin": None,
    "design": "splits",
    "spread": "standard deviation",
}


@dataclass(frozen=True)
class Number:
    """One printed number, and what selects the records to compare with it.

    Parameters
    ----------
    paper, table, row, column : str
        Where it is printed.
    value, spread : float
        As printed; ``spread`` is the printed standard deviation over trials, or the one that
        follows from another printed spread, or None.
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
    exact : bool or tuple of str
        Whether method and protocol leave nothing to chance, or the readings under which they do:
        on the paper's own data and splits, all of them, the difference of ours and print is known
        (`is_known`).
    folds : int, optional
        Of a cross-validation.
    tested : float, optional
        Share of the pool that a random split tests.
    spread_of : str
        For two designs: the reading whose spread stands for that of "seeds".
    drawn_once : str
        Metric, if any, whose spread is that of a choice made once for all trials, on either side.
    fixed : str
        What fixes a selection before anything is learned, such as the number of classes; empty if
        nothing does.
    pool : Pool, optional
        Where ours are only some of the paper's runs or subjects: how the names of the readings
        begin that each leave one of ours out (``without``), and how many the paper has (``of``).
    quoted : str
        Where the paper has the number from, empty if it is an experiment of its own.
    not_run : str
        Why it is not run, empty if it is.
    explanation : str
        Why it is not reproduced, from an experiment; empty if it is or nobody knows.
    stated_margin : float, optional
        Difference that counts as none, in the printed unit, where its table says it.
    points : float
        Percentage points that count as none in the whole paper.
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
    exact: bool | tuple[str, ...] = False
    folds: int | None = None
    tested: float | None = None
    spread_of: str = ""
    drawn_once: str = ""
    fixed: str = ""
    pool: Pool | None = None
    quoted: str = ""
    not_run: str = ""
    explanation: str = ""
    stated_margin: float | None = None
    points: float = MARGIN

    @property
    def id(self) -> str:
        """Name of the number: table/row/column."""
        return f"{self.table}/{self.row}/{self.column}"

    @property
    def margin(self) -> float:
        """Difference up to which it is reproduced, in the printed unit."""
        if self.quantity == "selection":
            return max(SELECTION_MARGIN * abs(self.value), 1.0)
        return self.points * self.scale / 100 if self.stated_margin is None else self.stated_margin

    def is_known(self, reading: str, source: str, n_trials: int) -> bool:
        """Whether records leave no chance in the difference of ours and print.

        Parameters
        ----------
        reading : str
            Of the records.
        source : str
            Of their data.
        n_trials : int
            How many splits they have.
        """
        is_exact = self.exact if isinstance(self.exact, bool) else reading in self.exact
        return is_exact and source == "original" and n_trials == self.trials


def short_name(paper: str) -> str:
    """What a headline calls a paper: the name of its method, or its key.

    A table of somebody's own (`judge_table`) is no paper, and has its key only.
    """
    return (paper in homes() and printed_of(paper).story.short) or paper.upper()


def points_of(papers: Iterable[str], unit: str = "points") -> str:
    """What counts as no difference: "1.5 points"; "1.5 (KPM: 2) points" where papers differ."""
    margins = {paper: printed_of(paper).printed.margin for paper in papers if paper in homes()}
    common = Counter(margins.values()).most_common(1)[0][0] if margins else MARGIN
    others = [f"{short_name(p)}: {margin:g}" for p, margin in margins.items() if margin != common]
    among = f" ({', '.join(others)})" if others else ""
    return f"{common:g}{among} {unit}"


def controls(paper: str) -> frozenset[str]:
    """Readings that are experiments on the data or on the method, and none of the paper's text.

    They say what a difference depends on. No row is credited with one.
    """
    return controls_of(printed_of(paper))


def controls_of(file: File) -> frozenset[str]:
    """Readings of a file that are controls."""
    return frozenset(reading.name for reading in file.readings if reading.control)


def numbers(paper: str) -> list[Number]:
    """Every number printed in the paper's tables, in printed order."""
    return numbers_of(printed_of(paper))


def printed_values(paper: str, key: Mapping[Any, Any]) -> dict[str, float]:
    """Printed values by metric, in the unit of the records.

    Parameters
    ----------
    paper : str
        Key of the paper.
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


def numbers_of(file: File) -> list[Number]:
    """Every number of a file, in printed order."""
    return [
        _number(file, key, table, row, column, printed)
        for key, table in file.printed.tables.items()
        for row, printed_row in table.values.items()
        for column, printed in zip(table.columns, printed_row, strict=True)
        if printed != ""
    ]


def _number(file: File, key: str, table: Table, row: str, column: str, printed: Any) -> Number:
    value, spread = printed if isinstance(printed, list) else (printed, None)
    said = {**UNSAID, **merged(table, row, column)}
    if spread is not None:
        spread = standard_deviation(spread, said["spread"], said["trials"])
    quoted = text_on(table.quoted, row, column)
    why = [note for note in file.story.explanations if note.table == key]
    selectors = ("setting", "dataset", "method", "metric")
    return Number(
        paper=file.printed.paper.key,
        table=key,
        row=row,
        column=column,
        value=value,
        spread=spread,
        designs=designs_of(said["design"]),
        role="quoted" if quoted else said["role"],
        quantity=said["quantity"],
        select={name: said[name] for name in selectors if name in said},
        results=said.get("results", key),
        exact=said["exact"] if isinstance(said["exact"], bool) else tuple(said["exact"]),
        fixed=said["fixed"] if said["quantity"] == "selection" else "",
        quoted=quoted,
        not_run=table.not_run.get(row, table.not_run.get(column, "")),
        explanation=text_on(why, row, column),
        stated_margin=said["margin"],
        points=file.printed.margin,
        **{
            name: said[name]
            for name in (
                *("trials", "scale", "digits", "judged", "folds", "tested", "spread_of"),
                *("drawn_once", "pool"),
            )
        },
    )


def standard_deviation(spread: float, kind: Spread, trials: int) -> float:
    """Standard deviation over trials behind what is printed beside a number.

    Of normal values the quartiles lie 1.349 standard deviations apart, and their median varies
    sqrt(pi / 2) times as much as their mean: a printed median counts as a mean that much less sure.

    Parameters
    ----------
    spread : float
        As printed; of a 95 % interval of the mean (Student's) half its width, of quartiles the
        upper minus the lower.
    kind : {"standard deviation", "standard error", "95 % interval", "interquartile range"}
        What it is.
    trials : int
        Behind the printed number; of one alone nothing follows, and the spread is returned.
    """
    if kind == "standard deviation" or trials < 2:
        return spread
    if kind == "interquartile range":
        return spread / (2 * scipy.stats.norm.ppf(0.75)) * math.sqrt(math.pi / 2)
    standard_errors = scipy.stats.t.ppf(0.975, trials - 1) if kind == "95 % interval" else 1.0
    return spread / standard_errors * math.sqrt(trials)


def designs_of(value: Any) -> tuple[Design, ...]:
    """One design or several, as a file states them."""
    designs: list[Any] = [value] if isinstance(value, str) else list(value)
    return tuple(designs)
