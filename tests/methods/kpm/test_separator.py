"""The separating function of least norm: its optimality conditions, and against cvxopt."""

from __future__ import annotations

import cvxopt
import numpy as np
import pytest
from sklearn.datasets import make_moons

from reprolib import KPMClassifier
from reprolib.methods.kpm.components import KernelComponents
from reprolib.methods.kpm.separator import solve_least_norm_separator
from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.solution import NotOptimalError


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(60, noise=0.2, random_state=0)
    components = KernelComponents.from_gram(gram(X, gamma=2.0), center=False, rank_tol=1e-10)
    return X, 2.0 * y - 1.0, components.eigenvectors * np.sqrt(components.eigenvalues)


@pytest.mark.parametrize("D", [20, 30, 45])
def test_optimality_conditions(moons, D):
    _, y, features = moons
    found = solve_least_norm_separator(features[:, :D], y)
    w, b, a = (found.variables[name] for name in ("coef", "intercept", "dual"))
    margins = y * (features[:, :D] @ w + b)
    assert margins.min() >= 1.0 - 1e-9  # primal feasible
    assert a.min() >= 0.0  # dual feasible
    assert abs(a @ y) <= 1e-9 * a.sum()
    np.testing.assert_allclose((a * y) @ features[:, :D], w, atol=1e-6 * np.abs(w).max())
    assert np.all(margins[a > 1e-9 * a.max()] <= 1.0 + 1e-6)  # complementary slackness
    assert abs(found.relative_gap) < 1e-6


def test_same_as_cvxopt_and_shorter_than_the_point_of_least_mean_square(moons):
    X, y, features = moons
    D = 30
    Z = features[:, :D]
    P, G = np.diag([*np.ones(D), 0.0]), -y[:, None] * np.column_stack([Z, np.ones(len(y))])
    options = {"show_progress": False, "abstol": 1e-10, "reltol": 1e-10, "feastol": 1e-10}
    parts = map(cvxopt.matrix, (P, np.zeros(D + 1), G, -np.ones(len(y))))
    expected = cvxopt.solvers.qp(*parts, options=options)
    found = solve_least_norm_separator(Z, y)
    assert found.primal_objective == pytest.approx(expected["primal objective"], rel=1e-6)
    model = KPMClassifier(D, gamma=2.0).fit(X, y)
    alpha, K = model.dual_coef_, gram(X, gamma=2.0)
    assert model.objective_path_[D - 1] == pytest.approx(0.0, abs=1e-9)
    assert found.primal_objective < alpha @ K @ alpha / 2.0


def test_classes_that_overlap_are_an_error():
    with pytest.raises(NotOptimalError, match="separates"):
        solve_least_norm_separator(np.array([[1.0], [1.0], [2.0]]), np.array([1.0, -1.0, 1.0]))
