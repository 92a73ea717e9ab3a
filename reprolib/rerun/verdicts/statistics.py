"""Comparison of methods: intervals of means and of paired differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats

from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.errors import CORRELATION


def mean_interval(values, level: float = 0.95) -> tuple[float, float, float]:
    """Mean of one value a trial, with its t interval; its ends are NaN for a single trial."""
    mean, n = float(np.mean(values)), len(values)
    if n < 2:
        return mean, np.nan, np.nan
    half = float(stats.t.ppf((1 + level) / 2, n - 1) * stats.sem(values))
    return mean, mean - half, mean + half


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
    difference : float
    low : float
    high : float

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
    return mean_interval(a - b, level)


def mean_intervals(differences: pd.DataFrame) -> pd.DataFrame:
    """Mean and 95 % t interval of every column over the rows where it is not missing.

    Parameters
    ----------
    differences : DataFrame
        One row a trial, one column a comparison.

    Returns
    -------
    DataFrame
        The columns difference, low and high; low and high are NaN for a comparison with a single
        trial. A comparison without any trial is left out.
    """
    lines = {
        name: mean_interval(v) for name, column in differences.items() if len(v := column.dropna())
    }
    return pd.DataFrame.from_dict(lines, orient="index", columns=["difference", "low", "high"])


def corrected_interval(
    a, b, correlation: float = CORRELATION, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean of a - b over paired random splits of one data set, as a statement on other data.

    The error is that of `errors.paired`, which claims are judged by.

    Parameters
    ----------
    a, b : array-like of shape (n_trials,)
    correlation : float
        Of the differences of two splits, at least 0 and less than 1; 0 gives `paired_interval`.
    level : float

    Returns
    -------
    difference, low, high : float

    Raises
    ------
    ValueError
        As `paired_interval`, or if ``correlation`` is out of range.
    """
    if not 0.0 <= correlation < 1.0:
        raise ValueError(f"correlation is {correlation!r}; give a number in [0, 1).")
    difference, _, _ = paired_interval(a, b, level)
    values = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    half = errors.paired(values, correlation).half_width(level)
    return difference, difference - half, difference + half


def rounded_interval(difference: float, error: errors.Error, digits: int) -> dict[str, float]:
    """Difference, ends of its 95 % interval, and what would have been detected, as shown."""
    half = error.half_width()
    ends = {"difference": difference, "low": difference - half, "high": difference + half}
    return {name: round(v, digits) for name, v in {**ends, "detectable": error.detectable}.items()}


def intervals_by_dataset(
    rows: pd.DataFrame,
    method: str,
    reference: str,
    interval: Callable[..., tuple] = corrected_interval,
) -> pd.DataFrame:
    """Compare two methods set by set, over the trials that both have, in percentage points.

    Parameters
    ----------
    rows : DataFrame
        Records of one metric.
    method, reference : str
    interval : callable
        Called with the values of both methods; gives the mean difference and the ends of its
        interval. Sets with fewer than two common trials are left out.

    Returns
    -------
    DataFrame
        Means of both methods, difference, low, high, number of trials and source, by data set;
        no rows if no set is left.
    """
    lines = {}
    for name, group in rows[rows["method"].isin([method, reference])].groupby("dataset"):
        wide = 100 * group.pivot_table(index="trial", columns="method", values="value")
        wide = wide.reindex(columns=[method, reference]).dropna()
        if len(wide) > 1:
            difference, low, high = interval(wide[method], wide[reference])
            lines[name] = {
                **wide.mean(),
                "difference": difference,
                "low": low,
                "high": high,
                "trials": len(wide),
                "source": group["source"].iloc[0],
            }
    columns = [method, reference, "difference", "low", "high", "trials", "source"]
    return pd.DataFrame(list(lines.values()), index=list(lines), columns=columns).rename_axis(
        "data set"
    )
