"""The numbers that the papers print, read from the file ``printed.toml`` of each."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from scipy import stats

from reprolib.rerun.records.registry import homes, parsed_toml, printed_name, printed_text
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts import printed_file as paper_file
from reprolib.rerun.verdicts.printed_file import Design, Quantity, Spread
from reprolib.rerun.verdicts.words import MARGIN, SELECTION_MARGIN

#: What stands beside an interval.
DESIGN_TEXTS: Mapping[Design, str] = {
    "splits": "independent splits",
    "cross-validation": "one more cross-validation",
    "test set": "shared test set",
    "seeds": "one more run",
    "runs": "shared runs",
    "selection": "one more selection",
}
#: Of a file, and a quotation, which has an entry of its own there.
Role = Literal["own", "baseline", "quoted"]
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
    "fixed": "",
    "pool": None,
    "margin": None,
    "exact": False,
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
    spread_of : str
        For two designs: the reading whose spread stands for that of "seeds".
    drawn_once : str
        Metric, if any, whose spread is that of a choice made once for all trials, on either side.
    fixed : str
        What fixes a selection before anything is learned, such as the number of classes; empty if
        nothing does.
    pool : mapping, optional
        Where ours are only some of the paper's runs or subjects: how the names of the readings
        begin that each leave one of ours out (``without``), and how many the paper has (``of``).
    quoted : str
        Where the paper has the number from, empty if it is an experiment of its own.
    not_run : str
        Why it is not run, empty if it is.
    explanation : str
        Why it is not reproduced, from an experiment; empty if it is or nobody knows.
    stated_margin : float, optional
        Difference that counts as none, in the printed unit, where the file says it.
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
    spread_of: str = ""
    drawn_once: str = ""
    fixed: str = ""
    pool: Mapping[str, Any] | None = None
    quoted: str = ""
    not_run: str = ""
    explanation: str = ""
    stated_margin: float | None = None

    @property
    def id(self) -> str:
        """Name of the number: table/row/column."""
        return f"{self.table}/{self.row}/{self.column}"

    @property
    def margin(self) -> float:
        """Difference up to which it is reproduced, in the printed unit."""
        if self.quantity == "selection":
            return max(SELECTION_MARGIN * abs(self.value), 1.0)
        return MARGIN * self.scale / 100 if self.stated_margin is None else self.stated_margin

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

    @property
    def design(self) -> str:
        """How it was made, in words."""
        return " or ".join(DESIGN_TEXTS[design] for design in self.designs)


@functools.cache
def paper_entry(paper: str) -> dict[str, Any]:
    """Everything that ``printed.toml`` of a paper says.

    Raises
    ------
    ValueError
        If there is no such paper, or its file is wrong (see `printed_file.faults`).
    """
    return parsed_entry(printed_text(paper), printed_name(paper))


def short_name(paper: str) -> str:
    """What a headline calls a paper: the name of its method, or its key.

    A table of somebody's own (`judge_table`) is no paper, and has its key only.
    """
    about = paper_entry(paper)["paper"] if paper in homes() else {}
    return about.get("short", paper.upper())


def parsed_entry(text: str, file: str) -> dict[str, Any]:
    """Parse and check a paper's file.

    Parameters
    ----------
    text : str
        Content of the file.
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
    kind = merged.pop("spread", table.get("spread", "standard deviation"))
    setting = {name: merged.pop(name, table.get(name, d)) for name, d in DEFAULTS.items()}
    if quantity != "selection":
        setting["fixed"] = ""
    if not isinstance(setting["exact"], bool):
        setting["exact"] = tuple(setting["exact"])
    designs = merged.pop("design", table.get("design", "splits"))
    results = merged.pop("results", table.get("results", table_key))
    not_run = table.get("not_run", {})
    return Number(
        paper=paper,
        table=table_key,
        row=row,
        column=column,
        value=float(value),
        spread=spread if spread is None else standard_deviation(spread, kind, setting["trials"]),
        designs=designs_of(designs),
        select={"setting": "", **merged},
        results=results,
        quantity=quantity,
        quoted=quoted,
        not_run=not_run.get(row, not_run.get(column, "")),
        explanation=paper_file.text_on(table.get("explanations", []), row, column),
        stated_margin=setting.pop("margin"),
        **{**setting, "role": "quoted" if quoted else setting["role"]},
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
        return spread / (2 * stats.norm.ppf(0.75)) * math.sqrt(math.pi / 2)
    standard_errors = stats.t.ppf(0.975, trials - 1) if kind == "95 % interval" else 1.0
    return spread / standard_errors * math.sqrt(trials)


def designs_of(value: Any) -> tuple[Design, ...]:
    """One design or several, as a file states them."""
    designs: list[Any] = [value] if isinstance(value, str) else list(value)
    return tuple(designs)
