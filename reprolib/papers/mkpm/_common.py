"""Pieces that all tables of the MKPM protocol share."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from reprolib.rerun.records import HEADLINE, Measurement

PAPER = "mkpm"

#: N of the text: 1500 on the StatLog sets, the number of voxels on fMRI.
N = 1500

#: Mean accuracies and risks that differ by no more than this are tied.
TIE_TOL = 1e-9

TRAINING_SIZE = "N is the training size"
HELD_OUT = "d of least held-out error"
CROSS_VALIDATED = "d by cross-validation"


def is_fmri(name: str) -> bool:
    """Whether a data set takes the place of the paper's fMRI data."""
    return name.endswith("haxby") or name.startswith("haxby/")


#: Folds where no split is published (as Hsu and Lin), and how often the rows are dealt to them.
N_FOLDS, N_PARTITIONS = 10, 20


def n_folds(dataset) -> int:
    """Published splits, or folds where there are none."""
    return len(dataset.splits) or N_FOLDS


def fold(dataset, trial: int) -> tuple[np.ndarray, np.ndarray]:
    """Give a published split; where there is none, trial 10 p + k is fold k of partition p."""
    if dataset.splits:
        return dataset.splits[trial]
    partition, number = divmod(trial, N_FOLDS)
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=partition)
    return list(splitter.split(dataset.X, dataset.y))[number]


def draw(dataset, trial: int, n_train: int = N) -> tuple[np.ndarray, np.ndarray]:
    """``n_train`` training points drawn by class; test points are the test file, or the rest."""
    pool, test = dataset.splits[0] if dataset.splits else (np.arange(len(dataset.y)), None)
    n_train = min(n_train, 2 * len(pool) // 3)
    train, rest = train_test_split(
        pool, train_size=n_train, stratify=dataset.y[pool], random_state=trial
    )
    return np.sort(train), np.sort(rest) if test is None else test


def selected(model, X, y, X_test, y_test) -> dict[str, tuple[int, float]]:
    """(d, test accuracy) by each criterion that needs one fit; the smallest of tied d.

    The headline is the text's: least error on the training data.
    """
    test = model.score_path(X_test, y_test)
    train = model.score_path(X, y)
    chosen = {HEADLINE: first_best(train), HELD_OUT: first_best(test)}
    return {reading: (d, float(test[d])) for reading, d in chosen.items()}


def accuracy_and_d(d: int, accuracy: float, n_test: int, reading: str) -> list[Measurement]:
    """The two measurements of Table 1."""
    return [
        Measurement("accuracy", accuracy, {"d": d}, n_test=n_test, reading=reading),
        Measurement("d", d, reading=reading),
    ]


def first_best(scores) -> int:
    """Index of the largest score, the first of those that differ by rounding only."""
    scores = np.asarray(scores)
    return int(np.argmax(scores >= np.max(scores) - TIE_TOL))
