"""What a protocol is: stages of tasks, and a function that runs one task."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pandas as pd

from data_fetch import Dataset

Profile = Literal["quick", "full"]

#: Name of the reading nearest to the text of the paper; other readings have their own names.
HEADLINE = "headline"
#: Metrics whose seconds are those of a part of a task: the last fit, and the test predictions.
PARTS = ("fit", "prediction")


@dataclass(frozen=True)
class Task:
    """One unit of work, small enough to lose: everything that determines its measurements.

    Parameters
    ----------
    paper, table : str
        Its records go to ``results/<paper>/<table>.csv``.
    dataset : str
        Name for `data_fetch.load`.
    method : str
    reading : str
        `HEADLINE`, or the name of another reading of the paper's text.
    trial : int
        Realisation, fold or repetition.
    params : dict
        Whatever else matters, JSON-able: method parameters, seeds. Names under "also" are
        readings that the task measures beside its own.
    setting : str
        Training size, loss, kernel or rank, where a method is measured under several.
    """

    paper: str
    table: str
    dataset: str
    method: str
    reading: str = HEADLINE
    trial: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    setting: str = ""

    def key(self, version: int, data_digest: str) -> str:
        """Fingerprint of the task, the protocol's version and the data: names its stored rows."""
        identity = {**asdict(self), "version": version, "data": data_digest}
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()

    def fixed_columns(self) -> dict[str, str]:
        """Columns that are the same in all records of the task."""
        return {name: getattr(self, name) for name in ("paper", "table", "dataset", "method")}


@dataclass(frozen=True)
class Measurement:
    """One number that a task measured.

    Parameters
    ----------
    metric : str
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
    source : {"resampled"}, optional
        Instead of the data set's: the task drew its own splits of real data.
    seconds : float, optional
        Instead of those of the task, for a metric in `PARTS`: of that part of it alone. The value
        is then how many rows the part worked on.
    """

    metric: str
    value: float
    chosen: Mapping[str, Any] = field(default_factory=dict)
    n_test: int = 0
    gap: float | None = None
    path: Sequence[float] = ()
    status: str = "ok"
    reading: str | None = None
    setting: str | None = None
    source: str | None = None
    seconds: float | None = None


def nothing_derived(records: pd.DataFrame) -> list[dict[str, Any]]:
    """No rows: all records of the paper are measured."""
    return []


Stage = Callable[[Profile, Mapping[str, Dataset], pd.DataFrame], list[Task]]


@dataclass(frozen=True)
class Protocol:
    """The experiments of one paper.

    Parameters
    ----------
    paper : str
    version : int
        To be raised whenever a change of code changes a measured value.
    datasets : callable
        Profile -> names of the data sets.
    stages : tuple of callables
        Each maps (profile, data sets by name, records so far) to tasks. A later stage sees the
        records of the earlier ones, for choices that span trials.
    run : callable
        (task, data set) -> measurements, at least one. A pure function of its arguments.
    derive : callable
        Measured records -> rows of statistics over trials, such as a median (see
        `reprolib.rerun.derived`). A pure function; failed records must not enter.
    """

    paper: str
    version: int
    datasets: Callable[[Profile], Sequence[str]]
    stages: tuple[Stage, ...]
    run: Callable[[Task, Dataset], list[Measurement]]
    derive: Callable[[pd.DataFrame], list[dict[str, Any]]] = nothing_derived
