"""How much random splits of one pool correlate: what stretches the intervals of claims.

Pools are drawn from a known distribution, each is split at random several times, and two
classifiers are compared on every split. The differences on one pool are alike, as splits share
rows: the intraclass correlation of the differences is the rho of `verdicts.errors.paired`. Beside
it stands the share of the pool that is tested, which Nadeau and Bengio (2003) take for rho.

    python benchmarks/overlap.py [--pools 60] [--splits 12] [--seed 0]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

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


def error(make, X, y, train, test) -> float:
    """Test error of a classifier."""
    return float(np.mean(make().fit(X[train], y[train]).predict(X[test]) != y[test]))


def correlation(differences: np.ndarray) -> float:
    """Intraclass correlation of values, one row a pool."""
    n_splits = differences.shape[1]
    within = differences.var(axis=1, ddof=1).mean()
    between = max(differences.mean(axis=1).var(ddof=1) - within / n_splits, 0.0)
    return float(between / (between + within))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every pool, shape and pair."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pools", type=int, default=60)
    parser.add_argument("--splits", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng, lines = np.random.default_rng(options.seed), []
    for n_train, n_test in SHAPES:
        for name, draw in POOLS.items():
            found = {pair: np.zeros((options.pools, options.splits)) for pair in PAIRS}
            for pool in range(options.pools):
                X, y = draw(rng, n_train + n_test)
                for split in range(options.splits):
                    rows = rng.permutation(len(y))
                    for pair, (first, second) in PAIRS.items():
                        errors = [
                            error(make, X, y, rows[:n_train], rows[n_train:])
                            for make in (first, second)
                        ]
                        found[pair][pool, split] = errors[0] - errors[1]
            for pair, differences in found.items():
                share = n_test / (n_train + n_test)
                lines.append((n_train, n_test, name, pair, share, correlation(differences)))
                print(lines[-1][:4], f"test share {share:.2f}, correlation {lines[-1][-1]:.2f}")
    columns = ["train", "test", "pool", "pair", "test share", "correlation"]
    frame = pd.DataFrame(lines, columns=columns)
    print(frame.groupby(["train", "test"])[["test share", "correlation"]].mean().round(2))
    print(f"mean {frame['correlation'].mean():.2f}, largest {frame['correlation'].max():.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
