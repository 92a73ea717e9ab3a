"""How much random splits of one pool correlate: what stretches the intervals of claims.

Pools are drawn from a known distribution, each is split at random several times, and two
classifiers are compared on every split. Some pools are made of groups (runs, sessions), of which a
random half trains and the other half tests. The differences on one pool are alike, as splits share
rows: the intraclass correlation of the differences is the rho of `verdicts.errors.paired`. Beside
it stands the share of the pool that is tested, which Nadeau and Bengio (2003) take for rho.

    python benchmarks/split_correlation.py

takes four minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

#: Groups and rows of each: like runs of fMRI, sessions, and characters of the speller.
GROUPS = ((12, 40), (6, 80), (18, 60))
#: Training and test rows: those of Raetsch's sets, and two where most rows are tested.
SHAPES = ((170, 100), (200, 77), (468, 300), (400, 2000), (80, 320))


def gaussians(rng, n: int, n_features: int, shift: float):
    """Two normal classes whose means differ in five features."""
    y = 2 * rng.integers(2, size=n) - 1
    X = rng.normal(size=(n, n_features))
    X[:, :5] += shift * y[:, None]
    return X, y


def moons(rng, n: int):
    """Two half circles with noise."""
    y, angle = 2 * rng.integers(2, size=n) - 1, rng.uniform(0, np.pi, n)
    X = np.column_stack([np.cos(angle) * y + (1 - y) / 4, np.sin(angle) * y])
    return X + rng.normal(scale=0.45, size=(n, 2)), y


POOLS: Mapping[str, Callable] = {
    "normal, 10 features": lambda rng, n: gaussians(rng, n, 10, 0.25),
    "normal, 20 features": lambda rng, n: gaussians(rng, n, 20, 0.12),
    "half circles": moons,
}
PAIRS: Mapping[str, tuple[Callable[[], ClassifierMixin], Callable[[], ClassifierMixin]]] = {
    "SVM, LDA": (SVC, LinearDiscriminantAnalysis),
    "SVM, wider SVM": (SVC, lambda: SVC(C=10, gamma=0.1)),
    "neighbours, tree": (
        lambda: KNeighborsClassifier(7),
        lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    ),
}


def grouped(rng, n_groups: int, size: int, effect: float):
    """Two normal classes in groups that differ in place and in what tells the classes apart."""
    X, y = gaussians(rng, n_groups * size, 10, 0.25)
    group = np.repeat(np.arange(n_groups), size)
    X += effect * rng.normal(size=(n_groups, 10))[group]
    X += 0.3 * effect * rng.normal(size=(n_groups, 10))[group] * y[:, None]
    return X, y, group


def halves(rng, group) -> tuple[np.ndarray, np.ndarray]:
    """At most 200 rows of a random half of the groups, and all rows of the other."""
    names = rng.permutation(np.unique(group))
    inside = np.isin(group, names[: len(names) // 2])
    return rng.permutation(np.flatnonzero(inside))[:200], np.flatnonzero(~inside)


def error(make, X, y, train, test) -> float:
    """Test error of a classifier."""
    return float(np.mean(make().fit(X[train], y[train]).predict(X[test]) != y[test]))


def correlation(differences: np.ndarray) -> float:
    """Intraclass correlation of values, one row a pool."""
    n_splits = differences.shape[1]
    within = differences.var(axis=1, ddof=1).mean()
    between = max(differences.mean(axis=1).var(ddof=1) - within / n_splits, 0.0)
    return float(between / (between + within))


def designs(rng) -> Iterator[tuple[tuple[str, str], Callable, Callable, float]]:
    """Shape and name of a pool, what draws it, what splits it, and which share is tested."""
    for n_train, n_test in SHAPES:
        n = n_train + n_test
        for name, draw in POOLS.items():
            yield (
                (f"{n_train} + {n_test} rows", name),
                lambda draw=draw, n=n: draw(rng, n),
                lambda y, k=n_train: np.split(rng.permutation(len(y)), [k]),
                n_test / n,
            )
    for n_groups, size in GROUPS:
        for effect in (0.0, 0.3, 1.0):
            yield (
                (f"{n_groups} groups of {size}", f"effect {effect}"),
                lambda g=n_groups, m=size, e=effect: grouped(rng, g, m, e),
                lambda y, group: halves(rng, group),
                0.5,
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every pool, shape and pair."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pools", type=int, default=60, help="pools of a kind (default: 60)")
    parser.add_argument("--splits", type=int, default=12, help="splits of a pool (default: 12)")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (default: 0)")
    options = parser.parse_args(arguments)
    rng, lines = np.random.default_rng(options.seed), []
    for name, pool, split, share in designs(rng):
        found = {pair: np.zeros((options.pools, options.splits)) for pair in PAIRS}
        for i in range(options.pools):
            X, y, *group = pool()
            for j in range(options.splits):
                train, test = split(y, *group)
                for pair, makes in PAIRS.items():
                    first, second = (error(make, X, y, train, test) for make in makes)
                    found[pair][i, j] = first - second
        for pair, differences in found.items():
            lines.append((*name, pair, share, correlation(differences)))
            print(*lines[-1][:3], f"test share {share:.2f}, correlation {lines[-1][-1]:.2f}")
    columns = ["shape", "pool", "pair", "test share", "correlation"]
    frame = pd.DataFrame(lines, columns=columns)
    print(frame.groupby("shape", sort=False)[["test share", "correlation"]].mean().round(2))
    print(f"mean {frame['correlation'].mean():.2f}, largest {frame['correlation'].max():.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
