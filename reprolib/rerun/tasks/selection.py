"""Some tasks of a protocol, by a pattern: ``table/dataset/method/trial``."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from reprolib.rerun.records.task import Task


class Selection:
    """Tasks whose names begin with one of several patterns.

    The name of a task is ``table/dataset/method/reading/trial``, with its setting and seed before
    reading and trial where it has them ("table1/raetsch/banana/kpm/headline/0"); also without
    setting, reading and seed ("table1/raetsch/banana/kpm/0"). A pattern is such a name or its
    first parts; ``*`` stands for any letters, also for several
    parts. Upper and lower case are the same.

    Parameters
    ----------
    patterns : collection of str
        At least one.

    Raises
    ------
    ValueError
        If a pattern is empty.
    """

    def __init__(self, patterns: Collection[str]):
        if not all(pattern.strip("/ ") for pattern in patterns):
            raise ValueError("a pattern of tasks is empty; give table/dataset/method/trial.")
        self.patterns = tuple(pattern.strip("/") for pattern in patterns)

    def __str__(self) -> str:
        return ", ".join(map(repr, self.patterns))

    def has(self, task: Task) -> bool:
        """Whether a task is one of those selected."""
        short = f"{task.table}/{task.dataset}/{task.method}/{task.trial}"
        return any(_begins(name, p) for name in (task.id, short) for p in self.patterns)

    def needed(self, datasets: Mapping[str, Collection[str]]) -> list[str]:
        """Data sets that selected tasks need.

        Parameters
        ----------
        datasets : mapping of str to collection of str
            By the name of a data set, names of those that may stand in for it.
        """
        found: set[str] = set()
        for pattern in self.patterns:
            named = {
                name
                for name, others in datasets.items()
                if any(_on_dataset(other, pattern) for other in (name, *others))
            }
            first, *_ = pattern.split("/")
            found |= set(datasets) if "*" in first and not named else named
        return [name for name in datasets if name in found]


def _matches(name: str, pattern: str) -> bool:
    letters = re.escape(pattern).replace(r"\*", ".*")
    return re.fullmatch(letters, name, re.IGNORECASE) is not None


def _begins(name: str, pattern: str) -> bool:
    """Whether the first parts of a name match a pattern."""
    return _matches(name, pattern) or _matches(name, f"{pattern}/*")


def _on_dataset(dataset: str, pattern: str) -> bool:
    """Whether a pattern without its first part begins with a data set, or is its beginning."""
    parts = pattern.split("/")[1:]
    starts = ("/".join(parts[:n]) for n in range(1, len(parts) + 1))
    return _begins(dataset, "/".join(parts) or "*") or any(_matches(dataset, s) for s in starts)
