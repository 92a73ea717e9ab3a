"""The consoles that commands print to, and how far a long run has come.

Text is printed as it is: no line is broken (an address or a path must stay in one piece), and
nothing in it is taken for markup (a path may hold ``[/x]``). Control characters are shown, not
obeyed: names come from files and servers. Colours come by ``style=`` or as `rich.text.Text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

#: Lines of progress that a stage writes where there is no terminal.
LINES = 10

#: Control characters but line feed and tabulator, marks that turn the direction of writing, and
#: what is shown in their place.
_SHOWN = dict.fromkeys(
    (*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "�"
)
del _SHOWN[9], _SHOWN[10]


class SafeConsole(Console):
    """Console whose texts cannot steer the terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, with the control characters of texts replaced."""
        safe = []
        for shown in objects:
            if isinstance(shown, str):
                shown = shown.translate(_SHOWN)
            elif isinstance(shown, Text) and shown.plain != shown.plain.translate(_SHOWN):
                shown = shown.copy()
                shown.plain = shown.plain.translate(_SHOWN)
            safe.append(shown)
        super().print(*safe, **options)


def out() -> Console:
    """Console of results."""
    return SafeConsole(soft_wrap=True, markup=False, highlight=False, emoji=False)


def err() -> Console:
    """Console of progress, warnings and errors."""
    return SafeConsole(stderr=True, soft_wrap=True, markup=False, highlight=False, emoji=False)


def headed(head: str, text: str, style: str = "bold") -> Text:
    """Text with a first word or sentence in another style."""
    return Text.assemble((head, style), f" {text}")


@contextmanager
def shown_progress(console: Console, name: str) -> Iterator[Callable[..., None]]:
    """Show the progress of what is called ``name`` while the context lasts.

    Yields
    ------
    callable
        To be called after every task with (finished tasks, tasks in all), and for a run in stages
        with (stage, stages in all): bars on a terminal, a line for every tenth elsewhere.
    """

    def title(stage: int, stages: int) -> str:
        return name if stages == 1 else f"{name} {stage}/{stages}"

    def line(done: int, total: int, stage: int = 1, stages: int = 1) -> None:
        if done * LINES // total > (done - 1) * LINES // total:
            console.print(f"{title(stage, stages)}: {done} of {total} tasks")

    if not console.is_terminal:
        yield line
        return
    shown: dict[int, TaskID] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:

        def move(done: int, total: int, stage: int = 1, stages: int = 1) -> None:
            if stage not in shown:
                shown[stage] = bar.add_task(title(stage, stages), total=total)
            bar.update(shown[stage], completed=done)

        yield move
