"""One cross-validation, over the folds of one partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reprolib.rerun.verdicts.designs.seeds import Seeds, one_more_run
from reprolib.rerun.verdicts.designs.test_set import on_points
from reprolib.rerun.verdicts.errors import Error

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number


class CrossValidation(Seeds):
    """One run of theirs beside several of ours: they differ by their partitions."""

    name = "cross-validation"
    text = "one more cross-validation"
    pairs_trials = True

    def runs(self, number: Number, evidence: Evidence) -> np.ndarray:
        return partition_means(evidence.values, evidence.trials, number.folds or 1)

    def error(self, number: Number, evidence: Evidence) -> Error:
        return one_more_run(self.runs(number, evidence))

    def error_of_claim(self, pair: Pair) -> Error:
        return on_points(pair, pair.cell.folds or 1)

    def error_to_print(self, pair: Pair) -> Error:
        trials, values = pair.differences
        return cross_validations(values, trials, pair.cell.folds or 1)


def cross_validations(ours: np.ndarray, trials: np.ndarray, folds: int) -> Error:
    """One cross-validation of theirs against several of ours, each of another partition.

    The folds of one partition are not independent; means of whole partitions are.

    Parameters
    ----------
    ours, trials : array of shape (n_trials,)
        Trial p * folds + k is fold k of partition p. A partition that lacks folds is left out.
    folds : int
        How many parts the points were split into.
    """
    return one_more_run(partition_means(ours, trials, folds))


def partition_means(ours: np.ndarray, trials: np.ndarray, folds: int) -> np.ndarray:
    """Mean of every whole partition."""
    partitions, counts = np.unique(trials // folds, return_counts=True)
    whole = partitions[counts == folds]
    return np.array([ours[trials // folds == partition].mean() for partition in whole])
