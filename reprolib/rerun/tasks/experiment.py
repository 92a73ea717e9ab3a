"""Experiments as data: what a paper's ``experiment.py`` states, and the tasks that follow.

`walk` is the one walk over the stages of a protocol: for runs, plans, checks and single tasks.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from data_fetch import Dataset
from reprolib.rerun.printed.readings import Readings
from reprolib.rerun.printed.schema import Reading
from reprolib.rerun.records.registry import readings_of
from reprolib.rerun.records.rows import COLUMNS, failed
from reprolib.rerun.records.task import (
    HEADLINE,
    Measurement,
    Profile,
    Protocol,
    Stage,
    Task,
    nothing_derived,
)

#: (number of the stage, its tasks) -> their records; None where they are not all known.
RecordsOf = Callable[[int, list[Task]], pd.DataFrame | None]


@dataclass(frozen=True)
class Count:
    """How many trials or seeds each profile has.

    Parameters
    ----------
    full : int or callable
        Of the full profile; called with a data set where it depends on it.
    quick : int
        Of the quick profile, at most as many as a callable gives for the full one.
    """

    full: int | Callable[[Dataset], int]
    quick: int = 0

    def of(self, profile: Profile, dataset: Dataset) -> int:
        """Number in a profile on a data set."""
        if not callable(self.full):
            return self.full if profile == "full" else self.quick
        return self.full(dataset) if profile == "full" else min(self.quick, self.full(dataset))


@dataclass(frozen=True)
class Setting:
    """What a method is measured under several of: a training size, a kernel, a loss.

    Parameters
    ----------
    name : str
        As in the records.
    level : int, optional
        The number that the name stands for.
    params : mapping
        Parameters of its tasks.
    """

    name: str = ""
    level: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


def everywhere(task: Task, dataset: Dataset) -> bool:
    """Every task is listed."""
    return True


@dataclass(frozen=True)
class Grid:
    """Every method on every data set, under every reading and setting, in every trial.

    Parameters
    ----------
    table : str
        Name of the results that the tasks go to.
    methods : sequence of str
        Names of the methods.
    trials : Count
        A grid without quick trials has no tasks in the quick profile.
    datasets : collection of str, optional
        All of the profile by default.
    readings : sequence of str, optional
        By default the headline, and those that concern the methods by ``printed.toml``.
    settings : sequence of Setting, or callable
        Called with a data set where they depend on it.
    seeds : Count
        Runs of every trial.
    params : mapping or callable
        Parameters of all tasks; those of the setting and what the reading changes come on top. A
        callable gives all that a task has, from the task and its reading.
    where : callable
        Whether a task is listed, for a task and its data set.
    without : collection of str
        Data sets that are left out.
    """

    table: str
    methods: Sequence[str]
    trials: Count
    datasets: Collection[str] | None = None
    readings: Sequence[str] | None = None
    settings: Sequence[Setting] | Callable[[Dataset], Sequence[Setting]] = (Setting(),)
    seeds: Count = Count(1, quick=1)
    params: Mapping[str, Any] | Callable[[Task, Reading], Mapping[str, Any]] = field(
        default_factory=dict
    )
    where: Callable[[Task, Dataset], bool] = everywhere
    without: Collection[str] = ()

    def tasks(self, profile: Profile, dataset: Dataset, readings: Readings) -> Iterator[Task]:
        """Yield the tasks on one data set."""
        named = self.datasets is None or dataset.name in self.datasets
        if not named or dataset.name in self.without:
            return
        n_trials = self.trials.of(profile, dataset)
        settings = self.settings(dataset) if callable(self.settings) else self.settings
        seeds = range(self.seeds.of(profile, dataset))
        for method, setting in itertools.product(self.methods, settings):
            if self.readings is None:
                of_method = readings.of_tasks(self.table, dataset.name, method)
            else:
                of_method = [readings[name] for name in self.readings]
            for reading in of_method:
                stated = self.readings is not None or reading.name == HEADLINE
                n = n_trials if stated or reading.is_quick(method) else 0
                if profile == "full":
                    n = reading.n_trials(dataset.name, method, n_trials)
                for trial, seed in itertools.product(range(n), seeds):
                    key = (readings.paper, self.table, dataset.name, method, reading.name, trial)
                    task = Task(*key, setting=setting.name, level=setting.level, seed=seed)
                    if callable(self.params):
                        params = dict(self.params(task, reading))
                    else:
                        changes = reading.changes_of_tasks(method)
                        params = {**self.params, **setting.params, **changes}
                    task = replace(task, params=params)
                    if self.where(task, dataset):
                        yield task


#: (data set, records on it of the tables that are read) -> grids.
GridsOf = Callable[[Dataset, pd.DataFrame], Iterable[Grid]]


@dataclass(frozen=True)
class Later:
    """Grids whose parameters are chosen from what earlier ones measured.

    Parameters
    ----------
    grids : callable
        (data set, records on it of the tables that are read) -> grids.
    reads : tuple of str
        Tables.
    """

    grids: GridsOf
    reads: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """All that a paper's tasks follow from.

    Parameters
    ----------
    paper : str
        Key of the paper.
    datasets : sequence of str
        Of the full profile.
    grids : sequence of Grid
        What stands on single trials.
    run : callable
        (task, data set) -> measurements. A pure function, in the paper's ``experiment.py``.
    later : sequence of Later
        Grids that are chosen from records.
    quick : sequence of str, optional
        Data sets of the quick profile; all by default.
    derive : callable
        As in `Protocol`.
    measures : mapping
        As in `Protocol`: what ``run`` chooses from.
    brought : tuple of str
        As in `Protocol`.
    """

    paper: str
    datasets: Sequence[str]
    grids: Sequence[Grid]
    run: Callable[[Task, Dataset], list[Measurement]]
    later: Sequence[Later] = ()
    quick: Sequence[str] | None = None
    derive: Callable[[pd.DataFrame], list[dict[str, Any]]] = nothing_derived
    measures: Mapping[Any, Callable] = field(default_factory=dict)
    brought: tuple[str, ...] = ()

    def protocol(self) -> Protocol:
        """Give the machinery what it runs."""
        first = Stage(functools.partial(_tasks, self.paper, lambda *_: self.grids))
        later = (
            Stage(functools.partial(_tasks, self.paper, stage.grids), stage.reads)
            for stage in self.later
        )
        stages = (first, *later)
        return Protocol(
            self.paper,
            self.names,
            stages,
            self.run,
            derive=self.derive,
            brought=self.brought,
            measures=self.measures,
            readings=readings_of(self.paper),
        )

    def names(self, profile: Profile) -> list[str]:
        """Names of the data sets of a profile."""
        return list(self.datasets if profile == "full" or self.quick is None else self.quick)


def _tasks(
    paper: str,
    grids: GridsOf,
    profile: Profile,
    datasets: Mapping[str, Dataset],
    records: pd.DataFrame,
) -> list[Task]:
    """Tasks of a stage."""
    readings = readings_of(paper)
    return [
        task
        for name, dataset in datasets.items()
        for grid in grids(dataset, records[records["dataset"] == name])
        for task in grid.tasks(profile, dataset, readings)
    ]


class StageError(ValueError):
    """A stage that cannot list its tasks, mostly as tasks of an earlier one failed."""


def looked_up(records: pd.DataFrame) -> RecordsOf:
    """Have a walk take the records of the tasks from those that are there."""
    return lambda _, tasks: records[records["task"].isin([task.id for task in tasks])]


def walk(
    protocol: Protocol,
    profile: Profile,
    datasets: Mapping[str, Dataset],
    records_of: RecordsOf,
) -> tuple[list[Task], int]:
    """List the tasks of all stages; each stage is given the records of the tables that it reads.

    Parameters
    ----------
    protocol : Protocol
        Its stages are walked.
    profile : {"quick", "full"}
        A few trials, or all.
    datasets : mapping of str to Dataset
        Loaded data sets by name.
    records_of : callable
        Called with every stage's tasks: runs them, or looks their records up.

    Returns
    -------
    tasks : list of Task
        All of the stages that were reached.
    n_stages : int
        Stages that were reached: the walk ends where a stage reads records that are not known.

    Raises
    ------
    StageError
        If a stage cannot list its tasks, or lists two of one name.
    """
    tasks: list[Task] = []
    known: list[pd.DataFrame] = [pd.DataFrame(columns=COLUMNS)]
    complete = True
    for number, stage in enumerate(protocol.stages, start=1):
        if stage.reads and not complete:
            return tasks, number - 1
        records = pd.concat([k for k in known if len(k)] or known[:1], ignore_index=True)
        read = records[records["table"].isin(stage.reads)].reset_index(drop=True)
        try:
            of_stage = stage.tasks(profile, datasets, read)
        except Exception as error:
            raise StageError(
                f"stage {number} of {protocol.paper} cannot list its tasks "
                f"({type(error).__name__}: {error}); of the {len(read)} records that it reads "
                f"{len(failed(read))} failed. Finished tasks are stored"
            ) from error
        tasks += of_stage
        names = pd.Series([task.id for task in tasks])
        if names.duplicated().any():
            raise StageError(
                f"{protocol.paper} lists two tasks named {names[names.duplicated()].iloc[0]}; give "
                "them different settings, readings, trials or seeds"
            )
        measured = records_of(number, of_stage)
        complete = complete and measured is not None
        if measured is not None:
            known.append(measured)
    return tasks, len(protocol.stages)
