"""Two sides of a contrast on the same trials of one cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reprolib.rerun.records.rows import n_points
from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.claim import Cell
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.number import Design


@dataclass(frozen=True)
class Pair:
    """Records of both sides, by trial, values in the printed unit.

    There are two errors. A claim is a statement on other data of this kind: the splits of a pool
    are correlated, and a test set has the noise of its points. The printed contrast was made on the
    same pool or test set: given these, only what both sides draw at random differs.

    Parameters
    ----------
    a, b : DataFrame
        With the columns value, n_test and source, indexed by trial.
    scale : float
        Printed value of the fraction 1.
    cell : Cell
        Where, and by which design.
    choices : ndarray
        What the mean of side a would be at other draws of a choice that is made once.
    """

    a: pd.DataFrame
    b: pd.DataFrame
    scale: float
    cell: Cell
    choices: np.ndarray

    @property
    def differences(self) -> pd.Series:
        """A - b on every trial that both have."""
        return (self.a["value"] - self.b["value"]).dropna()

    @property
    def difference(self) -> float:
        """Mean of a - b: over common trials, or of all runs where trials are seeds alone."""
        if set(self.cell.designs) & {"seeds", "test set"}:
            return float(self.a["value"].mean() - self.b["value"].mean())
        return float(self.differences.mean())

    @property
    def sources(self) -> set[str]:
        """Sources of the data behind side a."""
        return set(self.a["source"])

    def error(self) -> Error:
        """Error of the difference as a statement on other data."""
        values = self.differences.to_numpy()
        models: Mapping[Design, Callable[[], Error]] = {
            "splits": lambda: errors.paired(values),
            "runs": lambda: errors.paired(values, 1 / len(values)),
            "cross-validation": lambda: self._on_points(self.cell.folds or 1),
            "test set": self._on_a_test_set,
            "seeds": self._on_a_test_set,
        }
        return self._with_choice(models, 1)

    def error_to_print(self) -> Error:
        """Error of the difference against the printed one."""
        values, trials = self.differences.to_numpy(), self.differences.index.to_numpy()
        models: Mapping[Design, Callable[[], Error]] = {
            "splits": lambda: errors.splits(values, None, self.cell.trials),
            "runs": lambda: errors.shared_runs(values, {}),
            "cross-validation": lambda: errors.cross_validations(
                values, trials, self.cell.folds or 1
            ),
            "test set": self._on_a_test_set,
            "seeds": self._of_seeds,
        }
        return self._with_choice(models, 2)

    def _with_choice(self, models: Mapping[Design, Callable[[], Error]], times: int) -> Error:
        """Error of the design, with that of a choice made once, by us and perhaps by theirs."""
        error = errors.wider(models[design]() for design in self.cell.designs)
        if not len(self.choices):
            return error
        both = errors.two_choices(self.choices)
        return errors.summed([error, Error(both.standard * math.sqrt(times / 2), both.degrees)])

    def _of_seeds(self) -> Error:
        """One run of theirs a side: the seeds of either side alone."""
        sides = [side["value"].to_numpy() for side in (self.a, self.b) if len(side) > 1]
        return errors.summed(map(errors.one_more_run, sides)) if sides else errors.UNKNOWN

    def _on_a_test_set(self) -> Error:
        """The points of one test set, and the seeds of either side."""
        seeds = [
            Error(float(side["value"].std(ddof=1)) / math.sqrt(len(side)), len(side) - 1)
            for side in (self.a, self.b)
            if len(side) > 1
        ]
        return errors.summed([self._on_points(1), *seeds])

    def _on_points(self, folds: int) -> Error:
        """Noise of test points, those of some folds together.

        How often the two sides disagree is not recorded; at most on all errors of both.
        """
        n_both = int(n_points(self.a).iloc[:folds].sum())
        rates = [float(np.mean(side["value"])) / self.scale for side in (self.a, self.b)]
        error = errors.test_set([], n_both, sum(min(rate, 1 - rate) for rate in rates))
        return Error(self.scale * error.standard, error.degrees)
