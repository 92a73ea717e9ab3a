"""Across the papers: every classifier of the package and today's usual choices, one protocol.

- Sets: every classification set of the package whose rows are not those of another one.
- Trials: repeated paired splits. All methods see the same at most 200 training rows, the same at
  most 1000 test rows, the same standardised columns, the same three inner folds.
- Budget: nine configurations for every method, chosen by the inner accuracy, then one refit.
- A fit whose solver does not converge puts its configuration out, and is counted.

No printed numbers are behind this: it is a study (`reprolib.rerun.registry.STUDIES`), not a paper.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_fetch import Dataset
from reprolib.papers.across._methods import (
    METHODS,
    N_CONFIGURATIONS,
    Method,
    Setting,
)
from reprolib.papers.across._splits import MAX_COLUMNS, make_split
from reprolib.papers.across._tuning import tune
from reprolib.rerun.task import (
    HEADLINE,
    Measurement,
    Profile,
    Protocol,
    Task,
)

PAPER = "across"
TABLE = "accuracy"
#: Left out: uci/landsat (the rows of statlog/satimage), raetsch/image (those of statlog/segment, in
#: two classes), and the embedded sets that stand in for real ones.
SETS = (
    *(f"raetsch/{name}" for name in ("banana", "breast_cancer", "diabetis", "flare_solar")),
    *(f"raetsch/{name}" for name in ("german", "heart", "ringnorm", "titanic")),
    "embedded/twonorm",
    "raetsch/waveform",
    *(f"statlog/{name}" for name in ("dna", "segment", "satimage")),
    *(f"uci/{name}" for name in ("optdigits", "pendigits", "letter", "isolet")),
    "haxby/subj1",
    "p300/iib",
    *(f"faces/{name}" for name in ("orl", "yale", "coil20")),
)
QUICK_SETS = ("raetsch/heart", "embedded/twonorm", "statlog/segment", "uci/optdigits")
N_TRIALS = {"quick": 2, "full": 5}
#: Trees on all columns of the wide sets, where the protocol gives principal components.
ALL_COLUMNS = "all columns"
TREES = ("simplex boosting", "gradient boosting")
N_TRIALS_ALL_COLUMNS = 2


def _datasets(profile: Profile) -> list[str]:
    return list(QUICK_SETS if profile == "quick" else SETS)


def list_tasks(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Every method in every trial on every set."""
    tasks = [
        Task(PAPER, TABLE, name, key, HEADLINE, trial)
        for trial in range(N_TRIALS[profile])
        for name, dataset in datasets.items()
        for key, method in METHODS.items()
        if not (method.binary_only and len(np.unique(dataset.y)) > 2)
    ]
    if profile == "full":
        tasks += [
            Task(PAPER, TABLE, name, key, ALL_COLUMNS, trial)
            for trial in range(N_TRIALS_ALL_COLUMNS)
            for name, dataset in datasets.items()
            if dataset.X.shape[1] > MAX_COLUMNS
            for key in TREES
        ]
    return tasks


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Tune, refit and test one method in one trial."""
    split = make_split(dataset, task.trial, all_columns=task.reading == ALL_COLUMNS)
    tuned = tune(METHODS[task.method], split)
    accuracy = float(np.mean(tuned.model.predict(split.X_test) == split.y_test))
    n_test = len(split.y_test)
    return [
        Measurement("accuracy", accuracy, tuned.config, n_test),
        Measurement("cross-validated accuracy", float(np.nanmax(tuned.cv_accuracy))),
        Measurement("training rows", len(split.y)),
        Measurement("test overlap", split.test_overlap),
        Measurement("fits", tuned.n_fits),
        Measurement("fits not converged", tuned.n_failed),
        Measurement("configurations not converged", int(np.isnan(tuned.cv_accuracy).sum())),
    ]


PROTOCOL = Protocol(PAPER, 2, _datasets, (list_tasks,), run)

__all__ = [
    "ALL_COLUMNS",
    "METHODS",
    "N_CONFIGURATIONS",
    "PAPER",
    "PROTOCOL",
    "SETS",
    "Method",
    "Setting",
    "list_tasks",
    "make_split",
    "run",
]
