"""Error models: how far two honest runs of the same experiment may lie apart, one for each design.

Each gives the standard error of the difference ours minus printed, were both the same experiment,
and its degrees of freedom. The printed run is one draw: its own noise is always part of the error.

At the end are intervals of paired differences, by which methods are compared.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from reprolib.rerun.records.rows import sources

#: Power at which a difference counts as one that would have been detected.
POWER = 0.8


@functools.lru_cache(maxsize=4096)
def _quantile(level: float, degrees: float) -> float:
    """Quantile of Student's distribution, of which a report asks for few, thousands of times."""
    return float(stats.t.ppf(level, degrees))


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


def splits(ours: np.ndarray, spread: float | None, trials: int) -> Error:
    """Two means over independent splits of the same pool.

    Both sides draw splits of the pool that both have: given the pool, all draws are independent,
    and Welch's variance s^2 / n + S^2 / N holds, whatever rows two splits share. The degrees of
    freedom are those of the side with fewer splits, which never makes an interval too short
    (Mickey and Brown, Annals of Mathematical Statistics 1966). Welch and Satterthwaite's are kinder
    with less data: of two splits of ours that agree by chance nothing would be left but S, and a
    difference of 1.5 points would be called reproduced in 8 % of cases instead of 5 %. Where the
    paper prints no S, ours stands for it, with our degrees of freedom alone.

    Parameters
    ----------
    ours : array of shape (n,)
        One value a split.
    spread : float or None
        Printed standard deviation over splits, S.
    trials : int
        Splits behind the printed mean, N.
    """
    n = len(ours)
    return UNKNOWN if n < 2 else splits_of(float(ours.std(ddof=1)), n, spread, trials)


def splits_of(own: float, n: int, spread: float | None, trials: int) -> Error:
    """`splits` for n splits whose standard deviation is known."""
    if spread is None:
        return Error(own * math.sqrt(1 / n + 1 / trials), n - 1)
    standard = math.hypot(own / math.sqrt(n), spread / math.sqrt(trials))
    return Error(standard, min(n, trials) - 1)


def one_more_run(ours: np.ndarray, least: float = 0.0) -> Error:
    """One run of theirs against the mean of k of ours: s sqrt(1 + 1/k).

    For runs that differ by seeds on one official test set, both sides share the test points, so
    that these add no noise of their own.

    Parameters
    ----------
    ours : array of shape (k,)
        One value of ours a run.
    least : float
        Smallest s that can be measured: one test point. Two seeds may agree by chance.
    """
    k = len(ours)
    if k < 2:
        return UNKNOWN
    return Error(max(float(ours.std(ddof=1)), least) * math.sqrt(1 + 1 / k), k - 1)


def two_choices(means: np.ndarray) -> Error:
    """A choice made once for all trials, by theirs and by ours: the spread of one draw, twice.

    Table 1 of KPM takes one median of D, from five realisations, for all hundred.

    Parameters
    ----------
    means : array of shape (k,)
        What the mean over trials would be at k draws of the choice.
    """
    if len(means) < 2:
        return UNKNOWN
    return Error(math.sqrt(2) * float(means.std(ddof=1)), len(means) - 1)


def cross_validations(ours: np.ndarray, trials: np.ndarray, folds: int) -> Error:
    """One cross-validation of theirs against several of ours, each of another partition.

    The folds of one partition are not independent; means of whole partitions are.

    Parameters
    ----------
    ours, trials : array of shape (n_trials,)
        Trial p * folds + k is fold k of partition p. A partition that lacks folds is left out.
    folds : int
        How many parts the points were split into.
    """
    return one_more_run(partition_means(ours, trials, folds))


def partition_means(ours: np.ndarray, trials: np.ndarray, folds: int) -> np.ndarray:
    """Mean of every whole partition."""
    partitions, counts = np.unique(trials // folds, return_counts=True)
    whole = partitions[counts == folds]
    return np.array([ours[trials // folds == partition].mean() for partition in whole])


def test_set(disagreements: Sequence[float], n_test: int, largest: float) -> Error:
    """Two classifiers without seeds on one official test set, which both sides share.

    If both are equally good, the difference has the variance q / n, where q is the share of points
    on which exactly one of them is right (McNemar 1947). We never see theirs; q is the mean over
    our own runs under what the text leaves open. Where nothing is open, what remains is one point.

    Parameters
    ----------
    disagreements : sequence of float
        q of our runs, a reading. None: the largest possible, all errors on other points.
    n_test : int
        How many test points there are.
    largest : float
        Sum of both error rates.
    """
    if n_test < 1:
        return UNKNOWN
    q = float(np.mean(disagreements)) if len(disagreements) else largest
    return Error(math.sqrt(max(q, 1 / n_test) / n_test))


def pseudo_values(whole: float, without: np.ndarray) -> np.ndarray:
    """What each of k runs or subjects is worth: k times the result of all less k - 1 without it.

    Of a mean over units this is the value of the unit. A result that is not a mean, such as the
    channels that a classifier keeps, has none in each unit; its pseudo-values spread as such values
    would (jackknife: Tukey 1958; Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
    chapter 11). Of simulated counts with four of eleven runs the 95 % interval holds 92 to 95 %.

    Parameters
    ----------
    whole : float
        Our result with all units.
    without : array of shape (k,)
        Without each of them.
    """
    k = len(without)
    return k * whole - (k - 1) * without


def partial_pool(units: np.ndarray, of: int) -> Error:
    """Some of the runs or subjects that the paper has, against all of them.

    The paper's result is of K units, ours of k of them. Were ours drawn at random, the two would
    differ by the variance S^2 (1/k - 1/K), with S the spread over units: the k that both have are
    on both sides. (Cochran, Sampling Techniques, 1977, section 2.6, with the correction for a
    finite population.) Units are few, so that S has k - 1 degrees of freedom, however many draws
    are made from them.

    Parameters
    ----------
    units : array of shape (k,)
        `pseudo_values` of the units.
    of : int
        K.
    """
    k = len(units)
    if k < 2:
        return UNKNOWN
    return Error(float(units.std(ddof=1)) * math.sqrt(1 / k - 1 / of), k - 1)


def shared_runs(
    ours: np.ndarray,
    others: Mapping[str, np.ndarray],
    spread: float | None = None,
    rounding: float = 0.0,
) -> Error:
    """Means over runs of one subject that both sides share, each run left out once.

    The runs are the same, so that their own spread cancels. What may differ is what the text leaves
    open: the variance over runs of the difference between our readings, averaged over readings.
    Volumes of a run are correlated, and runs are few: the run is the unit, with k - 1 degrees.

    Parameters
    ----------
    ours : array of shape (k,)
        One value a run.
    others : mapping of str to array of shape (k,)
        The same runs under other readings.
    spread : float, optional
        Printed standard deviation over the same runs. Without other readings it alone shows how
        far the two sides can be alike: at least the difference of the two spreads lies between
        them. Without either, the error is as if the runs of both sides were independent.
    rounding : float
        Half a unit of the last digit in which ``spread`` is printed: two spreads that look the same
        may differ by so much.
    """
    k = len(ours)
    if k < 2:
        return UNKNOWN
    if not others and spread is not None:
        apart = max(abs(float(ours.std(ddof=1)) - spread), rounding)
        return Error(apart / math.sqrt(k), k - 1)
    variances = [(ours - other).var(ddof=1) for other in others.values()]
    variance = float(np.mean(variances)) if variances else 2 * float(ours.var(ddof=1))
    return Error(math.sqrt(variance / k), k - 1)


#: Correlation of the paired differences of two random splits of one pool. It was measured by
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
