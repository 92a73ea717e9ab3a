"""Rows that repeat others: within the data, across a split, under another label, nearly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats
from sklearn.neighbors import NearestNeighbors

from data_fetch.auditing.finding import LEVEL, Finding
from data_fetch.dataset import Dataset

#: Two rows are nearly equal if the next row is that much farther away.
NEAR = 0.05


def row_codes(X: np.ndarray) -> np.ndarray:
    """Number of the pattern that each row has: equal rows have the same."""
    X = np.ascontiguousarray(X + 0 if X.dtype.kind in "iu" else X + 0.0)  # no -0.0 beside 0.0
    as_bytes = X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
    return np.unique(as_bytes, return_inverse=True)[1].ravel()


def repeated(codes: np.ndarray) -> Iterator[Finding]:
    """Rows equal to an earlier one."""
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    n_repeats = len(codes) - len(counts)
    if n_repeats:
        places = np.setdiff1d(np.arange(len(codes)), first)
        text = (
            f"{n_repeats} of {len(codes)} rows repeat an earlier one ({len(counts)} are "
            f"different; the commonest stands {counts.max()} times)"
        )
        yield Finding("repeated rows", n_repeats, text, places=places.tolist())


def conflicting(dataset: Dataset, codes: np.ndarray) -> Iterator[Finding]:
    """Equal rows with different labels: an error that no classifier of the columns avoids."""
    labels = np.unique(dataset.y, return_inverse=True)[1]
    table = np.zeros((codes.max() + 1, labels.max() + 1), dtype=np.int64)
    np.add.at(table, (codes, labels), 1)
    unavoidable = int((table.sum(axis=1) - table.max(axis=1)).sum())
    if unavoidable:
        mixed = np.count_nonzero(table, axis=1) > 1
        places = np.flatnonzero(mixed[codes])
        text = (
            f"{len(places)} rows have an equal row under another label; whatever the classifier, "
            f"{unavoidable} of {len(codes)} rows are wrong ({100 * unavoidable / len(codes):.2g} %)"
        )
        yield Finding("conflicting labels", len(places), text, places=places.tolist())


def across_splits(dataset: Dataset, codes: np.ndarray) -> Iterator[Finding]:
    """Test rows that stand in the training set, too; realisations that repeat another."""
    for later, earlier in dataset.extra.get("repeated_splits", ()):
        text = f"realisation {later} has the rows of realisation {earlier}"
        yield Finding("repeated split", 1, f"{text}; the loader leaves it out")
    seen = [np.isin(codes[test], codes[train]) for train, test in dataset.splits]
    count = sum(int(s.sum()) for s in seen)
    if count:
        share = 100 * np.mean([s.mean() for s in seen])
        if len(seen) == 1:
            text = f"{share:.1f} % of the test rows of the official split stand in its training set"
        else:
            text = (
                f"{share:.1f} % of the test rows, on average over {len(seen)} splits, stand in "
                "the training set"
            )
        yield Finding("rows in training and test", count, text)


def nearly_equal(dataset: Dataset, codes: np.ndarray) -> Iterator[Finding]:
    """Pairs far closer to each other than to the next row.

    Where the density hardly changes between a row's first and second neighbour, the ratio of their
    distances is below t with probability t^m, whatever the density (Facco et al. 2017). The
    dimension m of the data follows from the median ratio, 2^(-1/m). A Poisson test compares the
    number of ratios below a twentieth with n / 20^m.
    """
    distinct = np.unique(codes, return_index=True)[1]
    X = np.asarray(dataset.X[distinct], dtype=np.float64)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    if len(X) < 20:
        return
    distances, neighbours = NearestNeighbors(n_neighbors=2).fit(X).kneighbors()
    ratio = distances[:, 0] / distances[:, 1]
    dimension = np.log(0.5) / np.log(min(np.median(ratio), 1 - 1e-9))
    close = np.flatnonzero(ratio < NEAR)
    pairs = sorted({tuple(sorted((int(i), int(neighbours[i, 0])))) for i in close})
    # Both rows of a pair have a small ratio: half as many independent events as rows.
    expected = len(X) * NEAR**dimension / 2
    p_value = float(stats.poisson.sf(len(pairs) - 1, expected))
    if pairs and p_value < LEVEL:
        text = (
            f"{len(pairs)} pairs of rows are twenty times nearer to each other than to the next "
            f"row ({expected:.2g} expected in {dimension:.0f} dimensions)"
        )
        places = sorted({int(distinct[row]) for pair in pairs for row in pair})
        yield Finding("nearly equal rows", len(pairs), text, p_value, places)
