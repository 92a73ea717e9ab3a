"""Comparison of methods: intervals of means and of paired differences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.errors import CORRELATION


def corrected_interval(
    a, b, correlation: float = CORRELATION, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean of a - b over paired random splits of one data set, as a statement on other data.

    The error is that of `errors.paired`, by which claims are judged.

    Parameters
    ----------
    a, b : array-like of shape (n_trials,)
    correlation : float
        Of the differences of two splits, at least 0 and less than 1; with 0 it is a paired t test.
    level : float

    Returns
    -------
    difference, low, high : float

    Raises
    ------
    ValueError
        If the trials do not pair up, there are fewer than two, or ``correlation`` is out of range.
    """
    if not 0.0 <= correlation < 1.0:
        raise ValueError(f"correlation is {correlation!r}; give a number in [0, 1).")
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape or a.ndim != 1 or len(a) < 2:
        raise ValueError(
            f"a has shape {a.shape} and b {b.shape}; give the same two or more trials of both."
        )
    difference = float(np.mean(a - b))
    half = errors.paired(a - b, correlation).half_width(level)
    return difference, difference - half, difference + half


def rounded_interval(difference: float, error: errors.Error, digits: int) -> dict[str, float]:
    """Difference, ends of its 95 % interval, and what would have been detected, as shown."""
    half = error.half_width()
    ends = {"difference": difference, "low": difference - half, "high": difference + half}
    return {name: round(v, digits) for name, v in {**ends, "detectable": error.detectable}.items()}


def intervals_by_dataset(rows: pd.DataFrame, method: str, reference: str) -> pd.DataFrame:
    """Compare two methods set by set, over the trials that both have, in percentage points.

    The interval is that of `corrected_interval`. Sets with fewer than two common trials are left
    out.

    Parameters
    ----------
    rows : DataFrame
        Records of one metric.
    method, reference : str

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
            difference, low, high = corrected_interval(wide[method], wide[reference])
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
