"""KPM past its peak: the points that are called its answers are those of cvxopt."""

from __future__ import annotations

import cvxopt
import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from reprolib.methods.kpm.components import KernelComponents
from reprolib.methods.kpm.cvxopt_reference import hinge_lp
from reprolib.methods.shared.kernels import gram
from reprolib.papers.kpm import methods, peak
from reprolib.papers.kpm.experiment import PARTITIONS
from reprolib.rerun.records import Task

D = [3, 6, 40, 50]


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(160, noise=0.4, random_state=1)
    return X[:60], 2.0 * y[:60] - 1.0, X[60:], 2.0 * y[60:] - 1.0


@pytest.fixture(scope="module")
def found(moons):
    X, y, _, _ = moons
    K = gram(X, gamma=2.0)
    components = KernelComponents.from_gram(K, center=False, rank_tol=1e-10)
    return components, K, *peak.solved(components, K, y, D)


def shortest(V, y):
    """Function of least mean square among those with all margins at least one, by cvxopt."""
    A = np.column_stack([V, np.ones(len(y))])
    parts = (A.T @ A, np.zeros(A.shape[1]), -y[:, None] * A, -np.ones(len(y)))
    options = {"show_progress": False, "abstol": 1e-11, "reltol": 1e-11, "feastol": 1e-11}
    return A @ np.ravel(cvxopt.solvers.qp(*map(cvxopt.matrix, parts), options=options)["x"])


def test_loss_is_that_of_cvxopt_before_and_beyond_the_peak(moons, found):
    _, y, _, _ = moons
    components, _, _, loss = found
    assert loss[1] > 1.0 > 1e-6 > loss[2]
    for d, ours in zip(D, loss, strict=True):
        V = np.sqrt(len(y)) * components.eigenvectors[:, :d]
        columns = np.column_stack([V, np.ones(len(y))])
        beta, _, _, _ = hinge_lp(columns, y, np.ones(len(y)), 1e-10)
        theirs = np.maximum(0.0, 1.0 - y * (columns @ beta)).sum()
        assert ours == pytest.approx(theirs, abs=1e-5)


def test_points_beyond_the_peak_are_the_shortest_in_either_sense(moons, found):
    _, y, _, _ = moons
    components, K, paths, _ = found
    place = D.index(50)
    values = {
        rule: K @ path.dual_coef[:, place] + path.intercept[place] for rule, path in paths.items()
    }
    expected = shortest(components.eigenvectors[:, :50], y)
    np.testing.assert_allclose(values[peak.MEAN_SQUARE], expected, atol=1e-4)
    features = components.eigenvectors[:, :50] * np.sqrt(components.eigenvalues[:50])
    svm = SVC(C=1e8, kernel="linear", tol=1e-10).fit(features, y)
    np.testing.assert_allclose(
        values[peak.LEAST_NORM], svm.decision_function(features), rtol=1e-4, atol=1e-3
    )
    assert paths[peak.LEAST_NORM].norm[place] < paths[peak.MEAN_SQUARE].norm[place]
    same = D.index(6)  # before the peak there is one optimum
    coefs = [path.dual_coef[:, same] for path in paths.values()]
    np.testing.assert_array_equal(*coefs)


def test_D_is_chosen_by_the_folds_of_table_2(moons, monkeypatch):
    monkeypatch.setattr(peak, "DIMENSIONS", (2, 6, 40, 48))
    monkeypatch.setattr(methods, "gamma_of", lambda _: 2.0)
    X, y, X_test, y_test = moons
    task = Task("kpm", "peak", "raetsch/heart", "kpm", PARTITIONS, 3, {"fold_seed": 0})
    measured = {(m.metric, m.setting): m for m in peak.past_the_peak(task, X, y, X_test, y_test)}
    for rule in (peak.MEAN_SQUARE, peak.LEAST_NORM):
        validated = np.asarray(measured["cross-validated error path", rule].path)
        best = measured["test error", rule]
        place = int(np.argmin(validated))
        assert best.chosen == {"D": peak.DIMENSIONS[place]}
        assert best.value == measured["test error path", rule].path[place]
    weights = np.asarray(measured["label weight path", None].path)
    V = np.linalg.eigh(gram(X, gamma=2.0))[1][:, ::-1]
    np.testing.assert_allclose(weights, np.abs(V[:, :48].T @ y) / np.sqrt(60), atol=1e-8)


def test_functions_beyond_what_rounding_allows_are_left_out():
    path = peak._path(np.eye(2), np.ones((2, 2)), np.zeros(2), np.array([1.0, 1e6]))
    np.testing.assert_array_equal(np.isnan(path.norm), [False, True])
    errors = path.errors(np.eye(2), np.array([1.0, -1.0]))
    np.testing.assert_array_equal(errors, [0.5, np.nan])
