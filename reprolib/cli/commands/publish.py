"""``reprolib publish``: sealed results as one file for others."""

from __future__ import annotations

import argparse
from pathlib import Path

from reprolib.cli import arguments as shared
from reprolib.rerun.records.registry import paper_key

HELP = "write the sealed results of a paper as one archive, with your name, for `reprolib merge`"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("paper", metavar="PAPER")
    parser.add_argument("--by", required=True, metavar="NAME", help="who ran it")
    parser.add_argument("--to", type=Path, metavar="FILE.zip", help="default: build/PAPER.zip")
    shared.add_results_folder(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the archive.

    Raises
    ------
    ValueError
        If there is no such paper, or its results are not as they were sealed.
    OSError
        If a folder does not exist, or the file cannot be written.
    """
    shared.require_results(arguments.results)
    paper = paper_key(arguments.paper)
    from datetime import UTC, datetime

    from reprolib.cli.console import out
    from reprolib.rerun.records import archive
    from reprolib.rerun.records.folders import results_directory, write_atomically

    folder = results_directory(paper, arguments.results) / paper
    if not folder.is_dir():
        raise FileNotFoundError(f"there are no results of {paper} in {folder.parent}")
    path = arguments.to or shared.BUILD / f"{paper}.zip"
    content = archive.pack(folder, arguments.by, datetime.now(UTC).date().isoformat())
    write_atomically(path, content)
    out().print(f"{path}: {paper} by {arguments.by}, {len(content):,} bytes")
    return 0
