"""How sharp the runs are: differences from print against the half-widths of their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.report.style import BLACK
from reprolib.report.theme import scatter_style
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.words import WORDS

#: Percentage points below which the axes of the picture are linear.
_LINEAR_BELOW = 0.1


def sharpness_table(verdicts: Mapping[str, Sequence[Verdict]]) -> pd.DataFrame:
    """Difference and half-width of its interval for every measured performance.

    Errors, accuracies and areas, in percentage points; selections have no such unit and are left
    out, and so is what has no interval because it was run once.
    """
    rows = [
        {
            "paper": paper.upper(),
            "verdict": v.word,
            "difference": abs(v.difference) * 100 / v.number.scale,
            "half-width": v.half_width * 100 / v.number.scale,
        }
        for paper, of_paper in verdicts.items()
        for v in of_paper
        if v.quantity == "performance" and np.isfinite(v.half_width)
    ]
    return pd.DataFrame(rows, columns=["paper", "verdict", "difference", "half-width"])


def sharpness_figure(verdicts: Mapping[str, Sequence[Verdict]]) -> Figure:
    """Difference from the published number against the half-width of its interval.

    Below the diagonal the published number is inside the interval; the further to the right, the
    less that says. Both axes have the same scale and limits, linear below 0.1, so that equal
    lengths lie on the straight diagonal.
    """
    frame = sharpness_table(verdicts)
    figure, axes = plt.subplots(figsize=(6.0, 5.6))
    for word in WORDS:
        part = frame[frame["verdict"] == word]
        if not part.empty:
            axes.scatter(part["half-width"], part["difference"], label=word, **scatter_style(word))
    largest = frame[["half-width", "difference"]].to_numpy().max(initial=1.0)
    axes.set_xscale("symlog", linthresh=_LINEAR_BELOW)
    axes.set_yscale("symlog", linthresh=_LINEAR_BELOW)
    axes.set(xlim=(0, 1.5 * largest), ylim=(0, 1.5 * largest), box_aspect=1)
    axes.axline((0, 0), (1, 1), transform=axes.transAxes, color=BLACK, lw=1)
    axes.set_xlabel("half-width of the 95 % interval (percentage points)")
    axes.set_ylabel("|ours − published| (percentage points)")
    axes.legend(fontsize=9)
    return figure
