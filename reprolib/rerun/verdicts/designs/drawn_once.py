"""A choice made once for all trials, such as a median of five: its luck counts, too."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reprolib.rerun.verdicts.errors import UNKNOWN, Ends, Error

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number


def error(number: Number, evidence: Evidence) -> Error | None:
    """What is added to the error of the design; None if nothing was chosen once."""
    return two_choices(evidence.choices) if len(evidence.choices) else None


def error_of_claim(pair: Pair, times: int) -> Error | None:
    """What is added to the error of a claim: of our draw (1), or of ours and theirs (2)."""
    if not len(pair.choices):
        return None
    both = two_choices(pair.choices)
    return Error(both.standard * math.sqrt(times / 2), both.degrees)


def simulate(n: int, rng: np.random.Generator) -> Ends:
    """Ends of the intervals of two draws of a choice, from n other draws, in one repetition."""
    ours, theirs = rng.normal(size=2)
    return two_choices(rng.normal(size=n)).ends(float(ours - theirs))


def two_choices(means: np.ndarray) -> Error:
    """A choice made once for all trials, by theirs and by ours: the spread of one draw, twice.

    Table 1 of KPM takes one median of D, from five realisations, for all hundred.

    Parameters
    ----------
    means : array of shape (k,)
        What the mean over trials would be at k draws of the choice.
    """
    if len(means) < 2:
        return UNKNOWN
    return Error(math.sqrt(2) * float(means.std(ddof=1)), len(means) - 1)
