"""Records of both sides of a claim in one cell."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from reprolib.rerun.verdicts.claim import Cell


@dataclass(frozen=True)
class Runs:
    """Records of one side of a contrast in one cell, sorted by trial.

    Arrays and no table: a claim is judged under many readings, and tables are slow when small.

    Parameters
    ----------
    trials, values, n_test : ndarray
        Of every record; values in the printed unit.
    readings, sources : set of str
        Those of the records.
    """

    trials: np.ndarray
    values: np.ndarray
    n_test: np.ndarray
    readings: set[str]
    sources: set[str]


@dataclass(frozen=True)
class Pair:
    """Records of both sides of a contrast in one cell.

    There are two errors. A claim is a statement on other data of this kind: the splits of a pool
    are correlated, and a test set has the noise of its points. The printed contrast was made on the
    same pool or test set: given these, only what both sides draw at random differs.

    Parameters
    ----------
    a, b : Runs
        The two sides.
    scale : float
        Printed value of the fraction 1.
    cell : Cell
        Where, and by which design.
    choices : ndarray
        What the mean of a - b would be at other draws of a choice that is made once; of side a
        alone, if b does not hang on it.
    is_paired : bool
        Whether equal trials of both sides are pairs; trials that are seeds alone are none.
    units : ndarray, optional
        Pseudo-value of a - b of each run or subject, where the paper has more of them.
    """

    a: Runs
    b: Runs
    scale: float
    cell: Cell
    choices: np.ndarray
    is_paired: bool
    units: np.ndarray | None

    @functools.cached_property
    def differences(self) -> tuple[np.ndarray, np.ndarray]:
        """Trials that both have, and a - b on each."""
        common, of_a, of_b = np.intersect1d(
            self.a.trials, self.b.trials, assume_unique=True, return_indices=True
        )
        return common, self.a.values[of_a] - self.b.values[of_b]

    @functools.cached_property
    def difference(self) -> float:
        """Mean of a - b: over common trials, or of all runs where trials are seeds alone."""
        if not self.is_paired:
            return float(self.a.values.mean() - self.b.values.mean())
        return float(self.differences[1].mean())

    @property
    def sides(self) -> tuple[float, float]:
        """Means of a and of b whose difference is `difference`, but for round-off."""
        if not self.is_paired:
            return float(self.a.values.mean()), float(self.b.values.mean())
        is_common = np.isin(self.a.trials, self.differences[0])
        of_a = float(self.a.values[is_common].mean())
        return of_a, of_a - self.difference

    @functools.cached_property
    def n_trials(self) -> tuple[int, int]:
        """Trials of either side: the common ones, unless they are seeds alone."""
        if not self.is_paired:
            return len(self.a.trials), len(self.b.trials)
        return len(self.differences[0]), len(self.differences[0])
