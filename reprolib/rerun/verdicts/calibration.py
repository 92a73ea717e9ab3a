"""How often the words would be wrong: what the verdicts' own errors say of them all together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import scipy

from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.words import JUDGED, Word


def chance_of_words(error: Error, margin: float, true_difference: float) -> dict[Word, float]:
    """Chance of each word on a performance, if the true difference is known.

    The difference is drawn around the true one with the deviation that `Error` states; half-widths
    are fixed, so that the noise of an estimated deviation is left out.
    """
    half, half_90, se = error.half_width(), error.half_width(0.9), error.standard
    if not math.isfinite(se):
        return {**dict.fromkeys(JUDGED, 0.0), "undecided": 1.0}
    bounds = np.array([max(margin - half_90, 0.0), half, margin + half])
    if se == 0:
        chances = (abs(true_difference) < bounds).astype(float)
    else:
        below_upper = scipy.stats.t.cdf((bounds - true_difference) / se, error.degrees)
        below_lower = scipy.stats.t.cdf((-bounds - true_difference) / se, error.degrees)
        chances = below_upper - below_lower
    reproduced, zero, outside = chances.tolist()
    undecided = max(zero - reproduced, 0.0)
    return {
        "reproduced": reproduced,
        "undecided": undecided,
        "undecided, differs": max(outside - reproduced - undecided, 0.0),
        "not reproduced": 1.0 - outside,
    }


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
