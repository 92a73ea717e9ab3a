"""Picture of claims: the difference that decides, data set by data set, ours beside the printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reprolib.report.style import BLACK, BLUE, WIDTH, figure_grid
from reprolib.report.tables import dataset_name, sides
from reprolib.report.theme import BAND, LOOKS, signed
from reprolib.rerun.verdicts import ClaimVerdict
from reprolib.rerun.verdicts.errors import Error

_LINE = 0.24  # inches a row
_TITLE = 67  # letters that stand beside the word of a verdict


class _Row(NamedTuple):
    name: str
    difference: float
    error: Error
    printed: float
    is_mean: bool = False


def contrasts_figure(claims: Sequence[ClaimVerdict]) -> Figure:
    """Draw claims in one unit below each other, with a row for each data set, and their mean.

    A dot is our difference, its thick line the 90 % interval, its thin line the 95 % interval. A
    hollow diamond is the same difference in print. Where equality is claimed, a band shows what
    counts as equal.

    Parameters
    ----------
    claims : sequence of ClaimVerdict
        At least one.
    """
    rows = [_rows(c) for c in claims]
    heights = [len(of_claim) + 1.2 for of_claim in rows]
    size = (WIDTH, (sum(heights) + 3) * _LINE / len(claims))
    reach = [max(abs(r.difference) + r.error.half_width() for r in of_claim) for of_claim in rows]
    # One axis for all, unless it would squeeze a claim.
    share = max(reach) < 3 * min(reach)
    figure, axes = figure_grid(len(claims), 1, size=size, sharex=share, height_ratios=heights)
    for axis, c, of_claim in zip(axes, claims, rows, strict=True):
        _draw(axis, c, of_claim)
    unit = " in points" if claims[0].claim.scale == 100 else ""
    better = "better" if claims[0].claim.larger_is_better else "worse"
    firsts = {_sides(c).partition(" − ")[0].split(": ")[-1] for c in claims}
    first = firsts.pop() if len(firsts) == 1 else "the first"
    axes[-1].set_xlabel(f"difference{unit} (right of zero: {first} is {better})")
    signs: list[Line2D | Patch] = [
        Line2D([], [], color=BLUE, marker="o", lw=3, label="ours, 90 % interval"),
        Line2D([], [], color=BLUE, lw=1, label="95 %"),
        Line2D([], [], color=BLACK, marker="D", mfc="white", lw=0, label="printed"),
    ]
    if any(c.claim.kind != "better" for c in claims):
        signs.append(Patch(color=BAND, label="counts as equal"))
    figure.legend(handles=signs, loc="outside upper center", ncols=len(signs))
    return figure


def _sides(c: ClaimVerdict) -> str:
    """Both sides; of a sentence about every data set without the one that decides."""
    return sides(c).rpartition(" on ")[0] if c.claim.each else sides(c)


def _rows(c: ClaimVerdict) -> list[_Row]:
    if c.claim.each:
        rival = c.weakest.against.rpartition(" on ")[0]
        own = [o for o in c.contrasts if o.against.rpartition(" on ")[0] == rival]
        return [
            _Row(dataset_name(next(iter(o.by_cell))), o.difference, o.error, o.printed) for o in own
        ]
    rows = [
        _Row(dataset_name(cell), found.difference, found.error, found.printed)
        for cell, found in c.weakest.by_cell.items()
    ]
    if len(rows) == 1:
        return rows
    return [*rows, _Row("Mean", c.difference, c.weakest.error, c.weakest.printed, True)]


def _draw(axis: Axes, c: ClaimVerdict, rows: Sequence[_Row]) -> None:
    for y, row in enumerate(rows):
        for level, width in ((0.95, 1.0), (0.9, 3.0)):
            half = row.error.half_width(level)
            if np.isfinite(half):
                ends = [row.difference - half, row.difference + half]
                axis.plot(ends, [y, y], color=BLUE, lw=width, solid_capstyle="butt")
        axis.plot(row.difference, y, "o", color=BLUE, ms=8 if row.is_mean else 5.5)
        axis.plot(row.printed, y, "D", color=BLACK, mfc="white", ms=5)
    axis.axvline(0, color=BLACK, lw=1, zorder=2.5)
    if c.claim.kind != "better":
        axis.axvspan(-c.claim.margin, c.claim.margin, color=BAND, zorder=0)
    axis.set_yticks(range(len(rows)), [row.name for row in rows])
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.grid(axis="y", visible=False)
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    name, names = c.claim.name, _sides(c)
    is_short = len(name) + len(names) < _TITLE
    axis.set_title(f"{name}:  {names}" if is_short else f"{name}\n{names}", loc="left")
    axis.set_title(signed(c.word), loc="right", color=LOOKS[c.word].colour.light, weight="bold")
    if rows[-1].is_mean:
        axis.get_yticklabels()[-1].set_fontweight("bold")
        axis.axhline(len(rows) - 1.5, color=BLACK, lw=0.6)
