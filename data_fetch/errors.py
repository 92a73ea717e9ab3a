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
    """One source did not give the right file; the next source is tried."""

    #: Whether it was not asked, as its host had not answered a moment ago.
    not_asked = False
    #: Whether it gave another file than the right one.
    gave_other = False


class Failure(NamedTuple):
    """A source by its address, if it has one, and what went wrong with it."""

    source: str
    error: SourceError

    def __str__(self) -> str:
        return f"{self.source}: {self.error}" if self.source else str(self.error)


class NotAskedError(SourceError):
    """A host is left alone for a while: the reason was said when it did not answer."""

    not_asked = True

    def __init__(self, host: str):
        super().__init__(f"{host} did not answer a moment ago")


class OtherFileError(SourceError):
    """A source gave another file than the right one."""

    gave_other = True


class NoWayError(SourceError):
    """A source with several ways to it, all of which failed."""

    def __init__(self, failures: Sequence[Failure]):
        super().__init__("; ".join(map(str, failures)))
        self.failures = list(failures)
        self.not_asked = any(failure.error.not_asked for failure in failures)
        self.gave_other = any(failure.error.gave_other for failure in failures)


class PassingError(SourceError):
    """A source failed in a way that may pass: worth another try, after ``wait`` seconds."""

    def __init__(self, reason: str, wait: float = 0.2):
        super().__init__(reason)
        self.wait = wait
