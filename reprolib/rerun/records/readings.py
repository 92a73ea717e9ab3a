"""Readings of a paper's text, by ``printed.toml``: whom each concerns, and what it changes."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reprolib.rerun.records.registry import printed_toml, unknown
from reprolib.rerun.records.task import HEADLINE


@dataclass(frozen=True)
class Reading:
    """One answer to what a paper's text leaves open.

    Parameters
    ----------
    name : str
    changes : mapping
        Parameters of tasks under this reading that differ from those of the headline.
    methods : tuple of str
        Methods that are run under it; none where the paper's experiment says it itself.
    tables, datasets : tuple of str
        Where they are; everywhere by default.
    beside : mapping of str to str
        By method: reading whose tasks measure this one too, so that it has none of its own.
    trials : int or mapping of str to int, optional
        Trials of the full profile instead of the method's own, also by method or data set (the
        least counts).
    quick : tuple of str
        Methods whose quick profile has it.
    """

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    methods: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    trials: int | Mapping[str, int] | None = None
    quick: tuple[str, ...] = ()

    def has_tasks(self, table: str, dataset: str, method: str) -> bool:
        """Whether a method has tasks of its own under it, in a table and on a data set."""
        return (
            method in self.methods
            and method not in self.beside
            and table in (self.tables or (table,))
            and dataset in (self.datasets or (dataset,))
        )

    def changes_of_tasks(self, method: str) -> Mapping[str, Any]:
        """Changed parameters of a method's tasks; none where another reading's measure it."""
        return {} if method in self.beside else self.changes

    def n_trials(self, dataset: str, method: str, otherwise: int) -> int:
        """Trials of the full profile."""
        if not isinstance(self.trials, Mapping):
            return otherwise if self.trials is None else self.trials
        stated = [n for key, n in self.trials.items() if key in (dataset, method)]
        return min(stated, default=otherwise)


class Readings(Mapping[str, Reading]):
    """The readings of a paper by name, in the order of its file.

    Raises
    ------
    ValueError
        If a reading is looked up that the file does not have.
    """

    def __init__(self, paper: str, listed: Mapping[str, Reading]):
        self.paper = paper
        self._listed = dict(listed)

    def __getitem__(self, name: str) -> Reading:
        if name not in self._listed:
            raise unknown("reading", name, self._listed)
        return self._listed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def of_tasks(self, table: str, dataset: str, method: str) -> list[Reading]:
        """Readings under which a method has tasks of its own, the headline first."""
        own = [r for r in self.values() if r.has_tasks(table, dataset, method)]
        return [self._listed.get(HEADLINE, Reading(HEADLINE)), *own]

    def measured(self, method: str, reading: str) -> dict[str, Mapping[str, Any]]:
        """What a reading, and all that its tasks measure too, change: by name, itself first."""
        also = [r for r in self.values() if r.beside.get(method) == reading]
        return {r.name: r.changes for r in (self[reading], *also)}


@functools.cache
def readings_of(paper: str) -> Readings:
    """Readings of a paper.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    entries = printed_toml(paper).get("readings", [])
    return Readings(paper, {entry["name"]: _reading(entry) for entry in entries})


def _reading(entry: Mapping[str, Any]) -> Reading:
    methods, beside = tuple(entry.get("methods", ())), entry.get("beside", {})
    quick = entry.get("quick", ())
    return Reading(
        entry["name"],
        changes=entry.get("changes", {}),
        methods=methods,
        tables=tuple(entry.get("tables", ())),
        datasets=tuple(entry.get("datasets", ())),
        beside=dict.fromkeys(methods, beside) if isinstance(beside, str) else beside,
        trials=entry.get("trials"),
        quick=methods if quick is True else tuple(quick),
    )
