"""Hosts that could not be reached are not asked again for a while."""

from __future__ import annotations

import time

#: Seconds for which a host that could not be reached is not asked again.
PENALTY = 60.0


class SilentHosts:
    """Hosts that could not be reached, each until when it is left alone."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def note(self, host: str) -> None:
        """Leave a host alone from now on."""
        self._until[host] = time.monotonic() + PENALTY

    def holds(self, host: str) -> bool:
        """Whether a host is left alone now."""
        return time.monotonic() < self._until.get(host, 0.0)

    def now(self) -> frozenset[str]:
        """Hosts that are left alone now."""
        return frozenset(host for host in self._until if self.holds(host))

    def forget(self) -> None:
        """Ask every host again."""
        self._until.clear()


silent = SilentHosts()
