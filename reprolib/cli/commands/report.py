"""``reprolib report``: its arguments."""

from __future__ import annotations

import argparse
from pathlib import Path

from reprolib.cli import arguments as shared

HELP = "write the HTML report on the committed results"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all with results")
    shared.add_results_folder(parser)
    parser.add_argument(
        "--output",
        type=Path,
        default=shared.BUILD / "report.html",
        help="page to write (default: build/report.html)",
    )
    parser.add_argument(
        "--site",
        type=Path,
        default=shared.SITE,
        help="built documentation whose notebook pages are linked, if there (default: build/docs)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and write the page."""
    arguments.papers = shared.chosen_papers(arguments.papers)
    shared.require_results(arguments.results)
    shared.require_output_file(arguments.output)
    from reprolib.cli import report

    return report.run(arguments)
