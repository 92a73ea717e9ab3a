"""``reprolib new-paper``: its arguments."""

from __future__ import annotations

import argparse

HELP = "write the files of a new paper, which run at once, into the checkout"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("key", metavar="KEY", help="short name in lower case, such as kpm")
    parser.add_argument("--title", required=True, help="of the paper")
    parser.add_argument("--year", required=True, type=int, help="of the paper")
    parser.add_argument("--authors", default="to be named", help="of the paper")
    parser.add_argument("--venue", default="to be named", help="journal or conference")


def run(arguments: argparse.Namespace) -> int:
    """Write the files, and say what comes next."""
    from reprolib.cli import new_paper

    return new_paper.run(arguments)
