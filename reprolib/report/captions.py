"""Figures of a notebook with a caption below, and a description for those who cannot see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reprolib.report.notebook import show

if TYPE_CHECKING:
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
