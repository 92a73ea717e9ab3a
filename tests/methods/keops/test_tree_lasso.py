import cvxopt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from reprolib.methods.keops import TreeLassoClassifier
from reprolib.methods.keops.tree_norm import (
    largest_alpha,
    prox_tree_norm,
    solve_tree_lasso_fista,
    tree_dual_norm,
    tree_norm,
)
from reprolib.methods.shared.solution import NotOptimalWarning
from tests.methods.keops.test_pyramid import CHANNEL, REGION, TREE, data

GROUPS = [
    *(np.flatnonzero(g == REGION) for g in range(3)),
    *(np.flatnonzero(g == CHANNEL) for g in range(5)),
    *([m] for m in range(9)),
]
vectors = st.lists(st.floats(-5, 5), min_size=9, max_size=9).map(np.array)


def prox_by_cone_programme(u, step):
    """min 1/2 ||w - u||^2 + step sum t_g, ||w_g|| <= t_g, by CVXOPT."""
    p, k = len(u), len(GROUPS)
    P = np.zeros((p + k, p + k))
    P[:p, :p] = np.eye(p)
    blocks = []
    for g, members in enumerate(GROUPS):
        block = np.zeros((len(members) + 1, p + k))
        block[0, p + g] = -1
        block[np.arange(1, len(members) + 1), members] = -1
        blocks.append(block)
    G = np.vstack(blocks)
    answer = cvxopt.solvers.coneqp(
        cvxopt.matrix(P),
        cvxopt.matrix(np.r_[-u, np.full(k, step)]),
        cvxopt.matrix(G),
        cvxopt.matrix(np.zeros(len(G))),
        {"l": 0, "q": [len(b) for b in blocks], "s": []},
        options={"show_progress": False, "abstol": 1e-11, "reltol": 1e-11, "feastol": 1e-11},
    )
    return np.array(answer["x"]).ravel()[:p]


@settings(derandomize=True, deadline=None, max_examples=30)
@given(vectors, st.floats(0.05, 3))
def test_proximal_operator_against_a_cone_programme(u, step):
    ours = prox_tree_norm(TREE, u, step)

    def objective(w):
        return 0.5 * np.sum((w - u) ** 2) + step * sum(np.linalg.norm(w[g]) for g in GROUPS)

    reference = prox_by_cone_programme(u, step)
    assert objective(ours) <= objective(reference) + 1e-7
    np.testing.assert_allclose(ours, reference, atol=1e-4)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(vectors, vectors)
def test_norms_are_dual(w, u):
    assert tree_norm(TREE, w) == pytest.approx(sum(np.linalg.norm(w[g]) for g in GROUPS))
    assert abs(w @ u) <= tree_norm(TREE, w) * tree_dual_norm(TREE, u) * (1 + 1e-8) + 1e-12


def test_dual_norm_is_attained():
    u = np.random.default_rng(0).standard_normal(9)
    t = tree_dual_norm(TREE, u)
    w = prox_tree_norm(TREE, u, t * (1 - 1e-4))
    assert w @ u == pytest.approx(tree_norm(TREE, w) * t, rel=1e-2)


@pytest.mark.parametrize("ratio", [0.5, 0.1, 0.01])
def test_solver_is_certified(ratio):
    X, y = data(n=60)
    alpha = ratio * largest_alpha(TREE, X, y)
    solution = solve_tree_lasso_fista(X, y, TREE, alpha, tol=1e-7, max_iter=100000)
    assert solution.status == "optimal"
    assert -1e-10 <= solution.relative_gap <= 1e-7
    w, b = solution.variables["coef"], solution.variables["intercept"]
    stated = np.sum(np.log1p(np.exp(-y * (X @ w + b)))) + alpha * sum(
        np.linalg.norm(w[g]) for g in GROUPS
    )
    assert solution.primal_objective == pytest.approx(stated, rel=1e-10)


def lasso_by_two_halves(X, y, alpha):
    """Minimise sum log(1 + exp(-y f)) + alpha ||w||_1 with w = u - v, u, v >= 0, by L-BFGS-B.

    Not by LogisticRegression: how it is asked for the penalty changed in scikit-learn 1.8.
    """
    features = np.column_stack([X, -X, np.ones(len(y))])
    prices = np.append(np.full(2 * X.shape[1], alpha), 0.0)

    def risk_and_gradient(v):
        margins = y * (features @ v)
        slopes = -y * expit(-margins)
        return np.logaddexp(0, -margins).sum() + prices @ v, features.T @ slopes + prices

    bounds = [(0, None)] * (2 * X.shape[1]) + [(None, None)]
    options = {"maxiter": 100000, "maxfun": 100000, "ftol": 1e-15, "gtol": 1e-9}
    start = np.zeros(len(prices))
    answer = minimize(
        risk_and_gradient, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    u, v = np.split(answer.x[:-1], 2)
    return u - v


def test_flat_tree_is_the_lasso():
    X, y = data(n=60)
    model = TreeLassoClassifier(None, 0.1, tol=1e-8, max_iter=100000).fit(X, y)
    lasso = lasso_by_two_halves(X, y, model.alpha_)
    assert np.count_nonzero(lasso == 0) > 0
    np.testing.assert_allclose(model.coef_, lasso, atol=1e-6)


def test_nothing_is_selected_at_the_largest_alpha_and_groups_enter_below():
    X, y = data(n=60)
    assert TreeLassoClassifier(TREE, 1.0).fit(X, y).n_selected_ == (0, 0, 0)
    some = TreeLassoClassifier(TREE, 0.3).fit(X, y)
    assert 0 < some.n_selected_[2] < 9
    assert some.n_selected_[0] <= some.n_selected_[1] <= some.n_selected_[2]


def test_units_of_the_features_do_not_matter():
    X, y = data(n=60)
    a = TreeLassoClassifier(TREE, 0.1, tol=1e-8).fit(X, y)
    b = TreeLassoClassifier(TREE, 0.1, tol=1e-8).fit(1000 * X, y)
    np.testing.assert_allclose(a.coef_, 1000 * b.coef_, atol=1e-8)


def test_too_few_steps_warn():
    X, y = data()
    with pytest.warns(NotOptimalWarning, match="FISTA stopped after 3 steps"):
        TreeLassoClassifier(TREE, 0.001, tol=1e-9, max_iter=3).fit(X, y)


def test_constant_features_predict_the_majority():
    model = TreeLassoClassifier().fit(np.ones((5, 3)), [0, 0, 0, 1, 1])
    assert not model.coef_.any()
    assert model.intercept_ == pytest.approx(np.log(2 / 3))
