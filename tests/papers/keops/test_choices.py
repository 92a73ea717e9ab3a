"""KEOPS: the cost is the one of the best cross-validated AUC, wherever in the grid it lies."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.papers.keops import experiment, methods
from reprolib.papers.keops.methods import Method
from reprolib.rerun.records.task import Task
from tests import full_profile


class Fixed:
    """Linear scores; grid value ``at`` decides whether they point the right way."""

    def __init__(self, sign):
        self.sign = sign

    def fit(self, X, y):
        self.coef_ = self.sign * (X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0))
        return self

    def decision_function(self, X):
        return X @ self.coef_


@pytest.mark.parametrize("best", [0, 1, 2])
def test_chosen_cost_has_the_best_cross_validated_auc(best, monkeypatch):
    grid = (0.1, 1.0, 10.0)
    method = Method(lambda X, tree, c: Fixed(1.0 if c == grid[best] else -1.0), grid)
    monkeypatch.setitem(methods.METHODS, "svm", method)
    dataset = full_profile.load("embedded/p300")
    found = experiment.run(Task("keops", "table1", dataset.name, "svm"), dataset)
    by_reading = {m.reading: m for m in found if m.metric == "auc"}
    (path,) = [m for m in found if m.metric == "auc path"]
    assert by_reading[None].chosen == {"value": grid[best]}
    assert by_reading["C by accuracy"].chosen == {"value": grid[best]}
    assert int(np.argmax(path.path)) == best
    assert len(path.path) == len(path.chosen["grid"]) == len(grid)
    assert by_reading[None].value == path.path[best] > 0.5
