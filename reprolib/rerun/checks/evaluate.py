"""One's own estimator in a paper's table: under its protocol, beside printed and ours."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data_fetch import Dataset, counterparts
from reprolib.rerun.records.registry import get_protocol, paper_key, paper_module, unknown
from reprolib.rerun.records.rows import select
from reprolib.rerun.records.tables import load_paper, load_run, write_results
from reprolib.rerun.records.task import HEADLINE, Measurement, Profile, Protocol, Stage, Task
from reprolib.rerun.tasks.estimators import described, name_of, require_classifier
from reprolib.rerun.tasks.local import LocalWorkers
from reprolib.rerun.tasks.open_table import (
    OpenTable,
    grid_of,
    is_random,
    n_candidates,
    run_on,
)
from reprolib.rerun.tasks.runner import Progress, Run, run_protocol
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.claim import Cell
from reprolib.rerun.verdicts.evidence import choices_of
from reprolib.rerun.verdicts.number import Number
from reprolib.rerun.verdicts.pair import Pair
from reprolib.rerun.verdicts.printed import numbers
from reprolib.rerun.verdicts.statistics import rounded_interval
from reprolib.rerun.verdicts.words import of_contrast


@dataclass(frozen=True)
class Evaluation:
    """An estimator in a paper's table.

    Parameters
    ----------
    paper, table, name : str
        Where it ran, and what it is called there.
    means : DataFrame
        One line a row of the table: of every method the printed value and ours, then the
        estimator's mean, in the printed unit and over the same trials. NaN where there is none.
    differences : DataFrame
        The estimator minus each method on identical trials: difference, ends of the 95 % interval,
        number of trials, and the word: better, worse or undecided. The last lines are means
        over the rows.
    run : Run
        Records of the estimator, and of methods that had to be run beside it.
    notes : tuple of str
        What a reader must know.
    """

    paper: str
    table: str
    name: str
    means: pd.DataFrame
    differences: pd.DataFrame
    run: Run
    notes: tuple[str, ...]

    def lines(self) -> list[str]:
        """Both tables and the notes as text."""
        tables = (self.means.to_string(na_rep="-"), self.differences.to_string(index=False))
        about = (
            f"{self.paper}/{self.table}: {self.name} beside printed and ours\n",
            f"\n{self.name} minus each method, on identical trials, 95 % intervals\n",
        )
        texts = [text for pair in zip(about, tables, strict=True) for text in pair]
        return [*texts, *(f"Note: {note}." for note in self.notes)]

    def write(self, folder: Path) -> list[Path]:
        """Write records, how they were made and a seal to ``<folder>/<name>/<paper>``."""
        place = Path(folder) / "".join(c if c.isalnum() else "-" for c in self.name) / self.paper
        return write_results(self.run.records, place, self.run.tasks, self.run.about)


def evaluate(
    estimator: Any,
    paper: str,
    table: str,
    *,
    grid: Mapping[str, Sequence] | None = None,
    name: str = "",
    datasets: Sequence[str] = (),
    trials: int | None = None,
    profile: Profile = "full",
    embedded: bool = False,
    n_jobs: int = 1,
    store: RecordStore | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Run a scikit-learn estimator under a paper's protocol, beside its methods.

    The estimator has the rows of every trial that the paper's methods have. A selection is made on
    the folds of the trial, from at most as many candidates as the paper's methods have.

    Parameters
    ----------
    estimator : classifier or pipeline
        It is copied for every trial. A parameter ``random_state`` that is None is set to the trial.
    paper, table : str
        "kpm", "table2".
    grid : mapping of str to sequence, optional
        Values by parameter that it chooses from; by default its attribute ``param_grid``. Without
        any, or where it is a search of its own, it is taken as it is; ``cv`` is set to the folds.
    name : str
        What it is called in tables; by default its class.
    datasets : sequence of str
        Patterns such as "raetsch/heart" or "raetsch/b*"; all of the table by default.
    trials : int, optional
        At most so many of every row.
    profile : {"full", "quick"}
    embedded : bool
        Use embedded data; the paper's methods are then run on them, too.
    n_jobs : int
        Worker processes, -1 for all cores.
    store : RecordStore, optional
        Of finished tasks; the user's by default. An interrupted run continues from it.
    progress : callable, optional
        Called with (finished, all, stage, stages) after every task.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If there is no such paper or table, the table takes no estimator (the message says why), the
        grid is larger than the budget, or the estimator is no scikit-learn classifier.

    See Also
    --------
    compare_methods : several methods on data of one's own.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from reprolib import evaluate
    >>> found = evaluate(  # doctest: +SKIP
    ...     KNeighborsClassifier(), "kpm", "table2", grid={"n_neighbors": [1, 5, 15, 45]}
    ... )
    >>> found.differences  # doctest: +SKIP
    """
    protocol, opened = get_protocol(paper_key(paper)), open_table(paper, table)
    grid = grid_of(require_classifier(estimator), grid)
    _require_budget(opened, n_candidates(estimator, grid), f"{paper}/{table}")
    printed = printed_numbers(protocol.paper, table, opened)
    name = name or name_of(estimator)
    if name in {number.select["method"] for number in printed}:
        raise ValueError(f"name is {name!r}, a method of {paper}; give the estimator another name.")
    guest = _Guest(protocol, table, opened, estimator, grid, name, printed, trials)
    run = run_protocol(
        guest.protocol(_wanted(protocol, profile, printed, datasets)),
        profile,
        embedded=embedded,
        store=store,
        workers=LocalWorkers(n_jobs),
        progress=progress,
    )
    if len(run.failures):
        raise ValueError(f"{name} failed: {run.failures['status'].iloc[0]}")
    ours = pd.concat([guest.committed(run.about["data"]), run.records], ignore_index=True)
    cells = list(_cells(guest, run.records))
    if not cells:
        raise ValueError(f"the {profile} profile of {paper}/{table} has no trial on these data.")
    notes = tuple(filter(None, (opened.note, *map(str, run.substituted.values()))))
    means, differences = _means(guest, cells, ours), _differences(guest, cells, ours)
    return Evaluation(protocol.paper, table, name, means, differences, run, notes)


def open_table(paper: str, table: str) -> OpenTable:
    """Return how a table takes an estimator.

    Raises
    ------
    ValueError
        If it takes none; the message says why, and which tables do.
    """
    key = paper_key(paper)
    module = paper_module(key, "open_tables")
    if module is None:
        raise ValueError(f"{key} takes no estimators of others: it has no open_tables.py")
    known = ", ".join(module.OPEN)
    if table in module.OPEN:
        return module.OPEN[table]
    if table in getattr(module, "CLOSED", {}):
        raise ValueError(
            f"{key}/{table} takes no other estimator: {module.CLOSED[table]}. Open are {known}."
        )
    raise unknown(f"table of {key}", table, module.OPEN)


def printed_numbers(paper: str, table: str, opened: OpenTable) -> list[Number]:
    """Printed performances of a table that an estimator can be compared with."""
    return [
        number
        for number in numbers(paper)
        if number.table == table
        and number.quantity == "performance"
        and number.select["metric"] == opened.metric
        and not number.not_run
    ]


def _require_budget(opened: OpenTable, n: int, where: str) -> None:
    if n > opened.candidates:
        allowance = (
            "an estimator as it is" if opened.candidates == 1 else f"{opened.candidates} at most"
        )
        raise ValueError(
            f"the grid has {n} candidates; {where} takes {allowance}, as its own methods have"
            f"{'. ' + opened.note if opened.note else ''}; give fewer values."
        )


def _wanted(
    protocol: Protocol, profile: Profile, printed: Sequence[Number], patterns: Collection[str]
) -> list[str]:
    """Names of the data sets of the table that are selected."""
    printed_datasets = {number.select["dataset"] for number in printed}
    names = [name for name in protocol.datasets(profile) if name in printed_datasets]
    if not patterns:
        return names
    selected = [
        name
        for name in names
        if any(fnmatch(n, p) for n in (name, *counterparts(name)) for p in patterns)
    ]
    if not selected:
        raise ValueError(f"datasets is {list(patterns)!r}; the table has {', '.join(names)}.")
    return selected


@dataclass(frozen=True)
class _Guest:
    """An estimator that stands in for a method of a table."""

    own: Protocol
    table: str
    opened: OpenTable
    estimator: Any
    grid: Any
    name: str
    printed: Sequence[Number]
    trials: int | None

    @property
    def metric(self) -> str:
        """Metric of our records that it is compared with."""
        return self.opened.compared or self.opened.metric

    @property
    def reading(self) -> str:
        """The reading that is judged."""
        return self.printed[0].judged if self.printed else HEADLINE

    def protocol(self, names: list[str]) -> Protocol:
        """Protocol of its tasks, and of the paper's methods where no committed record is."""
        run = functools.partial(
            _run, self.name, self.opened, self.estimator, self.grid, self.own.run
        )
        stage = Stage(self.tasks)
        return Protocol(self.own.paper, lambda profile: names, (stage,), run, facts=self.own.facts)

    def tasks(
        self, profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
    ) -> list[Task]:
        """Its tasks: those of a method of the paper under its name; and methods to run beside."""
        of_paper = self.own.stages[0].tasks(profile, datasets, records)
        settings = {number.select["setting"] for number in self.printed}
        judged = [t for t in of_paper if t.reading == self.reading and t.setting in settings]
        like = [t for t in judged if self._is_like(t)]
        params = {"estimator": described(self.estimator, self.grid)}
        own_tasks = [
            replace(t, table=self.table, method=self.name, params={**t.params, **params})
            for t in like
        ]
        trials = {(t.dataset, t.setting, t.trial) for t in like}
        methods = {number.select["method"] for number in self.printed}
        data = {name: {"digest": dataset.digest()} for name, dataset in datasets.items()}
        missing = set(datasets) - self._committed_sets(data)
        return own_tasks + [
            t
            for t in judged
            if t.dataset in missing and t.method in methods and t.table == self.table
            if (t.dataset, t.setting, t.trial) in trials
        ]

    def _is_like(self, task: Task) -> bool:
        opened = self.opened
        if task.method != opened.like or task.table != (opened.tasks_of or self.table):
            return False
        if opened.only_seeds and task.trial and not is_random(self.estimator, self.grid):
            return False
        return self.trials is None or task.trial < self.trials

    def _committed_sets(self, data: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Data sets whose committed records were made on the same data."""
        then = load_run(self.own.paper).get("data", {})
        same = {n for n in data if then.get(n, {}).get("digest") == data[n]["digest"]}
        return {n for n in same if not n.startswith("embedded/")}

    def committed(self, data: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
        """Committed records of the table on the same data."""
        records = load_paper(self.own.paper)
        return records[records["dataset"].isin(list(self._committed_sets(data)))]


def _run(
    name: str, opened: OpenTable, estimator: Any, grid: Any, own: Any, task: Task, dataset: Dataset
) -> list[Measurement]:
    """Run a task of the estimator, or of the paper."""
    if task.method == name:
        return run_on(opened, estimator, grid, task, dataset)
    return own(task, dataset)


@dataclass(frozen=True)
class _Row:
    """A row of the table: a data set in a setting, and the numbers printed there."""

    dataset: str
    setting: str
    numbers: tuple[Number, ...]
    mine: pd.DataFrame

    @property
    def label(self) -> str:
        return ", ".join(filter(None, (self.dataset, self.setting)))


def _cells(guest: _Guest, records: pd.DataFrame) -> Iterator[_Row]:
    """Rows of the table that the estimator ran on; without printed numbers on embedded data."""
    records_of_guest = select(records, method=guest.name)
    for (dataset, setting), part in records_of_guest.groupby(["dataset", "setting"], sort=False):
        of_row = {"dataset": str(dataset), "setting": str(setting)}
        of_place = [n for n in guest.printed if all(n.select[k] == v for k, v in of_row.items())]
        without_print = [
            replace(n, value=np.nan, select={**n.select, **of_row})
            for n in {n.select["method"]: n for n in guest.printed}.values()
        ]
        yield _Row(str(dataset), str(setting), tuple(of_place or without_print), part)


def _ours(guest: _Guest, row: _Row, number: Number, records: pd.DataFrame) -> pd.DataFrame:
    """Our records of a printed number, by trial, in the printed unit."""
    found = select(
        records,
        **{**number.select, "metric": guest.metric},
        table=number.results,
        reading=guest.reading,
    )
    return _by_trial(found, number.scale)


def _by_trial(found: pd.DataFrame, scale: float) -> pd.DataFrame:
    found = found[found["value"].notna()]
    scaled = found.assign(value=found["value"] * scale)
    return scaled.drop_duplicates("trial").set_index("trial").sort_index()


def _means(guest: _Guest, rows: Sequence[_Row], records: pd.DataFrame) -> pd.DataFrame:
    lines: dict[str, dict[tuple[str, str], float]] = {}
    for row in rows:
        line: dict[tuple[str, str], float] = {}
        for number in row.numbers:
            method, ours = number.select["method"], _ours(guest, row, number, records)["value"]
            same = ours[ours.index.isin(row.mine["trial"])]
            mean = float((same if len(row.mine) > 1 else ours).mean())
            line[method, "printed"] = number.value
            line[method, "ours"] = round(mean, number.digits + 1)
        first = row.numbers[0]
        mine = float(_by_trial(row.mine, first.scale)["value"].mean())
        line[guest.name, "yours"] = round(mine, first.digits + 1)
        lines[row.label] = line
    columns = list(dict.fromkeys(name for line in lines.values() for name in line))
    columns.sort(key=lambda name: name[0] == guest.name)
    values = [[line.get(name, np.nan) for name in columns] for line in lines.values()]
    return pd.DataFrame(values, index=list(lines), columns=pd.MultiIndex.from_tuples(columns))


def _differences(guest: _Guest, rows: Sequence[_Row], records: pd.DataFrame) -> pd.DataFrame:
    """Paired differences in every row, and their means over the rows."""
    lines: list[dict[str, Any]] = []
    by_method: dict[str, list[Pair]] = {}
    for row in rows:
        for number in row.numbers:
            pair = _pair(guest, row, number, records)
            method = number.select["method"]
            if not pair.b.empty:
                by_method.setdefault(method, []).append(pair)
                n = len(pair.differences) if len(pair.a) > 1 else 1
                lines.append(_line(guest, row.label, method, pair.difference, pair.error(), n))
    for method, pairs in by_method.items():
        if len(pairs) > 1:
            error = errors.summed((pair.error() for pair in pairs), 1 / len(pairs))
            mean = float(np.mean([pair.difference for pair in pairs]))
            lines.append(_line(guest, f"mean of {len(pairs)} rows", method, mean, error, 0))
    return pd.DataFrame(lines)


def _pair(guest: _Guest, row: _Row, number: Number, records: pd.DataFrame) -> Pair:
    mine, ours = _by_trial(row.mine, number.scale), _ours(guest, row, number, records)
    cell = Cell(
        number.results,
        row.dataset,
        row.setting,
        number.designs,
        number.folds,
        number.trials,
        number,
    )
    drawn = choices_of(number, records, guest.reading) * number.scale
    return Pair(mine, ours, number.scale, cell, drawn)


def _line(
    guest: _Guest, row: str, method: str, difference: float, error: errors.Error, n: int
) -> dict[str, Any]:
    opened, printed = guest.opened, guest.printed[0]
    word = of_contrast(difference, error, larger_is_better=opened.larger_is_better)
    shown = rounded_interval(difference, error, printed.digits + (printed.scale == 1))
    return {"row": row, "against": method, **shown, "trials": n or "", "yours is": word}
