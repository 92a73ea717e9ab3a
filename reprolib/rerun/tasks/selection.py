"""Tasks that a user selects by their names, and what is said where there are none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd

from reprolib.rerun.printed.names import nearest
from reprolib.rerun.records.folder import committed_results
from reprolib.rerun.records.rows import OF_TASK
from reprolib.rerun.records.task import Task

#: Names that are listed where a part of a pattern is unknown.
NAMES = 20


class NothingSelectedError(ValueError):
    """A selection of tasks that has none of a protocol's."""


class Only:
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

    def used(self, tasks: Iterable[Task]) -> list[str]:
        """Patterns that select one of some tasks."""
        listed = list(tasks)
        return [p for p in self.patterns if any(map(Only([p]).has, listed))]

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


def tasks_of(paper: str, rows: pd.DataFrame) -> list[Task]:
    """Tasks of a paper by the lines of a table of tasks, without their parameters."""
    columns = ["paper", *OF_TASK]
    rows = rows.assign(paper=paper)
    lines = zip(*(rows[name].to_numpy(object) for name in columns), strict=True)
    return [Task(**dict(zip(columns, line, strict=True))) for line in lines]


def require_used(only: Only, used: Collection[str], papers: Sequence[str]) -> None:
    """Raise ValueError if a pattern of ``--only`` selected no task, whatever others did."""
    for pattern in only.patterns:
        if pattern not in used:
            unknown = unknown_part([pattern], papers)
            raise ValueError(unknown or f"--only {pattern!r} selects no task on data at hand")


def unknown_part(patterns: Sequence[str], papers: Sequence[str]) -> str:
    """Say which part of a pattern of ``--only`` no committed task has, and what there is instead.

    Empty where every part is known, and where that cannot be told: of a pattern with ``*`` only a
    table without one is looked up, and embedded data sets have few committed tasks.
    """
    made = pd.concat([committed_results(paper).tasks for paper in papers])
    for pattern in patterns:
        table, _, rest = pattern.strip("/").lower().partition("/")
        rows = made if "*" in table else made[made["table"].str.lower() == table]
        if rows.empty:
            return _unknown("table", table, ", ".join(papers), made["table"])
        if "*" in pattern or not rest or rest.startswith("embedded"):
            continue
        names = {str(name).lower() for name in rows["dataset"]}
        here = [n for n in names if f"{rest}/".startswith(f"{n}/") or n.startswith(f"{rest}/")]
        if not here:
            first, *more = rest.split("/")
            begun = more and any(name.startswith(f"{first}/") for name in names)
            wrong = f"{first}/{more[0]}" if begun else first
            return _unknown("data set", wrong, table, rows["dataset"])
        method = rest.removeprefix(here[0]).strip("/").split("/")[0]
        rows = rows[rows["dataset"].str.lower() == here[0]]
        if len(here) != 1 or not method:
            continue
        where = f"{table}/{here[0]}"
        if method not in {*rows["method"].str.lower()}:
            return _unknown("method", method, where, rows["method"])
        rows = rows[rows["method"].str.lower() == method]
        if not any(Only([pattern]).has(task) for task in tasks_of("", rows)):
            last = rest.removeprefix(f"{here[0]}/{method}").strip("/")
            known = rows["reading"].where(rows["setting"] == "", rows["setting"])
            trials = f"trials up to {rows['trial'].max()}"
            return _unknown("variant or trial", last, f"{where}/{method}", [*known, trials])
    return ""


def _unknown(what: str, name: str, where: str, known: Iterable[str]) -> str:
    names = list(dict.fromkeys(known))
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    near = nearest(name, names)
    advice = near if "did you mean" in near else ""
    told = ", ".join(names[:NAMES])
    return f"--only: {where} has no {what} {name!r}; it has {told}{more}{advice}"
