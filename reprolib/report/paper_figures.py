"""Figures of the report: a paper's ``figures.py`` lists them as ``FIGURES``."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from reprolib.rerun.records.registry import paper_module
from reprolib.rerun.records.rows import ok


def _always(records: pd.DataFrame) -> bool:
    return True


@dataclass(frozen=True)
class PaperFigure:
    """A figure that is drawn from the records of a paper alone.

    Parameters
    ----------
    caption : str
    draw : callable
        A public function of the paper's ``figures.py``; called with the records of all tables.
    alt : str
        What it shows on the committed records, for those who cannot see it; its caption if empty.
    fits : callable
        Whether records have what it draws: an incomplete run, or one on other data, may not.
    """

    caption: str
    draw: Callable[[pd.DataFrame], Figure]
    alt: str = ""
    fits: Callable[[pd.DataFrame], bool] = _always

    @property
    def alternative(self) -> str:
        """What it shows, or its caption."""
        return self.alt or self.caption


def has_table(name: str) -> Callable[[pd.DataFrame], bool]:
    """Whether records are of a table: to be `PaperFigure.fits`."""
    return lambda records: bool((records["table"] == name).any())


def paper_figures(paper: str, records: pd.DataFrame) -> Sequence[PaperFigure]:
    """Figures of a paper that its records allow; none where it has no module of figures yet."""
    module = paper_module(paper, "figures")
    listed: Sequence[PaperFigure] = () if module is None else module.FIGURES
    return [figure for figure in listed if figure.fits(ok(records))]


def report_figures(paper: str, records: pd.DataFrame) -> Mapping[str, Figure]:
    """Draw the figures of a paper; by caption.

    Parameters
    ----------
    paper : str
    records : DataFrame
        Records of all its tables; failed ones are left out.
    """
    return {f.caption: f.draw(ok(records)) for f in paper_figures(paper, records)}


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
