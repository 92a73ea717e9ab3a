"""Failed tasks as they happen: on the terminal, with every traceback in a file."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from reprolib.rerun.tasks.runner import Failure


class FailureLog:
    """Say every failure at once; the first traceback is printed, all of them are in a file.

    Parameters
    ----------
    console : Console
    path : Path
        File of the tracebacks, written anew with the first failure. Where it cannot be written,
        all tracebacks are printed.
    """

    def __init__(self, console: Console, path: Path):
        self.console = console
        self.path = path
        self.n_failures = 0

    def __call__(self, failure: Failure) -> None:
        """Say a failure."""
        self.say(f"{failure.record}: {failure.status}", failure.traceback)

    def say(self, message: str, traceback: str = "") -> None:
        """Print what went wrong, and keep it with its traceback."""
        self.n_failures += 1
        self.console.print(message, style="red")
        written = self._write(f"{message}\n{traceback}\n")
        if traceback and (self.n_failures == 1 or not written):
            self.console.print(traceback.rstrip())
        if self.n_failures == 1 and written:
            self.console.print(f"All tracebacks of this run: {self.path.resolve()}")

    def _write(self, text: str) -> bool:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "w" if self.n_failures == 1 else "a", encoding="utf-8") as file:
                file.write(text)
        except OSError:
            return False
        return True
