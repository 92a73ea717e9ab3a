"""Columns that say nothing, repeat others, leave their range, or drift from training to test."""

from __future__ import annotations

import numpy as np
from scipy import stats

from data_fetch.auditing.finding import LEVEL, Finding, at_places, holm, named
from data_fetch.dataset import Dataset


def _names(dataset: Dataset, columns) -> list[str]:
    given = dataset.feature_names
    return [str(given[j]) if given is not None else str(j) for j in columns]


def constant(dataset: Dataset) -> list[Finding]:
    """Columns of one value."""
    columns = np.flatnonzero(np.ptp(dataset.X, axis=0) == 0)
    text = f"columns of one value: {named(_names(dataset, columns))}"
    return at_places("constant columns", text, columns)


def duplicated(dataset: Dataset) -> list[Finding]:
    """Columns equal to an earlier one up to a factor and an offset."""
    X = np.asarray(dataset.X, dtype=np.float64)
    X = X - X.mean(axis=0)
    norms = np.sqrt((X**2).sum(axis=0))
    kept = np.flatnonzero(norms > 0)
    if len(kept) > 2000:
        return []  # windows of a recording: `signals` looks at its channels
    unit = X[:, kept] / norms[kept]
    pairs = kept[np.argwhere(np.triu(np.abs(unit.T @ unit) > 1 - 1e-10, k=1))]
    told = [" = ".join(_names(dataset, pair[::-1])) for pair in pairs]
    text = f"columns that repeat another, up to unit and origin: {named(told)}"
    return at_places("repeated columns", text, np.unique(pairs[:, 1]))


def out_of_range(dataset: Dataset, limits: tuple[float, float] | None = None) -> list[Finding]:
    """Values that are no numbers, or outside the range that the publisher states."""
    low, high = limits or (-np.inf, np.inf)
    bad = ~(np.isfinite(dataset.X) & (low <= dataset.X) & (high >= dataset.X))
    if not bad.any():
        return []
    stated = "" if limits is None else f" or outside {low:g} to {high:g}"
    text = f"{bad.sum()} values are not finite{stated}"
    places = np.flatnonzero(bad.any(axis=1)).tolist()
    return [Finding("values out of range", int(bad.sum()), text, places=places)]


def drift(dataset: Dataset) -> list[Finding]:
    """Columns whose values differ between the training and the test file, and the classes' shares.

    Kolmogorov-Smirnov tests of all columns, corrected by Holm; a chi-squared test of the shares.
    """
    if len(dataset.splits) != 1:
        return []
    train, test = dataset.splits[0]
    X, found = dataset.X, []
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
        found += at_places("drift", text, moved, float(p_values.min()))
    classes, codes = np.unique(dataset.y, return_inverse=True)
    table = np.array([np.bincount(codes[part], minlength=len(classes)) for part in (train, test)])
    p_value = float(stats.chi2_contingency(table).pvalue)
    if p_value < LEVEL:
        shares = table / table.sum(axis=1, keepdims=True)
        worst = int(np.argmax(np.abs(shares[1] - shares[0])))
        text = (
            "the classes' shares differ between training and test file; class "
            f"{classes[worst]} has {100 * shares[0][worst]:.1f} and {100 * shares[1][worst]:.1f} %"
        )
        found.append(Finding("drift of the classes", len(classes), text, p_value))
    return found
