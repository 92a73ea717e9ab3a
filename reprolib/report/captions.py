"""Figures of a notebook with a caption below, and a description for those who cannot see them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from reprolib.report.notebook import show

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def captioned(figure: Figure, caption: str, alt: str) -> None:
    """Show a figure in a notebook, its caption below it.

    Parameters
    ----------
    figure : Figure
        It is closed, so that the notebook shows it once.
    caption : str
        Markdown, such as "Figure 1. Accuracy against the dimension."
    alt : str
        What the figure shows, for a screen reader: becomes the alternative text of the image.
    """
    from IPython.display import Markdown, display

    show(figure, alt)
    display(Markdown(caption))


def show_drawn(
    draw: Callable[[pd.DataFrame], Figure], records: pd.DataFrame, caption: str = ""
) -> None:
    """Show a figure of the report, with the description that the paper's figures have of it.

    Parameters
    ----------
    draw : callable
        Function of a paper's ``figures.py``, one of its ``FIGURES``.
    records : DataFrame
    caption : str, default=""
        Markdown below the figure.

    Raises
    ------
    ValueError
        If the function is none of the ``FIGURES`` of its module.
    """
    figures = getattr(sys.modules[draw.__module__], "FIGURES", ())
    matching = [figure for figure in figures if figure.draw is draw]
    if not matching:
        raise ValueError(
            f"{draw.__name__} is none of FIGURES in {draw.__module__}; list it there, or call "
            "show(figure, alt)"
        )
    if caption:
        captioned(draw(records), caption, matching[0].alternative)
    else:
        show(draw(records), matching[0].alternative)
