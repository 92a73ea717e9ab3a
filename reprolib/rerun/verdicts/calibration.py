"""How often the words would be wrong: what the verdicts' own errors say of them all together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd
from scipy import stats

from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.words import MARGIN


def chance_of_words(error: Error, margin: float, true_difference: float) -> dict[str, float]:
    """Chance of each word on a performance, if the true difference is known.

    The difference is drawn around the true one with the deviation that `Error` states; half-widths
    are fixed, so that the noise of an estimated deviation is left out.
    """
    half, half_90, se = error.half_width(), error.half_width(0.9), error.standard
    if not math.isfinite(se):
        return {"reproduced": 0.0, "undecided": 1.0, "not reproduced": 0.0}
    inner, outer = max(margin - half_90, 0.0), max(half, margin - half_90)
    reproduced = _chance_inside(inner, se, error.degrees, true_difference)
    not_reproduced = 1.0 - _chance_inside(outer, se, error.degrees, true_difference)
    return {
        "reproduced": reproduced,
        "undecided": max(1.0 - reproduced - not_reproduced, 0.0),
        "not reproduced": not_reproduced,
    }


def _chance_inside(bound: float, se: float, degrees: float, shift: float) -> float:
    if se == 0:
        return float(abs(shift) < bound)
    return float(
        stats.t.cdf((bound - shift) / se, degrees) - stats.t.cdf((-bound - shift) / se, degrees)
    )


def judged_performances(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts on performances that were run and have an interval, quotations left out."""
    return [
        v
        for v in verdicts
        if v.quantity == "performance" and v.role != "quoted" and math.isfinite(v.error.standard)
    ]


def expected_false_alarms(verdicts: Iterable[Verdict]) -> float:
    """How many performances would be *not reproduced* by chance, were all of them equal."""
    return sum(
        chance_of_words(v.error, v.margin, 0.0)["not reproduced"]
        for v in judged_performances(verdicts)
    )


def operating_characteristics(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Mean chance of each word by paper and design, if ours and print are equal or 3 points apart.

    Returns
    -------
    DataFrame
        Indexed by paper and design: how many numbers, and chances between 0 and 1.
    """
    rows = []
    for v in judged_performances(verdicts):
        equal = chance_of_words(v.error, v.margin, 0.0)
        apart = chance_of_words(v.error, v.margin, 3.0 * v.margin / MARGIN)
        rows.append(
            {
                "paper": v.number.paper,
                "design": v.design,
                "equal: reproduced": equal["reproduced"],
                "equal: not reproduced": equal["not reproduced"],
                "3 points off: reproduced": apart["reproduced"],
                "3 points off: not reproduced": apart["not reproduced"],
            }
        )
    frame = pd.DataFrame(rows)
    grouped = frame.groupby(["paper", "design"], sort=False)
    means = grouped.mean()
    means.insert(0, "numbers", grouped.size())
    return means
