"""What would decide a number that is undecided."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from reprolib.rerun.verdicts.errors import partition_means
from reprolib.rerun.verdicts.evidence import Evidence
from reprolib.rerun.verdicts.number import Number
from reprolib.rerun.verdicts.words import N_DRAWS, prediction_range

#: Numbers of trials that are tried.
_TRIALS = (20, 40, 100, 200, 400, 1000)


def what_would_decide(number: Number, evidence: Evidence) -> str:
    """One sentence: how many trials of ours would decide, or why none do.

    It supposes that our mean and spread stay what they are.

    Parameters
    ----------
    number : Number
        Undecided under the reading that is judged.
    evidence : Evidence
    """
    if number.designs == ("selection",):
        return _of_selection(number, evidence.values)
    if "splits" in number.designs:
        return _of_splits(number, evidence.values)
    if "test set" in number.designs and "seeds" not in number.designs:
        return (
            f"Only the paper's own predictions on the {evidence.n_test} test points would decide: "
            "ours have no seed to repeat"
        )
    if "runs" in number.designs:
        return (
            f"More runs of ours cannot decide: the {len(evidence.values)} runs are all that both "
            "sides have, and what the text leaves open moves them; it would take the paper's own "
            "runs, features and folds"
        )
    return _of_one_run(number, evidence)


def _of_selection(number: Number, draws: np.ndarray) -> str:
    if len(draws) < N_DRAWS:
        drawn = "one draw" if len(draws) == 1 else f"{len(draws)} draws"
        return f"We have {drawn} of what is selected; its range needs {N_DRAWS}"
    low, high = prediction_range(draws)
    return (
        f"No number of runs decides: one selection of ours lies between {low:g} and {high:g}, "
        "too many of the candidates"
    )


def _of_splits(number: Number, values: np.ndarray) -> str:
    own = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    theirs = (own if number.spread is None else number.spread) / math.sqrt(number.trials)
    difference = abs(float(values.mean()) - number.value)
    for n in _TRIALS:
        se = math.hypot(own / math.sqrt(n), theirs)
        if n > len(values) and _decides(difference, se, number):
            return f"About {n} splits of ours would decide (we have {len(values)})"
    return (
        f"No number of splits decides: the printed mean of {number.trials} alone is unsure by "
        f"± {stats.norm.ppf(0.975) * theirs:.2g} (95 %)"
    )


def _decides(difference: float, se: float, number: Number) -> bool:
    reproduced = difference + stats.norm.ppf(0.95) * se < number.margin
    return number.quantity == "performance" and (
        reproduced or difference > stats.norm.ppf(0.975) * se
    )


def _of_one_run(number: Number, evidence: Evidence) -> str:
    runs = evidence.spread if len(evidence.spread) else evidence.values
    if number.folds:
        runs = partition_means(evidence.values, evidence.trials, number.folds)
    if len(runs) < 2:
        return "We have one run of the whole procedure; 20 would show how much it spreads"
    own = float(runs.std(ddof=1))
    if len(runs) < 20 and _decides(abs(evidence.mean - number.value), own, number):
        return f"About 20 runs of ours would decide (we have {len(runs)})"
    return (
        "No number of runs decides: the paper has one, and one run of ours spreads by "
        f"± {stats.norm.ppf(0.975) * own:.2g} (95 %)"
    )
