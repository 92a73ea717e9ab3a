"""How long a run takes, as README, help, dry run and scoreboard say it: one rule for all."""

from __future__ import annotations

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
