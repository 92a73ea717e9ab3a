"""``reprolib judge``: anyone's printed table beside anyone's results."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from reprolib.cli import arguments as shared

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
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one page with pictures")
    parser.add_argument("--forest", type=Path, metavar="FILE.svg", help="draw all numbers")
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
        If a file is not named, or has another form than it must.
    OSError
        If a file cannot be read or written.
    """
    if arguments.schema:
        from reprolib.rerun.printed.schema import printed_schema

        print(json.dumps(printed_schema(), indent=1))
        return 0
    if arguments.results is None:
        raise ValueError("name two files: reprolib judge PRINTED.toml RESULTS.csv (or --schema)")
    for option in ("json", "html", "forest"):
        if (path := getattr(arguments, option)) is not None:
            shared.require_output_file(path, f"--{option}")
    forest = arguments.forest
    if forest is not None and forest.suffix.lower() != ".svg":
        raise ValueError(f"--forest is {forest}; it writes SVG: give it a name that ends in .svg")
    from reprolib.cli.console import out
    from reprolib.rerun.verdicts.anyone import judge_table, worse_than_expected

    judged = judge_table(arguments.printed, arguments.results)
    from reprolib.report import judged as shown
    from reprolib.report.tables import claims_lines
    from reprolib.rerun.records.registry import write_atomically

    for line in judged.understood:
        out().print(line)
    for frame in (claims_lines(judged.claims), shown.numbers_frame(judged)):
        if len(frame):
            out().print(frame.to_string())
    if arguments.json is not None:
        write_atomically(arguments.json, shown.as_json(judged))
    if arguments.html is not None:
        write_atomically(arguments.html, shown.page(judged))
    if forest is not None:
        write_atomically(forest, shown.forest_svg(judged))
    for note in judged.notes:
        out().print(note)
    worse = worse_than_expected(judged)
    for message in worse.values():
        out().print(message)
    return 1 if worse else 0
