"""A mean over independent splits of a pool."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reprolib.rerun.verdicts.designs.base import Design, Repeated
from reprolib.rerun.verdicts.errors import UNKNOWN, Ends, Error, correlation, paired
from reprolib.rerun.verdicts.prospect import prospect

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number


class Splits(Design):
    """Both sides draw splits of the pool that both have."""

    name = "splits"
    text = "independent splits"

    def error(self, number: Number, evidence: Evidence) -> Error:
        return splits(evidence.values, number.spread, number.trials)

    def error_of_claim(self, pair: Pair) -> Error:
        return paired(pair.differences[1], correlation(pair.cell.number.tested))

    def error_to_print(self, pair: Pair) -> Error:
        return splits(pair.differences[1], None, pair.cell.trials)

    def of_print(self, number: Number, evidence: Evidence) -> Error:
        theirs = evidence.own_spread if number.spread is None else number.spread
        return Error(theirs / math.sqrt(number.trials))

    def what_would_decide(self, number: Number, evidence: Evidence) -> str:
        n_ours = len(evidence.values)
        if n_ours < 2:
            return (
                "Not yet: we have one split, which shows no spread; more of them would show how "
                "much there is"
            )
        own = evidence.own_spread

        def error_at(n: float) -> Error:
            return splits_of(own, n, number.spread, number.trials)

        found = prospect(error_at, number.margin)
        return found.told("splits", n_ours, f"the printed mean of {number.trials}")

    def simulate(self, of: Repeated, shift: float, rng: np.random.Generator) -> Ends:
        ours, theirs = rng.normal(shift, of.spread, of.n), rng.normal(0, of.theirs, of.trials)
        spread = float(theirs.std(ddof=1)) if of.is_spread_printed else None
        return splits(ours, spread, of.trials).ends(float(ours.mean() - theirs.mean()))


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


def splits_of(own: float, n: float, spread: float | None, trials: int) -> Error:
    """`splits` for n splits whose standard deviation is known."""
    if spread is None:
        return Error(own * math.sqrt(1 / n + 1 / trials), n - 1)
    standard = math.hypot(own / math.sqrt(n), spread / math.sqrt(trials))
    return Error(standard, min(n, trials) - 1)
