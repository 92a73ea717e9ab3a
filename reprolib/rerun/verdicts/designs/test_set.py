"""One official test set, and a method without seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from reprolib.rerun.verdicts.designs.base import Design, Repeated
from reprolib.rerun.verdicts.errors import UNKNOWN, Ends, Error, summed

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number


class OneTestSet(Design):
    """Both sides share the test points."""

    name = "test set"
    text = "shared test set"
    pairs_trials = False

    def error(self, number: Number, evidence: Evidence) -> Error:
        ours, theirs = (abs(x) / number.scale for x in (evidence.mean, number.value))
        wrong = [min(fraction, 1 - fraction) for fraction in (ours, theirs)]
        of_fraction = test_set(evidence.disagreements, evidence.n_test, sum(wrong))
        return Error(number.scale * of_fraction.standard, of_fraction.degrees)

    def error_of_claim(self, pair: Pair) -> Error:
        return on_a_test_set(pair)

    def error_to_print(self, pair: Pair) -> Error:
        return on_a_test_set(pair)

    def of_print(self, number: Number, evidence: Evidence) -> Error:
        return self.error(number, evidence)

    def what_would_decide(self, number: Number, evidence: Evidence) -> str:
        return (
            f"Only the paper's own predictions on the {evidence.n_test} test points would decide: "
            "ours have no seed to repeat"
        )

    def simulate(self, of: Repeated, shift: float, rng: np.random.Generator) -> Ends:
        """``spread`` is that of one point: the share on which one alone is right is its square."""
        apart = shift / of.scale
        q = max((of.spread / of.scale) ** 2, abs(apart))
        shares = [(q + apart) / 2, (q - apart) / 2, 1 - q]
        only_ours, only_theirs, _ = rng.multinomial(of.n, shares)
        error = Error(of.scale * test_set([q], of.n, 1.0).standard)
        return error.ends(of.scale * (only_ours - only_theirs) / of.n)


def on_points(pair: Pair, folds: int) -> Error:
    """Noise of the test points behind two sides of a claim, those of some folds together.

    How often the two sides disagree is not recorded; at most on all errors of both.
    """
    n_both = int(pair.a.n_test[:folds].sum())
    rates = [float(np.mean(side.values)) / pair.scale for side in (pair.a, pair.b)]
    error = test_set([], n_both, sum(min(rate, 1 - rate) for rate in rates))
    return Error(pair.scale * error.standard, error.degrees)


def on_a_test_set(pair: Pair) -> Error:
    """The points of one test set, and the seeds of either side."""
    seeds = [
        Error(float(side.values.std(ddof=1)) / math.sqrt(len(side.trials)), len(side.trials) - 1)
        for side in (pair.a, pair.b)
        if len(side.trials) > 1
    ]
    return summed([on_points(pair, 1), *seeds])


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
