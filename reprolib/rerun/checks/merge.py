"""Runs of one paper, by several people or on several machines, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from reprolib.rerun.checks.agreement import difference, joined
from reprolib.rerun.records.archive import Archive
from reprolib.rerun.records.folders import write_atomically
from reprolib.rerun.records.tables import (
    load_paper,
    load_run,
    load_tasks,
    record_name,
    write_results,
)


@dataclass(frozen=True)
class Merged:
    """Several runs as one.

    Parameters
    ----------
    paper : str
    records, tasks : DataFrame
        Of every task those of the first archive that has it.
    about : dict
        As ``run.json`` says it, the environments of all.
    who : DataFrame
        One line a task of an archive: task, who, archive, seconds, date, code, environment.
    n_compared : int
        Records that two archives or more have.
    disagreements : list of str
        Of these, one line for every one that differs.
    """

    paper: str
    records: pd.DataFrame
    tasks: pd.DataFrame
    about: dict[str, Any]
    who: pd.DataFrame
    n_compared: int
    disagreements: list[str]

    @property
    def summary(self) -> pd.DataFrame:
        """Who ran what where: tasks, hours and dates by person, archive, machine and code."""
        machines = {name: e["machine"] for name, e in self.about.get("environments", {}).items()}
        lines = self.who.assign(
            machine=self.who["environment"].map(machines).fillna(self.who["environment"])
        )
        by = lines.groupby(["who", "archive", "machine", "code"], sort=False)
        found = by.agg(
            tasks=("task", "size"),
            hours=("seconds", "sum"),
            first=("date", "min"),
            last=("date", "max"),
        )
        return found.assign(hours=(found["hours"] / 3600).round(2)).reset_index()

    def write(self, folder: Path) -> list[Path]:
        """Write sealed results to ``<folder>/<paper>``, and who made what beside them."""
        paths = write_results(self.records, folder / self.paper, self.tasks, self.about)
        write_atomically(folder / f"{self.paper}-who.csv", self.who.to_csv(index=False))
        return paths


@dataclass(frozen=True)
class _Run:
    archive: Archive
    records: pd.DataFrame
    tasks: pd.DataFrame
    about: dict[str, Any]

    @classmethod
    def of(cls, archive: Archive) -> _Run:
        with TemporaryDirectory() as folder:
            root, paper = archive.unpack(Path(folder)).parent, archive.paper
            return cls(
                archive, load_paper(paper, root), load_tasks(paper, root), load_run(paper, root)
            )


def merge(archives: Sequence[Archive]) -> Merged:
    """Put archives of one paper together.

    Records agree within the tolerance of `reprolib verify`. Those that do not are named, and those
    of the first archive are taken.

    Raises
    ------
    ValueError
        If the archives are of several papers, or two of one person hold different values of one
        task by the same code in the same environment: one of them is wrong.
    """
    papers = sorted({archive.paper for archive in archives})
    if len(papers) != 1:
        raise ValueError(
            f"the archives are of {', '.join(papers) or 'no paper'}; give those of one."
        )
    runs = [_Run.of(archive) for archive in archives]
    n_compared = 0
    lines: list[str] = []
    for number, run in enumerate(runs):
        for other in runs[:number]:
            n, differing = _compared(run, other)
            n_compared, lines = n_compared + n, [*lines, *differing]
    return Merged(
        papers[0],
        _first(runs, "records"),
        _first(runs, "tasks"),
        _about(runs),
        pd.concat([_who(run) for run in runs], ignore_index=True),
        n_compared,
        lines,
    )


def _first(runs: Sequence[_Run], what: str) -> pd.DataFrame:
    """Rows of every task from the first run that has it."""
    kept: list[pd.DataFrame] = []
    seen: set[str] = set()
    for run in runs:
        frame = getattr(run, what)
        kept.append(frame[~frame["task"].isin(seen)])
        seen |= set(run.records["task"]) | set(run.tasks["task"])
    return pd.concat(kept, ignore_index=True)


def _about(runs: Sequence[_Run]) -> dict[str, Any]:
    first = runs[0].about
    environments = [run.about.get("environments", {}) for run in reversed(runs)]
    data = [run.about.get("data", {}) for run in reversed(runs)]
    return {
        **first,
        "environments": {name: value for each in environments for name, value in each.items()},
        "data": {name: value for each in data for name, value in each.items()},
        "merged": [run.archive.who for run in runs],
    }


def _who(run: _Run) -> pd.DataFrame:
    columns = ["task", "seconds", "date", "code", "environment"]
    frame = run.tasks[columns].assign(who=run.archive.who, archive=run.archive.path.name)
    return frame[["task", "who", "archive", *columns[1:]]]


def _compared(run: _Run, other: _Run) -> tuple[int, list[str]]:
    """How many records two runs share, and those that differ."""
    both = [(a, b) for a, b in joined(run.records, other.records) if a and b]
    lines = []
    for a, b in both:
        if faults := difference(a, b):
            _require_no_conflict(run, other, str(a["task"]), faults)
            names = f"{run.archive.path.name} and {other.archive.path.name}"
            lines.append(f"{record_name(a)}: {names} differ: {'; '.join(faults)}")
    return len(both), lines


def _require_no_conflict(run: _Run, other: _Run, task: str, faults: Sequence[str]) -> None:
    if run.archive.who != other.archive.who:
        return
    columns, made = ["code", "environment"], []
    for tasks in (run.tasks, other.tasks):
        made.append(tasks.loc[tasks["task"] == task, columns].to_numpy().tolist())
    if made[0] and made[0] == made[1]:
        raise ValueError(
            f"{run.archive.path} and {other.archive.path} are both of {run.archive.who}, by the "
            f"same code in the same environment, but {task} differs ({'; '.join(faults)}). One of "
            "them is wrong: run the task again, and publish anew."
        )
