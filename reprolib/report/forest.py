"""The forest plot: every printed number that was run, drawn as it is decided.

A line has the difference of ours from print, its 90 % interval thick and its 95 % interval thin.
The band is where ours counts as reproduced. Differences are measured in margins, on a scale like a
logarithm away from zero, so that the band is as wide in every picture and nothing is cut.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import get_args

import numpy as np

from reprolib.report.drawing import Band, Drawing, Group, Line, Mark, Shape, Text
from reprolib.report.tables import difference_text, half_width_text, number_text
from reprolib.rerun.verdicts import Verdict
from reprolib.rerun.verdicts.printed import Quantity, Role, short_name
from reprolib.rerun.verdicts.words import WORDS

#: Margin around a picture, width of a letter, height of a line, width of a sign, in pixels.
_MARGIN, _LETTER, _LINE, _SIGN = 6, 6.6, 18, 26
#: A bold letter is so many times as wide.
_BOLD = 1.1
#: Width of the plot beside the names, so that a phone shows it whole.
_PLOT = 150
#: Differences that have a line of the grid, and the largest that is drawn in its place, in margins.
_TICKS, _FARTHEST = (-1, 1, 0, -3, 3, -10, 10, -30, 30), 50.0
_ROLES = {"own": "the paper's method", "baseline": "baselines"}


def described(v: Verdict) -> str:
    """Describe a number in one sentence: what is printed, ours with its interval, the word."""
    n = v.number
    published = number_text(n.value, n.spread, n.digits)
    label = f"{short_name(n.paper)}, {n.table}, {n.row}, {n.column}: printed {published}"
    if not v.n_trials:
        return f"{label}, {v.word}"
    return (
        f"{label}, ours {number_text(v.ours, v.spread, n.digits)}, "
        f"difference {difference_text(v.difference, n.digits)}, "
        f"95 % half-width {half_width_text(v.half_width, n.digits)} ({v.design}), "
        f"trials {v.n_trials}, {v.source}: {v.word}"
    )


def forests(verdicts: Sequence[Verdict]) -> dict[str, Drawing]:
    """Draw the numbers of a paper that were run, one drawing a quantity, own method first.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper.

    Returns
    -------
    dict of str to Drawing
        By quantity; those without a number that was run are left out. Within each, numbers are
        sorted by role and table, and otherwise in printed order.
    """
    roles, quantities = get_args(Role), get_args(Quantity)
    run = [v.shown for v in verdicts if v.n_trials and v.word != "quoted"]
    run.sort(key=lambda v: (quantities.index(v.quantity), roles.index(v.role), v.number.table))
    return {
        quantity: _forest(list(of_quantity), quantity)
        for quantity, of_quantity in groupby(run, key=lambda v: v.quantity)
    }


def _left(verdicts: Sequence[Verdict]) -> int:
    """Where the plot begins, right of the longest name and heading."""
    names = [f"{v.number.row}, {v.number.column}" for v in verdicts]
    headings = [_heading(v.role, v.number.table) for v in verdicts]
    longest = max(*map(len, names), *(_BOLD * len(heading) for heading in headings))
    return round(_LETTER * longest) + 2 * _MARGIN


def _heading(role: str, table: str) -> str:
    name = re.sub(r"^table(?=\d)", "Table ", table)
    return f"{_ROLES.get(role, role)}, {name}"


def _forest(verdicts: Sequence[Verdict], quantity: str) -> Drawing:
    """Lines below the heading of their role and table, on a grid, with a legend."""
    left = _left(verdicts)
    ends = np.array([[_margins(v, x) for x in (v.difference, *v.interval)] for v in verdicts])
    ends = np.clip(ends[np.isfinite(ends)], -_FARTHEST, _FARTHEST)
    low, high = min(-2.0, *ends), max(2.0, *ends)

    def place(margins: float) -> float:
        bent, first, last = np.arcsinh([min(max(margins, low), high), low, high])
        return round(float(left + _PLOT * (bent - first) / (last - first)), 1)

    groups, y = list[Group](), 0
    for (role, table), of_table in groupby(verdicts, key=lambda v: (v.role, v.number.table)):
        y += _LINE
        groups.append(Group([Text(_MARGIN, y, _heading(role, table), "name")]))
        for v in of_table:
            y += _LINE
            box = (0, y - _LINE / 2, left + _PLOT, _LINE)
            shapes: list[Shape] = [Text(_MARGIN, y, f"{v.number.row}, {v.number.column}")]
            for kind, interval in (("thin", v.interval), ("thick", v.interval_90)):
                start, end = (place(_margins(v, x)) for x in interval)
                if not math.isnan(start + end):
                    shapes.append(Line((start, y), (end, y), kind, v.word))
            shapes.append(Mark(place(_margins(v, v.difference)), y, v.word))
            groups.append(Group(shapes, "line", described(v), box))
    bottom = y + _LINE
    grid: list[Shape] = []
    in_points = [100 / v.number.scale if v.quantity == "performance" else 1.0 for v in verdicts]
    same = {round(v.margin * points, 9) for v, points in zip(verdicts, in_points, strict=True)}
    if not any(map(math.isnan, same)):
        grid.append(Band(place(-1), _LINE / 2, place(1) - place(-1), bottom - 6 - _LINE / 2))
    unit = same.pop() if len(same) == 1 else 1.0
    taken: list[tuple[float, float]] = []
    for tick in (tick for tick in _TICKS if low <= tick <= high):  # what matters most first
        x, text = place(tick), f"{tick * unit:+g}".replace("-", "−") if tick else "0"
        grid.append(Line((x, _LINE / 2), (x, bottom - 6), "zero" if tick == 0 else "grid"))
        half = _LETTER * len(text) / 2
        fits = x + half < left + _PLOT + _MARGIN
        if fits and all(abs(x - other) > half + width + _LETTER / 2 for other, width in taken):
            grid.append(Text(x, bottom + 6, text, "tick"))
            taken.append((x, half))
    axis = f"ours − printed, {'points' if quantity == 'performance' else 'margins'}"
    for line, text in enumerate((axis, "(log beyond the band)"), start=1):
        grid.append(Text(left + _PLOT / 2, bottom + 6 + line * _LINE, text, "tick"))
    legend = list(_legend(verdicts, bottom + 4 * _LINE))
    paper = short_name(verdicts[0].number.paper)
    label = f"Forest plot of {paper}, {quantity}: ours minus printed, as in the tables."
    height = bottom + (5 + len(legend)) * _LINE
    width = left + _PLOT + _MARGIN
    return Drawing("forest", label, width, height, [Group(grid), *groups, *legend])


def _margins(v: Verdict, difference: float) -> float:
    """A difference in margins; as it is where no margin was stated."""
    return difference if math.isnan(v.margin) else difference / v.margin


def _legend(verdicts: Sequence[Verdict], top: float) -> Iterator[Group]:
    """What the signs mean, of those that are drawn."""
    middle, start = _MARGIN + _SIGN / 2 - 4, _MARGIN + _SIGN
    words = [word for word in WORDS if any(v.word == word for v in verdicts)]
    signs: list[tuple[list[Shape], str]] = []
    for i, word in enumerate(words):
        signs.append(([Mark(middle, top + i * _LINE, word)], word))
    y = top + len(words) * _LINE
    for kind, text in (("thick", "90 % interval"), ("thin", "95 % interval")):
        signs.append(([Line((_MARGIN, y), (_MARGIN + _SIGN - 8, y), kind)], text))
        y += _LINE
    band = Band(_MARGIN, y - 6, _SIGN - 8, 12)
    signs.append(([band], "what counts as reproduced"))
    for i, (shapes, text) in enumerate(signs):
        yield Group([*shapes, Text(start, top + i * _LINE, text)], "legend")
