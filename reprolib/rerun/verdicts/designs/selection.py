"""What was selected once, such as a dimension or a kernel width."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import scipy

from reprolib.rerun.verdicts.designs.base import Comparison, Design, Repeated
from reprolib.rerun.verdicts.errors import UNKNOWN, Ends, Error

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number

#: Draws of a selection from which its range is known: of forty, the smallest and the largest hold
#: one more draw with a probability of 39 / 41, 95 %.
N_DRAWS = 40


class OneSelection(Design):
    """One selection of theirs beside the range of one more of ours: there is no error."""

    name = "selection"
    text = "one more selection"
    has_error = False

    def compare(self, number: Number, evidence: Evidence) -> Comparison:
        ends = _ends(evidence.values, number.value)
        detectable = max(ends.high - ends.low - number.margin, number.margin)
        return Comparison(ends, UNKNOWN, detectable)

    def error(self, number: Number, evidence: Evidence) -> Error:
        return UNKNOWN

    def error_of_claim(self, pair: Pair) -> Error:
        return UNKNOWN

    def error_to_print(self, pair: Pair) -> Error:
        return UNKNOWN

    def of_print(self, number: Number, evidence: Evidence) -> Error:
        return UNKNOWN

    def what_would_decide(self, number: Number, evidence: Evidence) -> str:
        n_draws = len(evidence.values)
        if n_draws < N_DRAWS:
            drawn = "one draw" if n_draws == 1 else f"{n_draws} draws"
            return f"We have {drawn} of what is selected; its range needs {N_DRAWS}"
        low, high = prediction_range(evidence.values)
        return (
            f"No number of runs decides: one selection of ours lies between {low:g} and {high:g}, "
            f"and a fifth of the printed value is {number.margin:g}"
        )

    def simulate(self, of: Repeated, shift: float, rng: np.random.Generator) -> Ends:
        return _ends(rng.normal(shift, of.spread, of.n), float(rng.normal(0, of.theirs)))


def _ends(draws: np.ndarray, printed: float) -> Ends:
    low, high = prediction_range(draws)
    low_90, high_90 = sure_range(draws)
    return Ends(low - printed, high - printed, low_90 - printed, high_90 - printed)


def prediction_range(draws: np.ndarray) -> tuple[float, float]:
    """Range that holds one more draw with a probability of 95 %, by order statistics.

    The j-th smallest and the j-th largest of n draws hold another one with a probability of
    1 - 2 j / (n + 1), whatever its distribution. Without `N_DRAWS` the range has no ends.
    """
    n = len(draws)
    if n < N_DRAWS:
        return -math.inf, math.inf
    return _between(draws, math.floor(0.025 * (n + 1)))


def sure_range(draws: np.ndarray) -> tuple[float, float]:
    """Range beyond either end of which lies at most one draw in ten, with 95 % confidence.

    The j-th smallest of n draws is such an end if of n draws j or more are among the lowest tenth
    in 95 % of cases (Wilks 1941). A range for one more draw would be kinder with less data: where 6
    in 100 draws lie beyond the margin, it is inside in 30 % of samples of forty and, in the end,
    in none.
    """
    n = len(draws)
    if n < N_DRAWS:
        return -math.inf, math.inf
    return _between(draws, int(scipy.stats.binom.ppf(0.05, n, 0.1)))


def _between(draws: np.ndarray, j: int) -> tuple[float, float]:
    """The j-th smallest and the j-th largest draw."""
    ordered = np.sort(draws)
    return float(ordered[j - 1]), float(ordered[-j])
