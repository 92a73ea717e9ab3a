"""``reprolib judge``: its arguments."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

HELP = "compare anyone's printed table (TOML) with anyone's results (CSV): words and intervals"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "printed", nargs="?", type=Path, metavar="PRINTED.toml", help="what was printed"
    )
    parser.add_argument(
        "results", nargs="?", type=Path, metavar="RESULTS.csv", help="one row a trial"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write words and intervals")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one page with a picture")
    parser.add_argument(
        "--schema",
        action="store_true",
        help="print the form of PRINTED.toml as a JSON Schema, for editors; nothing is judged",
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge, or print the schema; 1 if a word is worse than expected.

    Raises
    ------
    ValueError
        If a file is not named, has another form than it must, or a folder to write to does not
        exist.
    OSError
        If a file cannot be read or written.
    """
    if arguments.schema:
        from reprolib.rerun.verdicts.printed_file import printed_schema

        print(json.dumps(printed_schema(), indent=1))
        return 0
    if arguments.results is None:
        raise ValueError("name two files: reprolib judge PRINTED.toml RESULTS.csv (or --schema)")
    for option in ("json", "html"):
        path = getattr(arguments, option)
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"--{option} {path}: its folder does not exist; make it first")
    from reprolib.cli import judge

    return judge.run(arguments)
