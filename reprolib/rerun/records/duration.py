"""How long a run takes, as README, help, dry run and scoreboard say it: one rule for all."""

from __future__ import annotations

import json
import math
import os

from reprolib.rerun.records.registry import committed_directory

#: Worker processes of a run: the command line's default, and the two cores of the README.
WORKERS = 2


def minutes_of(seconds: float, n_workers: int = WORKERS) -> int:
    """Whole minutes of tasks that take some seconds in all; at least one, but of none.

    Parameters
    ----------
    seconds : float
        Computing time of the tasks.
    n_workers : int
        Worker processes.
    """
    return max(1, round(seconds / n_workers / 60)) if seconds else 0


def minutes_text(seconds: float, n_jobs: int) -> str:
    """Time of tasks that take some seconds in all, on a number of worker processes."""
    if math.isnan(seconds):
        return "time unknown: there are no committed results"
    n = n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    number = minutes_of(seconds, n)
    workers = f"{n} worker{'s' * (n > 1)}"
    return f"about {number} minute{'s' * (number != 1)} with {workers}"


class Minutes:
    """Minutes of the runs behind the committed results, read only where they are printed.

    Empty without results. What is wrong with them is said by the commands that need them.
    """

    def __str__(self) -> str:
        seconds = 0.0
        try:
            for path in committed_directory().glob("*/run.json"):
                seconds += float(json.loads(path.read_text(encoding="utf-8"))["task_seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""
        return f": {minutes_of(seconds)} minutes for all on two cores" if seconds else ""
