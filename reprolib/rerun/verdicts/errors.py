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


@functools.lru_cache(maxsize=4096)
def _quantile(level: float, degrees: float) -> float:
    """Quantile of Student's distribution; `scipy.stats.t.ppf` checks its arguments for longer."""
    return float(scipy.special.stdtrit(degrees, level))


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


def added(errors: Iterable[Error], weight: float = 1.0) -> Error:
    """Error of a weighted sum of terms that may share all of their noise, such as one pool's.

    With the fewest degrees of freedom the interval is never too short, however much is shared: if
    all is, its error rate is at most the mean of those of the terms.
    """
    terms = list(errors)
    return Error(weight * sum(e.standard for e in terms), min(e.degrees for e in terms))


def wider(errors: Iterable[Error]) -> Error:
    """The error with the wider 95 % interval, where it is not known which of them applies."""
    return max(errors, key=lambda error: error.half_width())


def over_sets(differences: Iterable[float], cells: Iterable[int] | None = None) -> Error:
    """Error of the mean difference over data sets, as a statement on other sets of this kind.

    d_i = mu + u_i + e_i on the sets i = 1 ... K: ``u_i`` is how far the methods differ there from
    what they do in the mean of all sets, ``e_i`` the noise of the trials, which share a pool. The
    sentence speaks of ``mu``. The spread of the K differences holds both, so that Student's t with
    K - 1 degrees of freedom needs neither of them, and no correlation of splits. It is the model of
    Benavoli, Corani, Demsar and Zaffalon (JMLR 18, 2017), without priors. Where the sets are
    unequally noisy, normal differences make the interval never too short: at 95 % for every K, at
    90 % for K up to 14 (Bakirov and Szekely 2005; Ibragimov and Mueller, Journal of Business and
    Economic Statistics 2010).

    Parameters
    ----------
    differences : iterable of float
        One a data set.
    cells : iterable of int, optional
        How many cells of each set the mean is over, one by default: their number is its weight.
    """
    of_sets = np.array(list(differences))
    k = len(of_sets)
    if k < 2 or np.allclose(of_sets, of_sets[0]):  # errors in whole points may tie: no certainty
        return UNKNOWN
    weights = np.ones(k) if cells is None else np.array(list(cells), dtype=float)
    share = math.sqrt(np.sum(weights**2)) / np.sum(weights)  # one over the root of k, if all equal
    return Error(float(of_sets.std(ddof=1)) * share, k - 1)


def of_mean(differences: Iterable[float], of_each: Iterable[Error], sets: Iterable[str]) -> Error:
    """Error of the mean difference over cells, as a statement on other data of this kind.

    Of several data sets each is one draw, whatever its trials: `over_sets`. Cells of one set have
    its pool in common: `added`.

    Parameters
    ----------
    differences : iterable of float
        One a cell.
    of_each : iterable of Error
        Their errors.
    sets : iterable of str
        Data set of every cell.
    """
    of_sets: dict[str, list[float]] = {}
    for name, difference in zip(sets, differences, strict=True):
        of_sets.setdefault(name, []).append(difference)
    if len(of_sets) > 1:
        return over_sets(map(np.mean, of_sets.values()), map(len, of_sets.values()))
    terms = list(of_each)
    return added(terms, 1 / len(terms))


#: Correlation of the paired differences of two random splits of one pool, if it is not known which
#: share a split tests: benchmarks/correlation.py measures 0.21 where it is 0.4, 0.08 where 0.8.
CORRELATION = 0.2
#: If it is known: half the share that trains, within these ends.
CORRELATIONS = (0.1, 0.25)


def correlation(tested: float | None) -> float:
    """Correlation of two random splits that test a share of their pool.

    Where more is tested, training sets are smaller: they have less in common and spread more.
    Nadeau and Bengio (2003) take the share itself, which makes intervals too wide.

    Parameters
    ----------
    tested : float or None
        Above 0 and below 1; None if it is not known.
    """
    return CORRELATION if tested is None else float(np.clip((1 - tested) / 2, *CORRELATIONS))


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
    """Difference and ends of its 95 % interval, as shown."""
    half = error.half_width()
    ends = {"difference": difference, "low": difference - half, "high": difference + half}
    return {name: round(v, digits) for name, v in ends.items()}


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
