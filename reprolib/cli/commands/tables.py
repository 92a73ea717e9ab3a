"""``reprolib tables``: files of the printed tables, published beside ours."""

from __future__ import annotations

import argparse

from reprolib.cli import publication
from reprolib.cli.results import chosen_with_results
from reprolib.rerun.records.registry import PAPERS

HELP = "write the printed tables, published beside ours: CSV, Markdown, LaTeX, HTML"
FORMATS = ("csv", "md", "tex", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    publication.add_arguments(parser, "all that print tables", FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Write the tables, and say where.

    Raises
    ------
    ValueError
        If there is no paper or format of a name, or no paper that was named prints tables.
    OSError
        If the folder cannot be written to, or there are no results of a paper.
    """
    publication.check(arguments, FORMATS)
    papers = chosen_with_results(arguments.papers, PAPERS, arguments.results)
    from reprolib.report.printed_tables import printed_tables, write_printed_tables

    paths = []
    for paper in papers:
        command = publication.command_line("tables", paper, arguments)
        tables = printed_tables(paper, arguments.results, command=command)
        paths += write_printed_tables(tables, arguments.to, arguments.format)
    if not paths:
        raise ValueError(
            f"{', '.join(papers)}: the paper prints no tables; "
            f"`reprolib figures {' '.join(papers)}` writes figures"
        )
    publication.report_written(paths)
    return 0
