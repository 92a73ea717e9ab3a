"""How often the words would be wrong: what the verdicts' own errors say of them all together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd

from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.verdicts.chances import chance_of_words
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.words import Word


def judged_performances(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts on performances that were run and have an interval, quotations left out."""
    return [
        v
        for v in verdicts
        if v.quantity == "performance" and v.role != "quoted" and math.isfinite(v.error.standard)
    ]


#: True differences in points, and the word whose chance is shown.
SHOWN: tuple[tuple[float, Word], ...] = (
    (0.0, "reproduced"),
    (1.0, "not reproduced"),
    (3.0, "reproduced"),
    (3.0, "not reproduced"),
)


def operating_characteristics(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Chance of words by paper and design, were the true difference 0, 1 or 3 points.

    Returns
    -------
    DataFrame
        Indexed by paper and design: how many numbers, and for each of `SHOWN` the mean chance and
        that of the worst number, between 0 and 1. Worst is the least chance of the right word and
        the largest of a wrong one.
    """
    rows = []
    for v in judged_performances(verdicts):
        row: dict[str, object] = {"paper": v.number.paper, "design": v.design}
        for points, word in SHOWN:
            chances = chance_of_words(v.error, v.margin, points * v.margin / MARGIN)
            row[f"{points:g} off: {word}"] = chances[word]
        rows.append(row)
    grouped = pd.DataFrame(rows).groupby(["paper", "design"], sort=False)
    shown = {"numbers": grouped.size()}
    for points, word in SHOWN:
        name = f"{points:g} off: {word}"
        is_right = (word == "reproduced") == (points < MARGIN)
        shown[name] = grouped[name].mean()
        shown[f"{name}, worst"] = grouped[name].min() if is_right else grouped[name].max()
    return pd.DataFrame(shown)
