"""Cost of training and tuning against the number of classes T: the claim of the abstract.

The first T letters, the same number of examples at every T, one Gaussian kernel, 20 lambdas. The
time is the ``seconds`` of the records; the Gram matrix, which all methods need, is part of it.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.multiclass import OneVsRestClassifier

from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import SimplexRLSClassifier, SimplexRLSClassifierCV
from reprolib.papers.simplex._common import PAPER, accuracy, rbf_gamma
from reprolib.rerun.records import Measurement, Task

SET = "uci/letter"
CLASS_COUNTS = (2, 4, 8, 13, 20, 26)
N_TRAIN = 1000
METHODS = (
    "simplex rls, leave-one-out",
    "one-vs-all, leave-one-out",
    "one-vs-all, refits",
)


def tasks() -> list[Task]:
    """Table "classes"."""
    return [
        Task(
            PAPER,
            "classes",
            SET,
            method,
            params={"n_classes": n_classes, "seed": 0},
            setting=f"{n_classes} classes",
            level=n_classes,
        )
        for method in METHODS
        for n_classes in CLASS_COUNTS
    ]


def run(task: Task, X, y, X_test, y_test) -> list[Measurement]:
    """Train and tune on T classes, and test on the same classes."""
    n_classes = task.params["n_classes"]
    letters = np.unique(y)[:n_classes]
    rng = np.random.default_rng(task.params["seed"])
    pools = [rng.permutation(np.flatnonzero(y == letter)) for letter in letters]
    share = np.diff(np.linspace(0, N_TRAIN, n_classes + 1).astype(int))
    train = np.concatenate([pool[:size] for pool, size in zip(pools, share, strict=True)])
    test = np.isin(y_test, letters)
    gamma = rbf_gamma(X[train])
    K, cross = gram(X[train], gamma=gamma), gram(X_test[test], X[train], gamma=gamma)
    model = _make(task.method).fit(K, y[train])
    return [accuracy(model, cross, y_test[test], {})]


def _make(method):
    """S-RLS from one decomposition; one-vs-all from one a class, or a solve a class and lambda.

    The refits choose lambda by hold-out (80/20), since every leave-one-out prediction would cost
    a solve of its own.
    """
    alphas = np.geomspace(1e-1, 1e-6, 20)
    path = SimplexRLSClassifierCV(alphas, kernel="precomputed")
    refits = GridSearchCV(
        SimplexRLSClassifier(kernel="precomputed"),
        {"alpha": alphas},
        cv=ShuffleSplit(1, test_size=0.2, random_state=0),
    )
    models = (path, OneVsRestClassifier(path), OneVsRestClassifier(refits))
    return dict(zip(METHODS, models, strict=True))[method]
