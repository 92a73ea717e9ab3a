"""One run of a method with seeds, on one official test set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy

from reprolib.rerun.printed import schema
from reprolib.rerun.verdicts.designs.base import Design, Repeated, decides
from reprolib.rerun.verdicts.designs.splits import splits
from reprolib.rerun.verdicts.designs.test_set import on_a_test_set
from reprolib.rerun.verdicts.errors import UNKNOWN, Ends, Error, summed

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number

#: Runs of ours that show well how much one run spreads.
ENOUGH = 20


class Seeds(Design):
    """One run of theirs beside several of ours: they differ by their seeds."""

    name: ClassVar[schema.Design] = "seeds"
    text = "one more run"
    pairs_trials = False

    def runs(self, number: Number, evidence: Evidence) -> np.ndarray:
        """Our runs of the whole procedure, or those whose spread stands for theirs."""
        return evidence.spread if len(evidence.spread) else evidence.values

    def error(self, number: Number, evidence: Evidence) -> Error:
        runs = self.runs(number, evidence)
        if number.spread is not None:  # print is a mean of seeds, too
            return splits(runs, number.spread, number.trials)
        return one_more_run(runs, number.scale / evidence.n_test if evidence.n_test else 0.0)

    def error_of_claim(self, pair: Pair) -> Error:
        return on_a_test_set(pair)

    def error_to_print(self, pair: Pair) -> Error:
        # One run of theirs a side: the seeds of either side alone.
        seeds = [side.values for side in (pair.a, pair.b) if len(side.trials) > 1]
        return summed(map(one_more_run, seeds)) if seeds else UNKNOWN

    def of_print(self, number: Number, evidence: Evidence) -> Error:
        runs = self.runs(number, evidence)
        return UNKNOWN if len(runs) < 2 else Error(float(runs.std(ddof=1)))

    def what_would_decide(self, number: Number, evidence: Evidence) -> str:
        n, own = len(self.runs(number, evidence)), self.of_print(number, evidence).standard
        if n < 2:
            return "We have one run of the whole procedure; 20 would show how much it spreads"
        error = Error(own * math.sqrt(1 + 1 / ENOUGH), ENOUGH - 1)
        if n < ENOUGH and decides(evidence.mean - number.value, error, number):
            return f"About {ENOUGH} runs of ours would decide (we have {n})"
        return (
            "No number of runs decides: the paper has one, and one run of ours spreads by "
            f"± {scipy.stats.norm.ppf(0.975) * own:.2g} (95 %)"
        )

    def simulate(self, of: Repeated, shift: float, rng: np.random.Generator) -> Ends:
        ours, theirs = rng.normal(shift, of.spread, of.n), rng.normal(0, of.theirs)
        return one_more_run(ours).ends(float(ours.mean() - theirs))


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
