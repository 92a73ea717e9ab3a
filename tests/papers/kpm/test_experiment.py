"""The KPM protocol: which realisations stand behind a median, and Figure 1's tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.svm import SVC

from data_fetch import Dataset
from reprolib.papers.kpm import experiment, methods
from reprolib.rerun import records as results
from reprolib.rerun.records.rows import row_of
from reprolib.rerun.records.task import HEADLINE, Measurement, Task
from tests import full_profile

NAME = "embedded/twonorm"


def selections(values) -> pd.DataFrame:
    """Records of the D selected in realisations 0, 1, 2, ..."""
    return results.to_frame(
        [
            row_of(
                Task("kpm", table, NAME, "kpm", HEADLINE, trial),
                Measurement("selected D", D, {"D": D}),
                "embedded",
                0.0,
            )
            for trial, D in enumerate(values)
            for table in ("table2", "selection")
        ]
    )


def test_table1_takes_the_median_of_the_first_five_realisations_alone():
    found = selections([50, 10, 40, 20, 30, 90, 90, 90, 90, 90])
    (_, later) = experiment.PROTOCOL.stages
    listed = later.tasks("full", {NAME: full_profile.load(NAME)}, found)
    assert {task.params["D"] for task in listed if task.method == "kpm"} == {30}


def test_median_of_a_fold_seed_takes_every_realisation_that_is_selected_on():
    (first, _) = experiment.PROTOCOL.stages
    tasks = first.tasks("full", {NAME: full_profile.load(NAME)}, results.to_frame([]))
    trials = [task.trial for task in tasks if task.table == "selection"]
    assert sorted(trials) == list(range(experiment.MEDIAN_REALISATIONS))
    (row,) = experiment.derive(selections([5, 1, 4, 2, 3]))
    assert (row["metric"], row["value"], row["chosen"]) == (
        "median D",
        3.0,
        '{"selected": [5, 1, 4, 2, 3]}',
    )


@pytest.mark.parametrize("method", ["kpm", "svm"])
def test_figure1_measures_risk_and_empirical_risk_along_its_axis(method, monkeypatch):
    monkeypatch.setattr(methods, "FIGURE1_C", (0.2, 1.0))
    monkeypatch.setattr(methods, "FIGURE1_COMPONENTS", 4)
    found = experiment.run(Task("kpm", "figure1", NAME, method), full_profile.load(NAME))
    assert [m.metric for m in found] == ["test error path", "training error path"]
    lengths = {"kpm": 4, "svm": 2}
    assert [len(m.path) for m in found] == 2 * [lengths[method]]
    assert all(0 <= value < 0.5 for m in found for value in m.path)


@pytest.fixture(scope="module")
def small():
    """Seven realisations of 40 training and 20 test points that overlap much."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    rows = [rng.permutation(60) for _ in range(7)]
    return Dataset(NAME, X, y, "original", splits=[(r[:40], r[40:]) for r in rows])


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_error_of_the_svm_is_that_of_scikit_learn_on_the_test_points(small, C):
    _, width = methods.published(NAME)
    (found,) = experiment.run(Task("kpm", "table1", NAME, "svm", trial=1, params={"C": C}), small)
    (train, test), X, y = small.splits[1], small.X, small.y
    svm = SVC(C=C, gamma=1 / width).fit(X[train], y[train])
    assert found.value == pytest.approx(1 - svm.score(X[test], y[test]))
    assert found.value > 0
    assert found.n_test == 20


def test_figure1_draws_the_errors_of_scikit_learns_svm(small):
    _, width = methods.published(NAME)
    task = Task("kpm", "figure1", NAME, "svm", trial=1)
    on_test, on_train = (m.path for m in experiment.run(task, small))
    (train, test), X, y = small.splits[1], small.X, small.y
    for i, C in enumerate(methods.FIGURE1_C):
        svm = SVC(C=C, gamma=1 / width).fit(X[train], y[train])
        assert on_test[i] == pytest.approx(1 - svm.score(X[test], y[test]))
        assert on_train[i] == pytest.approx(1 - svm.score(X[train], y[train]))
    assert len(set(on_test)) > 1
    assert len(set(on_train)) > 1


def test_seed_of_a_selection_is_that_of_its_folds():
    (first, *_) = experiment.PROTOCOL.stages
    name = experiment.FIGURE1_SET
    data = {name: replace(full_profile.load(NAME), name=name)}
    listed = first.tasks("full", data, results.to_frame([]))
    seeds = {(t.seed, t.params["fold_seed"]) for t in listed if t.table == "selection"}
    assert seeds == {(n, n) for n in range(10)}


@pytest.mark.parametrize("splitter", [KFold, StratifiedKFold])
def test_seed_of_the_folds_is_a_thousand_times_that_of_the_task_plus_the_realisation(splitter):
    params = {"fold_seed": 3, "stratified": splitter is StratifiedKFold}
    X, y = np.zeros((30, 1)), np.arange(30) % 2
    found = methods.folds(Task("kpm", "table2", NAME, "kpm", HEADLINE, 4, params)).split(X, y)
    for fold, expected in zip(
        found, splitter(5, shuffle=True, random_state=3004).split(X, y), strict=True
    ):
        np.testing.assert_array_equal(fold[1], expected[1])


def measured(task, dataset):
    return {(m.metric, m.reading or task.reading): m for m in experiment.run(task, dataset)}


class Fitted:
    """A model whose cross-validated error is least at D = 31, 40 and 55, and up to 30 at 30."""

    duality_gap_ = 1e-9
    n_components_ = 31
    cv_error_path_ = np.full(60, 0.5)
    cv_error_path_[[30, 39, 54]] = 0.2
    cv_error_path_[29] = 0.25

    def fit(self, X, y):
        return self

    def error_path(self, X, y):
        return np.arange(60) / len(y)


def test_every_rule_selects_from_the_same_path(small, monkeypatch):
    monkeypatch.setattr(methods, "_path_model", lambda task: Fitted())
    task = Task("kpm", "table2", NAME, "kpm", HEADLINE, 2, {"fold_seed": 0})
    found = measured(task, small)
    test, train = (found[f"{part} error path", HEADLINE] for part in ("test", "training"))
    assert (test.n_test, train.n_test) == (20, 40)
    selected = {reading: m.value for (metric, reading), m in found.items() if metric[-1] == "D"}
    expected = {HEADLINE: 31, "ties: largest D": 55, "ties: middle D": 40, "D up to 30": 30}
    assert selected == expected
    for reading, D in expected.items():
        error = found["test error", reading]
        assert (error.value, error.n_test, error.gap) == ((D - 1) / 20, 20, 1e-9)
        assert error.chosen == {"D": D}


def test_partitions_are_drawn_anew_in_the_published_sizes_and_called_resampled(small):
    task = Task(
        "kpm", "table1", NAME, "svm", experiment.PARTITIONS, 1, {"C": 1.0, "partition": True}
    )
    X, _, X_test, y_test = methods.realisation(task, small)
    assert (len(X), len(X_test)) == (40, 20)
    np.testing.assert_array_equal(np.sort(np.vstack([X, X_test]), axis=0), np.sort(small.X, axis=0))
    (error,) = experiment.run(task, small)
    assert (error.source, error.n_test, error.chosen) == ("resampled", len(y_test), {"C": 1.0})
    (other,) = experiment.run(replace(task, params={"C": 1.0}), small)
    assert other.source is None


def test_standardised_inputs_have_mean_zero_and_variance_one_in_training(small):
    task = Task("kpm", "table2", NAME, "kpm", "standardised", 0, {"standardise": True})
    X, _, X_test, _ = methods.realisation(task, small)
    np.testing.assert_allclose([X.mean(axis=0), X.std(axis=0)], [[0] * 3, [1] * 3], atol=1e-12)
    assert np.abs(X_test.mean(axis=0)).max() > 1e-3


@pytest.mark.parametrize(
    ("n_grid", "trial", "best"), [(4, 0, 4), (4, 1, 2), (4, 6, 1), (None, 0, 90)]
)
def test_cost_of_the_svm_is_the_one_that_a_search_with_scikit_learn_finds(
    n_grid, trial, best, small
):
    """The smallest of least error among ``n_grid`` up to three times the published one, or 100.

    The cases are about the last, a middle and the first cost.
    """
    C, width = methods.published(NAME)
    params = {"fold_seed": 7, **({} if n_grid is None else {"n_grid": n_grid})}
    task = Task("kpm", "table2", NAME, "svm", trial=trial, params=params)
    error, selected = experiment.run(task, small)

    (train, test), X, y = small.splits[trial], small.X, small.y
    svm, cv = SVC(gamma=1 / width), methods.folds(task)
    costs = np.linspace(0, 3 * C, (n_grid or 100) + 1)[1:]
    search = GridSearchCV(svm, {"C": costs}, cv=cv).fit(X[train], y[train])
    means = search.cv_results_["mean_test_score"]
    found = costs[np.flatnonzero(means > means.max() - 1e-9)[0]]
    assert found == pytest.approx(costs[best - 1])

    assert (selected.metric, selected.value) == ("selected C", pytest.approx(found))
    assert error.chosen == {"C": pytest.approx(found)}
    expected = 1 - svm.set_params(C=found).fit(X[train], y[train]).score(X[test], y[test])
    assert (error.value, error.n_test) == (pytest.approx(expected), 20)
