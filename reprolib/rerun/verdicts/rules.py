"""The rules of a verdict, one function each, on plain numbers and arrays.

A rule says how far from each other two measurements of the same thing may lie (a half-width), and
whether that is sharp enough to mean something. Lengths are in the printed unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from scipy import stats

Word = Literal[
    "reproduced",
    "compatible",
    "reproduced under a reading",
    "close",
    "not reproduced",
    "quoted",
    "not run",
]
WORDS: tuple[Word, ...] = get_args(Word)

#: Largest half-width, in percentage points, of an interval that can reproduce a number whose
#: published standard deviation is smaller or unknown.
SHARP_POINTS = 1.5
#: A difference of so many percentage points still counts as close.
CLOSE_POINTS = 1.0
#: Paths in the records have six digits: means of them that differ by less are equal.
PATH_ROUNDING = 1e-6


def word_of(*, inside: bool, sharp: bool, near: bool) -> Word:
    """Word for one number under one reading.

    Parameters
    ----------
    inside : bool
        The published number lies in the interval.
    sharp : bool
        The interval is small enough to mean something.
    near : bool
        The difference is small, whatever the interval.
    """
    if inside:
        return "reproduced" if sharp else "compatible"
    return "close" if near else "not reproduced"


def sharpest_needed(scale: float, spread: float | None) -> float:
    """Largest half-width that can reproduce a number: 1.5 points, or one published deviation.

    Parameters
    ----------
    scale : float
        Printed value of the fraction 1.
    spread : float or None
        Published standard deviation over trials.
    """
    return max(SHARP_POINTS * scale / 100, spread or 0.0)


def closest_needed(scale: float, spread: float | None) -> float:
    """Largest difference that is close: one point, or one published standard deviation."""
    return max(CLOSE_POINTS * scale / 100, spread or 0.0)


def mean_half_width(ours: np.ndarray, spread: float | None, trials: int) -> float:
    """Welch's 95 % half-width of the difference of two means over trials.

    A spread that the paper does not print is taken to be ours. From one trial of ours no spread
    is known: the published one stands for it, and the interval has no ends if there is none.

    Parameters
    ----------
    ours : array of shape (n_trials,)
    spread : float or None
        Published standard deviation.
    trials : int
        Trials behind the published mean.
    """
    ours_variance = ours.var(ddof=1) if len(ours) > 1 else None
    published_variance = None if spread is None else spread**2
    if ours_variance is None and published_variance is None:
        return np.inf
    a = _first_known(ours_variance, published_variance) / len(ours)
    b = _first_known(published_variance, ours_variance) / trials
    own_degrees = len(ours) - 1 if len(ours) > 1 else trials - 1
    return _t_half_width([(a, own_degrees), (b, trials - 1)])


def _first_known(first: float | None, second: float | None) -> float:
    return float(first if first is not None else second or 0.0)


def _t_half_width(variances: Sequence[tuple[float, float]]) -> float:
    """95 % half-width for a sum of independent errors: pairs (variance, degrees of freedom)."""
    total = sum(variance for variance, _ in variances)
    denominator = sum(v**2 / degrees for v, degrees in variances if degrees > 0)
    degrees = total**2 / denominator if denominator > 0 else np.inf
    return float(stats.t.ppf(0.975, degrees) * np.sqrt(total))


def binomial_variance(ours: float, published: float, n_test: int) -> float:
    """Binomial variance of the difference of two fractions, each measured on ``n_test`` points."""
    fractions = np.clip([ours, published], 0.0, 1.0)
    return float(np.sum(fractions * (1 - fractions)) / max(n_test, 1))


def binomial_half_width(ours: float, published: float, n_test: int) -> float:
    """95 % half-width of the difference of two fractions of a test set."""
    return _t_half_width([(binomial_variance(ours, published, n_test), np.inf)])


def one_run_half_width(ours: np.ndarray, published: float, n_test: int) -> float:
    """95 % half-width of the prediction of one seeded run on one test set.

    The published run differs from the mean of our k runs by the spread of the seeds, s^2 (1 + 1/k),
    and by the noise of the test set. From one run of ours the spread is not known, and the interval
    has no ends.

    Parameters
    ----------
    ours : array of shape (n_seeds,)
        Fractions.
    published : float
        Fraction.
    n_test : int
    """
    k = len(ours)
    if k < 2:
        return np.inf
    seeds = float(ours.var(ddof=1)) * (1 + 1 / k)
    noise = binomial_variance(float(ours.mean()), published, n_test)
    return _t_half_width([(seeds, k - 1), (noise, np.inf)])


def central_range(selections: np.ndarray) -> tuple[float, float]:
    """Central 95 % of selections."""
    low, high = np.percentile(selections, [2.5, 97.5])
    return float(low), float(high)


def covers_less_than_half(low: float, high: float, n_searched: float) -> bool:
    """Whether a range, its two ends included, holds less than half of the candidates searched."""
    return high - low + 1 < n_searched / 2


def ties_with_best(mean_scores: np.ndarray, choice: float) -> bool:
    """Whether a choice has the mean score of the best one.

    Parameters
    ----------
    mean_scores : array of shape (n_searched,)
        Mean over trials of the score, better when larger, of the choices 1, ..., n_searched.
    choice : float
        One that was not searched ties with nothing.
    """
    position = round(choice) - 1
    if not 0 <= position < len(mean_scores):
        return False
    return bool(mean_scores.max() - mean_scores[position] <= PATH_ROUNDING)


def row_gain(
    words: Sequence[Word],
    trials: Sequence[int],
    reading_words: Sequence[Word | None],
    reading_trials: Sequence[int],
) -> int:
    """How many numbers of a row a reading reproduces that the headline does not.

    None unless the reading brings out the whole row: it was run for all of the row's numbers, each
    with at least as many trials, all of them are reproduced or compatible, and the word on none
    is worse than under the headline.

    A number that is compatible under the reading earns nothing, whatever the headline says of it:
    only a sharp interval shows that it is reproduced. Nor does it stand in the way of others of
    the row, unless the headline reproduces it: then the reading has lost it.

    Parameters
    ----------
    words, trials : sequence
        Under the headline, for every number of the row that is run.
    reading_words, reading_trials : sequence
        Under the reading; None where it has no records.
    """
    gain = 0
    for word, n, other, n_other in zip(words, trials, reading_words, reading_trials, strict=True):
        if other not in ("reproduced", "compatible") or n_other < n:
            return 0
        if other == "compatible" and word == "reproduced":
            return 0
        gain += other == "reproduced" and word != "reproduced"
    return gain
