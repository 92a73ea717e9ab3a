"""Everything that a run leaves of a paper in a folder: figures and printed tables."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd

from reprolib.report import paper_figures, printed_tables
from reprolib.report.origin import origin
from reprolib.report.printed_tables import PrintedTable
from reprolib.report.style import use_style


def write_paper(
    paper: str, records: pd.DataFrame, output: Path, command: str
) -> tuple[list[PrintedTable], str]:
    """Write figures and printed tables of a run into their folders.

    Parameters
    ----------
    paper : str
        Key of the paper.
    records : DataFrame
        Of the run.
    output : Path
        Its folder "results" has the records.
    command : str
        That made them.

    Returns
    -------
    tables : list of PrintedTable
        What was written.
    fault : str
        Why a figure could not be drawn; empty if all were.
    """
    results = output / "results"
    mpl.use("Agg")
    use_style()
    figures, fault = paper_figures.drawn_figures(paper, records)
    if figures:
        made = origin("", paper, command, results, records)
        start = output / "figures" / paper / "figure"
        paper_figures.save_figures(figures, made, start, paper_figures.FORMATS)
    tables = list(printed_tables.printed_tables(paper, results, command=command))
    if tables:
        printed_tables.write_printed_tables(tables, output / "tables", printed_tables.FORMATS)
    return tables, fault
