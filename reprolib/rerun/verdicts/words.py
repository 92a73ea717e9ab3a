"""The words of verdicts, and the rules that choose between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from reprolib.rerun.verdicts.errors import Error

Word = Literal[
    "reproduced",
    "reproduced under a reading",
    "undecided",
    "not reproduced",
    "quoted",
    "not run",
]
WORDS: tuple[Word, ...] = get_args(Word)

#: Percentage points by which a performance may differ and still be called reproduced.
MARGIN = 1.5
#: Draws of a selection from which its range is known: of forty, the smallest and the largest hold
#: one more draw with a probability of 39 / 41, 95 %.
N_DRAWS = 40
#: Largest chance of a candidate drawn at random to lie in the range of a selection.
LARGEST_CHANCE = 0.2
#: Paths in the records have six digits: means of them that differ by less are equal.
PATH_ROUNDING = 1e-6


def of_performance(difference: float, error: Error, margin: float) -> Word:
    """Word for a performance.

    - reproduced: the 90 % interval of the difference lies inside the margin (two one-sided tests
      at 5 %; Schuirmann 1987), also where it excludes zero;
    - not reproduced: otherwise, if the 95 % interval excludes zero;
    - undecided: neither.

    Parameters
    ----------
    difference : float
        Ours minus printed.
    error : Error
    margin : float
        In the unit of the difference.
    """
    if abs(difference) + error.half_width(0.9) < margin:
        return "reproduced"
    return "not reproduced" if abs(difference) > error.half_width() else "undecided"


def of_contrast(
    difference: float, error: Error, *, larger_is_better: bool = True
) -> Literal["better", "worse", "undecided"]:
    """Word for one method beside another where every difference counts, however small.

    Better or worse if the 95 % interval of the difference excludes zero, otherwise undecided.
    """
    if not abs(difference) > error.half_width():
        return "undecided"
    return "better" if (difference > 0) == larger_is_better else "worse"


def of_selection(value: float, low: float, high: float, searched: float) -> Word:
    """Word for a selection whose range for one more draw is known.

    - not reproduced: the printed choice is outside the range;
    - reproduced: it is inside, and of the candidates at most one in five is;
    - undecided: inside, but many others would be, too.

    Parameters
    ----------
    value : float
        The printed choice.
    low, high : float
        Ends of the range; they belong to it.
    searched : float
        How many candidates, one apart, there were.
    """
    if not low <= value <= high:
        return "not reproduced"
    return "reproduced" if high - low + 1 <= LARGEST_CHANCE * searched else "undecided"


def prediction_range(draws: np.ndarray) -> tuple[float, float]:
    """Range that holds one more draw with a probability of 95 %, by order statistics.

    The j-th smallest and the j-th largest of n draws hold another one with a probability of
    1 - 2 j / (n + 1), whatever its distribution. Without `N_DRAWS` the range has no ends.
    """
    n = len(draws)
    if n < N_DRAWS:
        return -math.inf, math.inf
    j = math.floor(0.025 * (n + 1))
    ordered = np.sort(draws)
    return float(ordered[j - 1]), float(ordered[n - j])


def detectable_shift(draws: np.ndarray) -> float:
    """Smallest shift that takes four of five draws out of their own range."""
    low, high = prediction_range(draws)
    if math.isinf(low):
        return math.inf
    up, down = np.quantile(draws, [0.2, 0.8])
    return float(max(high - up, down - low))


def ties_with_best(mean_scores: np.ndarray, choice: float) -> bool:
    """Whether a choice has the mean score of the best one, and few others have.

    Parameters
    ----------
    mean_scores : array of shape (n_searched,)
        Mean over trials of the score, better when larger, of the choices 1, ..., n_searched.
    choice : float
        False for one that was not searched.
    """
    position = round(choice) - 1
    if not 0 <= position < len(mean_scores):
        return False
    best = mean_scores.max() - mean_scores <= PATH_ROUNDING
    return bool(best[position] and best.mean() <= LARGEST_CHANCE)


def row_gain(
    words: Sequence[Word],
    trials: Sequence[int],
    reading_words: Sequence[Word | None],
    reading_trials: Sequence[int],
) -> int:
    """How many numbers of a row a reading reproduces that the judged run does not.

    0 unless the reading was run for all numbers of the row, with at least as many trials each, none
    of them is *not reproduced*, and none gets a worse word than in the judged run. A number that is
    undecided under the reading adds nothing.

    Parameters
    ----------
    words, trials : sequence
        Of the judged run, for every number of the row that is run.
    reading_words, reading_trials : sequence
        Under the reading; None where it has no records.
    """
    gain = 0
    for word, n, other, n_other in zip(words, trials, reading_words, reading_trials, strict=True):
        if other not in ("reproduced", "undecided") or n_other < n:
            return 0
        if other == "undecided" and word == "reproduced":
            return 0
        gain += other == "reproduced" and word != "reproduced"
    return gain
