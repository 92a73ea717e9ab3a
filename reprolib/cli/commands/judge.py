"""``reprolib judge``: its arguments."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "compare anyone's printed table (TOML) with anyone's results (CSV): words and intervals"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("printed", type=Path, metavar="PRINTED.toml", help="what was printed")
    parser.add_argument("results", type=Path, metavar="RESULTS.csv", help="one row a trial")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write words and intervals")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one page with a picture")


def run(arguments: argparse.Namespace) -> int:
    """Judge; 1 if a word is worse than expected.

    Raises
    ------
    ValueError
        If a file has another form than it must, or a folder to write to does not exist.
    OSError
        If a file cannot be read or written.
    """
    for option in ("json", "html"):
        path = getattr(arguments, option)
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"--{option} {path}: its folder does not exist; make it first")
    from reprolib.cli import judge

    return judge.run(arguments)
