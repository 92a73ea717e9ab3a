"""One look for all figures of measurements; that of verdicts is in `theme`."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cycler import cycler
from matplotlib.figure import Figure

from reprolib.rerun.records import sources as of_records

#: Colours that stay apart for the colour-blind (Okabe and Ito).
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#222222",
)
#: Inches of the widest figure, and points of its smallest text: a phone shows it 400 pixels wide.
WIDTH, SMALL = 6.6, 9
#: Panels side by side.
ABREAST = 2


def use_style() -> None:
    """Set matplotlib's defaults for all figures of the project."""
    mpl.rcParams.update(
        {
            "figure.figsize": (WIDTH, 3.8),
            "figure.dpi": 130,
            "savefig.dpi": 160,
            "savefig.bbox": "tight",
            "figure.constrained_layout.use": True,
            "font.size": SMALL,
            "axes.titlesize": 10,
            "legend.fontsize": SMALL,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#dddddd",
            "grid.linewidth": 0.6,
            "lines.linewidth": 1.8,
            "legend.frameon": False,
            "axes.prop_cycle": cycler(color=[BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK]),
            "svg.hashsalt": "reprolib",
        }
    )


def note_source(figure: Figure, text: str) -> None:
    """Print the source of the data below a figure."""
    figure.supxlabel(text, fontsize=SMALL, color="#666666", x=0.99, ha="right")


def source_text(rows: pd.DataFrame) -> str:
    """Say which data sets of some records came from which source; beyond six, how many."""
    sources = of_records(rows).groupby(rows["dataset"]).first()
    told = []
    for source, group in sources.groupby(sources):
        names = ", ".join(str(name).split("/")[-1] for name in group.index)
        told.append(f"{names if len(group) <= 6 else f'{len(group)} sets'} ({source})")
    return "data: " + "; ".join(told)


def legend_above(axis, ncols: int = 2) -> None:
    """Legend of one axis above its whole figure."""
    handles = axis.get_legend_handles_labels()
    axis.figure.legend(*handles, loc="outside upper center", ncols=ncols)


def interval_plot(frame: pd.DataFrame, labels: Sequence[str], x_label: str) -> Figure:
    """Paired differences with their intervals, one line each, the first at the bottom.

    Parameters
    ----------
    frame : DataFrame
        With the columns difference, low and high.
    labels : sequence of str
        Text beside each line.
    x_label : str
        Text below the axis.
    """
    n_lines = sum(1 + label.count("\n") for label in labels)
    figure, (axis,) = figure_grid(1, 1, size=(WIDTH, 1.1 + 0.22 * n_lines))
    y = np.arange(len(frame))
    clear = ((frame["low"] > 0) | (frame["high"] < 0)).to_numpy()
    for flag, colour, label in [(True, RED, "interval excludes 0"), (False, BLUE, "includes 0")]:
        part = frame[clear == flag]
        half = (part["high"] - part["low"]) / 2
        axis.errorbar(
            part["difference"], y[clear == flag], xerr=half, fmt="o", color=colour, label=label
        )
    axis.axvline(0, color=BLACK, lw=1)
    axis.set_yticks(y, labels, fontsize=SMALL)
    axis.set_xlabel(x_label)
    legend_above(axis)
    return figure


def figure_grid(n_rows: int, n_columns: int, size=(WIDTH / 2, 2.6), **kwargs):
    """Figure and flat array of axes, each of a size in inches: together no wider than `WIDTH`."""
    figure, axes = plt.subplots(
        n_rows,
        n_columns,
        figsize=(size[0] * n_columns, size[1] * n_rows),
        squeeze=False,
        **kwargs,
    )
    return figure, axes.ravel()


def small_multiples(n: int, n_columns: int = ABREAST, size=(WIDTH / 2, 2.4), **kwargs):
    """Figure and flat array of n axes; what is left of the last row stays empty."""
    n_columns = min(n_columns, ABREAST, n)
    figure, axes = figure_grid(-(-n // n_columns), n_columns, size=size, **kwargs)
    for axis in axes[n:]:
        axis.remove()
    return figure, axes[:n]


def plane_grid(X, steps: int = 160):
    """Square grid a little beyond the points X: both coordinates, and its points as rows."""
    sides = [
        np.linspace(low - 0.4, high + 0.4, steps)
        for low, high in zip(X.min(0), X.max(0), strict=True)
    ]
    x, y = np.meshgrid(*sides)
    return x, y, np.column_stack([x.ravel(), y.ravel()])
