"""``reprolib reproduce --dry-run``: what a run would do."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

from rich.console import Console

import data_fetch
from reprolib.cli import console as consoles
from reprolib.rerun.checks.check import require_sound
from reprolib.rerun.records import load_tasks
from reprolib.rerun.records.registry import PAPERS, STUDIES, get_protocol
from reprolib.rerun.records.task import Protocol
from reprolib.rerun.tasks.plan import Plan, plan
from reprolib.rerun.tasks.runner import Selection


def run(arguments) -> int:
    """Check the papers' names, and print tasks, data and minutes of each, and of all."""
    papers = arguments.papers or [*PAPERS, *STUDIES]
    require_sound(papers)
    only = Selection(arguments.only) if arguments.only else None
    print_plans(consoles.out(), map(get_protocol, papers), arguments, only)
    return 0


def print_plans(
    out: Console, protocols: Iterable[Protocol], arguments, only: Selection | None
) -> None:
    """Print tasks, data and minutes of every protocol, and the minutes of all."""
    seconds = []
    protocols = list(protocols)
    for protocol in protocols:
        found = plan(protocol, arguments.profile, embedded=arguments.embedded, only=only)
        if only is not None and not found.n_tasks:
            continue
        seconds.append(found.seconds)
        for line in lines(found, arguments.profile, arguments.jobs):
            out.print(line)
    if len(seconds) > 1:
        out.print(f"all: {minutes(sum(seconds), arguments.jobs)}")
    if not seconds:
        some = ", ".join(repr(t) for p in protocols for t in load_tasks(p.paper)["task"][:1])
        out.print(f"{only} selects no task on data that are at hand; there is, for example, {some}")


def lines(found: Plan, profile: str, n_jobs: int) -> list[str]:
    """Lines on one paper."""
    parts = [
        f"{found.paper}, {profile} profile: {found.n_tasks} tasks, {found.n_stored} of them "
        f"finished and stored; {minutes(found.seconds, n_jobs)}"
    ]
    if found.at_hand:
        parts.append(f"  data: {', '.join(found.at_hand)}")
    for name, count in found.to_fetch.items():
        others = ", ".join(data_fetch.counterparts(name)) or "nothing"
        parts.append(f"  to be fetched: {name}, for {count} tasks (otherwise {others} stands in)")
    return [*parts, f"  {found.note}"] if found.note else parts


def minutes(seconds: float, n_jobs: int) -> str:
    """Time of tasks that take some seconds in all, on a number of worker processes."""
    if math.isnan(seconds):
        return "time unknown: there are no committed results"
    n = n_workers(n_jobs)
    number = math.ceil(seconds / n / 60)
    workers = f"{n} worker{'s' * (n > 1)}"
    return f"about {number} minute{'s' * (number != 1)} with {workers}"


def n_workers(n_jobs: int) -> int:
    """Worker processes, where a negative number counts from all cores."""
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
