"""The KPM protocol: which realisations stand behind a median, and Figure 1's tasks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reprolib.papers.kpm import protocol
from reprolib.rerun import records as results
from reprolib.rerun.task import HEADLINE, Measurement, Task
from reprolib.rerun.worker import row_of
from tests import golden

NAME = "embedded/twonorm"


def selections(values) -> pd.DataFrame:
    """Records of the D selected in realisations 0, 1, 2, ..."""
    return results.to_frame(
        [
            row_of(
                Task("kpm", table, NAME, "kpm", HEADLINE, trial),
                Measurement("selected D", D, {"D": D, "fold_seed": 0}),
                "embedded",
                0.0,
            )
            for trial, D in enumerate(values)
            for table in ("table2", "selection")
        ]
    )


def test_table1_takes_the_median_of_the_first_five_realisations_alone():
    listed = protocol.second_stage(
        "full", {NAME: golden.load(NAME)}, selections([5, 1, 4, 2, 3, 9, 9, 9, 9, 9])
    )
    assert {task.params["D"] for task in listed if task.method == "kpm"} == {3}


def test_median_of_a_fold_seed_takes_every_realisation_that_is_selected_on():
    tasks = protocol.first_stage("full", {NAME: golden.load(NAME)}, results.to_frame([]))
    trials = [task.trial for task in tasks if task.table == "selection"]
    assert sorted(trials) == list(range(protocol.MEDIAN_REALISATIONS))
    (row,) = protocol.derive(selections([5, 1, 4, 2, 3]))
    assert (row["metric"], row["value"], row["chosen"]) == (
        "median D",
        3.0,
        '{"selected": [5, 1, 4, 2, 3]}',
    )


@pytest.mark.parametrize("method", ["kpm", "svm"])
def test_figure1_measures_risk_and_empirical_risk_along_its_axis(method, monkeypatch):
    monkeypatch.setattr(protocol, "FIGURE1_C", (0.2, 1.0))
    monkeypatch.setattr(protocol, "FIGURE1_COMPONENTS", 4)
    found = protocol.run(Task("kpm", "figure1", NAME, method), golden.load(NAME))
    assert [m.metric for m in found] == ["test error path", "training error path"]
    lengths = {"kpm": 4, "svm": 2}
    assert [len(m.path) for m in found] == 2 * [lengths[method]]
    assert all(0 <= value < 0.5 for m in found for value in m.path)


@pytest.mark.parametrize("n_grid", [4, 100])
def test_costs_of_the_svm_end_at_three_times_the_published_one(n_grid, monkeypatch):
    published, _ = protocol.PUBLISHED_SVM["twonorm"]
    tried = []
    monkeypatch.setattr(protocol, "_svm_error", lambda C, *rest: tried.append(C) or 0.5)
    params = {"fold_seed": 0, "n_grid": n_grid}
    protocol.run(Task("kpm", "table2", NAME, "svm", params=params), golden.load(NAME))
    expected = np.linspace(3 * published / n_grid, 3 * published, n_grid)
    np.testing.assert_allclose(sorted(set(tried)), expected)
    assert len(tried) == protocol.N_FOLDS * n_grid + 1
