"""``reprolib readme``: its arguments."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "rewrite the scoreboard in README.md from results/"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--file", type=Path, default=Path("README.md"), help="file to rewrite (default: README.md)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the argument, and rewrite the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    """
    if not arguments.file.is_file():
        raise FileNotFoundError(f"--file is {arguments.file}, which does not exist")
    from reprolib.report.readme import update_file
    from reprolib.rerun.records.registry import PAPERS, packaged

    update_file(arguments.file, packaged(PAPERS))
    return 0
