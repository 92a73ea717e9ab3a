"""How far a long run has come: bars on a terminal, a line for every tenth elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

#: Called with (finished tasks, tasks in all), and for a run in stages (stage, stages in all).
Callback = Callable[..., None]

#: Lines that a stage writes where there is no terminal.
LINES = 10


@contextmanager
def shown_progress(console: Console, name: str) -> Iterator[Callback]:
    """Show the progress of what is called ``name`` while the context lasts.

    Yields
    ------
    callable
        To be called with the numbers of `Callback` after every task.
    """
    if not console.is_terminal:
        yield _lines(console, name)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
        yield _bars(bar, name)


def _title(name: str, stage: int, stages: int) -> str:
    return name if stages == 1 else f"{name} {stage}/{stages}"


def _bars(bar: Progress, name: str) -> Callback:
    shown: dict[int, TaskID] = {}

    def update(done: int, total: int, stage: int = 1, stages: int = 1) -> None:
        if stage not in shown:
            shown[stage] = bar.add_task(_title(name, stage, stages), total=total)
        bar.update(shown[stage], completed=done)

    return update


def _lines(console: Console, name: str) -> Callback:
    def update(done: int, total: int, stage: int = 1, stages: int = 1) -> None:
        if done * LINES // total > (done - 1) * LINES // total:
            console.print(f"{_title(name, stage, stages)}: {done} of {total} tasks")

    return update
