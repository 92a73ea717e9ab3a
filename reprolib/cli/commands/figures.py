"""``reprolib figures``: its arguments."""

from __future__ import annotations

import argparse

from reprolib.cli import arguments as shared

HELP = "write the figures of the papers: PDF, SVG, PNG"
FORMATS = ("pdf", "svg", "png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all")
    shared.add_publication(parser, FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and write the figures.

    Raises
    ------
    ValueError
        If there is no paper or format of a name.
    NotADirectoryError, PermissionError
        If the folder cannot be written to.
    """
    shared.require_publication(arguments, FORMATS)
    from reprolib.cli import figures

    return figures.run(arguments)
