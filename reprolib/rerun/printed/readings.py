"""The readings of a paper by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reprolib.rerun.printed.names import unknown
from reprolib.rerun.printed.schema import HEADLINE, Reading


class Readings(Mapping[str, Reading]):
    """The readings of a paper by name, in the order of its file.

    Raises
    ------
    ValueError
        If a reading is looked up that the file does not have.
    """

    def __init__(self, paper: str, listed: Iterable[Reading]):
        self.paper = paper
        self._listed = {reading.name: reading for reading in listed}

    def __getitem__(self, name: str) -> Reading:
        if name not in self._listed:
            raise unknown("reading", name, self._listed)
        return self._listed[name]

    def __contains__(self, name: object) -> bool:
        return name in self._listed

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def of_tasks(self, table: str, dataset: str, method: str) -> list[Reading]:
        """Readings under which a method has tasks of its own, the headline first."""
        own = [r for r in self.values() if r.has_tasks(table, dataset, method)]
        return [self._listed.get(HEADLINE, Reading(name=HEADLINE)), *own]

    def measured(self, method: str, reading: str) -> dict[str, Mapping[str, Any]]:
        """What a reading, and all that its tasks measure too, change: by name, itself first."""
        also = [r for r in self.values() if r.base(method) == reading]
        return {r.name: r.changes for r in (self[reading], *also)}
