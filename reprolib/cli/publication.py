"""What the commands share that read results of papers."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
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
    papers = arguments.papers or with_results(known, arguments.results)
    require_results_of(papers, arguments.results)
    return list(papers)


def with_results(papers: Iterable[str], directory: Path | None) -> list[str]:
    """Those of the papers that have results: in a folder, or each in its own."""
    return [key for key in papers if any(_folder(key, directory).glob("*.csv"))]


def require_results_of(papers: Sequence[str], directory: Path | None) -> None:
    """Raise FileNotFoundError if a paper has no results, or no paper is named."""
    missing = [key for key in papers if not with_results([key], directory)]
    if not papers or missing:
        of_papers = f" of {', '.join(missing)}" if missing else ""
        folder = directory or committed_directory(missing[0] if missing else "")
        raise FileNotFoundError(
            f"there are no results{of_papers} in {folder}; `reprolib reproduce` makes some, and "
            "--results names their folder"
        )


def _folder(paper: str, directory: Path | None) -> Path:
    return (directory or committed_directory(paper)) / paper


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
