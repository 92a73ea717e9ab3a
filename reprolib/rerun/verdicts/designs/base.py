"""What every design of an experiment says: one object, in a file of its own.

A design is how a printed number was made. From it follows how far two honest runs of the same
experiment may lie apart. The printed run is one draw: its own noise is always part of the error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from reprolib.rerun.printed import schema
from reprolib.rerun.verdicts.errors import Ends, Error
from reprolib.rerun.verdicts.words import of_difference

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number


@dataclass(frozen=True)
class Comparison:
    """Ours minus printed: the ends of its intervals, its error, and what would have been seen."""

    ends: Ends
    error: Error
    detectable: float


@dataclass(frozen=True)
class Repeated:
    """A comparison that is to be simulated.

    Parameters
    ----------
    spread : float
        Standard deviation of one trial of ours, in the printed unit.
    theirs : float
        The same of the printed run.
    n, trials : int
        Trials of ours and of theirs.
    is_spread_printed : bool
        Whether print has a standard deviation.
    scale : float
        Printed value of the fraction 1.
    """

    spread: float
    theirs: float
    n: int
    trials: int
    is_spread_printed: bool = True
    scale: float = 100.0


class Design(ABC):
    """How a printed number was made, and all that follows from it."""

    #: As in printed.toml.
    name: ClassVar[schema.Design]
    #: What stands beside an interval.
    text: ClassVar[str]
    #: Whether equal trials of two methods are pairs; trials that are seeds alone are none.
    pairs_trials: ClassVar[bool] = True
    #: Whether ours and print are compared by an error, and not by a range of ours.
    has_error: ClassVar[bool] = True

    @abstractmethod
    def error(self, number: Number, evidence: Evidence) -> Error:
        """Error of ours minus printed."""

    @abstractmethod
    def error_of_claim(self, pair: Pair) -> Error:
        """Error of side a minus side b, as a statement on other data of this kind."""

    @abstractmethod
    def error_to_print(self, pair: Pair) -> Error:
        """Error of side a minus side b against the same contrast in print."""

    @abstractmethod
    def of_print(self, number: Number, evidence: Evidence) -> Error:
        """The part of the error that no run of ours makes smaller."""

    @abstractmethod
    def what_would_decide(self, number: Number, evidence: Evidence) -> str:
        """One sentence on an undecided number: how many trials of ours would decide, or why none.

        It supposes that our mean and spread stay what they are.
        """

    @abstractmethod
    def simulate(self, of: Repeated, shift: float, rng: np.random.Generator) -> Ends:
        """Ends of the intervals in one repetition, both sides drawn anew, ``shift`` apart."""

    def compare(self, number: Number, evidence: Evidence) -> Comparison:
        """Compare our records with a printed number of this design alone."""
        return compared(evidence.mean - number.value, self.error(number, evidence))


def compared(difference: float, error: Error) -> Comparison:
    """A difference and its error as a comparison."""
    return Comparison(error.ends(difference), error, error.detectable)


def decides(difference: float, error: Error, number: Number) -> bool:
    """Whether the word on a difference would be a sure one."""
    word = of_difference(difference, error, number.margin)
    return word in ("reproduced", "not reproduced")
