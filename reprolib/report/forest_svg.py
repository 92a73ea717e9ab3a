"""The forest plot as SVG for the report: drawn in the page's colours, told when pointed at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from reprolib.report.forest import forest_table, in_forest_order, is_wide
from reprolib.report.marks import described, outcomes
from reprolib.report.render import render
from reprolib.rerun.verdicts.judge import Verdict

#: Pixels: height of a line, width of the plot beside the names, margin, and of a letter.
_LINE, _PLOT, _MARGIN, _LETTER = 18, 560, 12, 6.6
_UNITS = {"performance": "per cent", "selection": "selected"}


@dataclass(frozen=True)
class _Scale:
    """Where values are drawn: linear, or like a logarithm away from zero."""

    bend: Callable[[Any], Any]
    low: float
    high: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        share = (self.bend(value) - self.bend(self.low)) / (
            self.bend(self.high) - self.bend(self.low)
        )
        return round(float(_PLOT * share), 1)


def forest_svg(verdicts: Sequence[Verdict], quantity: str) -> str:
    """Draw the numbers of one quantity, a line each, grouped by role and table; own method first.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper.
    quantity : {"performance", "selection"}

    Returns
    -------
    str
        Empty if the paper prints no such number. In a line: the published number as a bar, ours as
        the mark of its verdict with the 95 % interval, means under other readings as small circles.
    """
    table = forest_table(verdicts)
    pairs = [
        (v, line)
        for v, (_, line) in zip(in_forest_order(verdicts), table.iterrows(), strict=True)
        if v.quantity == quantity
    ]
    if not pairs:
        return ""
    scale = _scale(table[table["quantity"] == quantity], quantity)
    groups, bottom = _groups(pairs, scale)
    longest = max(len(line["name"]) for group in groups for line in group["lines"])
    return render(
        "forest.svg.jinja",
        quantity=quantity,
        paper=verdicts[0].number.paper,
        groups=groups,
        line_height=_LINE,
        names_width=round(_LETTER * longest) + 24,
        plot_width=_PLOT,
        margin=_MARGIN,
        bottom=bottom,
        ticks=[(scale(tick), f"{tick:g}") for tick in scale.ticks],
        unit=_UNITS[quantity],
    )


def _groups(
    pairs: Sequence[tuple[Verdict, pd.Series]], scale: _Scale
) -> tuple[list[dict[str, Any]], int]:
    """Lines below the heading of their role and table, and the height of all."""
    groups: list[dict[str, Any]] = []
    y = 0
    for (role, name), listed in groupby(
        pairs, key=lambda pair: (pair[0].role, pair[0].number.table)
    ):
        lines = [_line(v, line, scale) for v, line in listed]
        groups.append({"name": f"{role}, {name}", "y": y, "lines": lines})
        y += _LINE * (1 + len(lines))
    return groups, y


def _line(v: Verdict, line: pd.Series, scale: _Scale) -> dict[str, Any]:
    finite = np.isfinite([line["low"], line["high"]]).all()
    told = outcomes(v)
    return {
        "name": f"{line['row']}, {line['column']}",
        "title": described(v),
        "word": v.word,
        "published": scale(line["published"]),
        "ours": scale(line["ours"]) if v.n_trials else None,
        "interval": (scale(line["low"]), scale(line["high"])) if finite else None,
        "readings": [
            (scale(mean), told[name][1])
            for mean, name in zip(line["readings"], v.readings, strict=True)
        ],
    }


def _scale(lines: pd.DataFrame, quantity: str) -> _Scale:
    ends = lines[["published", "ours", "low", "high"]].to_numpy(float)
    wide = quantity == "selection" and is_wide(ends[np.isfinite(ends)])
    drawn = np.concatenate([ends.ravel(), *lines["readings"]])
    drawn = drawn[np.isfinite(drawn)]
    if wide:
        bend: Callable[[Any], Any] = np.arcsinh
        powers = [sign * first * 10.0**k for k in range(7) for first in (1, 3) for sign in (-1, 1)]
        candidates = [*powers, 0.0]
    else:
        bend = float
        candidates = list(MaxNLocator(6).tick_values(drawn.min(), drawn.max()))
    low, high = float(drawn.min()), float(drawn.max())
    if low == high:
        low, high = low - 1, high + 1
    return _Scale(bend, low, high, tuple(sorted(t for t in candidates if low <= t <= high)))
