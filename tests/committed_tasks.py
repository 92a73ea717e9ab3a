"""Which committed records are cheap enough to be made again in a test, and with which tasks."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.derived import is_derived
from reprolib.rerun.registry import get_protocol
from reprolib.rerun.soundness import UNIT
from reprolib.rerun.task import Task
from reprolib.rerun.verify import Unit, committed_tasks, units
from tests import golden

#: Table, method, setting and reading: of every such group one task is run, if it is cheap enough.
Group = tuple[str, str, str, str]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Candidate:
    """Tasks, the committed records that they made, and the seconds that they took then."""

    tasks: tuple[Task, ...]
    records: Rows
    seconds: float


def measured_records(paper: str) -> dict[Unit, Rows]:
    """Committed records of a paper by unit, without the statistics over trials."""
    records = results.load_paper(paper)
    known = is_derived(records, get_protocol(paper).derive(records))
    by_unit: dict[Unit, Rows] = {}
    for row in records[~known].to_dict("records"):
        by_unit.setdefault(tuple(row[name] for name in UNIT), []).append(row)
    return by_unit


def candidates(paper: str, datasets: Mapping[str, Dataset]) -> dict[Group, Candidate]:
    """Cheapest tasks of every table, method, setting and reading, with their committed records.

    All records of a task have its seconds. So its records are known where the tasks of one unit
    took different times; elsewhere all the tasks of the unit are one candidate.
    """
    tasks, _ = committed_tasks(get_protocol(paper), datasets, results.load_paper(paper))
    by_unit = measured_records(paper)
    found: dict[Group, Candidate] = {}
    for unit, members in units(tasks).items():
        for candidate in _of_unit(members, by_unit[unit]):
            for task in candidate.tasks:
                group = (task.table, task.method, task.setting, task.reading)
                if group not in found or candidate.seconds < found[group].seconds:
                    found[group] = candidate
    return found


def _of_unit(members: list[Task], rows: Rows) -> list[Candidate]:
    times = {row["seconds"] for row in rows}
    if len(times) == len(members):
        single = [_of_task(task, rows) for task in members]
        if all(single):
            return [candidate for candidate in single if candidate]
    return [Candidate(tuple(members), rows, sum(times))]


def _of_task(task: Task, rows: Rows) -> Candidate | None:
    """Candidate of one task; None if its records cannot be told from those of others."""
    own = {
        r["seconds"] for r in rows if (r["setting"], r["reading"]) == (task.setting, task.reading)
    }
    if len(own) != 1:
        return None
    (seconds,) = own
    return Candidate((task,), [row for row in rows if row["seconds"] == seconds], seconds)


@functools.cache
def within_budget(paper: str, seconds: float) -> dict[Group, Candidate]:
    """Candidates of every method, the cheapest; then those of other groups, while seconds are left.

    Only on data sets at hand. A method whose cheapest candidate alone takes more than what is left
    is left out.
    """
    names = [n for n in get_protocol(paper).datasets("full") if data_fetch.available(n)]
    found = candidates(paper, {name: golden.load(name) for name in names})
    by_cost = sorted(found, key=lambda group: found[group].seconds)
    first = {found[g].tasks[0].method: g for g in reversed(by_cost)}.values()
    chosen: dict[Group, Candidate] = {}
    for group in dict.fromkeys([*sorted(first, key=by_cost.index), *by_cost]):
        spent = sum({id(c): c.seconds for c in (*chosen.values(), found[group])}.values())
        if spent <= seconds:
            chosen[group] = found[group]
    return chosen
