"""What makes a word sure, and what would change it: its tipping point.

A word is sure if one or two ends of an interval clear a bound. How far the end is from the bound
says how sure: the bound at which the word would change, and the factor by which the noise may be
larger than we think.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reprolib.rerun.printed.schema import Kind
from reprolib.rerun.verdicts.errors import Ends, Error

#: What a comparison shows of side a.
Outcome = Literal["better", "equal", "equal but worse", "worse", "undecided"]


@dataclass(frozen=True)
class Clear:
    """One end of an interval that must lie beyond a bound.

    Parameters
    ----------
    bound : float
        What the end must clear.
    difference : float
        In the middle of the interval.
    half : float
        Half-width of the interval.
    is_above : bool
        Whether the interval must lie above the bound, or below it.
    """

    bound: float
    difference: float
    half: float
    is_above: bool

    @property
    def end(self) -> float:
        """The end that is nearest to the bound: with this bound the word would change."""
        return self.difference - self.half if self.is_above else self.difference + self.half

    @property
    def is_met(self) -> bool:
        """Whether the whole interval clears the bound."""
        return self.end > self.bound if self.is_above else self.end < self.bound

    @property
    def noise(self) -> float:
        """Times the standard error at which the end would reach the bound; infinite without one."""
        room = self.difference - self.bound if self.is_above else self.bound - self.difference
        return room / self.half if self.half else math.copysign(math.inf, room)


@dataclass(frozen=True)
class Tipping:
    """What would change a sure word.

    Parameters
    ----------
    bound : float
        The margin, or the size that "better" must exceed, at which the word would change.
    noise : float
        Times the standard error at which it would change, more than 1.
    holds : bool
        Whether the sentence holds, or the number is reproduced; else it fails.
    """

    bound: float
    noise: float
    holds: bool


def bounds(
    kind: Kind, favour: float, error: Error, margin: float, by: float = 0.0, n_contrasts: int = 1
) -> tuple[list[Clear], list[Clear]]:
    """What must be cleared for a sentence to hold, all of it, and for it to fail, one of it.

    A printed number is reproduced as "same" holds, and not reproduced as "same" fails.

    Parameters
    ----------
    kind : {"better", "at least as good", "same"}
        What the sentence says.
    favour : float
        The difference in its favour.
    error : Error
        Of the difference.
    margin : float
        Difference that counts as none.
    by : float
        Size that "better" must exceed.
    n_contrasts : int
        Comparisons of the sentence, one of which is enough to fail it (Bonferroni).
    """
    widest = error.half_width(1 - 0.05 / n_contrasts)
    if kind == "better":
        return [Clear(by, favour, error.half_width(), True)], [Clear(by, favour, widest, False)]
    half = error.half_width(0.9)
    holds, fails = [Clear(-margin, favour, half, True)], [Clear(-margin, favour, widest, False)]
    if kind == "same":
        holds.append(Clear(margin, favour, half, False))
        fails.append(Clear(margin, favour, widest, True))
    return holds, fails


def tipping(holds: Sequence[Clear], fails: Sequence[Clear]) -> Tipping | None:
    """Tipping point of a word that holds or fails; None for one that is undecided."""
    if all(one.is_met for one in holds):
        weakest = min(holds, key=lambda one: one.noise)
        largest = max(holds, key=lambda one: one.end * (-1 if one.is_above else 1))
        return Tipping(abs(largest.end) if len(holds) > 1 else weakest.end, weakest.noise, True)
    strongest = max(fails, key=lambda one: one.noise)
    if not strongest.is_met:
        return None
    is_outside = len(fails) > 1
    return Tipping(abs(strongest.end) if is_outside else strongest.end, strongest.noise, False)


def of_number(difference: float, error: Error, margin: float) -> Tipping | None:
    """Tipping point of the word on a printed number; None if it is not sure."""
    if math.isinf(error.standard):
        return None
    if error.is_zero:  # a known difference tips at itself, whatever the noise
        return Tipping(abs(difference), math.inf, abs(difference) <= margin)
    return tipping(*bounds("same", difference, error, margin))


def of_range(ends: Ends, margin: float) -> Tipping | None:
    """Tipping point of the word on one selection, which is judged by ranges without an error."""
    if max(-ends.low_90, ends.high_90) < margin:
        return Tipping(max(-ends.low_90, ends.high_90), math.nan, True)
    outside = max(ends.low, -ends.high)
    return Tipping(outside, math.nan, False) if outside > margin else None


def outcome(
    kind: Kind, favour: float, error: Error, margin: float, n_contrasts: int = 1
) -> Outcome:
    """What a comparison shows of side a, of a sentence of equality.

    - equal: within the margin (90 %);
    - equal but worse: so, and the 95 % interval lies below zero;
    - worse, better: beyond the margin (95 %).

    "At least as good" is equal, too, if it may be better.
    """
    holds, fails = bounds(kind, favour, error, margin, 0.0, n_contrasts)
    if all(one.is_met for one in holds):
        return "equal but worse" if favour + error.half_width() < 0 else "equal"
    for one in fails:
        if one.is_met:
            return "better" if one.is_above else "worse"
    return "undecided"
