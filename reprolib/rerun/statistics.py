"""Comparison of methods: paired intervals, ranks over cases, Bayesian signed ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats


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
    a, b, test_overlap: float, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean of a - b over paired random splits of one data set, with a t interval for overlap.

    Splits of one data set share rows, so that their differences are correlated and their variance
    over trials is too small. Nadeau and Bengio (Machine Learning 2003, section 3) take the
    correlation to be the share rho of the rows that are tested, which replaces the 1/J in the
    variance of the mean of J trials by 1/J + rho / (1 - rho); rho / (1 - rho) is their
    n_test / n_train where a split uses all rows. Where it draws only some of a larger pool, we
    take the share of test rows that two splits have in common for rho (our extension).

    Parameters
    ----------
    a, b : array-like of shape (n_trials,)
    test_overlap : float
        rho, at least 0 and less than 1; 0 gives `paired_interval`.
    level : float

    Returns
    -------
    difference, low, high : float

    Raises
    ------
    ValueError
        As `paired_interval`, or if ``test_overlap`` is out of range.
    """
    if not 0.0 <= test_overlap < 1.0:
        raise ValueError(f"test_overlap is {test_overlap!r}; give a share of rows in [0, 1).")
    difference, low, high = paired_interval(a, b, level)
    factor = np.sqrt(1.0 + len(a) * test_overlap / (1.0 - test_overlap))
    half = factor * (high - low) / 2
    return difference, difference - half, difference + half


def intervals_by_dataset(
    rows: pd.DataFrame, method: str, reference: str, interval: Callable[..., tuple]
) -> pd.DataFrame:
    """Compare two methods set by set, over the trials that both have, in percentage points.

    Parameters
    ----------
    rows : DataFrame
        Records of one metric.
    method, reference : str
    interval : callable
        Called with the name of the set and the values of both methods; gives the mean difference
        and the ends of its interval. Sets with fewer than two common trials are left out.

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
            difference, low, high = interval(name, wide[method], wide[reference])
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


def indistinct_groups(comparison: RankComparison) -> list[list[str]]:
    """Groups of two or more methods whose mean ranks differ by less than the critical difference.

    Only the largest groups: none is a part of another one.
    """
    ranks = comparison.mean_ranks.sort_values()
    groups: list[list[str]] = []
    for first in range(len(ranks)):
        inside = ranks.iloc[first:]
        inside = inside[inside < ranks.iloc[first] + comparison.critical_difference]
        names = [str(name) for name in inside.index]
        if len(names) > 1 and not (groups and names[-1] == groups[-1][-1]):
            groups.append(names)
    return groups


@dataclass(frozen=True)
class SignedRankPosterior:
    """Posterior probabilities that worse, practically as good, or better is the likeliest outcome.

    Parameters
    ----------
    worse, equivalent, better : float
        Summing to one.
    """

    worse: float
    equivalent: float
    better: float


def bayesian_signed_rank(
    differences, rope: float, *, prior: float = 0.5, n_samples: int = 20_000, seed: int = 0
) -> SignedRankPosterior:
    """Bayesian signed-rank test over cases (Benavoli et al., ICML 2014; JMLR 2017, section 4.2).

    A Dirichlet process stands for the distribution of the difference z on a further case. The
    posterior of P(z + z' > 2 rope), and likewise below and within, for two such cases is sampled;
    the result says how often each of the three is the largest. One pseudo-difference of weight
    ``prior`` at zero is the prior.

    Parameters
    ----------
    differences : array-like of shape (n_cases,)
        One mean difference for each case; cases are taken as independent.
    rope : float
        Differences of at most this size count as practically none.
    prior : float
    n_samples, seed : int

    Raises
    ------
    ValueError
        If there are fewer than two differences, one is missing, or ``rope`` is negative.
    """
    z = np.asarray(differences, dtype=float)
    if z.ndim != 1 or len(z) < 2 or not np.isfinite(z).all():
        raise ValueError(f"differences is {z!r}; give two or more finite numbers.")
    if not rope >= 0:
        raise ValueError(f"rope is {rope!r}; give a difference >= 0 that counts as none.")
    z = np.concatenate([[0.0], z])
    weights = np.random.default_rng(seed).dirichlet([prior, *np.ones(len(z) - 1)], n_samples)
    sums = z[:, np.newaxis] + z
    above = np.einsum("si,ij,sj->s", weights, (sums > 2 * rope).astype(float), weights)
    below = np.einsum("si,ij,sj->s", weights, (sums < -2 * rope).astype(float), weights)
    shares = np.stack([below, 1.0 - above - below, above])
    won = np.bincount(np.argmax(shares, axis=0), minlength=3) / n_samples
    return SignedRankPosterior(*(float(share) for share in won))
