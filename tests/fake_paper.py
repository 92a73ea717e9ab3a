"""A paper small enough to run in a test: estimates a mean on embedded-like data."""

from __future__ import annotations

import numpy as np

from data_fetch import Dataset
from reprolib.rerun.records.task import Measurement, Protocol, Stage, Task
from reprolib.rerun.tasks import worker


def forget_data() -> None:
    """Have this process load its data sets again."""
    worker.held.clear()
    worker.loaded.cache_clear()


def dataset(name: str = "real/coins", source="original") -> Dataset:
    rng = np.random.default_rng(0)
    return Dataset(name, rng.normal(size=(50, 2)), np.repeat([0, 1], 25), source, "50 coins")


def _datasets(profile):
    return ["real/coins"]


def _first(profile, datasets, records):
    trials = 2 if profile == "quick" else 5
    return [
        Task("fake", "first", name, "mean", trial=trial, params={"seed": trial})
        for name in datasets
        for trial in range(trials)
    ]


def _second(profile, datasets, records):
    best = float(records["value"].max())
    return [Task("fake", "second", name, "best", params={"best": best}) for name in datasets]


def run(task: Task, data: Dataset) -> list[Measurement]:
    if task.method == "best":
        return [Measurement("value", task.params["best"])]
    rng = np.random.default_rng(task.params["seed"])
    sample = data.X[rng.permutation(len(data.X))[:20], 0]
    return [
        Measurement("value", float(sample.mean()), n_test=20, path=np.cumsum(sample)[:3]),
        Measurement("value", float(np.median(sample)), reading="median"),
    ]


PROTOCOL = Protocol("fake", _datasets, (Stage(_first), Stage(_second, reads=("first",))), run)
