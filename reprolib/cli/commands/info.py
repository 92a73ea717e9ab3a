"""``reprolib info``: what a report of a bug should say of the machine."""

from __future__ import annotations

import argparse

HELP = "versions, BLAS kernel, folders of data and records: for reports of bugs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no arguments."""


def run(arguments: argparse.Namespace) -> int:
    """Print the facts, one a line."""
    from reprolib.cli.console import out
    from reprolib.cli.info import facts

    for name, value in facts():
        out().print(f"{name}: {value}")
    return 0
