"""What `reprolib reproduce` writes and prints of a paper when its tasks are done."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd

from reprolib.cli import console as consoles
from reprolib.cli.failures import FailureLog
from reprolib.cli.table_text import print_claims, print_table
from reprolib.report.origin import origin
from reprolib.report.paper_figures import FORMATS as FIGURES
from reprolib.report.paper_figures import drawn_figures, save_figures
from reprolib.report.printed_tables import FORMATS as TABLES
from reprolib.report.printed_tables import printed_tables, write_printed_tables
from reprolib.report.style import use_style
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims


def show_paper(paper: str, records: pd.DataFrame, arguments, output: Path, log: FailureLog) -> None:
    """Write figures and printed tables of a run; print the tables."""
    results = output / "results"
    embedded = " --embedded" if arguments.embedded else ""
    command = f"reprolib reproduce {paper} --{arguments.profile}{embedded}"
    _write_figures(paper, records, command, output, log)
    if paper not in PAPERS:
        return
    tables = printed_tables(paper, results, command=command)
    write_printed_tables(tables, output / "tables", TABLES)
    out = consoles.out()
    for table in tables:
        print_table(out, table)
    print_claims(out, judge_claims(paper, results))


def _write_figures(
    paper: str, records: pd.DataFrame, command: str, output: Path, log: FailureLog
) -> None:
    """Write the figures; what cannot be drawn is said."""
    mpl.use("Agg")
    use_style()
    figures, fault = drawn_figures(paper, records)
    if fault:
        log.say(f"the figures of {paper} cannot be drawn", fault)
    if figures:
        made = origin("", paper, command, output / "results", records)
        save_figures(figures, made, output / "figures" / paper / "figure", FIGURES)
