"""What a protocol is: stages of tasks, and a function that runs one task of a reading.

The readings of a paper's text are in its ``printed.toml`` (`reprolib.rerun.printed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
from numpy.typing import NDArray

from reprolib.rerun.printed.readings import Readings
from reprolib.rerun.printed.schema import HEADLINE
from reprolib.rerun.records.registry import home, paper_module

if TYPE_CHECKING:
    from data_fetch import Dataset


Profile = Literal["quick", "full"]


@dataclass(frozen=True)
class Task:
    """One unit of work, small enough to lose: everything that determines its measurements.

    Parameters
    ----------
    paper, table : str
        Its records go to ``results/<paper>/records.csv.xz``, as those of this table.
    dataset : str
        Name for `data_fetch.load`.
    method : str
        Name of the method, as in the records.
    reading : str
        `HEADLINE`, or the name of another reading of the paper's text.
    trial : int
        Realisation, fold or repetition.
    params : dict
        Whatever else matters, JSON-able: method parameters, seeds. Names under "also" are
        readings that the task measures beside its own.
    setting : str
        Training size, loss, kernel or rank, where a method is measured under several.
    level : int, optional
        The number that the setting stands for ("rank 50": 50), where it stands for one.
    seed : int
        Where one trial is run under several seeds, of its folds for example.
    """

    paper: str
    table: str
    dataset: str
    method: str
    reading: str = HEADLINE
    trial: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    setting: str = ""
    level: int | None = None
    seed: int = 0

    @property
    def id(self) -> str:
        """Name that no other task of the paper has: "table2/raetsch/heart/kpm/headline/3"."""
        return task_id(vars(self))


def task_id(key: Mapping[Any, Any], last: object = None) -> str:
    """Name of the task that has these columns, by `task_id` of a record or a `Task`.

    Parameters
    ----------
    key : mapping
        table, dataset, method, setting, reading, seed and trial.
    last : object, optional
        Stands before the trial: what a record is that no task measures, such as "over trials".
    """
    seed = f"seed {key['seed']}" if key["seed"] else ""
    words = (key["table"], key["dataset"], key["method"], key["setting"], key["reading"], seed)
    return "/".join(str(word) for word in (*words, last, key["trial"]) if word not in ("", None))


@dataclass(frozen=True)
class Measurement:
    """One number that a task measured.

    Parameters
    ----------
    metric : str
        What was measured.
    value : float
        Errors and accuracies as fractions between 0 and 1.
    chosen : dict
        Hyperparameters that the task selected, JSON-able.
    n_test : int
        Number of test points behind ``value``, 0 where that has no meaning.
    gap : float, optional
        Largest relative duality gap of the solutions behind ``value``.
    path : sequence of float
        The metric along a regularisation path, where it was measured.
    status : str
        "ok", or why the value must not be used.
    reading : str, optional
        Instead of the task's reading, where one task measures several.
    setting : str, optional
        Instead of the task's setting, where one task measures several.
    level : int, optional
        The number that the measurement's own setting stands for.
    source : {"resampled"}, optional
        Instead of the data set's: the task drew its own splits of real data.
    """

    metric: str
    value: float
    chosen: Mapping[str, Any] = field(default_factory=dict)
    n_test: int = 0
    gap: float | None = None
    path: Sequence[float] | NDArray[Any] = ()
    status: str = "ok"
    reading: str | None = None
    setting: str | None = None
    level: int | None = None
    source: str | None = None


def measure_of(measures: Mapping[Any, Callable], task: Task) -> Callable | None:
    """Function that measures a task, of those of its paper; None if they do not say.

    They are found by table and method, by table and data set, by table, or by method.
    """
    keys = ((task.table, task.method), (task.table, task.dataset), task.table, task.method)
    return next((measures[key] for key in keys if key in measures), None)


def nothing_derived(records: pd.DataFrame) -> list[dict[str, Any]]:
    """No rows: all records of the paper are measured."""
    return []


@dataclass(frozen=True)
class Stage:
    """Tasks that are listed together.

    Parameters
    ----------
    tasks : callable
        (profile, data sets by name, records of the tables that it reads) -> tasks.
    reads : tuple of str
        Tables of the earlier stages whose records it chooses from.
    """

    tasks: Callable[[Profile, Mapping[str, Dataset], pd.DataFrame], list[Task]]
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """The experiments of one paper.

    Parameters
    ----------
    paper : str
        Key of the paper.
    datasets : callable
        Profile -> names of the data sets.
    stages : tuple of Stage
        In their order: a later one may read what the tasks of earlier ones measured.
    run : callable
        (task, data set) -> measurements, at least one. A pure function of its arguments.
    derive : callable
        Measured records -> rows of statistics over trials, such as a median (see
        `reprolib.rerun.records.derived_row`). A pure function; failed records must not enter.
    brought : tuple of str
        Data sets that only a user can bring, in no profile: a selection that names one has it.
    measures : mapping
        Functions among which ``run`` chooses, by what `measure_of` looks them up: a task is run
        again if its own function changes, or what that reaches. Without them, if anything that
        ``run`` reaches does.
    readings : mapping of str to Reading
        Those of the paper: a task is run again if what they change in it does.
    """

    paper: str
    datasets: Callable[[Profile], Sequence[str]]
    stages: tuple[Stage, ...]
    run: Callable[[Task, Dataset], list[Measurement]]
    derive: Callable[[pd.DataFrame], list[dict[str, Any]]] = nothing_derived
    brought: tuple[str, ...] = ()
    measures: Mapping[Any, Callable] = field(default_factory=dict)
    readings: Readings | None = None


def get_protocol(paper: str) -> Protocol:
    """Protocol of a paper by its key.

    Raises
    ------
    ValueError
        If there is no such paper, or it has no module "experiment" with a ``PROTOCOL``.
    """
    module = paper_module(paper, "experiment")
    if module is None or not hasattr(module, "PROTOCOL"):
        where = home(paper).folder / "experiment.py"
        raise ValueError(f"{paper} has no experiments: {where} must define PROTOCOL")
    return module.PROTOCOL
