"""The scoreboard: every published number in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reprolib.report.style import BLACK, HOLLOW, VERDICT_MARKERS, VERDICT_STYLE, verdict_mark
from reprolib.rerun.verdicts.judge import Verdict, count_words
from reprolib.rerun.verdicts.words import WORDS

#: Marks in one line; a longer table goes on in the next.
_WIDTH = 30
#: Percentage points below which the axes of the sharpness picture are linear.
_LINEAR_BELOW = 0.1


def scoreboard_figure(verdicts: Mapping[str, Sequence[Verdict]]) -> Figure:
    """One mark a published number, by paper and table, in printed order.

    Beside each table stand the sources of our data and the number of trials on each.

    Parameters
    ----------
    verdicts : mapping of paper to verdicts

    Returns
    -------
    Figure
        Its axes hold one text label and at least one line of marks for each table.
    """
    tables = {
        f"{paper.upper()}  {table}": [v for v in listed if v.number.table == table]
        for paper, listed in verdicts.items()
        for table in dict.fromkeys(v.number.table for v in listed)
    }
    starts = dict(zip(tables, _starts(tables.values()), strict=True))
    n_lines = sum(_n_lines(listed) for listed in tables.values())
    figure, axes = plt.subplots(figsize=(11.0, 1.1 + 0.36 * n_lines))
    for label, listed in tables.items():
        _draw_table(axes, starts[label], listed)
    axes.set_yticks(list(starts.values()), list(starts))
    axes.set_xlim(-0.8, _WIDTH + 9)
    axes.set_ylim(n_lines - 0.4, -0.6)
    axes.set_xticks([])
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    _draw_legend(axes, [v for listed in verdicts.values() for v in listed])
    axes.set_title("One mark for each number that the papers print")
    return figure


def data_behind(verdicts: Sequence[Verdict]) -> str:
    """Sources of our data and the number of trials on each: ``partial, 10 trials``."""
    trials: dict[str, set[int]] = {}
    for v in verdicts:
        if v.source:
            trials.setdefault(v.source, set()).add(v.n_trials)
    return "; ".join(f"{source}, {_trials(counts)}" for source, counts in sorted(trials.items()))


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
        for paper, listed in verdicts.items()
        for v in listed
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
            axes.scatter(part["half-width"], part["difference"], label=word, **verdict_mark(word))
    largest = frame[["half-width", "difference"]].to_numpy().max(initial=1.0)
    axes.set_xscale("symlog", linthresh=_LINEAR_BELOW)
    axes.set_yscale("symlog", linthresh=_LINEAR_BELOW)
    axes.set(xlim=(0, 1.5 * largest), ylim=(0, 1.5 * largest), box_aspect=1)
    axes.axline((0, 0), (1, 1), transform=axes.transAxes, color=BLACK, lw=1)
    axes.set_xlabel("half-width of the 95 % interval (percentage points)")
    axes.set_ylabel("|ours − published| (percentage points)")
    axes.legend(fontsize=9)
    return figure


def _trials(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    amount = str(low) if low == high else f"{low} to {high}"
    return f"{amount} trial{'' if high == 1 else 's'}"


def _n_lines(listed: Sequence[Verdict]) -> int:
    return -(-len(listed) // _WIDTH)


def _starts(tables) -> list[int]:
    starts, y = [], 0
    for listed in tables:
        starts.append(y)
        y += _n_lines(listed)
    return starts


def _draw_table(axes, start: int, listed: Sequence[Verdict]) -> None:
    for word in WORDS:
        places = [divmod(i, _WIDTH) for i, v in enumerate(listed) if v.word == word]
        axes.scatter(
            [x for _, x in places],
            [start + line for line, _ in places],
            s=70,
            **verdict_mark(word),
        )
    axes.text(_WIDTH, start, data_behind(listed), va="center", fontsize=9, color=BLACK)


def _draw_legend(axes, verdicts: Sequence[Verdict]) -> None:
    counts = count_words(verdicts)
    handles = [
        Line2D(
            [],
            [],
            ls="",
            marker=VERDICT_MARKERS[word],
            ms=8,
            color=VERDICT_STYLE[word][0],
            markerfacecolor="none" if word in HOLLOW else VERDICT_STYLE[word][0],
            label=f"{word} ({counts[word]})",
        )
        for word in WORDS
    ]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=4)
