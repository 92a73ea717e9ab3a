"""Comparison of methods over several cases: paired intervals, ranks, Friedman and Nemenyi."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats


def paired_interval(a, b, level: float = 0.95) -> tuple[float, float, float]:
    """Mean of a - b over paired trials, with its t interval.

    Trials that share training data are not independent, so that the interval is too narrow for
    "on other data of this kind"; it is about these data and other splits.

    Parameters
    ----------
    a, b : array-like of shape (n_trials,)
    level : float

    Returns
    -------
    difference, low, high : float

    Raises
    ------
    ValueError
        If the trials do not pair up, or there are fewer than two.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape or a.ndim != 1 or len(a) < 2:
        raise ValueError(
            f"a has shape {a.shape} and b {b.shape}; give the same two or more trials of both."
        )
    difference = a - b
    half = stats.t.ppf((1 + level) / 2, len(a) - 1) * stats.sem(difference)
    return (
        float(difference.mean()),
        float(difference.mean() - half),
        float(difference.mean() + half),
    )


@dataclass(frozen=True)
class RankComparison:
    """Ranks of k methods over N cases (Demsar 2006).

    Parameters
    ----------
    mean_ranks : Series
        By method, 1 is best.
    p_value : float
        Friedman's test that all methods rank the same.
    critical_difference : float
        Nemenyi: mean ranks further apart than this differ at the 5 % level.
    n_cases : int
    """

    mean_ranks: pd.Series
    p_value: float
    critical_difference: float
    n_cases: int


def compare_ranks(scores: pd.DataFrame, level: float = 0.95) -> RankComparison:
    """Rank methods (columns, larger is better) within every case (row) and compare mean ranks.

    Raises
    ------
    ValueError
        If there are fewer than three methods or two cases, or a score is missing.
    """
    n_cases, k = scores.shape
    if k < 3 or n_cases < 2:
        raise ValueError(
            f"scores has {n_cases} cases and {k} methods; Friedman's test needs at least two "
            "cases and three methods. Use paired_interval for two methods."
        )
    if scores.isna().to_numpy().any():
        raise ValueError("scores has missing values; drop the cases that some method lacks.")
    ranks = scores.rank(axis=1, ascending=False)
    statistic = stats.friedmanchisquare(*[scores[name] for name in scores.columns])
    q = stats.studentized_range.ppf(level, k, np.inf) / np.sqrt(2)
    return RankComparison(
        mean_ranks=ranks.mean().sort_values(),
        p_value=float(statistic.pvalue),
        critical_difference=float(q * np.sqrt(k * (k + 1) / (6 * n_cases))),
        n_cases=n_cases,
    )
