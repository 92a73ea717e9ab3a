"""How sure an order of methods is: a bootstrap over sets and trials.

Sets are drawn with replacement, as if they were a sample of the sets that one may meet, and within
every drawn set its trials, the same for all methods. Trials of one set share rows, so that their
mean is less sure than its spread says: its deviation is stretched by the factor that
`verdicts.statistics.corrected_interval` puts on a standard error. Observed means have the
noise of their own trials already, and the bootstrap adds it a second time. So everything here errs
on the side of doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

#: Larger is worse; one number a method from the scores of sets by methods.
Summary = Callable[[np.ndarray], np.ndarray]
N_SAMPLES = 2000
LEVEL = 0.95
#: Errors below this one count as this one in a ratio (half a row in a thousand).
LEAST_ERROR = 5e-4


@dataclass(frozen=True)
class Scores:
    """One measure of several methods in the same trials of several sets.

    Parameters
    ----------
    values : ndarray of shape (n_sets, n_methods, n_trials)
        Fractions, larger is better.
    overlap : ndarray of shape (n_sets,)
        Share of the test rows that two trials of a set have in common.
    sets, methods : list of str
    """

    values: np.ndarray
    overlap: np.ndarray
    sets: list[str]
    methods: list[str]

    @classmethod
    def of(cls, rows: pd.DataFrame, overlap: pd.Series, methods: list[str]) -> Scores:
        """Gather the records of one measure, over the trials that all methods have on all sets.

        Raises
        ------
        ValueError
            If no trial is common to all.
        """
        rows = rows[rows["method"].isin(methods)]
        wide = rows.pivot_table(index=["dataset", "trial"], columns="method", values="value")
        wide = wide.reindex(columns=methods).dropna()
        n_sets = rows["dataset"].nunique()
        counts = wide.groupby("trial").size()
        trials = counts.index[counts == n_sets]
        if not len(trials):
            raise ValueError(f"no trial has all of {methods} on all of {n_sets} sets.")
        wide = wide[wide.index.get_level_values("trial").isin(trials)].sort_index()
        sets = list(dict.fromkeys(wide.index.get_level_values("dataset")))
        values = wide.to_numpy().reshape(len(sets), len(trials), len(methods))
        # Rounded far below one test row, so that equal hits are a tie.
        values = values.transpose(0, 2, 1).round(9)
        return cls(values, overlap[sets].to_numpy(float), sets, list(methods))

    def means(self) -> np.ndarray:
        """Mean over the trials, sets by methods."""
        return self.values.mean(axis=2).round(9)


def stretch(n_trials: int, overlap: np.ndarray) -> np.ndarray:
    """Factor on the deviation of a resampled mean of trials that share rows."""
    resampling = n_trials / max(n_trials - 1, 1)
    return np.sqrt(resampling * (1.0 + n_trials * overlap / (1.0 - overlap)))


def resampled_means(scores: Scores, n_samples: int = N_SAMPLES, seed: int = 0) -> np.ndarray:
    """Means over the trials in every resample, of shape (n_samples, n_sets, n_methods)."""
    rng = np.random.default_rng(seed)
    n_sets, n_methods, n_trials = scores.values.shape
    drawn = np.empty((n_samples, n_sets), dtype=np.intp)
    trials = np.empty((n_samples, n_sets, n_trials), dtype=np.intp)
    for sample in range(n_samples):
        drawn[sample] = rng.integers(n_sets, size=n_sets)
        trials[sample] = rng.integers(n_trials, size=(n_sets, n_trials))
    means, factors = scores.means(), stretch(n_trials, scores.overlap)
    resampled = np.empty((n_samples, n_sets, n_methods))
    for method in range(n_methods):
        values = scores.values[drawn[:, :, np.newaxis], method, trials]
        resampled[:, :, method] = values.mean(axis=2)
    found = means[drawn] + factors[drawn, np.newaxis] * (resampled.round(9) - means[drawn])
    return found.round(9)


def mean_rank(scores: np.ndarray) -> np.ndarray:
    """Mean over the sets (second to last axis) of the rank among the methods (last axis)."""
    return stats.rankdata(-scores, axis=-1).mean(axis=-2)


def median_rank(scores: np.ndarray) -> np.ndarray:
    """Median over the sets of the rank among the methods."""
    return np.median(stats.rankdata(-scores, axis=-1), axis=-2)


def error_ratio(scores: np.ndarray) -> np.ndarray:
    """Geometric mean over the sets of the error."""
    return np.exp(np.log(np.maximum(1.0 - scores, LEAST_ERROR)).mean(axis=-2))


def places(summary: np.ndarray) -> np.ndarray:
    """Place of every method (last axis), 1 for the smallest summary; equal ones share theirs."""
    return stats.rankdata(summary, axis=-1)


def place_table(scores: Scores, summary: Summary, samples: np.ndarray) -> pd.DataFrame:
    """Place of every method, and the ends of its interval over the resamples."""
    drawn = places(summary(samples))
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return pd.DataFrame(
        {"place": places(summary(scores.means())), "low": low, "high": high}, index=scores.methods
    )


def ahead(scores: Scores, summary: Summary, samples: np.ndarray) -> pd.DataFrame:
    """Share of the resamples in which the row's method is placed before the column's."""
    drawn = summary(samples)
    shares = (drawn[:, :, np.newaxis] < drawn[:, np.newaxis, :]).mean(axis=0)
    return pd.DataFrame(shares, index=scores.methods, columns=scores.methods)


@dataclass(frozen=True)
class Difference:
    """Difference of two methods over the sets, in percentage points.

    Parameters
    ----------
    mean, low, high : float
        Mean over the sets, and the ends of its interval.
    worse, equivalent, better : tuple of float
        Share of the sets on which the difference is below -rope, within it, or above: share,
        and the ends of its interval.
    """

    mean: float
    low: float
    high: float
    worse: tuple[float, float, float]
    equivalent: tuple[float, float, float]
    better: tuple[float, float, float]


def difference(
    scores: Scores, method: str, reference: str, rope: float, samples: np.ndarray
) -> Difference:
    """Compare two methods; differences of at most ``rope`` points count as none.

    Raises
    ------
    ValueError
        If ``rope`` is negative.
    """
    if not rope >= 0:
        raise ValueError(f"rope is {rope!r}; give a difference >= 0 that counts as none.")
    i, j = (scores.methods.index(key) for key in (method, reference))
    means = scores.means()
    # Rounded, so that a difference of exactly the region's size lies in it.
    observed = (100 * (means[:, i] - means[:, j])).round(6)
    drawn = (100 * (samples[:, :, i] - samples[:, :, j])).round(6)
    ends = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.quantile(drawn.mean(axis=1), ends)

    def share(inside: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float, float]:
        first, last = np.quantile(inside(drawn).mean(axis=1), ends)
        return float(inside(observed).mean()), float(first), float(last)

    return Difference(
        float(observed.mean()),
        float(low),
        float(high),
        share(lambda d: d < -rope),
        share(lambda d: np.abs(d) <= rope),
        share(lambda d: d > rope),
    )
