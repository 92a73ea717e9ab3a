"""What `reprolib tables` and `reprolib figures` share: their arguments, and what they say."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from reprolib.cli import arguments as shared
from reprolib.rerun.records.registry import resolved

#: Where tables and figures for reports and papers go.
FOLDER = shared.BUILD / "publication"


def add_arguments(parser: argparse.ArgumentParser, papers: str, formats: Sequence[str]) -> None:
    """Add papers, folder, formats and results; ``papers`` says which are the default."""
    shared.add_papers(parser, papers)
    parser.add_argument(
        "--to",
        type=Path,
        default=FOLDER,
        metavar="FOLDER",
        help=f"folder to write to (default: {FOLDER.as_posix()})",
    )
    wanted = parser.add_argument(
        "--format",
        nargs="+",
        default=list(formats),
        metavar="FORMAT",
        help=f"one or more of {', '.join(formats)} (default: all)",
    )
    wanted.completer = lambda **_: list(formats)  # type: ignore[attr-defined]
    shared.add_results_folder(parser)


def check(arguments: argparse.Namespace, formats: Sequence[str]) -> None:
    """Check what `add_arguments` added, and replace names by their spelling.

    Raises
    ------
    ValueError
        If there is no paper or format of a name.
    OSError
        If a folder does not exist or cannot be written to.
    """
    arguments.papers = shared.chosen_papers(arguments.papers)
    named = (resolved("--format", name, formats) for name in arguments.format)
    arguments.format = list(dict.fromkeys(named))
    shared.require_results(arguments.results)
    shared.require_output_folder(arguments.to, "--to")


def command_line(command: str, paper: str, arguments: argparse.Namespace) -> str:
    """Command that writes the files of one paper again, wherever they are put."""
    results = [] if arguments.results is None else ["--results", str(arguments.results)]
    return shlex.join(["reprolib", command, paper, *results])


def report_written(paths: Sequence[Path]) -> None:
    """Print every file, and how many there are."""
    from reprolib.cli.console import out

    for path in paths:
        out().print(f"wrote {path}")
    folders = sorted({str(path.parent.resolve()) for path in paths})
    out().print(f"{len(paths)} files in {', '.join(folders) or 'no folder'}")
