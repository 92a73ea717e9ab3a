"""The scoreboard: every published number in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reprolib.figures.style import VERDICT_STYLE
from reprolib.verdicts import WORDS, Verdict, count_words

_MARKERS = {"reproduced": "o", "close": "D", "not reproduced": "X", "not run": "."}


def scoreboard_figure(verdicts: Mapping[str, Sequence[Verdict]]) -> Figure:
    """One mark a published number, by paper and table, in printed order.

    Parameters
    ----------
    verdicts : mapping of paper to verdicts
    """
    lines = [
        (paper, table, [v for v in listed if v.number.table == table])
        for paper, listed in verdicts.items()
        for table in dict.fromkeys(v.number.table for v in listed)
    ]
    widest = max(len(listed) for _, _, listed in lines)
    figure, axes = plt.subplots(figsize=(3.2 + 0.2 * widest, 1.1 + 0.42 * len(lines)))
    for y, (_, _, listed) in enumerate(lines):
        for word in WORDS:
            xs = [x for x, v in enumerate(listed) if v.word == word]
            axes.scatter(
                xs, [y] * len(xs), s=70, marker=_MARKERS[word], color=VERDICT_STYLE[word][0]
            )
    axes.set_yticks(range(len(lines)), [f"{paper.upper()}  {table}" for paper, table, _ in lines])
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_xticks([])
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    counts = count_words([v for listed in verdicts.values() for v in listed])
    handles = [
        Line2D(
            [],
            [],
            ls="",
            marker=_MARKERS[word],
            ms=8,
            color=VERDICT_STYLE[word][0],
            label=f"{word} ({counts[word]})",
        )
        for word in WORDS
    ]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=4)
    axes.set_title("One mark for each number that the papers print")
    return figure
