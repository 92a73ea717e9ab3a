"""What went wrong in a run: said at once, with all tracebacks in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from reprolib.rerun.tasks.runner import Failure


class FailureLog:
    """Say every failure at once; the first traceback is printed, all of them are in a file.

    Parameters
    ----------
    err : Console
        Where they are printed.
    path : Path
        File of the tracebacks, written anew with the first failure. Where it cannot be written,
        all tracebacks are printed.
    """

    def __init__(self, err: Console, path: Path):
        self.console = err
        self.path = path
        self.n_failures = 0

    def __call__(self, failure: Failure) -> None:
        """Say that a task failed."""
        self.say(f"{failure.record}: {failure.status}", failure.traceback)

    def say(self, message: str, trace: str = "") -> None:
        """Print what went wrong, and keep it with its traceback."""
        self.n_failures += 1
        self.console.print(message, style="red")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "w" if self.n_failures == 1 else "a", encoding="utf-8") as file:
                file.write(f"{message}\n{trace}\n")
            written = True
        except OSError:
            written = False
        if trace and (self.n_failures == 1 or not written):
            self.console.print(trace.rstrip())
        if self.n_failures == 1 and written:
            self.console.print(f"All tracebacks of this run: {self.path.resolve()}")
