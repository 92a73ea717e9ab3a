"""``reprolib merge``: published runs of one paper as one table."""

from __future__ import annotations

import argparse
from pathlib import Path

from reprolib.cli import arguments as shared

HELP = "put published runs of one paper together: who ran what where, what agrees, what does not"
#: Disagreements that are printed.
SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("archives", nargs="+", type=Path, metavar="FILE.zip")
    parser.add_argument(
        "--to", type=Path, metavar="FOLDER", help="write the merged results to FOLDER/PAPER"
    )


def run(arguments: argparse.Namespace) -> int:
    """Merge; 1 if records disagree.

    Raises
    ------
    ValueError
        If an archive is not as it was sealed, they are of several papers, or they conflict.
    OSError
        If a file cannot be read or written.
    """
    if arguments.to is not None:
        shared.require_output_folder(arguments.to, "--to")
    from reprolib.cli.console import out
    from reprolib.rerun.checks.merge import merge
    from reprolib.rerun.records import archive

    merged = merge([archive.read(path) for path in arguments.archives])
    out().print(merged.summary.to_string(index=False))
    n = len(merged.disagreements)
    out().print(f"{merged.n_compared - n} of {merged.n_compared} shared records agree.")
    for line in merged.disagreements[:SHOWN]:
        out().print(line)
    if n > SHOWN:
        out().print(f"and {n - SHOWN} more.")
    if arguments.to is not None:
        out().print(f"Merged: {merged.write(arguments.to)[0].parent}")
    return 1 if n else 0
