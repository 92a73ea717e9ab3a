"""MKMMC, ICIP 2009, section 3: ORL, Yale and COIL-20, Tables 1 to 3.

- Twenty random splits with p images a class for training (ORL, Yale: 2, 3, 4; COIL-20: 4, 6, 8),
  the rest for test; 1-nearest neighbour in the projection.
- Kernels exp(-d^2 / w), w = 2^k sigma_0^2, k = -5, ..., 5, sigma_0 the mean distance between two
  training points. KPCA and KMMC choose k by leave-one-out 1-NN accuracy on the training set, in
  the best dimension for each k (ties: the widest kernel). KMMC is learned anew without the point;
  (kernel) PCA, which uses no labels, is learned once from all training images.
- A table prints, for every method, the accuracy averaged over the splits in the dimension where
  this average *on the test set* is largest (ties: the largest dimension). Stage two does that.
- Beside it stands the accuracy in the dimension that leave-one-out picks on the training set.
- A printed dimension is held against the spread of the best dimension when the twenty splits are
  drawn anew with replacement.

Equal eigenvalues, equal distances and equal accuracies are settled by rules (`_ties` and
`_nearest` of the methods, `largest_argmax`), so that records are the same on every processor.
The criterion does not determine a c-th direction under the whitened constraint; the rule does.

The discriminant methods are searched up to c dimensions, the largest that the paper prints. What
the text leaves open is measured under named readings (``reprolib/papers/mkmmc/printed.toml``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_fetch import Dataset
from reprolib.papers.mkmmc._methods import (
    METHODS,
    N_SPLITS,
    OWN,
    Trial,
    largest_argmax,
)
from reprolib.rerun.task import (
    Measurement,
    Profile,
    Protocol,
    Task,
)

PAPER = "mkmmc"

#: Table and training images a class, by data set.
EXPERIMENTS = {
    "faces/orl": ("table1", (2, 3, 4)),
    "faces/yale": ("table2", (2, 3, 4)),
    "faces/coil20": ("table3", (4, 6, 8)),
    "embedded/faces": ("table1", (2, 3, 4)),
}


def _datasets(profile: Profile) -> list[str]:
    return ["faces/orl", "faces/yale", "faces/coil20"]


def first_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Every method on every split: accuracy in every dimension.

    The quick profile leaves out what the full one runs on some of the splits only.
    """
    return [
        Task(PAPER, method.table or table, name, key, reading, trial, {"n_train": n_train})
        for name in datasets
        for table, sizes in [EXPERIMENTS[name]]
        for n_train in sizes
        for trial in range(N_SPLITS[profile])
        for (key, reading), method in METHODS.items()
        if trial < method.max_splits and (profile == "full" or not method.is_slow)
    ]


def second_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """The best dimension on average over the splits, for every method and reading."""
    tasks = []
    usable = records[records["metric"].str.startswith(OWN) & (records["status"] == "ok")]
    keys = ["table", "dataset", "method", "reading", "metric"]
    for (table, name, method, reading, metric), rows in usable.groupby(keys):
        group = rows.sort_values("trial")
        params = {
            "n_train": int(str(metric).removeprefix(f"{OWN}, ").removesuffix(" train")),
            "n_test": int(group["n_test"].iloc[0]),
            "paths": [[float(v) for v in text.split()] for text in group["path"]],
        }
        tasks.append(Task(PAPER, str(table), str(name), str(method), str(reading), params=params))
    return tasks


def split(y, n_train: int, trial: int):
    """Indices (train, test) of one seeded split, n_train rows a class for training."""
    rng = np.random.default_rng([n_train, trial])
    shuffled = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    train = np.concatenate([rows[:n_train] for rows in shuffled])
    test = np.concatenate([rows[n_train:] for rows in shuffled])
    return np.sort(train), np.sort(test)


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one method on one split, or find the best dimension of all splits."""
    if "paths" in task.params:
        return _best_dimension(**task.params)
    n_train = task.params["n_train"]
    train, test = split(dataset.y, n_train, task.trial)
    trial = Trial(dataset.X[train], dataset.y[train], dataset.X[test], dataset.y[test])
    return METHODS[task.method, task.reading].run(trial, f", {n_train} train")


def _best_dimension(n_train: int, n_test: int, paths) -> list[Measurement]:
    """Accuracy of every split in the dimension that is best on average, as the paper prints it."""
    # Records round paths to six digits: counts of hits tie exactly, means of these do not.
    hits = np.rint(np.array(paths) * n_test).astype(int)
    best = largest_argmax(hits.sum(axis=0))
    rng = np.random.default_rng(0)
    measurements = []
    for trial, path in enumerate(hits / n_test):
        chosen = {"n_components": best + 1}
        measurements.append(
            Measurement(
                f"accuracy, {n_train} train", path[best], chosen, n_test=n_test, trial=trial
            )
        )
        redrawn = hits[rng.integers(len(hits), size=len(hits))]
        dimension = largest_argmax(redrawn.sum(axis=0)) + 1
        measurements.append(Measurement(f"dimension, {n_train} train", dimension, trial=trial))
    return measurements


def trials(task: Task) -> range | tuple[int]:
    """Trials that a task measures: all splits, where it looks for the dimension of them all."""
    return range(len(task.params["paths"])) if "paths" in task.params else (task.trial,)


PROTOCOL = Protocol(PAPER, 2, _datasets, (first_stage, second_stage), run, trials)
