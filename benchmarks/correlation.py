"""How much random splits of one pool correlate, on real pools, and which intervals hold that.

A large real data set stands for all data of its kind. Small pools are drawn from it, each is split
at random some times, and classifiers are compared on every split. The mean difference over all
pools is the truth that the interval of one pool must hold. Each pool is also cut into halves, whose
splits say how much another pool would move the difference, without any other pool at hand.

    python benchmarks/correlation.py measure errors.npz [--pools 150]
    python benchmarks/correlation.py tell errors.npz
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

import data_fetch

#: Rows of a pool.
ROWS = 240
#: Share of the pool that is tested.
SHARES = (0.4, 0.8)
#: Random splits of a pool.
SPLITS = 20
#: Times that a pool is halved, and splits of each half.
HALVINGS, SPLITS_OF_HALF = 6, 6
METHODS = ("rls", "svm", "linear", "neighbours", "projection")


def pools(two: bool = True) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Real data with two classes of several kinds each: name, standardised rows, labels."""
    for name, classes in (("uci/letter", 26), ("uci/pendigits", 10), ("uci/landsat", 6)):
        dataset = data_fetch.load(name)
        y = np.unique(dataset.y, return_inverse=True)[1]
        assert len(np.unique(y)) == classes
        X = dataset.X.astype(float)
        yield name, (X - X.mean(axis=0)) / X.std(axis=0), (np.where(y % 2, 1.0, -1.0) if two else y)


def errors_on(kernel, distances, gram, y, train, test) -> list[float]:
    """Test error of every method on one split, from what is computed once a pool."""
    inner, across = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
    ours, eye = y[train], np.eye(len(train))
    scores = [across @ linalg.solve(inner + 0.1 * eye, ours, assume_a="pos")]
    if abs(ours.sum()) == len(ours):  # one class alone
        return [float(np.mean(y[test] != ours[0]))] * len(METHODS)
    scores += [SVC(kernel="precomputed").fit(inner, ours).decision_function(across)]
    linear = gram[np.ix_(train, train)] + 1.0
    scores += [(gram[np.ix_(test, train)] + 1) @ linalg.solve(linear + eye, ours, assume_a="pos")]
    nearest = np.argpartition(distances[np.ix_(test, train)], 5, axis=1)[:, :5]
    scores += [ours[nearest].sum(axis=1)]
    n = len(train)
    last = linalg.eigh(inner, subset_by_index=[n - 10, n - 1])
    coordinates = inner @ last[1]
    weights = np.linalg.lstsq(np.c_[coordinates, np.ones(n)], ours, rcond=None)[0]
    scores += [np.c_[across @ last[1], np.ones(len(test))] @ weights]
    return [float(np.mean(np.where(s > 0, 1.0, -1.0) != y[test])) for s in scores]


def split_errors(rng, X, y, rows, share, n_splits) -> np.ndarray:
    """Errors of shape (n_splits, n_methods) on random splits of some rows."""
    X, y = X[rows], y[rows]
    distances = cdist(X, X, "sqeuclidean")
    kernel, gram = np.exp(-distances / X.shape[1]), X @ X.T / X.shape[1]
    n_train = round((1 - share) * len(rows))
    found = []
    for _ in range(n_splits):
        train, test = np.split(rng.permutation(len(rows)), [n_train])
        found.append(errors_on(kernel, distances, gram, y, train, test))
    return np.array(found)


def measure(path: str, n_pools: int) -> None:
    """Errors on all splits of all pools and of their halves."""
    rng, found = np.random.default_rng(0), {}
    for (name, X, y), share in itertools.product(pools(), SHARES):
        whole, halves = [], []
        for _ in range(n_pools):
            rows = rng.choice(len(y), ROWS, replace=False)
            whole.append(split_errors(rng, X, y, rows, share, SPLITS))
            parts = []
            for _ in range(HALVINGS):
                pair = np.split(rng.permutation(rows), 2)
                parts.append([split_errors(rng, X, y, p, share, SPLITS_OF_HALF) for p in pair])
            halves.append(parts)
        found[f"{name} {share} whole"] = np.array(whole)
        found[f"{name} {share} halves"] = np.array(halves)
        print(name, share, "done", flush=True)
        np.savez_compressed(path, **found)


def measure_sets(path: str, n_sets: int) -> None:
    """Errors on one pool each of many data sets: the classes of a real set, put together at random.

    Which classes are told apart differs from set to set, and so does which method is the better.
    """
    rng, found = np.random.default_rng(1), {}
    for (name, X, classes), share in itertools.product(pools(two=False), SHARES):
        errors = []
        for _ in range(n_sets):
            kinds = rng.permutation(classes.max() + 1)
            kinds = kinds[: rng.integers(2, len(kinds) + 1)]
            y = np.where(np.isin(classes, kinds[::2]), 1.0, -1.0)
            rows = rng.choice(np.flatnonzero(np.isin(classes, kinds)), ROWS, replace=False)
            errors.append(split_errors(rng, X, y, rows, share, SPLITS))
        found[f"{name} {share}"] = np.array(errors)
        print(name, share, "done", flush=True)
        np.savez_compressed(path, **found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["measure", "sets", "tell"])
    parser.add_argument("path")
    parser.add_argument("--pools", type=int, default=150)
    options = parser.parse_args()
    {"measure": measure, "sets": measure_sets}[options.what](options.path, options.pools)
