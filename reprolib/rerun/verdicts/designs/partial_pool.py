"""Ours are only some of the paper's runs or subjects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reprolib.rerun.verdicts.errors import UNKNOWN, Ends, Error, paired

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number


def error(number: Number, evidence: Evidence) -> Error | None:
    """What is added to the error of the design; None if the paper has no more than we."""
    return partial_pool(evidence.units, number.pool.of) if number.pool else None


def error_of_claim(pair: Pair) -> Error | None:
    """What is added to the error of a claim: other recordings would be other draws of the unit."""
    return None if pair.units is None else paired(pair.units, 0.0)


def what_would_decide(number: Number, evidence: Evidence) -> str:
    """One sentence on an undecided number; empty if the paper has no more than we."""
    if not number.pool:
        return ""
    if len(evidence.units) < 2:
        return "The runs at hand were not left out one by one, as a full run does"
    return (
        f"More draws of ours cannot decide: we have {len(evidence.units)} of the paper's "
        f"{number.pool.of} runs, and the runs differ by more than the two results"
    )


def simulate(k: int, of: int, rng: np.random.Generator) -> Ends:
    """Ends of the intervals of k runs of a pool minus all of them, in one repetition."""
    runs = rng.normal(size=of)
    ours = rng.choice(runs, k, replace=False)
    return partial_pool(ours, of).ends(float(ours.mean() - runs.mean()))


def partial_pool(units: np.ndarray, of: int) -> Error:
    """Some of the runs or subjects that the paper has, against all of them.

    The paper's result is of K units, ours of k of them. Were ours drawn at random, the two would
    differ by the variance S^2 (1/k - 1/K), with S the spread over units: the k that both have are
    on both sides. (Cochran, Sampling Techniques, 1977, section 2.6, with the correction for a
    finite population.) Units are few, so that S has k - 1 degrees of freedom, however many draws
    are made from them.

    Parameters
    ----------
    units : array of shape (k,)
        `evidence.pseudo_values` of the units.
    of : int
        K.
    """
    k = len(units)
    if k < 2:
        return UNKNOWN
    return Error(float(units.std(ddof=1)) * math.sqrt(1 / k - 1 / of), k - 1)
