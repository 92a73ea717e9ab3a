"""Progress bars of downloads: on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TimeRemainingColumn,
    TransferSpeedColumn,
)


@contextmanager
def progress_bar(label: str, stream: TextIO, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give a function that takes the number of new bytes, and draws a bar on a terminal."""
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    bar = Progress(
        "{task.description}",
        *columns,
        console=Console(file=stream),
        transient=True,
        disable=not stream.isatty(),
    )
    with bar:
        task = bar.add_task(label, total=total)
        yield lambda n: bar.advance(task, n)
