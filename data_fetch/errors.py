"""What can go wrong between a name and its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class DataUnavailableError(OSError):
    """The data is not available from any source; the message says what to do by hand.

    Parameters
    ----------
    message : str
    tried : sequence of Failure, optional
        What went wrong with every source of its files; None if it did not come so far.
    """

    def __init__(self, message: str, tried: Sequence[Failure] | None = None):
        super().__init__(message)
        self.tried = tried

    @property
    def not_asked(self) -> bool:
        """Whether a source was left alone that could be asked again."""
        return any(failure.error.not_asked for failure in self.tried or ())


class AlteredDataError(ValueError):
    """Files have the right hash, but the parsed values are not the ones we know."""


class SourceError(Exception):
    """One source did not give the right file; the next source is tried.

    Parameters
    ----------
    reason : str
    wait : float, optional
        Seconds after which another try may do better; None if none will.
    unreachable : bool
        Its host could not be reached, and is left alone for a while.
    not_asked : bool
        It was left alone: the reason was said when its host did not answer.
    gave_other : bool
        It gave another file than the right one.
    """

    def __init__(
        self,
        reason: str,
        *,
        wait: float | None = None,
        unreachable: bool = False,
        not_asked: bool = False,
        gave_other: bool = False,
    ):
        super().__init__(reason)
        self.wait, self.unreachable = wait, unreachable
        self.not_asked, self.gave_other = not_asked, gave_other


class Failure(NamedTuple):
    """A source by its address, if it has one, and what went wrong with it."""

    source: str
    error: SourceError

    def __str__(self) -> str:
        return f"{self.source}: {self.error}" if self.source else str(self.error)


class NoWayError(SourceError):
    """A source with several ways to it, all of which failed."""

    def __init__(self, failures: Sequence[Failure]):
        super().__init__(
            "; ".join(map(str, failures)),
            not_asked=any(failure.error.not_asked for failure in failures),
            gave_other=any(failure.error.gave_other for failure in failures),
        )
        self.failures = list(failures)
