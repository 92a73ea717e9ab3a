"""The fast solvers beside cvxopt on the papers' data: gaps, objectives, seconds.

Every estimator that takes ``solver="cvxopt"`` is fitted by both solvers to the first rows of each
data set of its paper. The gap is ours, relative to the objective and certified by a dual point; the
difference is cvxopt's objective minus ours: along a path the largest one, relative to the largest
objective. KEOPS is not convex: it has no gap, and both may end at points of their own.

One process, one BLAS thread, CPU time: ours the least of three fits, cvxopt once.

    python benchmarks/cvxopt_reference.py [kpm] [mkpm] [simplex] [keops]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import data_fetch
import reprolib
from reprolib.methods.keops.speller import features
from reprolib.papers.keops.methods import METHODS, feature_tree
from reprolib.rerun.records.task import get_protocol

#: Values of C in the grids of the paper's methods.
COSTS = {"keops": 0.1, "mkl": 1.0}
#: Rows that cvxopt can take; of the simplex SVMs rows times classes.
MOST_ROWS, MOST_CELLS = 300, 900


def seconds(model, X, y, repeat: int) -> float:
    """Least CPU time of several fits."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        model.fit(X, y)
        times.append(time.process_time() - start)
    return min(times)


def objectives(model) -> np.ndarray:
    """Objectives of a fit: one, or those of all components of a path."""
    for name in ("bit_objective_path_", "objective_", "objective_path_"):
        if hasattr(model, name):
            return np.ravel(getattr(model, name))
    raise TypeError(f"{model} has no objective")


def gap(model) -> float:
    """Largest relative duality gap of a fit."""
    found = getattr(model, "duality_gap_path_", getattr(model, "duality_gap_", np.nan))
    return float(np.max(np.abs(found)))


def rows(name: str, n: int):
    """The first training rows of a data set, in random order, standardised, and their labels."""
    data = data_fetch.load(name)
    train = data.splits[0][0] if data.splits else np.arange(len(data.y))
    train = np.random.default_rng(0).permutation(train)[:n]
    return StandardScaler().fit_transform(data.X[train]), data.y[train]


def at_hand(paper: str) -> list[str]:
    """Data sets of a paper that need no download."""
    return [name for name in get_protocol(paper).datasets("full") if data_fetch.available(name)]


def kpm() -> Iterator[tuple]:
    """Hinge loss, ten components."""
    for name in at_hand("kpm"):
        X, y = rows(name, MOST_ROWS)
        yield name, reprolib.KPMClassifier(10, gamma=1 / X.shape[1]), X, y


def mkpm() -> Iterator[tuple]:
    """Hinge loss, twenty dimensions, ten components a bit at most."""
    for name in at_hand("mkpm"):
        X, y = rows(name, MOST_ROWS)
        yield name, reprolib.MKPMClassifier(20, loss="hinge", rank=10, gamma=1 / X.shape[1]), X, y


def simplex() -> Iterator[tuple]:
    """The three programmes, Gaussian kernel, C = 1."""
    for name in at_hand("simplex"):
        n_classes = len(np.unique(data_fetch.load(name).y))
        if n_classes > 26:
            continue
        X, y = rows(name, MOST_CELLS // n_classes)
        yield name, reprolib.SimplexConeSVC(), X, y
        yield name, reprolib.SimplexHalfspaceSVC(), X, y
        yield name, reprolib.SimplexHalfspaceSVC(convex_hull=False), X, y


def keops() -> Iterator[tuple]:
    """KEOPS and MKL on the 896 kernels of the recording, with tree and costs of the paper."""
    for name in at_hand("keops"):
        data = data_fetch.load(name)
        X = features(data)
        tree = feature_tree(data, X)
        chosen = np.random.default_rng(0).permutation(len(data.y))[:MOST_ROWS]
        X, y = X[chosen], data.y[chosen]
        for method, cost in COSTS.items():
            yield name, METHODS[method].make(X, tree, cost), X, y


PARTS = {"kpm": kpm, "mkpm": mkpm, "simplex": simplex, "keops": keops}


def main(arguments=None) -> int:
    """Print one line for each estimator and data set."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/cvxopt_reference.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)} (default: all)")
    parts = parser.parse_args(arguments).parts or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    print("| data set | estimator | rows | gap | difference | seconds | cvxopt | times |")
    print("|---|---|---|---|---|---|---|---|")
    with threadpool_limits(limits=1), warnings.catch_warnings(action="ignore"):
        for part in parts:
            for name, fast, X, y in PARTS[part]():
                reference = clone(fast).set_params(solver="cvxopt")
                ours, theirs = seconds(fast, X, y, 3), seconds(reference, X, y, 1)
                here, there = objectives(fast), objectives(reference)
                apart = (there - here)[np.argmax(np.abs(there - here))] / np.max(np.abs(here))
                label = type(fast).__name__
                label += ", no hull" * (not fast.get_params().get("convex_hull", True))
                cells = (
                    name,
                    label,
                    len(y),
                    f"{gap(fast):.0e}".replace("inf", "–"),
                    f"{apart:+.0e}",
                )
                times = (f"{ours:.3f}", f"{theirs:.2f}", f"{theirs / ours:.0f}")
                print("|", " | ".join(map(str, (*cells, *times))), "|", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
