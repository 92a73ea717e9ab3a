"""The one-vs-rest peer: the optimum of liblinear and of cvxopt, and a gap that is one."""

import warnings

import cvxopt
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from reprolib.papers.simplex.squared_hinge import GAP_TOL, SquaredHingeOneVsRest


def rows(n=90, p=6, n_classes=4, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.array(["d", "a", "c", "b"])[rng.permutation(np.arange(n) % n_classes)]
    centres = {label: rng.normal(size=p) for label in np.unique(y)}
    return np.array([centres[label] for label in y]) + spread * rng.normal(size=(n, p)), y


def optimum_by_cvxopt(X, signs, C):
    """Least 1/2 |w|^2 + C sum s_i^2 with s >= 0 and s_i >= 1 - y_i x_i'w."""
    n, p = X.shape
    P = np.diag(np.r_[np.ones(p), np.full(n, 2 * C)])
    G = np.block([[-signs[:, None] * X, -np.eye(n)], [np.zeros((n, p)), -np.eye(n)]])
    h = np.r_[-np.ones(n), np.zeros(n)]
    options = {"show_progress": False, "abstol": 1e-11, "reltol": 1e-11, "feastol": 1e-11}
    parts = (cvxopt.matrix(a) for a in (P, np.zeros(p + n), G, h))
    return cvxopt.solvers.qp(*parts, options=options)["primal objective"]


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("spread", [0.2, 2.0])  # separable, and not
def test_the_optimum_is_that_of_cvxopt(C, spread):
    X, y = rows(spread=spread)
    model = SquaredHingeOneVsRest(C).fit(X, y)
    for label, w in zip(model.classes_, model.coef_, strict=True):
        signs = np.where(y == label, 1.0, -1.0)
        ours = 0.5 * w @ w + C * np.sum(np.maximum(1 - signs * (X @ w), 0) ** 2)
        assert ours == pytest.approx(optimum_by_cvxopt(X, signs, C), rel=1e-7)


@pytest.mark.parametrize("C", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize("shape", [{"n": 90, "p": 6}, {"n": 30, "p": 60}])
def test_weights_and_classes_are_those_of_liblinear(C, shape):
    X, y = rows(**shape)
    ours = SquaredHingeOneVsRest(C).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        peer = LinearSVC(C=C, dual=False, fit_intercept=False, tol=1e-10, max_iter=10_000)
        peer.fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5 * np.abs(peer.coef_).max())
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


def test_the_gap_is_that_of_the_dual_programme(monkeypatch):
    """Else a fit that ended early would be called optimal."""
    X, y = rows(n_classes=2)
    signs, C = np.where(y == np.unique(y)[0], 1.0, -1.0), 10.0
    for steps in (0, 1, 2):  # more reach the tolerance in these data
        monkeypatch.setattr("reprolib.papers.simplex.squared_hinge.MOST_STEPS", steps)
        model = SquaredHingeOneVsRest(C)
        w, gap = model._machine(X, signs, X.T @ X)
        losses = np.maximum(1 - signs * (X @ w), 0)
        v = 2 * C * losses
        primal = 0.5 * w @ w + C * losses @ losses
        dual = np.sum(v - v**2 / (4 * C)) - 0.5 * np.sum((X.T @ (signs * v)) ** 2)
        assert gap == pytest.approx((primal - dual) / primal, rel=1e-6)
        assert gap > GAP_TOL


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_features_of_any_size_reach_the_gap(scale):
    X, y = rows()
    model = SquaredHingeOneVsRest(1 / scale**2).fit(scale * X, y)
    assert model.duality_gap_ <= GAP_TOL
    np.testing.assert_allclose(
        scale * model.coef_, SquaredHingeOneVsRest(1.0).fit(X, y).coef_, atol=1e-6
    )
