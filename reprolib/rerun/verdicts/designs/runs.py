"""A mean over runs of one subject that both sides share, each left out once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from reprolib.rerun.verdicts.designs.base import Design, Repeated
from reprolib.rerun.verdicts.errors import UNKNOWN, Ends, Error, paired

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number


class SharedRuns(Design):
    """The runs are the same on both sides, so that their own spread cancels."""

    name = "runs"
    text = "shared runs"

    def error(self, number: Number, evidence: Evidence) -> Error:
        others = {
            name: other[evidence.trials].to_numpy()
            for name, other in evidence.others.items()
            if set(evidence.trials) <= set(other.index)
        }
        return shared_runs(evidence.values, others, number.spread, 0.5 * 10.0**-number.digits)

    def error_of_claim(self, pair: Pair) -> Error:
        values = pair.differences[1]
        return paired(values, 1 / len(values))

    def error_to_print(self, pair: Pair) -> Error:
        return shared_runs(pair.differences[1], {})

    def of_print(self, number: Number, evidence: Evidence) -> Error:
        return self.error(number, evidence)

    def what_would_decide(self, number: Number, evidence: Evidence) -> str:
        return (
            f"More runs of ours cannot decide: the {len(evidence.values)} runs are all that both "
            "sides have, and what the text leaves open moves them; it would take the paper's own "
            "runs, features and folds"
        )

    def simulate(self, of: Repeated, shift: float, rng: np.random.Generator) -> Ends:
        """Three readings of the same runs: ours, one more of ours, and theirs."""
        runs = rng.normal(0, 3 * of.spread, of.n)
        ours, other, theirs = runs + rng.normal(0, of.spread, (3, of.n))
        difference = shift + float(ours.mean() - theirs.mean())
        return shared_runs(ours, {"other": other}).ends(difference)


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
