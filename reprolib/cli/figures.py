"""``reprolib figures``: files of the figures."""

from __future__ import annotations

import matplotlib

from reprolib.cli.console import out
from reprolib.cli.publication import command_line, results_at_hand, say_written
from reprolib.report.figure_files import write_figures
from reprolib.rerun.records.registry import PAPERS, STUDIES


def run(arguments) -> int:
    """Write the figures of papers, and say where.

    Raises
    ------
    FileNotFoundError
        If there are no results of a paper.
    ValueError
        If the figures cannot be drawn from the records.
    """
    matplotlib.use("Agg")
    paths = []
    for paper in results_at_hand(arguments, (*PAPERS, *STUDIES)):
        command = command_line("figures", paper, arguments)
        paths += write_figures(
            paper, arguments.to, arguments.format, command=command, directory=arguments.results
        )
    say_written(out(), paths)
    return 0
