"""``reprolib report``: the HTML page on stored results."""

from __future__ import annotations

import argparse
from pathlib import Path

from reprolib.cli import arguments as shared
from reprolib.rerun.records.registry import PAPERS

HELP = "write the HTML report on the committed results"
TITLE = "reprolib: papers on kernel methods, rerun"


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
    """Write the page on the results below ``--results``.

    Raises
    ------
    ValueError
        If there is no paper of a name.
    OSError
        If there are no results there, or the page cannot be written.
    """
    named = shared.chosen_papers(arguments.papers)
    shared.require_results(arguments.results)
    shared.require_output_file(arguments.output)
    papers = shared.chosen_with_whole_results(named, PAPERS, arguments.results)
    from reprolib.cli.console import out
    from reprolib.report.page import write_report

    path = write_report(
        papers, arguments.results, arguments.output, title=TITLE, site=arguments.site
    )
    out().print(f"Report: {path.resolve()}")
    return 0
