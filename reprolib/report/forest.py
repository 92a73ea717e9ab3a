"""The forest plot of a paper: printed, ours and the interval of every number, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reprolib.report.style import BLACK, HOLLOW, VERDICT_MARKERS, VERDICT_STYLE, verdict_mark
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.number import Quantity, Role
from reprolib.rerun.verdicts.words import WORDS

_GREY = "#777777"
#: Inches that a line, the axis with its label, and a panel take.
_LINE, _MARGIN, _WIDTH = 0.19, 1.3, 6.4
#: Selections over more than this ratio are drawn on a logarithmic scale (linear around zero).
_WIDE_RATIO = 20.0


def forest_table(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Lines of a forest plot, in the order in which they are drawn.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper.

    Returns
    -------
    DataFrame
        One line a number: quantity, role, table, row, column, verdict, and in the unit of its
        panel (per cent for performance, the printed unit for selections) published, ours, the
        ends low and high of the interval around ours, and the list of means under other readings.
        Sorted by quantity, role, table and row, otherwise in printed order.
    """
    return pd.DataFrame([_line(v) for v in in_forest_order(verdicts)], columns=_COLUMNS)


def in_forest_order(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Verdicts as they are drawn: by quantity, role, table and row, otherwise in printed order."""
    roles, quantities = get_args(Role), get_args(Quantity)
    return sorted(
        verdicts,
        key=lambda v: (
            quantities.index(v.quantity),
            roles.index(v.role),
            v.number.table,
            _first_place(verdicts, v),
        ),
    )


_COLUMNS = ["quantity", "role", "table", "row", "column", "verdict", "published", "ours"]
_COLUMNS += ["low", "high", "readings"]


def _first_place(verdicts: Sequence[Verdict], verdict: Verdict) -> int:
    """Place of the first number of the verdict's row."""
    row = (verdict.number.table, verdict.number.row)
    return next(i for i, v in enumerate(verdicts) if (v.number.table, v.number.row) == row)


def _line(v: Verdict) -> dict:
    unit = 100 / v.number.scale if v.quantity == "performance" else 1.0
    low, high = v.interval
    return {
        "quantity": v.quantity,
        "role": v.role,
        "table": v.number.table,
        "row": v.number.row,
        "column": v.number.column,
        "verdict": v.word,
        "published": unit * v.number.value,
        "ours": unit * v.ours,
        "low": unit * (v.number.value + low),
        "high": unit * (v.number.value + high),
        "readings": [unit * outcome.ours for outcome in v.readings.values()],
    }


def forest_figure(verdicts: Sequence[Verdict]) -> Figure:
    """Draw printed, ours and interval of every number of a paper.

    A bar marks the printed number, a mark with the 95 % interval ours (hollow where the interval is
    too wide to reproduce anything), small hollow circles our means under other readings. Lines are
    grouped by role and row; performance and selections have a panel each.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper, at least one.
    """
    frame = forest_table(verdicts)
    panels = [(str(name), part) for name, part in frame.groupby("quantity", sort=False)]
    longest = max(len(_with_headings(part)) for _, part in panels)
    figure, axes = plt.subplots(
        1,
        len(panels),
        figsize=(_WIDTH * len(panels), _MARGIN + _LINE * longest),
        squeeze=False,
        gridspec_kw={"wspace": 0.05},
    )
    for axis, (quantity, part) in zip(axes.ravel(), panels, strict=True):
        _draw_panel(axis, quantity, part)
        axis.set_ylim(longest - 0.3, -0.7)
    words = [word for word in WORDS if word in set(frame["verdict"]) - {"not run"}]
    figure.legend(handles=_handles(words), loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _with_headings(part: pd.DataFrame) -> list[tuple[str, pd.Series | None]]:
    """Labels from the top, with the numbers behind them; a heading has none."""
    lines: list[tuple[str, pd.Series | None]] = []
    group = None
    for _, line in part.iterrows():
        if (line["role"], line["table"]) != group:
            group = (line["role"], line["table"])
            lines.append((f"{line['role']}, {line['table']}", None))
        lines.append((f"{line['row']}, {line['column']}", line))
    return lines


def _draw_panel(axis, quantity: str, part: pd.DataFrame) -> None:
    lines = _with_headings(part)
    for y, (_, line) in enumerate(lines):
        if line is not None:
            _draw_line(axis, y, line)
    axis.set_yticks(range(len(lines)), [label for label, _ in lines], fontsize=8)
    for tick, (_, line) in zip(axis.get_yticklabels(), lines, strict=True):
        tick.set_fontweight("normal" if line is not None else "bold")
    axis.tick_params(axis="y", length=0)
    axis.grid(False, axis="y")
    axis.set_title(quantity)
    if quantity == "performance":
        axis.set_xlabel("per cent")
        return
    axis.set_xlabel("selected")
    drawn = part[["published", "ours", "low", "high"]].to_numpy(float)
    if is_wide(drawn):
        axis.set_xscale("log" if np.nanmin(drawn) > 0 else "symlog")
        axis.xaxis.set_major_formatter("{x:g}")


def is_wide(drawn: np.ndarray) -> bool:
    """Whether values spread over so many orders that a linear scale would hide the small ones."""
    return bool(np.nanmax(drawn) > _WIDE_RATIO * max(np.nanmin(drawn), 1.0))


def _draw_line(axis, y: int, line: pd.Series) -> None:
    colour, _ = VERDICT_STYLE[line["verdict"]]
    if np.isfinite([line["low"], line["high"]]).all():
        axis.plot([line["low"], line["high"]], [y, y], color=colour, lw=1.4, zorder=2)
    axis.scatter(
        line["readings"],
        [y] * len(line["readings"]),
        s=14,
        marker="o",
        facecolors="none",
        edgecolors=_GREY,
        linewidths=0.7,
        zorder=1,
    )
    axis.scatter([line["published"]], [y], marker="|", s=90, color=BLACK, linewidths=1.6, zorder=3)
    if not np.isnan(line["ours"]):
        axis.scatter([line["ours"]], [y], s=30, zorder=4, **verdict_mark(line["verdict"]))


def _handles(words: Sequence[str]) -> list[Line2D]:
    printed = Line2D([], [], ls="", marker="|", ms=10, mew=1.6, color=BLACK, label="published")
    reading = Line2D(
        [], [], ls="", marker="o", ms=4, mew=0.7, mfc="none", color=_GREY, label="other reading"
    )
    ours = [
        Line2D(
            [],
            [],
            lw=1.4,
            marker=VERDICT_MARKERS[word],
            ms=6,
            color=VERDICT_STYLE[word][0],
            mfc="white" if word in HOLLOW else VERDICT_STYLE[word][0],
            label=f"ours, 95 % interval: {word}",
        )
        for word in words
    ]
    return [printed, reading, *ours]
