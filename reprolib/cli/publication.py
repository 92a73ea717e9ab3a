"""What `reprolib tables` and `reprolib figures` share."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from reprolib.rerun.records.folders import committed_directory


def results_at_hand(arguments, known: Sequence[str]) -> list[str]:
    """Papers to write: those that were named, or all with results.

    Raises
    ------
    FileNotFoundError
        If there are no results of a paper that was named, or of any.
    """
    directory = arguments.results or committed_directory()
    papers = arguments.papers or [key for key in known if any((directory / key).glob("*.csv"))]
    missing = [key for key in papers if not any((directory / key).glob("*.csv"))]
    if missing or not papers:
        of_papers = f" of {', '.join(missing)}" if missing else ""
        raise FileNotFoundError(
            f"there are no results{of_papers} in {directory}; `reprolib reproduce` makes some, and "
            "--results names their folder"
        )
    return list(papers)


def command_line(command: str, paper: str, arguments) -> str:
    """Command that writes the files of one paper again, wherever they are put."""
    results = [] if arguments.results is None else ["--results", str(arguments.results)]
    return shlex.join(["reprolib", command, paper, *results])


def say_written(console: Console, paths: Sequence[Path]) -> None:
    """Say every file, and how many there are."""
    for path in paths:
        console.print(f"wrote {path}")
    folders = sorted({str(path.parent.resolve()) for path in paths})
    console.print(f"{len(paths)} files in {', '.join(folders) or 'no folder'}")
