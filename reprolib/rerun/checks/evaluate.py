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
from reprolib.rerun.printed.names import unknown
from reprolib.rerun.records.folder import require_whole
from reprolib.rerun.records.registry import paper_key, paper_module
from reprolib.rerun.records.rows import select, statuses
from reprolib.rerun.records.tables import load_paper, load_run, write_results
from reprolib.rerun.records.task import (
    HEADLINE,
    Measurement,
    Profile,
    Protocol,
    Stage,
    Task,
    get_protocol,
    nothing_derived,
)
from reprolib.rerun.tasks.estimators import described, name_of, require_classifier
from reprolib.rerun.tasks.open_table import (
    OpenTable,
    grid_of,
    is_random,
    n_candidates,
    run_on,
)
from reprolib.rerun.tasks.runner import Progress, Run, run_protocol
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.tasks.worker import LocalWorkers
from reprolib.rerun.verdicts import designs, errors
from reprolib.rerun.verdicts.claim import Cell
from reprolib.rerun.verdicts.claims import Pair, Runs
from reprolib.rerun.verdicts.errors import rounded_interval
from reprolib.rerun.verdicts.evidence import choices_of
from reprolib.rerun.verdicts.printed import Number, numbers
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

    def write(self, folder: Path) -> Path:
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
        For each parameter, the values to choose from; by default the estimator's attribute
        ``param_grid``. Without a grid, the estimator is used as it is. So is an estimator that is
        a search itself; only its ``cv`` is set to the folds.
    name : str
        What it is called in tables; by default its class.
    datasets : sequence of str
        Patterns such as "raetsch/heart" or "raetsch/b*"; all of the table by default.
    trials : int, optional
        At most so many of every row.
    profile : {"full", "quick"}
        All trials of the paper, or a few.
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
        Means and differences, with the run behind them.

    Raises
    ------
    ValueError
        If there is no such paper or table, the table takes no estimator (the message says why), the
        grid is larger than the budget, the estimator is no scikit-learn classifier, or it predicts
        what is no label of y.

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
    require_whole(protocol.paper)
    grid = grid_of(require_classifier(estimator), grid)
    if (n := n_candidates(estimator, grid)) > opened.candidates:
        one = opened.candidates == 1
        allowance = "no grid" if one else f"at most {opened.candidates}"
        raise ValueError(
            f"the grid has {n} candidates; {paper}/{table} allows {allowance}, as its own methods "
            f"have{'. ' + opened.note if opened.note else ''}; give fewer values."
        )
    printed = [
        number
        for number in numbers(protocol.paper)
        if (number.table, number.quantity) == (table, "performance")
        and number.select["metric"] == opened.metric
        and not number.not_run
    ]
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
        raise ValueError(f"{name} {statuses(run.failures).iloc[0]}")
    if not (run.records["method"] == name).any():
        raise ValueError(f"the {profile} profile of {paper}/{table} has no trial on these data.")
    ours = pd.concat([guest.committed(run.about["data"]), run.records], ignore_index=True)
    means, differences = _beside(guest, run.records, ours)
    notes = tuple(filter(None, (opened.note, *map(str, run.substituted.values()))))
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
    def reading(self) -> str:
        """The reading that is judged."""
        return self.printed[0].judged if self.printed else HEADLINE

    def protocol(self, names: list[str]) -> Protocol:
        """Protocol of its tasks, and of the paper's methods where no committed record is."""
        run = functools.partial(
            _run, self.name, self.opened, self.estimator, self.grid, self.own.run
        )
        stage = Stage(self.tasks)
        measures = {**self.own.measures, (self.table, self.name): self.opened.trial}
        return replace(
            self.own,
            datasets=lambda profile: names,
            stages=(stage,),
            run=run,
            derive=nothing_derived,
            measures=measures,
        )

    def tasks(
        self, profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
    ) -> list[Task]:
        """Its tasks: those of a method of the paper under its name; and methods to run beside."""
        of_paper = self.own.stages[0].tasks(profile, datasets, records)
        settings = {number.select["setting"] for number in self.printed}
        judged = [t for t in of_paper if t.reading == self.reading and t.setting in settings]
        opened = self.opened
        one_seed = opened.only_seeds and not is_random(self.estimator, self.grid)
        n_trials = 1 if one_seed else self.trials
        like = [
            t
            for t in judged
            if (t.table, t.method) == (opened.tasks_of or self.table, opened.like)
            and (n_trials is None or t.trial < n_trials)
        ]
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


def _beside(
    guest: _Guest, records: pd.DataFrame, ours: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Means of every row of the table, and differences from each method on identical trials."""
    means: dict[str, dict[tuple[str, str], float]] = {}
    lines: list[dict[str, Any]] = []
    pairs: dict[str, list[Pair]] = {}
    for row, own, printed in _rows(guest, records):
        means[row] = of_row = {}
        for number in printed:
            method = number.select["method"]
            where = {**number.select, "metric": guest.opened.compared or guest.opened.metric}
            found = select(ours, **where, table=number.results, reading=guest.reading)
            mine, theirs = _runs(own, number.scale), _runs(found, number.scale)
            same = theirs.values[np.isin(theirs.trials, own["trial"]) | (len(own) == 1)]
            of_row[method, "printed"] = number.value
            of_row[method, "ours"] = round(float(same.mean()), number.digits + 1)
            if len(theirs.trials):
                cell = Cell(
                    number.results,
                    number.select["dataset"],
                    number.select["setting"],
                    number.designs,
                    number.folds,
                    number.trials,
                    number,
                )
                drawn = choices_of(number, ours, guest.reading).to_numpy() * number.scale
                is_paired = designs.pairs_trials(cell.designs)
                pair = Pair(mine, theirs, number.scale, cell, drawn, is_paired, units=None)
                pairs.setdefault(method, []).append(pair)
                n = len(pair.differences[0]) if len(mine.trials) > 1 else 1
                lines.append(
                    _line(guest, row, method, pair.difference, designs.error_of_claim(pair), n)
                )
        mean = float(_runs(own, printed[0].scale).values.mean())
        of_row[guest.name, "yours"] = round(mean, printed[0].digits + 1)
    for method, of_method in pairs.items():
        if len(of_method) > 1:
            apart = [pair.difference for pair in of_method]
            sets = [pair.cell.dataset for pair in of_method]
            error = errors.of_mean(apart, map(designs.error_of_claim, of_method), sets)
            mean = float(np.mean(apart))
            row = f"mean of {len(of_method)} rows"
            lines.append(_line(guest, row, method, mean, error, 0))
    columns = list(dict.fromkeys(name for of_row in means.values() for name in of_row))
    columns.sort(key=lambda name: name[0] == guest.name)
    values = [[of_row.get(name, np.nan) for name in columns] for of_row in means.values()]
    frame = pd.DataFrame(values, index=list(means), columns=pd.MultiIndex.from_tuples(columns))
    return frame, pd.DataFrame(lines)


def _rows(
    guest: _Guest, records: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame, Sequence[Number]]]:
    """Name, own records and printed numbers of every row that the estimator ran on.

    Embedded data have no printed numbers; those of another row name the methods and the unit.
    """
    own = select(records, method=guest.name)
    for (dataset, setting), part in own.groupby(["dataset", "setting"], sort=False):
        place = {"dataset": str(dataset), "setting": str(setting)}
        printed = [n for n in guest.printed if all(n.select[k] == v for k, v in place.items())]
        if not printed:
            printed = [
                replace(n, value=np.nan, select={**n.select, **place})
                for n in {n.select["method"]: n for n in guest.printed}.values()
            ]
        yield ", ".join(filter(None, place.values())), part, printed


def _runs(found: pd.DataFrame, scale: float) -> Runs:
    """Records by trial, values in the printed unit."""
    found = found[found["value"].notna()].drop_duplicates("trial").sort_values("trial")
    return Runs(
        found["trial"].to_numpy(),
        found["value"].to_numpy(float) * scale,
        found["n_test"].to_numpy(),
        set(found["reading"]),
        set(found["source"]),
    )


def _line(
    guest: _Guest, row: str, method: str, difference: float, error: errors.Error, n: int
) -> dict[str, Any]:
    """Line of the differences."""
    opened, printed = guest.opened, guest.printed[0]
    word = of_contrast(difference, error, larger_is_better=opened.larger_is_better)
    shown = rounded_interval(difference, error, printed.digits + (printed.scale == 1))
    return {"row": row, "against": method, **shown, "trials": n or "", "yours is": word}
