"""Columns that say nothing, repeat others, leave their range, or drift from training to test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from data_fetch.auditing.finding import LEVEL, Finding, holm, named
from data_fetch.dataset import Dataset


def _names(dataset: Dataset, columns) -> list[str]:
    given = dataset.feature_names
    return [str(given[j]) if given is not None else str(j) for j in columns]


def constant(dataset: Dataset) -> Iterator[Finding]:
    """Columns of one value."""
    columns = np.flatnonzero(np.ptp(dataset.X, axis=0) == 0)
    if len(columns):
        text = f"columns of one value: {named(_names(dataset, columns))}"
        yield Finding("constant columns", len(columns), text, places=columns.tolist())


def duplicated(dataset: Dataset) -> Iterator[Finding]:
    """Columns equal to an earlier one up to a factor and an offset."""
    X = np.asarray(dataset.X, dtype=np.float64)
    X = X - X.mean(axis=0)
    norms = np.sqrt((X**2).sum(axis=0))
    kept = np.flatnonzero(norms > 0)
    if len(kept) > 2000:
        return  # windows of a recording: `signals` looks at its channels
    unit = X[:, kept] / norms[kept]
    same = np.triu(np.abs(unit.T @ unit) > 1 - 1e-10, k=1)
    first, later = np.nonzero(same)
    if len(later):
        names = (_names(dataset, kept[side]) for side in (first, later))
        pairs = [f"{b} = {a}" for a, b in zip(*names, strict=True)]
        columns = np.unique(kept[later])
        text = f"columns that repeat another, up to unit and origin: {named(pairs)}"
        yield Finding("repeated columns", len(columns), text, places=columns.tolist())


def out_of_range(dataset: Dataset, limits: tuple[float, float] | None = None) -> Iterator[Finding]:
    """Values that are no numbers, or outside the range that the publisher states."""
    X = dataset.X
    bad = ~np.isfinite(X) if X.dtype.kind == "f" else np.zeros(X.shape, dtype=bool)
    if limits is not None:
        bad |= (limits[0] > X) | (limits[1] < X)
    if bad.any():
        stated = "" if limits is None else f" or outside {limits[0]:g} to {limits[1]:g}"
        text = f"{bad.sum()} values are not finite{stated}"
        places = np.flatnonzero(bad.any(axis=1)).tolist()
        yield Finding("values out of range", int(bad.sum()), text, places=places)


def drift(dataset: Dataset) -> Iterator[Finding]:
    """Columns whose values differ between the training and the test file, and the classes' shares.

    Kolmogorov-Smirnov tests of all columns, corrected by Holm; a chi-squared test of the shares.
    """
    if len(dataset.splits) != 1:
        return
    train, test = dataset.splits[0]
    X = dataset.X
    columns = np.flatnonzero(np.ptp(X, axis=0) > 0)
    tests = [stats.ks_2samp(X[train, j], X[test, j], method="asymp") for j in columns]
    p_values = holm([t.pvalue for t in tests])
    moved = columns[p_values < LEVEL]
    if len(moved):
        worst = int(np.argmax([t.statistic for t in tests]))
        text = (
            f"{len(moved)} of {X.shape[1]} columns are distributed otherwise in the test file "
            f"than in the training file; most of all {_names(dataset, [columns[worst]])[0]} "
            f"(largest difference of the distributions {tests[worst].statistic:.2f})"
        )
        yield Finding("drift", len(moved), text, float(p_values.min()), moved.tolist())
    classes, codes = np.unique(dataset.y, return_inverse=True)
    table = [np.bincount(codes[part], minlength=len(classes)) for part in (train, test)]
    p_value = float(stats.chi2_contingency(table).pvalue)
    if p_value < LEVEL:
        shares = [row / row.sum() for row in table]
        worst = int(np.argmax(np.abs(shares[1] - shares[0])))
        text = (
            "the classes' shares differ between training and test file; class "
            f"{classes[worst]} has {100 * shares[0][worst]:.1f} and {100 * shares[1][worst]:.1f} %"
        )
        yield Finding("drift of the classes", len(classes), text, p_value)
