"""How often chance alone would make the study's claims.

If no method were better than another, a set's differences could as well have the other sign. The
signs of all sets are turned at random, those of all methods together, so that what they share
stays. How often the largest t is then as large as an observed one is its level, for all together.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from which_method.summaries import REFERENCE, mean_table


def levels_over_sets(
    records: pd.DataFrame, reference: str = REFERENCE, n_turns: int = 10_000, seed: int = 0
) -> pd.Series:
    """Level of every mean difference to the reference, of all methods with records on every set."""
    means = mean_table(records).dropna(axis=1)
    differences = means.drop(columns=reference).sub(means[reference], axis=0)
    _, levels = _levels(differences.to_numpy(), n_turns, seed)
    return pd.Series(levels, differences.columns)


def levels_of_pairs(accuracy: pd.DataFrame, n_turns: int = 10_000, seed: int = 0) -> pd.DataFrame:
    """Level of every order of two methods, for all pairs together.

    Parameters
    ----------
    accuracy : DataFrame
        Sets by methods, complete.
    n_turns, seed : int

    Returns
    -------
    DataFrame
        Level at which the row's method is before the column's; one where it is not ahead.
    """
    first, second = np.triu_indices(accuracy.shape[1], 1)
    values = accuracy.to_numpy()
    t, levels = _levels(values[:, first] - values[:, second], n_turns, seed)
    table = np.ones((accuracy.shape[1],) * 2)
    table[first, second] = np.where(t > 0, levels, 1.0)
    table[second, first] = np.where(t < 0, levels, 1.0)
    return pd.DataFrame(table, accuracy.columns, accuracy.columns)


def _levels(values: np.ndarray, n_turns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Student's t of every column, sets by differences, and its level for all columns together."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n_turns, len(values)))
    observed = _t(values.sum(axis=0), values)
    largest = np.abs(_t(signs @ values, values)).max(axis=1)
    n_as_large = (largest[:, np.newaxis] >= np.abs(observed)).sum(axis=0)
    return observed, (1 + n_as_large) / (1 + n_turns)


def _t(sums: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Student's t of columns from the sums of their values, whose squares no sign changes."""
    n = len(values)
    spread = (values**2).sum(axis=0) - sums**2 / n
    return sums / np.sqrt(n * np.maximum(spread, 1e-12) / (n - 1))
