"""Same data, same splits, same procedure: no chance is left, and there is no interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from reprolib.rerun.verdicts.designs.base import Comparison
from reprolib.rerun.verdicts.errors import Ends, Error
from reprolib.rerun.verdicts.words import Word

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number

#: An exact half may be rounded either way, and ours is a sum with round-off: by so much it may
#: exceed half a unit of the last printed digit.
HALF_UNIT = 1e-9
NO_ERROR = Error(0.0)


def applies(number: Number, evidence: Evidence) -> bool:
    """Whether our records leave no chance in the difference of ours and print."""
    return number.is_known(evidence.reading, evidence.source, len(evidence.values))


def compare(difference: float) -> Comparison:
    """The known difference as a comparison."""
    return Comparison(Ends(*[difference] * 4), NO_ERROR)


def applies_to_claim(pair: Pair) -> bool:
    """Whether our records of both sides leave no chance in the difference from print."""
    return all(
        pair.cell.number.is_known(reading, source, len(side.trials))
        for side in (pair.a, pair.b)
        for source in side.sources
        for reading in side.readings
    )


def has_printed_digits(difference: ArrayLike, digits: int) -> Any:
    """Whether ours, rounded as printed, is the printed number; of one difference, or of each."""
    return np.abs(difference) <= 0.5 * 10.0**-digits + HALF_UNIT


def of_known(difference: float, margin: float, digits: int) -> Word:
    """Word for a difference in which no chance is left: same data, same splits, same procedure.

    - to the digit: ours, rounded as printed, is the printed number;
    - reproduced: it differs by no more than the margin;
    - not reproduced: it differs by more.

    Parameters
    ----------
    difference : float
        Ours minus printed.
    margin : float
        In the unit of the difference.
    digits : int
        Printed after the point.
    """
    if has_printed_digits(difference, digits):
        return "to the digit"
    return "reproduced" if abs(difference) <= margin else "not reproduced"
