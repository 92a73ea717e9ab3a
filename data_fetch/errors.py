"""What can go wrong between a name and its data."""

from __future__ import annotations


class DataUnavailableError(OSError):
    """The data is not available from any source; the message says what to do by hand."""


class AlteredDataError(ValueError):
    """Files have the right hash, but the parsed values are not the ones we know."""


class SourceError(Exception):
    """One source did not give the right file; the next source is tried."""


class PassingError(SourceError):
    """A source failed in a way that may pass: worth another try, after ``wait`` seconds."""

    def __init__(self, reason: str, wait: float = 0.2):
        super().__init__(reason)
        self.wait = wait
