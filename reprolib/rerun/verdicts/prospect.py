"""What more runs of ours can do for an undecided number: *not yet*, or *never*."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from reprolib.rerun.verdicts.chances import chance_of_words
from reprolib.rerun.verdicts.errors import Error

#: Numbers of runs that are tried.
RUNS = (5, 10, 20, 40, 100, 200, 400, 1000)
#: Chance of "reproduced" at no true difference with which a number of runs is worth its time.
WORTH = 0.8


@dataclass(frozen=True)
class Prospect:
    """What more runs of ours can do.

    Parameters
    ----------
    is_never : bool
        Whether no number of them could bring the printed number out, even if nothing differs.
    runs : int or None
        How many bring out a number that does not differ, in four of five cases; None if no number
        of runs does.
    limit : Error
        What stays with any number of runs: the noise of print.
    chance : float
        Of *reproduced* with any number of runs, if nothing differs.
    """

    is_never: bool
    runs: int | None
    limit: Error
    chance: float

    def told(self, what: str, n_ours: int, print_is: str) -> str:
        """One sentence on an undecided number.

        Parameters
        ----------
        what : str
            What is counted: "splits", "runs".
        n_ours : int
            How many we have.
        print_is : str
            What print has, whose noise stays: "the printed mean of 2".
        """
        alone = f"{print_is} alone is unsure by ± {self.limit.half_width(0.9):.2g} (90 %)"
        if self.is_never:
            return f"Never: {alone}"
        if self.runs is None:
            share = f"{100 * self.chance:.0f} % of cases"
            return f"Hardly: {alone}; an equal number would come out in {share} at best"
        if self.runs > n_ours:
            told = "an equal number would come out in four of five cases"
            return f"Not yet: with {self.runs} {what} of ours {told} (we have {n_ours})"
        return (
            f"Not yet: {n_ours} {what} of ours would bring out an equal number in four of five "
            f"cases. So the two most likely differ by about the margin; more {what} will tell"
        )


def prospect(error_at: Callable[[float], Error], margin: float) -> Prospect:
    """What more runs can do, by the noise alone: the difference that was seen has no say.

    A number of runs that is chosen because the word looks near would be a way to stop when it
    pleases. So the question is how many runs a true difference of zero would need.

    Parameters
    ----------
    error_at : callable
        Error of ours minus printed with n runs of ours, also for n = infinity.
    margin : float
        Up to which a difference counts as none.
    """
    limit = error_at(math.inf)
    chance = chance_of_words(limit, margin, 0.0)["reproduced"]
    enough = (n for n in RUNS if chance_of_words(error_at(n), margin, 0.0)["reproduced"] >= WORTH)
    return Prospect(limit.half_width(0.9) >= margin, next(enough, None), limit, chance)
