"""``reprolib tables``: files of the printed tables."""

from __future__ import annotations

from reprolib.cli.console import out
from reprolib.cli.publication import command_line, results_at_hand, say_written
from reprolib.report.printed_tables import printed_tables, write_printed_tables
from reprolib.rerun.records.registry import PAPERS, STUDIES


def run(arguments) -> int:
    """Write the tables of papers, and say where.

    Raises
    ------
    ValueError
        If a study is named, which has no printed tables.
    FileNotFoundError
        If there are no results of a paper.
    """
    if studies := [name for name in arguments.papers if name in STUDIES]:
        raise ValueError(
            f"{studies[0]} is a study of our own and has no printed tables; "
            f"`reprolib figures {studies[0]}` writes its figures"
        )
    paths = []
    for paper in results_at_hand(arguments, PAPERS):
        command = command_line("tables", paper, arguments)
        tables = printed_tables(paper, arguments.results, command=command)
        paths += write_printed_tables(tables, arguments.to, arguments.format)
    say_written(out(), paths)
    return 0
