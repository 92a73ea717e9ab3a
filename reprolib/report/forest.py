"""The forest plot of a paper: printed, ours and the interval of every number, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, get_args

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from reprolib.report import drawing
from reprolib.report.drawing import Drawing, Group, Line, Mark, Ring, Shape, Text
from reprolib.report.marks import described, outcomes
from reprolib.report.style import WIDTH
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.printed import Quantity, Role
from reprolib.rerun.verdicts.words import WORDS

#: Pixels: height of a line, margin, of a letter, and of half a printed number's bar.
_LINE, _MARGIN, _LETTER, _BAR = 18, 12, 6.6, 7
#: Width of the plot beside the names on the page, and of names and plot in a figure.
_PLOT, _FIGURE = 560, WIDTH * drawing.DPI
#: Selections over more than this ratio are drawn on a scale like a logarithm away from zero.
_WIDE_RATIO = 20.0
_UNITS = {"performance": "per cent", "selection": "selected"}
#: The legend: width of a sign, and the signs that are no words.
_SIGN_WIDTH = 26
_PUBLISHED, _INTERVAL, _READING = "published", "interval", "reading"


def in_forest_order(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Verdicts as they are drawn: by quantity, role, table and row, otherwise in printed order."""
    roles, quantities = get_args(Role), get_args(Quantity)
    rows = [(v.number.table, v.number.row) for v in verdicts]
    return sorted(
        verdicts,
        key=lambda v: (
            quantities.index(v.quantity),
            roles.index(v.role),
            v.number.table,
            rows.index((v.number.table, v.number.row)),
        ),
    )


def _values(v: Verdict) -> dict[str, Any]:
    """What is drawn of a number, in per cent for performance, else in the printed unit."""
    unit = 100 / v.number.scale if v.quantity == "performance" else 1.0
    low, high = v.interval
    return {
        "published": unit * v.number.value,
        "ours": unit * v.ours,
        "low": unit * (v.number.value + low),
        "high": unit * (v.number.value + high),
        "readings": [unit * outcome.ours for outcome in v.readings.values()],
    }


def forests(verdicts: Sequence[Verdict], plot_width: int = _PLOT) -> dict[str, Drawing]:
    """Draw the numbers of a paper, one drawing a quantity, own method first.

    In a line: the printed number as a bar, ours as the mark of its verdict with the 95 % interval,
    means under other readings as small circles. The legend below names what is there.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper.
    plot_width : int
        Pixels beside the names.

    Returns
    -------
    dict of str to Drawing
        By quantity; those that the paper does not print are left out.
    """
    return {
        quantity: _forest(list(of_quantity), quantity, plot_width)
        for quantity, of_quantity in groupby(in_forest_order(verdicts), key=lambda v: v.quantity)
    }


def forest_figure(verdicts: Sequence[Verdict]) -> Figure:
    """Figure of all `forests` of a paper, one below the other.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper, at least one.
    """
    plot_width = round(_FIGURE - _left(verdicts) - _MARGIN)
    return drawing.figure(list(forests(verdicts, plot_width).values()))


@dataclass(frozen=True)
class _Scale:
    """Where values are drawn: linear, or like a logarithm away from zero."""

    bend: Callable[[Any], Any]
    low: float
    high: float
    ticks: Sequence[float]
    left: float
    width: int

    def __call__(self, value: float) -> float:
        bent, low, high = (self.bend(x) for x in (value, self.low, self.high))
        return round(float(self.left + self.width * (bent - low) / (high - low)), 1)


def _left(verdicts: Sequence[Verdict]) -> int:
    """Width of the names."""
    longest = max(len(f"{v.number.row}, {v.number.column}") for v in verdicts)
    return round(_LETTER * longest) + 24 + _MARGIN


def _forest(verdicts: Sequence[Verdict], quantity: str, plot_width: int) -> Drawing:
    left = _left(verdicts)
    width = left + plot_width + _MARGIN
    scale = replace(_scale(verdicts, quantity), left=left, width=plot_width)
    groups = list(_lines(verdicts, scale, width))
    bottom = _LINE * (len(groups) + 1)
    groups = [Group(list(_grid(scale, bottom, _UNITS[quantity]))), *groups]
    legend = list(_legend(verdicts, bottom + 3 * _LINE, width))
    texts = [shape for group in legend for shape in group.shapes if isinstance(shape, Text)]
    height = texts[-1].y + _LINE
    paper = verdicts[0].number.paper.upper()
    label = f"Forest plot of {paper}, {quantity}: published and ours, as in the tables below."
    return Drawing("forest", label, width, height, [*groups, *legend])


def _lines(verdicts: Sequence[Verdict], scale: _Scale, width: float) -> Iterator[Group]:
    """Lines below the heading of their role and table."""
    y = 0
    for (role, table), of_table in groupby(verdicts, key=lambda v: (v.role, v.number.table)):
        y += _LINE
        yield Group([Text(4, y, f"{role}, {table}", "name")])
        for v in of_table:
            y += _LINE
            box = (0, y - _LINE / 2, width, _LINE)
            yield Group(list(_shapes(v, y, scale)), "line", described(v), box)


def _shapes(v: Verdict, y: float, scale: _Scale) -> Iterator[Shape]:
    line, texts = _values(v), outcomes(v)
    yield Text(16, y, f"{v.number.row}, {v.number.column}")
    if np.isfinite([line["low"], line["high"]]).all():
        yield Line((scale(line["low"]), y), (scale(line["high"]), y), "interval", v.word)
    for mean, name in zip(line["readings"], v.readings, strict=True):
        yield Ring(scale(mean), y, texts[name][1])
    printed = scale(line["published"])
    yield Line((printed, y - _BAR), (printed, y + _BAR), "published")
    if not np.isnan(line["ours"]):
        yield Mark(scale(line["ours"]), y, v.word)


def _grid(scale: _Scale, bottom: float, unit: str) -> Iterator[Shape]:
    for tick in scale.ticks:
        x = scale(tick)
        yield Line((x, _LINE / 2), (x, bottom - 6), "grid")
        yield Text(x, bottom + 6, f"{tick:g}", "tick")
    yield Text(scale.left + scale.width / 2, bottom + 6 + _LINE, unit, "tick")


def _legend(verdicts: Sequence[Verdict], top: float, width: float) -> Iterator[Group]:
    """What the signs mean, of those that are drawn."""
    measured = [v for v in verdicts if not np.isnan(v.ours)]
    entries = {_PUBLISHED: "published"}
    entries |= {word: f"ours: {word}" for word in WORDS if any(v.word == word for v in measured)}
    if any(np.isfinite(v.interval).all() for v in measured):
        entries[_INTERVAL] = "95 % interval of ours"
    if any(v.readings for v in verdicts):
        entries[_READING] = "ours under another reading"
    entry_width = 2 * _SIGN_WIDTH + _LETTER * max(map(len, entries.values()))
    n_columns = max(1, int((width - _MARGIN) // entry_width))
    for i, (sign, text) in enumerate(entries.items()):
        x = round(_MARGIN + entry_width * (i % n_columns), 1)
        y = top + _LINE * (i // n_columns)
        yield Group([Text(x + _SIGN_WIDTH, y, text), _sign(sign, x, y)], "legend")


def _sign(sign: str, x: float, y: float) -> Shape:
    middle = x + _SIGN_WIDTH / 2 - 4
    if sign == _PUBLISHED:
        return Line((middle, y - _BAR), (middle, y + _BAR), "published")
    if sign == _INTERVAL:
        return Line((x, y), (x + _SIGN_WIDTH - 8, y), "interval")
    return Ring(middle, y) if sign == _READING else Mark(middle, y, sign)


def _scale(verdicts: Sequence[Verdict], quantity: str) -> _Scale:
    lines = [_values(v) for v in verdicts]
    ends = np.array([[x[name] for name in ("published", "ours", "low", "high")] for x in lines])
    drawn = np.concatenate([ends.ravel(), *(x["readings"] for x in lines)])
    ends, drawn = ends[np.isfinite(ends)], drawn[np.isfinite(drawn)]
    low, high = float(drawn.min()), float(drawn.max())
    if low == high:
        low, high = low - 1, high + 1
    bend: Callable[[Any], Any] = float
    ticks = list(MaxNLocator(6).tick_values(low, high))
    if quantity == "selection" and ends.max() > _WIDE_RATIO * max(ends.min(), 1.0):
        bend = np.arcsinh
        powers = [first * 10.0**k for k in range(7) for first in (1, 3)]
        ticks = sorted([0.0, *powers, *(-power for power in powers)])
    slack = 1e-9 * (high - low)
    drawn_ticks = [tick for tick in ticks if low - slack <= tick <= high + slack]
    return _Scale(bend, low, high, drawn_ticks, left=0, width=1)
