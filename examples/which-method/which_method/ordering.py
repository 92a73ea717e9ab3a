"""How sure a difference or an order of methods is.

Two questions, two answers. *A difference on other sets of this kind*: its means on the sets are one
value a set, with the noise of the set's trials in them, so that a t interval over the sets covers
(tests/test_ordering.py simulates it; a bootstrap over six sets may cover 89 %). *A
difference on other data like one set*: trials share rows, which `verdicts.errors.paired` corrects.

*Places* have no formula: a bootstrap draws sets with replacement, and within every drawn set its
trials, the same for all methods; the deviation of their mean is stretched by that same correction.
Observed means have the noise of their trials already, and the bootstrap adds it a second time: so
where sets hardly differ the intervals of places are too wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.verdicts.errors import CORRELATION, Error, paired
from reprolib.rerun.verdicts.words import of_contrast

#: What is said of one method beside another.
Comparison = Literal["better", "equivalent", "worse", "undecided"]
#: Larger is worse; one number a method from the scores of sets by methods.
Summary = Callable[[np.ndarray], np.ndarray]
N_SAMPLES = 2000
LEVEL = 0.95
#: Errors below this one count as this one in a ratio (half a row in a thousand).
LEAST_ERROR = 5e-4


def of_comparison(difference: float, error: Error, margin: float) -> Comparison:
    """Word for one method beside another.

    - equivalent: the 90 % interval of the difference lies inside the margin, also where it excludes
      zero;
    - better, worse: otherwise, if the 95 % interval excludes zero;
    - undecided: neither.

    Parameters
    ----------
    difference : float
        The method's score minus the other's; larger is better.
    error : Error
    margin : float
        In the unit of the difference.
    """
    if abs(difference) + error.half_width(0.9) < margin:
        return "equivalent"
    return of_contrast(difference, error)


@dataclass(frozen=True)
class Scores:
    """One measure of several methods in the same trials of several sets.

    Parameters
    ----------
    values : ndarray of shape (n_sets, n_methods, n_trials)
        Fractions, larger is better.
    sets, methods : list of str
    """

    values: np.ndarray
    sets: list[str]
    methods: list[str]

    @classmethod
    def of(cls, rows: pd.DataFrame, methods: list[str]) -> Scores:
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
        return cls(values, sets, list(methods))

    def means(self) -> np.ndarray:
        """Mean over the trials, sets by methods."""
        return self.values.mean(axis=2).round(9)


def stretch(n_trials: int) -> float:
    """Factor on the deviation of a resampled mean of trials that share rows."""
    resampling = n_trials / max(n_trials - 1, 1)
    return math.sqrt(resampling * (1.0 + n_trials * CORRELATION / (1.0 - CORRELATION)))


def draws(scores: Scores, n_samples: int = N_SAMPLES, seed: int = 0):
    """Sets of every resample, and of every drawn set its trials, as indices."""
    rng = np.random.default_rng(seed)
    n_sets, _, n_trials = scores.values.shape
    drawn = np.empty((n_samples, n_sets), dtype=np.intp)
    trials = np.empty((n_samples, n_sets, n_trials), dtype=np.intp)
    for sample in range(n_samples):
        drawn[sample] = rng.integers(n_sets, size=n_sets)
        trials[sample] = rng.integers(n_trials, size=(n_sets, n_trials))
    return drawn, trials


def resampled_means(scores: Scores, n_samples: int = N_SAMPLES, seed: int = 0) -> np.ndarray:
    """Means over the trials in every resample, of shape (n_samples, n_sets, n_methods)."""
    n_methods, n_trials = scores.values.shape[1:]
    drawn, trials = draws(scores, n_samples, seed)
    means, factor = scores.means(), stretch(n_trials)
    resampled = np.empty((*drawn.shape, n_methods))
    for method in range(n_methods):
        values = scores.values[drawn[:, :, np.newaxis], method, trials]
        resampled[:, :, method] = values.mean(axis=2)
    found = means[drawn] + factor * (resampled.round(9) - means[drawn])
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


@dataclass(frozen=True)
class Difference:
    """Difference of two methods over the sets, in percentage points.

    Parameters
    ----------
    mean : float
        Mean over the sets.
    error : Error
        Of the mean, as a statement on other sets of this kind.
    words : Series of str
        "better", "equivalent", "worse" or "undecided", by set.
    """

    mean: float
    error: Error
    words: pd.Series

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.mean - self.error.half_width(LEVEL)

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.mean + self.error.half_width(LEVEL)

    @property
    def word(self) -> str:
        """Word for the mean over the sets."""
        return of_comparison(self.mean, self.error, MARGIN)


def difference_of_rows(rows: pd.DataFrame, method: str, reference: str) -> Difference:
    """Compare two methods over the sets, on each by all trials that both have there.

    Parameters
    ----------
    rows : DataFrame
        Records of one measure in fractions, larger is better.
    method, reference : str

    Raises
    ------
    ValueError
        If they have no trial in common.
    """
    rows = rows[rows["method"].isin([method, reference])]
    wide = rows.pivot_table(index=["dataset", "trial"], columns="method", values="value")
    wide = wide.reindex(columns=[method, reference]).dropna()
    if not len(wide):
        raise ValueError(f"{method} and {reference} have no trial in common.")
    points = 100 * (wide[method] - wide[reference]).round(9)
    groups = points.groupby(level="dataset")
    return over_sets({str(name): values.to_numpy() for name, values in groups})


def over_sets(points: Mapping[str, np.ndarray]) -> Difference:
    """Difference over the sets, from the differences of the trials on every set, in points."""
    means = np.array([trials.mean() for trials in points.values()])
    words = [of_comparison(float(t.mean()), paired(t), MARGIN) for t in points.values()]
    # Sets are independent.
    error = paired(means, correlation=0.0)
    return Difference(float(means.mean()), error, pd.Series(words, index=list(points), dtype=str))
