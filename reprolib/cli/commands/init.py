"""``reprolib init``: its arguments."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

HELP = "write the files of a paper of your own, which run at once, into any folder"
UNNAMED = "to be named"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("key", metavar="KEY", help="short name in lower case, such as kpm")
    parser.add_argument("--title", default=UNNAMED, help="of the paper")
    parser.add_argument(
        "--year", type=int, default=datetime.now(UTC).year, help="of the paper (default: this year)"
    )
    parser.add_argument("--authors", default=UNNAMED, help="of the paper")
    parser.add_argument("--venue", default=UNNAMED, help="journal or conference")
    parser.add_argument(
        "--folder", type=Path, default=Path(), help="of the repository (default: the current one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files, and say what comes next."""
    from reprolib.cli import arguments as shared

    shared.require_output_folder(arguments.folder, "--folder")
    from reprolib.cli import init

    return init.run(arguments)
