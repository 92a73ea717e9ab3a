"""``reprolib verify``: its arguments."""

from __future__ import annotations

import argparse

from reprolib.cli import arguments as shared

HELP = "recompute a random part of the committed records, and compare"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all with results")
    parser.add_argument(
        "--fraction", type=float, default=0.02, help="part of the tasks (default: 0.02)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        help="which part of the tasks (default: today's; the next number has the next part)",
    )
    parser.add_argument(
        "--missing-data",
        action="store_true",
        help="do not fail where records cannot be recomputed because their data are not at hand",
    )
    shared.add_jobs(parser)
    shared.add_results_folder(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and recompute."""
    arguments.papers = shared.chosen_papers(arguments.papers)
    shared.require_jobs(arguments.jobs)
    shared.require_results(arguments.results)
    from reprolib.cli import verify

    return verify.run(arguments)
