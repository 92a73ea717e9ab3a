"""Figures of the notebooks and the report: one module a paper, functions that return a Figure."""

from __future__ import annotations

import traceback
from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from reprolib.rerun.records.registry import paper_module


def report_figures(paper: str, records: pd.DataFrame) -> Mapping[str, Figure]:
    """Figures of a paper by caption; none where it has no module of figures yet.

    Parameters
    ----------
    paper : str
    records : DataFrame
        Records of all its tables.
    """
    module = paper_module(paper, "figures")
    return {} if module is None else module.report_figures(records)


def drawn_figures(paper: str, records: pd.DataFrame) -> tuple[Mapping[str, Figure], str]:
    """Figures of a paper by caption, and the traceback if they cannot be drawn.

    Records of an incomplete run, or of one on other data, may lack what a figure needs.

    Parameters
    ----------
    paper : str
    records : DataFrame
        Records of all its tables.
    """
    try:
        return report_figures(paper, records), ""
    except Exception:
        return {}, traceback.format_exc()
