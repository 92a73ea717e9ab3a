"""``reprolib figures``: files of the figures of papers; its arguments are those of the tables."""

from __future__ import annotations

import argparse

from reprolib.cli import arguments as shared
from reprolib.cli.commands import tables
from reprolib.rerun.records.registry import PAPERS

HELP = "write the figures of the papers: PDF, SVG, PNG"
FORMATS = ("pdf", "svg", "png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    tables.add_files(parser, "all", FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Write the figures, and say where.

    Raises
    ------
    ValueError
        If there is no paper or format of a name, or figures cannot be drawn from the records.
    OSError
        If the folder cannot be written to, or there are no results of a paper.
    """
    tables.check_files(arguments, FORMATS)
    papers = shared.chosen_with_whole_results(arguments.papers, PAPERS, arguments.results)
    import matplotlib

    from reprolib.report.paper_figures import write_figures

    matplotlib.use("Agg")
    paths = []
    for paper in papers:
        paths += write_figures(
            paper,
            arguments.output,
            arguments.format,
            command=tables.command_line("figures", paper, arguments),
            directory=arguments.results,
        )
    tables.report_written(paths)
    return 0
