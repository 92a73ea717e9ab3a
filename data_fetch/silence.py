"""Hosts that could not be reached are not asked again for a while."""

from __future__ import annotations

import time

from data_fetch.errors import SourceError

#: Seconds for which a host that could not be reached is not asked again.
PENALTY = 60.0


class SilentHosts:
    """Hosts that could not be reached, each until when it is left alone."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self.forget = self._until.clear

    def note(self, host: str) -> None:
        """Leave a host alone from now on."""
        self._until[host] = time.monotonic() + PENALTY

    def holds(self, host: str) -> bool:
        """Whether a host is left alone now."""
        return time.monotonic() < self._until.get(host, 0.0)

    def check(self, host: str) -> None:
        """Raise a `SourceError` if a host is left alone now."""
        if self.holds(host):
            raise SourceError(f"{host} did not answer a moment ago", not_asked=True)


silent = SilentHosts()
