"""Rows that repeat others: within the data, across a split, under another label, nearly."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.neighbors import NearestNeighbors

from data_fetch.auditing.finding import LEVEL, Finding, at_places
from data_fetch.dataset import Dataset

#: Two rows are nearly equal if the next row is that much farther away.
NEAR = 0.05


def row_codes(X: np.ndarray) -> np.ndarray:
    """Number of the pattern that each row has: equal rows have the same."""
    X = np.ascontiguousarray(X + 0 if X.dtype.kind in "iu" else X + 0.0)  # no -0.0 beside 0.0
    as_bytes = X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
    return np.unique(as_bytes, return_inverse=True)[1].ravel()


def repeated(codes: np.ndarray) -> list[Finding]:
    """Rows equal to an earlier one."""
    counts = np.bincount(codes)
    later = np.flatnonzero(pd.Series(codes).duplicated())
    text = (
        f"{len(later)} of {len(codes)} rows repeat an earlier one ({len(counts)} are "
        f"different; the commonest stands {counts.max()} times)"
    )
    return at_places("repeated rows", text, later)


def conflicting(dataset: Dataset, codes: np.ndarray) -> list[Finding]:
    """Equal rows with different labels: an error that no classifier of the columns avoids."""
    classes, labels = np.unique(dataset.y, return_inverse=True)
    cells = np.bincount(codes * len(classes) + labels, minlength=(codes.max() + 1) * len(classes))
    table = cells.reshape(-1, len(classes))
    mixed = np.flatnonzero((np.count_nonzero(table, axis=1) > 1)[codes])
    unavoidable = (table.sum(axis=1) - table.max(axis=1)).sum()
    text = (
        f"{len(mixed)} rows have an equal row under another label; whatever the classifier, "
        f"{unavoidable} of {len(codes)} rows are wrong ({100 * unavoidable / len(codes):.2g} %)"
    )
    return at_places("conflicting labels", text, mixed)


def across_splits(dataset: Dataset, codes: np.ndarray) -> list[Finding]:
    """Test rows that stand in the training set, too; realisations that repeat another."""
    found = []
    for later, earlier in dataset.extra.get("repeated_splits", ()):
        text = (
            f"realisation {later} has the rows of realisation {earlier}; the loader leaves it out"
        )
        found.append(Finding("repeated split", 1, text))
    seen = [np.isin(codes[test], codes[train]) for train, test in dataset.splits]
    if count := sum(map(np.count_nonzero, seen)):
        share = f"{100 * np.mean([s.mean() for s in seen]):.1f} % of the test rows"
        if len(seen) == 1:
            text = f"{share} of the official split stand in its training set"
        else:
            text = f"{share}, on average over {len(seen)} splits, stand in the training set"
        found.append(Finding("rows in training and test", int(count), text))
    return found


def nearly_equal(dataset: Dataset, codes: np.ndarray) -> list[Finding]:
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
        return []
    distances, neighbours = NearestNeighbors(n_neighbors=2).fit(X).kneighbors()
    ratio = distances[:, 0] / distances[:, 1]
    dimension = np.log(0.5) / np.log(min(np.median(ratio), 1 - 1e-9))
    close = np.flatnonzero(ratio < NEAR)
    pairs = np.unique(np.sort(np.column_stack([close, neighbours[close, 0]])), axis=0)
    # Both rows of a pair have a small ratio: half as many independent events as rows.
    expected = len(X) * NEAR**dimension / 2
    p_value = float(stats.poisson.sf(len(pairs) - 1, expected))
    if p_value >= LEVEL:
        return []
    text = (
        f"{len(pairs)} pairs of rows are twenty times nearer to each other than to the next "
        f"row ({expected:.2g} expected in {dimension:.0f} dimensions)"
    )
    places = np.unique(distinct[pairs]).tolist()
    return [Finding("nearly equal rows", len(pairs), text, p_value, places)]
