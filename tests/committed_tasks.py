"""Which committed records are cheap enough to be made again in a test, and with which tasks."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.checks.verify import Unit, committed_tasks, units
from reprolib.rerun.records.derived import is_derived
from reprolib.rerun.records.registry import get_protocol
from reprolib.rerun.records.task import Task
from reprolib.rerun.soundness import UNIT
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
def recomputed(paper: str, budget: float, most: float) -> dict[Group, Candidate]:
    """Candidates that a test makes again, on the data sets at hand; see `choose`."""
    names = [n for n in get_protocol(paper).datasets("full") if data_fetch.available(n)]
    same = {name: golden.load(name) for name in names if golden.is_as_committed(paper, name)}
    return choose(candidates(paper, same), budget, most)


def choose(found: Mapping[Group, Candidate], budget: float, most: float) -> dict[Group, Candidate]:
    """The cheapest candidate of every method, and those of other groups within the budget.

    Committed seconds change with every rerun. So whether a method is there does not depend on what
    the other methods took: only a cheapest candidate above ``most`` seconds is left out. The
    ``budget`` bounds what the other groups take in all, the cheapest first.
    """
    by_cost = sorted(found, key=lambda group: found[group].seconds)
    cheapest = {group[1]: group for group in reversed(by_cost)}.values()
    chosen = {g: found[g] for g in by_cost if g in cheapest and found[g].seconds <= most}
    paid = {id(candidate) for candidate in chosen.values()}
    left = budget
    for group in by_cost:
        candidate = found[group]
        seconds = 0.0 if id(candidate) in paid else candidate.seconds
        if seconds <= left:
            chosen[group] = candidate
            paid.add(id(candidate))
            left -= seconds
    return chosen
