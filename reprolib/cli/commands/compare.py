"""``reprolib compare``: its arguments."""

from __future__ import annotations

import argparse
from pathlib import Path

from reprolib.cli import arguments as shared

HELP = "say what a run changes against the committed results"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="what `reproduce --full --output` was given"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="Markdown file to write (default: console)"
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=10,
        help="differing and new records of each table to list; the rest is counted (default: 10)",
    )
    shared.add_results_folder(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and compare.

    Raises
    ------
    ValueError
        If a negative number of records is to be listed.
    NotADirectoryError
        If the folder of the run does not exist.
    """
    if arguments.limit < 0:
        raise ValueError(f"--limit is {arguments.limit}; give 0 or more records to list")
    if not arguments.folder.is_dir():
        raise NotADirectoryError(
            f"DIR is {arguments.folder}, which is no folder; `reprolib reproduce --full --output "
            f"{arguments.folder}` makes it"
        )
    shared.require_results(arguments.results)
    if arguments.output is not None:
        shared.require_output_file(arguments.output)
    from reprolib.cli import compare

    return compare.run(arguments)
