"""Standard errors of differences, and intervals of paired differences of methods.

How an error follows from the design of an experiment: `reprolib.rerun.verdicts.designs`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from reprolib.rerun.records.rows import sources

#: Power at which a difference counts as one that would have been detected.
POWER = 0.8


@functools.lru_cache(maxsize=4096)
def _quantile(level: float, degrees: float) -> float:
    """Quantile of Student's distribution, of which a report asks for few, thousands of times."""
    return float(scipy.stats.t.ppf(level, degrees))


class Ends(NamedTuple):
    """Ends of the 95 % and of the 90 % interval of a difference."""

    low: float
    high: float
    low_90: float
    high_90: float


@dataclass(frozen=True)
class Error:
    """Standard error of a difference, and its degrees of freedom; infinite where unknown."""

    standard: float
    degrees: float = math.inf

    def half_width(self, level: float = 0.95) -> float:
        """Half-width of the interval of a difference."""
        if math.isinf(self.standard) or self.standard == 0:
            return self.standard
        return _quantile((1 + level) / 2, self.degrees) * self.standard

    def ends(self, difference: float) -> Ends:
        """Ends of the intervals of a difference."""
        half, half_90 = self.half_width(), self.half_width(0.9)
        return Ends(
            difference - half, difference + half, difference - half_90, difference + half_90
        )

    @property
    def is_zero(self) -> bool:
        """Whether nothing is left to chance."""
        return self.standard == 0

    @property
    def detectable(self) -> float:
        """Smallest true difference whose 95 % interval excludes zero in four of five repetitions.

        The usual formula, (t_0.975 + t_0.8) standard errors.
        """
        if math.isinf(self.standard) or self.standard == 0:
            return self.standard
        quantiles = [_quantile(level, self.degrees) for level in (0.975, POWER)]
        return sum(quantiles) * self.standard


UNKNOWN = Error(math.inf, 0.0)


def summed(errors: Iterable[Error], weight: float = 1.0) -> Error:
    """Error of a weighted sum of independent terms; degrees of Welch and Satterthwaite (1946)."""
    terms = list(errors)
    if any(math.isinf(term.standard) for term in terms):
        return UNKNOWN
    variances = [term.standard**2 for term in terms]
    total = sum(variances)
    denominator = sum(v**2 / term.degrees for v, term in zip(variances, terms, strict=True))
    return Error(weight * math.sqrt(total), total**2 / denominator if denominator > 0 else math.inf)


def wider(errors: Iterable[Error]) -> Error:
    """The error with the wider 95 % interval, where it is not known which of them applies."""
    return max(errors, key=lambda error: error.half_width())


#: Correlation of the paired differences of two random splits of one pool. Measured by
#: benchmarks/split_correlation.py: 0.01 to 0.37, in the mean 0.11, in 69 of 72 cases at most this,
#: whatever share is tested. Nadeau and Bengio (2003) take the share of test rows, 0.3 to 0.9 here.
CORRELATION = 0.2


def paired(differences: np.ndarray, correlation: float = CORRELATION) -> Error:
    """Mean of paired differences over trials of one pool, as a statement on other pools.

    Trials share rows, so that their differences are correlated by rho, and the variance of the mean
    of J is s^2 (1/J + rho / (1 - rho)) (Nadeau and Bengio, Machine Learning 2003, section 3).

    Parameters
    ----------
    differences : array of shape (J,)
        One a split, on identical trials.
    correlation : float
        rho; of the J folds of one partition 1 / J, which is theirs.
    """
    n = len(differences)
    if n < 2:
        return UNKNOWN
    inflated = 1 / n + correlation / (1 - correlation)
    return Error(float(differences.std(ddof=1)) * math.sqrt(inflated), n - 1)


def corrected_interval(
    a, b, correlation: float = CORRELATION, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean of a - b over paired random splits of one data set, as a statement on other data.

    The error is that of `paired`, by which claims are judged.

    Parameters
    ----------
    a, b : array-like of shape (n_trials,)
        Values of both on the same trials.
    correlation : float
        Of the differences of two splits, at least 0 and less than 1; with 0 it is a paired t test.
    level : float
        Of confidence, 0.95 for 95 %.

    Returns
    -------
    difference, low, high : float
        The mean of a - b and the ends of its interval.

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
    half = paired(a - b, correlation).half_width(level)
    return difference, difference - half, difference + half


def rounded_interval(difference: float, error: Error, digits: int) -> dict[str, float]:
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
        Names of both, as in the records.

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
                "source": sources(group).iloc[0],
            }
    columns = [method, reference, "difference", "low", "high", "trials", "source"]
    return pd.DataFrame(list(lines.values()), index=list(lines), columns=columns).rename_axis(
        "data set"
    )
