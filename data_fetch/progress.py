"""Progress bars of downloads: on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)


class _PoochBar:
    """What pooch wants of a progress bar, drawn by rich."""

    def __init__(self, progress: Progress, task):
        self._progress = progress
        self._task = task

    @property
    def total(self) -> int:
        return int(self._progress.tasks[0].total or 0)

    @total.setter
    def total(self, total: int) -> None:
        self._progress.update(self._task, total=total or None)

    def update(self, n: int) -> None:
        self._progress.advance(self._task, n)

    def reset(self) -> None:
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        self._progress.refresh()


@contextmanager
def progress_bar(label: str, stream: TextIO) -> Iterator[_PoochBar | bool]:
    """Give a bar for pooch, or False (none) when the stream is not a terminal."""
    if not stream.isatty():
        yield False
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=stream), transient=True) as progress:
        yield _PoochBar(progress, progress.add_task(label, total=None))
