"""Accuracies of the study recomputed with NumPy and scikit-learn alone.

Nothing of `reprolib` is used but the committed records: splits, columns, folds, grids and ties are
written down again from the words of the notebook. ``python tests/with_sklearn.py 100``
draws a hundred records at random, recomputes them, and says which differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import data_fetch
from reprolib.rerun.records import load_paper

#: The filter of the speller is the KEOPS paper's, which scikit-learn does not have.
LEFT_OUT = ("p300/iib",)
WIDTHS, COSTS = (1 / 64, 1 / 8, 1.0), (1.0, 10.0, 100.0)
SHRINKAGES = (0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def machines(key: str, X, n_classes: int) -> list:
    """Unfitted classifiers of a method, those nearest to the middle of its ranges first."""
    spread = X.var(axis=0).sum()

    def kernel(make):
        return [make(w / spread, c) for w, c in middle_first(WIDTHS, COSTS)]

    def boosted(rate, rounds):
        return HistGradientBoostingClassifier(
            learning_rate=rate,
            max_iter=rounds,
            max_leaf_nodes=8,
            min_samples_leaf=5,
            max_bins=32,
            max_features=min(1.0, 64 / X.shape[1]),
            early_stopping=False,
            random_state=0,
        )

    equal = np.full(n_classes, 1 / n_classes)
    return {
        "svc": lambda: kernel(lambda g, c: SVC(C=c, gamma=g)),
        "svc balanced": lambda: kernel(lambda g, c: SVC(C=c, gamma=g, class_weight="balanced")),
        "svc one-vs-rest": lambda: kernel(lambda g, c: OneVsRestClassifier(SVC(C=c, gamma=g))),
        "gp": lambda: kernel(
            lambda g, c: GaussianProcessClassifier(
                ConstantKernel(c) * RBF(np.sqrt(0.5 / g)), optimizer=None
            )
        ),
        "lda": lambda: [
            LinearDiscriminantAnalysis(solver="lsqr", shrinkage=s)
            for (s,) in middle_first(SHRINKAGES)
        ],
        "lda equal priors": lambda: [
            LinearDiscriminantAnalysis(solver="lsqr", shrinkage=s, priors=equal)
            for (s,) in middle_first(SHRINKAGES)
        ],
        "logistic": lambda: [
            LogisticRegression(C=c, max_iter=2000)
            for (c,) in middle_first(10.0 ** np.arange(-4, 5))
        ],
        "neighbors": lambda: [
            KNeighborsClassifier(k) for (k,) in middle_first((1, 2, 3, 5, 8, 12, 18, 27, 40))
        ],
        "gradient boosting": lambda: [
            boosted(rate, rounds) for rate, rounds in middle_first((0.03, 0.1, 0.3), (5, 15, 45))
        ],
        "gradient boosting untuned": lambda: [HistGradientBoostingClassifier(random_state=0)],
        "extra trees": lambda: [ExtraTreesClassifier(300, random_state=0)],
        "random forest": lambda: [RandomForestClassifier(100, random_state=0)],
    }[key]()


METHODS = (
    *("svc", "svc balanced", "svc one-vs-rest", "gp", "lda", "lda equal priors", "logistic"),
    *("neighbors", "gradient boosting", "gradient boosting untuned", "extra trees"),
    "random forest",
)


def middle_first(*axes) -> list[tuple]:
    """All combinations, ordered by how many steps they are from the middle."""
    places = product(*(range(len(axis)) for axis in axes))
    steps = sorted(
        places, key=lambda at: sum(abs(2 * i - len(a) + 1) for i, a in zip(at, axes, strict=True))
    )
    return [tuple(axis[i] for i, axis in zip(at, axes, strict=True)) for at in steps]


def drawn(rows, y, size: int, rng) -> np.ndarray:
    """Rows in the proportions of the classes: largest remainders, the first class of equals."""
    labels, counts = np.unique(y[rows], return_counts=True)
    exact = min(size, len(rows)) * counts / counts.sum()
    wanted = np.floor(exact).astype(int)
    short = min(size, len(rows)) - wanted.sum()
    wanted[np.argsort(wanted - exact, kind="stable")[:short]] += 1
    found = [
        rng.choice(rows[y[rows] == c], k, replace=False)
        for c, k in zip(labels, wanted, strict=True)
    ]
    return np.sort(np.concatenate(found))


def trial_rows(y, groups, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows: halves of the groups, or at most half of the rows."""
    rng, rows = np.random.default_rng(seed), np.arange(len(y))
    if groups is None:
        train = drawn(rows, y, min(200, len(y) // 2), rng)
        return train, drawn(np.setdiff1d(rows, train), y, 1000, rng)
    shuffled = rng.permutation(np.unique(groups))
    first = np.isin(groups, shuffled[: len(shuffled) // 2])
    return drawn(rows[first], y, 200, rng), drawn(rows[~first], y, 1000, rng)


def accuracy(dataset, key: str, trial: int) -> float:
    """Tune one method in one trial, refit it, and test it."""
    train, test = trial_rows(dataset.y, dataset.groups, trial)
    scaler = StandardScaler().fit(dataset.X[train])
    A, B = scaler.transform(dataset.X[train]), scaler.transform(dataset.X[test])
    if A.shape[1] > 200:
        pca = PCA(min(100, len(A) - 1), svd_solver="full").fit(A)
        loadings = pca.components_
        signs = np.sign(loadings[range(len(loadings)), np.abs(loadings).argmax(axis=1)])
        A, B = pca.transform(A) * signs, pca.transform(B) * signs
    y, groups = dataset.y[train], None if dataset.groups is None else dataset.groups[train]
    splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = list(splitter(3, shuffle=True, random_state=trial).split(A, y, groups))
    tried, best = machines(key, A, len(np.unique(y))), 0
    if len(tried) > 1:
        weights = row_weights(y) if "balanced" in key or "equal" in key else np.ones(len(y))
        best = int(np.argmax([inner_score(m, A, y, folds, weights) for m in tried]))
    return float(tried[best].fit(A, y).score(B, dataset.y[test]))


def row_weights(y) -> np.ndarray:
    """Weights by which all classes count the same."""
    labels, counts = np.unique(y, return_counts=True)
    return len(y) / (len(labels) * counts[np.searchsorted(labels, y)])


def inner_score(model, X, y, folds, weights) -> float:
    """Weighted hits over the folds, rounded so that equal ones are a tie."""
    hits = [
        weights[test] @ (model.fit(X[train], y[train]).predict(X[test]) == y[test])
        for train, test in folds
    ]
    return round(float(sum(hits)), 6)


def sample(n: int, seed: int = 0, datasets=None) -> pd.DataFrame:
    """Records of the study drawn at random, of the methods that scikit-learn has."""
    records = load_paper("which_method").query(
        "table in ('accuracy', 'more') and metric == 'accuracy'"
    )
    known = records["method"].isin(METHODS) & (records["reading"] == "headline")
    known &= ~records["dataset"].isin(LEFT_OUT)
    if datasets is not None:
        known &= records["dataset"].isin(datasets)
    return records[known].sample(n, random_state=seed).sort_values(["dataset", "method", "trial"])


def recomputed(records: pd.DataFrame) -> Iterator[tuple[str, float, float]]:
    """Name, committed and recomputed accuracy of every record."""
    for name, rows in records.groupby("dataset"):
        dataset = data_fetch.load(str(name))
        for row in rows.itertuples():
            yield row.task, row.value, accuracy(dataset, row.method, row.trial)


def main(n: int) -> int:
    """Recompute records, and print those that differ."""
    compared = differing = 0
    for task, committed, found in recomputed(sample(n)):
        compared += 1
        if abs(committed - found) > 1e-9:
            differing += 1
            print(f"{task}: committed {committed:.4f}, recomputed {found:.4f}")
    print(f"{compared - differing} of {compared} accuracies are identical")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
