"""Chances of words: what an error says before a run, and of a word that is there."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from reprolib.rerun.verdicts.errors import Error
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
        below_upper = stats.t.cdf((bounds - true_difference) / se, error.degrees)
        below_lower = stats.t.cdf((-bounds - true_difference) / se, error.degrees)
        chances = below_upper - below_lower
    reproduced, zero, outside = chances.tolist()
    undecided = max(zero - reproduced, 0.0)
    return {
        "reproduced": reproduced,
        "undecided": undecided,
        "undecided, differs": max(outside - reproduced - undecided, 0.0),
        "not reproduced": 1.0 - outside,
    }


def chance_of_wrong(word: Word, difference: float, error: Error, margin: float) -> float:
    """Chance that a sure word is wrong, if every true difference was as likely before the run.

    Parameters
    ----------
    word : str
        Only *reproduced* and *not reproduced* can be wrong; the others claim nothing.
    difference : float
        Ours minus printed.
    error : Error
        Of it; where no chance is left, no word is wrong.
    margin : float
        Up to which a true difference counts as none.
    """
    if word not in ("reproduced", "not reproduced") or not 0 < error.standard < math.inf:
        return 0.0
    ends = (np.array([-margin, margin]) - difference) / error.standard
    below_lower, below_upper = stats.t.cdf(ends, error.degrees).tolist()
    inside = below_upper - below_lower
    return 1 - inside if word == "reproduced" else inside
