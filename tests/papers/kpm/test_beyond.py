"""The SVM on components has two regularisers, and its edges are the SVM and KPM."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from reprolib import KPMClassifier
from reprolib.methods.shared.kernels import gram
from reprolib.papers.kpm import beyond, methods, summaries
from reprolib.papers.kpm.experiment import PARTITIONS, run
from reprolib.rerun import records as results
from reprolib.rerun.records import Task, select
from tests import full_profile
from tests.naive import kpm as naive

NAME = "embedded/twonorm"
GAMMA = 1.0


@pytest.fixture(scope="module")
def moons():
    """Two noisy classes: 60 points to fit, 200 to test."""
    X, y = make_moons(260, noise=0.3, random_state=0)
    y = 2.0 * y - 1.0
    return X[:60], y[:60], X[60:], y[60:]


@pytest.fixture(scope="module")
def records():
    return results.load_paper("kpm")


@pytest.mark.parametrize("D", [2, 6, 20])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_decisions_are_those_of_the_dual_with_a_truncated_kernel(moons, D, C):
    X, y, X_test, _ = moons
    K, K_cross = gram(X, kernel="rbf", gamma=GAMMA), gram(X_test, X, "rbf", gamma=GAMMA)
    features, test_features = beyond.component_features(X, X_test, GAMMA, D)
    np.testing.assert_allclose(test_features @ features.T, K_cross @ _projector(K, D), atol=1e-8)
    model = SVC(C=C, kernel="linear", tol=1e-8).fit(features, y)
    expected = naive.svm_on_components(K, K_cross, y, D, C)
    np.testing.assert_allclose(model.decision_function(test_features), expected, atol=1e-3)


def _projector(K, D):
    _, V = np.linalg.eigh(K)
    return V[:, -D:] @ V[:, -D:].T


def test_map_counts_the_errors_of_the_naive_machine(moons, monkeypatch):
    monkeypatch.setattr(beyond, "DIMENSIONS", (2, 6))
    X, y, X_test, y_test = moons
    found, gap = beyond.error_map(X, y, X_test, y_test, GAMMA, [0.1, 1.0])
    K, K_cross = gram(X, kernel="rbf", gamma=GAMMA), gram(X_test, X, "rbf", gamma=GAMMA)
    expected = [
        [np.mean(y_test * naive.svm_on_components(K, K_cross, y, D, C) <= 0) for C in (0.1, 1.0)]
        for D in (2, 6, len(y))
    ]
    np.testing.assert_array_equal(found, expected)
    assert 0.0 <= gap < 1e-8


def test_map_is_the_same_for_rows_in_another_order():
    """As for other round-off: with libsvm at 1e-3, 6 to 12 of the 48 errors differ."""
    X, y = make_moons(3060, noise=0.3, random_state=0)
    y = 2.0 * y - 1.0
    X, y, X_test, y_test = X[:60], y[:60], X[60:], y[60:]
    costs = [0.3, 3.0, 30.0, 300.0]
    expected, _ = beyond.error_map(X, y, X_test, y_test, GAMMA, costs)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        found, _ = beyond.error_map(X[order], y[order], X_test, y_test, GAMMA, costs)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("D", [2, 6, 20])
def test_machines_are_exact(moons, D):
    X, y, X_test, _ = moons
    K, K_cross = gram(X, kernel="rbf", gamma=GAMMA), gram(X_test, X, "rbf", gamma=GAMMA)
    features, test_features = beyond.component_features(X, X_test, GAMMA, D)
    costs = [0.1, 10.0]
    for C, found in zip(costs, beyond.exact_svms(costs, features @ features.T, y), strict=True):
        function = features.T @ (y * found.variables["alpha"])
        values = test_features @ function + found.variables["intercept"]
        expected = naive.svm_on_components(K, K_cross, y, D, C)
        np.testing.assert_allclose(values, expected, atol=5e-5)  # cvxopt reaches 1e-5


@pytest.mark.parametrize("D", [2, 4])
def test_without_the_norm_it_is_kpm(moons, D):
    """At a large C the hinge loss is the linear programme's optimum, and so are the decisions."""
    X, y, X_test, _ = moons
    features, test_features = beyond.component_features(X, X_test, GAMMA, D)
    model = SVC(C=1e4, kernel="linear", tol=1e-6).fit(features, y)
    kpm = KPMClassifier(D, gamma=GAMMA).fit(X, y)
    loss = np.maximum(0, 1 - y * model.decision_function(features)).sum()
    assert loss == pytest.approx(kpm.objective_path_[-1], rel=1e-3)
    ours = model.decision_function(test_features)
    np.testing.assert_allclose(ours, kpm.decision_function(X_test), atol=0.02)


def test_with_all_components_it_is_the_svm(moons):
    X, y, X_test, y_test = moons
    (*_, last), _ = beyond.error_map(X, y, X_test, y_test, GAMMA, [0.3, 3.0])
    models = (SVC(C=C, gamma=GAMMA).fit(X, y) for C in (0.3, 3.0))
    assert list(last) == [np.mean(model.predict(X_test) != y_test) for model in models]


def _measured(monkeypatch, place):
    """Records of a task whose cross-validated error is least at one place (D, C) of the map."""
    shape = (len(beyond.DIMENSIONS) + 1, len(beyond.COSTS))

    def error_map(X, y, X_test, y_test, gamma, costs):
        found = 0.1 + np.arange(np.prod(shape)).reshape(shape) / 1000
        if len(X) < n:  # a fold
            found = np.full(shape, 0.4)
            found[place] = 0.2
        return found, 0.0

    monkeypatch.setattr(beyond, "error_map", error_map)
    task = Task("kpm", "beyond", NAME, "svm on components", params={"fold_seed": 0})
    dataset = full_profile.load(NAME)
    n = len(methods.realisation(task, dataset)[0])
    return {m.setting: m for m in run(task, dataset) if m.metric == "test error"}, n


def test_cross_validation_chooses_both_parameters_and_the_test_error_is_read_there(monkeypatch):
    found, _ = _measured(monkeypatch, (3, 4))
    published, _ = methods.published(NAME)
    expected = {"D": beyond.DIMENSIONS[3], "C": pytest.approx(beyond.COSTS[4] * published)}
    assert found[""].chosen == found["D up to 60"].chosen == expected
    assert found[""].value == pytest.approx(0.1 + (3 * len(beyond.COSTS) + 4) / 1000)


def test_few_components_and_all_of_them_are_chosen_from_their_own_part_of_the_map(monkeypatch):
    """The best D is beyond 60 here, where only the free choice may go."""
    above = beyond.DIMENSIONS.index(100)
    found, n = _measured(monkeypatch, (above, 2))
    assert found[""].chosen["D"] == 100
    assert found["D up to 60"].chosen["D"] == min(beyond.DIMENSIONS)  # all tie: the smallest
    assert found["all components"].chosen["D"] == n


def test_regularisers_are_compared_on_partitions_that_all_have(records):
    wide = summaries.errors_of(records, "raetsch/heart")
    svm = select(records, table="table2", dataset="raetsch/heart", method="svm", setting="")
    svm = select(svm, reading=PARTITIONS, metric="test error").set_index("trial")["value"]
    assert len(wide) < len(svm)
    np.testing.assert_allclose(wide["SVM"], 100 * svm[wide.index])


def test_mean_of_the_six_is_that_of_their_differences(records):
    found = summaries.differences(records, "KPM", "SVM")
    six = found.drop(index=["raetsch/image", "the six"])["difference"]
    assert found.loc["the six", "difference"] == pytest.approx(six.mean())
    assert len(six) == 6
    widths = (found["high"] - found["low"]).drop(index="raetsch/image")
    assert widths["the six"] < widths.drop(index="the six").mean()


def test_chosen_errors_lie_on_the_map(records):
    """A table and a picture cannot tell two stories."""
    name = "raetsch/image"
    wide = summaries.error_maps(records, name)
    rows = select(records, table="beyond", dataset=name, setting="", metric="test error")
    published, _ = methods.published(name)
    D, C = results.chosen(rows, "D"), results.chosen(rows, "C") / published
    D = D.where(D < 1000, summaries.ALL)
    on_map = [wide.loc[t, (d, round(c, 2))] for t, d, c in zip(rows["trial"], D, C, strict=True)]
    np.testing.assert_allclose(100 * rows["value"], on_map, atol=1e-3)


def test_edge_without_the_norm_is_the_path_of_kpm(records):
    wide = summaries.error_maps(records, "raetsch/heart")
    rows = select(records, table="table2", dataset="raetsch/heart", method="kpm", setting="")
    rows = select(rows, reading=PARTITIONS, metric="test error path").set_index("trial")
    (path,) = results.paths(rows.loc[[3]])
    assert wide.loc[3, (10, summaries.NO_NORM)] == pytest.approx(100 * path[9])
    assert np.isnan(wide.loc[3, (100, summaries.NO_NORM)])
