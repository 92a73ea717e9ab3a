"""``reprolib tables``: files of the printed tables, published beside ours."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from reprolib.cli import arguments as shared
from reprolib.rerun.printed.names import resolved
from reprolib.rerun.records.registry import PAPERS

HELP = "write the printed tables, published beside ours: CSV, Markdown, LaTeX, HTML"
FORMATS = ("csv", "md", "tex", "html")
#: Where tables and figures for reports and papers go.
FOLDER = shared.BUILD / "publication"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_files(parser, "all that print tables", FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Write the tables, and say where.

    Raises
    ------
    ValueError
        If there is no paper or format of a name, or no paper that was named prints tables.
    OSError
        If the folder cannot be written to, or there are no results of a paper.
    """
    check_files(arguments, FORMATS)
    papers = shared.chosen_with_whole_results(arguments.papers, PAPERS, arguments.results)
    from reprolib.report.printed_tables import printed_tables, write_printed_tables

    paths = []
    for paper in papers:
        tables = printed_tables(
            paper, arguments.results, command=command_line("tables", paper, arguments)
        )
        paths += write_printed_tables(tables, arguments.output, arguments.format)
    if not paths:
        raise ValueError(
            f"{', '.join(papers)}: the paper prints no tables; "
            f"`reprolib figures {' '.join(papers)}` writes figures"
        )
    report_written(paths)
    return 0


def add_files(parser: argparse.ArgumentParser, papers: str, formats: Sequence[str]) -> None:
    """Add papers, folder, formats and results; ``papers`` says which are the default."""
    shared.add_papers(parser, papers)
    parser.add_argument(
        "--output",
        type=Path,
        default=FOLDER,
        metavar="FOLDER",
        help=f"folder to write to (default: {FOLDER.as_posix()})",
    )
    parser.add_argument(
        "--format",
        nargs="+",
        default=list(formats),
        metavar="FORMAT",
        help=f"one or more of {', '.join(formats)} (default: all)",
    )
    shared.add_results_folder(parser)


def check_files(arguments: argparse.Namespace, formats: Sequence[str]) -> None:
    """Check what `add_files` added, and replace names by their spelling.

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
    shared.require_output_folder(arguments.output)


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
