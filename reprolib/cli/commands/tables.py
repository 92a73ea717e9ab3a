"""``reprolib tables``: its arguments."""

from __future__ import annotations

import argparse

from reprolib.cli import arguments as shared

HELP = "write the printed tables, published beside ours: CSV, Markdown, LaTeX, HTML"
FORMATS = ("csv", "md", "tex", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all that print tables")
    shared.add_publication(parser, FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and write the tables.

    Raises
    ------
    ValueError
        If there is no paper or format of a name.
    NotADirectoryError, PermissionError
        If the folder cannot be written to.
    """
    shared.require_publication(arguments, FORMATS)
    from reprolib.cli import tables

    return tables.run(arguments)
