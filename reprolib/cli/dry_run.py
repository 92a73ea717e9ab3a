"""``reprolib reproduce --dry-run``: what a run would do."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

from rich.console import Console

from reprolib.rerun.plan import Plan, plan
from reprolib.rerun.selection import Selection
from reprolib.rerun.task import Protocol


def print_plans(
    out: Console, protocols: Iterable[Protocol], arguments, only: Selection | None
) -> None:
    """Print tasks, data and minutes of every protocol, and the minutes of all."""
    seconds = []
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
        out.print(f"{only} selects no task on the data that need no download")


def lines(found: Plan, profile: str, n_jobs: int) -> list[str]:
    """Lines on one paper."""
    told = [
        f"{found.paper}, {profile} profile: {found.n_tasks} tasks, {found.n_stored} of them "
        f"finished and stored; {minutes(found.seconds, n_jobs)}"
    ]
    if found.at_hand:
        told.append(f"  data: {', '.join(found.at_hand)}")
    for name, others in found.to_fetch.items():
        told.append(f"  to be fetched: {name} (otherwise {', '.join(others)} stands in)")
    return [*told, f"  {found.unlisted}"] if found.unlisted else told


def minutes(seconds: float, n_jobs: int) -> str:
    """Time of tasks that take some seconds in all, on a number of worker processes."""
    if math.isnan(seconds):
        return "time unknown: there are no committed records"
    n_workers = n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    number = math.ceil(seconds / n_workers / 60)
    workers = f"{n_workers} worker{'s' * (n_workers > 1)}"
    return f"about {number} minute{'s' * (number != 1)} with {workers}"
