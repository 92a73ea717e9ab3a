"""Set-up of the notebooks: the same output on every machine."""

from __future__ import annotations

import os
import re
import warnings
from typing import TYPE_CHECKING

import pandas as pd
from threadpoolctl import threadpool_limits

from reprolib.report.picture import png
from reprolib.report.style import use_style

if TYPE_CHECKING:
    from IPython.display import HTML
    from matplotlib.figure import Figure


#: Key of what the package notes in the metadata of an output.
MARK = "reprolib"
#: Characters from which on a text is read line by line, so that its column may not be narrow.
LONG = 60


def setup() -> None:
    """Pin BLAS to one thread, set the figure style, and show tables in full.

    Warnings of third-party libraries go unshown: their text holds paths and line numbers, which
    differ between machines.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    threadpool_limits(limits=1)
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", message="IProgress not found")
    use_style()
    pd.set_option("display.max_rows", 200)
    pd.set_option("display.max_columns", 30)
    pd.set_option("display.width", 140)
    pd.set_option("display.max_colwidth", None)


def left_aligned(frame: pd.DataFrame) -> HTML:
    """Table in full with its texts left-aligned, a long one read line by line.

    Parameters
    ----------
    frame : DataFrame
        Its index stands in the first columns; equal entries of it that follow each other are shown
        once.
    """
    from IPython.display import HTML

    with pd.option_context("display.max_colwidth", None, "display.max_rows", None):
        page = frame.to_html(justify="left")
    left = "text-align: left; vertical-align: top"
    page = re.sub(f"<td>(?=[^<]{{{LONG},}})", f'<td style="{left}; min-width: 22em">', page)
    page = page.replace("<td>", f'<td style="{left}">')
    return HTML(re.sub("<th(?=[ >])", f'<th style="{left}"', page))


def show(figure: Figure, alt: str) -> None:
    """Display a figure once, with a text that says what it shows to those who cannot see it.

    The picture carries the plotted data along (see `reprolib.report.picture`), so that a test can
    tell whether a stored picture is still the one that its cell draws.

    Parameters
    ----------
    figure : Figure
        Closed afterwards.
    alt : str
        Alternative text of the picture in the notebook and in the pages made of it.
    """
    import matplotlib.pyplot as plt
    from IPython.display import display

    bundle = {"image/png": png(figure), "text/plain": repr(figure)}
    display(bundle, raw=True, metadata={"image/png": {"alt": alt}})
    plt.close(figure)
