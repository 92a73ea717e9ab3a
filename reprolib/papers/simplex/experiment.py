"""Simplex coding, NIPS 2012, section 6: Table 2 on the five UCI columns.

Raw features, official splits. Regularisation on the scale of the data: with m the mean of ||x||^2
over the training set, grids of lambda are multiples of m, and grids of C of 1/m.

- ``s-ls``, ``s-ls rbf``: all 100 lambdas by exact leave-one-out, n lambda on a logarithmic grid
  over the spectrum of K; rbf with exp(-d^2 / (2 sigma^2)), sigma the 25th percentile of the
  distances. Letter (n = 16,000): lambda by leave-one-out on 2,000 Nystrom features, the model
  itself exact.
- online methods: lambda by hold-out (80/20), ten passes, steps 1/(lambda t) and projection as in
  Pegasos, last iterate; twenty seeds of split and order.
- SVM one-vs-all: C by hold-out; liblinear's hinge loss for libsvm's linear kernel, libsvm for rbf.
- boosting: decision stumps.

Beyond the paper: batch SC-SVM and SH-SVM with certified duality gaps (table "batch_svm"), linear
competitors at equal tuning effort ("peers"), cost against the number of classes ("classes").
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from data_fetch import Dataset
from reprolib.papers.simplex import _beyond, _classes, _disagreement, _table2
from reprolib.papers.simplex._common import EMBEDDED_SET, PAPER
from reprolib.rerun.records import (
    Measurement,
    Profile,
    Protocol,
    Stage,
    Task,
)

SETS = tuple(f"uci/{name}" for name in ("landsat", "optdigits", "pendigits", "letter", "isolet"))
QUICK_SETS = ("uci/landsat", "uci/optdigits", "uci/pendigits")

_RUN = {
    "table2": _table2.run,
    _disagreement.TABLE: _disagreement.run,
    "batch_svm": _beyond.run_batch_svm,
    "peers": _beyond.run_peer,
    "classes": _classes.run,
}


def _datasets(profile: Profile) -> list[str]:
    return list(QUICK_SETS) if profile == "quick" else [*SETS, EMBEDDED_SET]


def list_tasks(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Table 2 under all readings; in full, what the paper did not run, too."""
    tasks = [task for name in datasets for task in _table2.tasks(profile, name)]
    if profile == "quick":
        return tasks
    tasks += [task for name in datasets for task in _disagreement.tasks(name)]
    return tasks + _beyond.tasks(datasets) + (_classes.tasks() if _classes.SET in datasets else [])


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task on the official split."""
    train, test = dataset.splits[0]
    X, y = dataset.X[train], dataset.y[train]
    return _RUN[task.table](task, X, y, dataset.X[test], dataset.y[test])


PROTOCOL = Protocol(PAPER, _datasets, (Stage(list_tasks),), run)
