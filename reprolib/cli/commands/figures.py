"""``reprolib figures``: files of the figures of papers."""

from __future__ import annotations

import argparse

from reprolib.cli import publication
from reprolib.cli.results import chosen_with_results
from reprolib.rerun.records.registry import PAPERS, STUDIES

HELP = "write the figures of the papers: PDF, SVG, PNG"
FORMATS = ("pdf", "svg", "png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    publication.add_arguments(parser, "all", FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Write the figures, and say where.

    Raises
    ------
    ValueError
        If there is no paper or format of a name, or figures cannot be drawn from the records.
    OSError
        If the folder cannot be written to, or there are no results of a paper.
    """
    publication.check(arguments, FORMATS)
    papers = chosen_with_results(arguments.papers, (*PAPERS, *STUDIES), arguments.results)
    import matplotlib

    from reprolib.report.paper_figures import write_figures

    matplotlib.use("Agg")
    paths = []
    for paper in papers:
        command = publication.command_line("figures", paper, arguments)
        paths += write_figures(
            paper, arguments.to, arguments.format, command=command, directory=arguments.results
        )
    publication.report_written(paths)
    return 0
