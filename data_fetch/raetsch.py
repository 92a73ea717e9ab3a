"""Raetsch's benchmark suite, as repackaged in one MATLAB file.

One struct per benchmark: patterns ``x`` of shape (n, d), targets ``t`` in {-1, +1}, and the
published realisations ``train`` and ``test``, one row of 1-based indices each. The complete
file may hold every distinct pattern once, and name it several times in one realisation; the
partial one holds all patterns. Both become the same pool here: the patterns of the first
realisation in their order, training set first.

Source: Raetsch, Onoda & Mueller 2001, Machine Learning 42:287-320.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import loadmat

from data_fetch.dataset import Dataset, Source

#: Realisations that the suite publishes.
N_PUBLISHED = {"image": 20, "splice": 20}
N_PUBLISHED_DEFAULT = 100
N_RESAMPLED = 20

#: C and kernel width of the SVM, chosen by the suite's makers for every benchmark: the kernel is
#: exp(-||x - y||^2 / width).
PUBLISHED_SVM = {
    "banana": (316.2, 1.0),
    "breast_cancer": (15.19, 50.0),
    "diabetis": (1.0, 20.0),
    "flare_solar": (1.023, 30.0),
    "german": (3.162, 55.0),
    "heart": (3.162, 120.0),
    "image": (500.0, 30.0),
    "ringnorm": (1e9, 10.0),
    "splice": (1000.0, 70.0),
    "thyroid": (10.0, 3.0),
    "titanic": (1e5, 2.0),
    "twonorm": (3.162, 40.0),
    "waveform": (1.0, 20.0),
}

Split = tuple[np.ndarray, np.ndarray]


def load_raetsch(name: str, paths: dict[str, Path]) -> Dataset:
    """Read one benchmark, for example "raetsch/banana".

    Features are as published: all benchmarks but flare_solar were standardised over the whole
    pool by their makers, breast_cancer and thyroid nearly so.

    Returns
    -------
    Dataset
        ``y`` in {-1, +1}; ``splits`` the realisations at hand. Where the file has none of them,
        20 splits of the published sizes are drawn, seeded by the benchmark's name, and the
        source is "resampled". ``extra`` has the makers' ``C`` and ``width`` of the SVM's kernel,
        and ``repeated_splits`` the numbers, from 1, of a realisation that is left out and of the
        earlier one that it repeats.
    """
    benchmark = name.rpartition("/")[2]
    x, t, train, test, remark = _read(paths["benchmarks.mat"], benchmark)
    extra: dict[str, Any] = dict(zip(("C", "width"), PUBLISHED_SVM[benchmark], strict=True))
    sizes = train.shape[1], test.shape[1]
    n_published = N_PUBLISHED.get(benchmark, N_PUBLISHED_DEFAULT)
    if len(train) == 0:
        note = (
            f"real pool; {N_RESAMPLED} seeded splits of the published sizes {sizes[0]} + "
            f"{sizes[1]}, as the published realisations are not at hand{remark}"
        )
        splits = resampled_splits(len(x), *sizes, seed=benchmark)
        return Dataset(name, x, t, "resampled", note, splits, extra=extra)
    rows, drawn = _pool(x, t, train, test)
    # A realisation that repeats another is no evidence of its own.
    first: dict[tuple[bytes, bytes], int] = {}
    splits, repeats = [], []
    for number, split in enumerate(drawn, start=1):
        earlier = first.setdefault((split[0].tobytes(), split[1].tobytes()), number)
        if earlier == number:
            splits.append(split)
        else:
            repeats.append((number, earlier))
    complete = len(drawn) >= n_published
    note = (
        f"all {len(drawn)} published realisations"
        if complete
        else f"first {len(drawn)} of the {n_published} published realisations"
    )
    if repeats:
        note += f"; {len(repeats)} of them, which repeats another, is left out"
        extra["repeated_splits"] = repeats
    source: Source = "original" if complete else "partial"
    return Dataset(name, x[rows], t[rows], source, note + remark, splits, extra=extra)


def _read(path: Path, benchmark: str):
    """Patterns, labels, 0-based indices of the realisations, and what the file says of them."""
    struct = loadmat(path, variable_names=[benchmark])[benchmark][0, 0]
    x, t = (np.asarray(struct[k], dtype=np.float64) for k in ("x", "t"))
    train, test = (np.asarray(struct[k], dtype=np.int64) - 1 for k in ("train", "test"))
    remark = "; ".join(map(str, struct["note"])) if "note" in struct.dtype.names else ""
    return x, t.ravel().astype(np.int64), train, test, f"; {remark}" if remark else ""


def _pool(
    x: np.ndarray, t: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, list[Split]]:
    """Make the pool of the first realisation, and every realisation's indices into it.

    A pattern that occurs k times in a realisation gets k different rows of the pool, so that
    training and test sets are disjoint, whether the file repeats the row or its index.

    Returns
    -------
    rows : ndarray
        Row of the file for every row of the pool.
    splits : list of (train, test)
        Row numbers of every realisation.
    """
    codes = np.unique(np.column_stack([x, t]), axis=0, return_inverse=True)[1].ravel()
    drawn = np.hstack([train, test])
    patterns = codes[drawn]
    occurrences = np.array([pd.Series(p).groupby(p).cumcount() for p in patterns])
    # Numbered in the order in which they come first: those of the first realisation, then others.
    places = pd.factorize((occurrences * (codes.max() + 1) + patterns).ravel())[0]
    rows = drawn.ravel()[np.unique(places, return_index=True)[1]]
    n_train = train.shape[1]
    return rows, [(p[:n_train], p[n_train:]) for p in places.reshape(drawn.shape)]


def resampled_splits(
    n_samples: int, n_train: int, n_test: int, *, seed: str, n_splits: int = N_RESAMPLED
) -> list[Split]:
    """Draw random splits of given sizes; the same ones for the same seed and pool size."""
    rng = np.random.default_rng([*seed.encode(), n_samples])
    splits = []
    for _ in range(n_splits):
        order = rng.permutation(n_samples)
        splits.append((order[:n_train], order[n_train : n_train + n_test]))
    return splits
