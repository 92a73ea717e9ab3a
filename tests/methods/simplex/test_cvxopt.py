"""The reference solver for the simplex SVMs: what cvxopt is given, and how its answers are used."""

import cvxopt
import numpy as np
import pytest

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.solution import Solution
from reprolib.methods.simplex import svm_solver
from reprolib.methods.simplex.kronecker_qp import ConstraintRows, gram_factor, minimise_cvxopt
from reprolib.methods.simplex.svm_solver import ConeDual, HalfspaceDual, HullDual


def rows(n=5, n_classes=3, seed=0):
    """Soft and hard rows for random points of two features."""
    rng = np.random.default_rng(seed)
    mask = rng.uniform(size=(n, n_classes)) < 0.7
    soft = ConstraintRows(mask, -1.0, 0.5, rng.uniform(1.0, 3.0, size=(n, 1)))
    hard = ConstraintRows(~mask, 1.0, -0.5, np.inf)
    return rng.normal(size=(n, 2)) / 3.0, [soft, hard]


def given_to_cvxopt(monkeypatch, L, constraints, **settings):
    """Arrays and options that the solver of quadratic programmes gets, with its answer."""
    seen, solve = [], cvxopt.solvers.qp

    def recorded(*programme, **options):
        seen.append(([np.array(matrix) for matrix in programme], options))
        return solve(*programme, **options)

    monkeypatch.setattr(cvxopt.solvers, "qp", recorded)
    answer = minimise_cvxopt(L, constraints, **settings)
    return *seen[0], answer


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_a_factor_has_the_rank_of_the_matrix_in_any_unit(size):
    X = np.sqrt(size) * np.random.default_rng(0).normal(size=(9, 3))
    L = gram_factor(X @ X.T)
    assert L.shape == (9, 3)
    np.testing.assert_allclose(L @ L.T, X @ X.T, atol=1e-13 * np.sum(X**2))
    assert gram_factor(np.zeros((4, 4))).shape == (4, 0)
    nearly = np.diag([1.0, 2.0, 0.4 * np.finfo(float).eps, 40 * np.finfo(float).eps])
    assert gram_factor(size * nearly).shape == (4, 3)


def test_cvxopt_is_asked_for_the_tolerance_and_a_hundredth_of_it_in_absolute_terms(monkeypatch):
    L, constraints = rows()
    _, options, answer = given_to_cvxopt(monkeypatch, L, constraints, tol=1e-5, max_iter=37)
    asked = options["options"]
    assert asked["reltol"] == 1e-5
    assert asked["abstol"] == asked["feastol"] == pytest.approx(1e-7)
    assert (asked["maxiters"], asked["refinement"]) == (37, 2)
    assert asked["show_progress"] is False
    assert 1 < answer.iterations <= 37


def test_cvxopt_is_given_the_programme_of_the_docstring(monkeypatch):
    """Rows sigma <c_q, W' l_i> + xi >= b, slacks that are not negative, 1/2 ||W||^2 + prices xi."""
    L, constraints = rows()
    (P, q, G, h), _, _ = given_to_cvxopt(monkeypatch, L, constraints)
    soft, hard = constraints
    words, rng = simplex_code(3).T, np.random.default_rng(1)
    W, xi = rng.normal(size=(2, 2)), rng.normal(size=soft.mask.sum())
    x = np.concatenate([W.ravel(), xi])
    left = [c.sign * words[k] @ W.T @ L[i] for c in constraints for i, k in np.argwhere(c.mask)]
    left = np.array(left) + np.concatenate([xi, np.zeros(hard.mask.sum())])
    offsets = np.repeat([0.5, -0.5], [soft.mask.sum(), hard.mask.sum()])
    np.testing.assert_allclose(np.ravel(h) - G @ x, np.concatenate([left - offsets, xi]))
    value = 0.5 * x @ P @ x + np.ravel(q) @ x
    assert value == pytest.approx(0.5 * np.sum(W**2) + soft.prices() @ xi)


@pytest.mark.parametrize("C", [1e-9, 0.3, 1e9])
@pytest.mark.parametrize("size", [1e-100, 0.7, 1.0, 3e40])
def test_the_unit_of_a_problem_makes_its_rows_short_and_its_prices_at_least_one(size, C):
    L = size * np.random.default_rng(0).normal(size=(20, 4))
    C = C / size**2
    square = svm_solver._unit_square(L, C)
    longest = np.sqrt(square) * np.max(np.linalg.norm(L, axis=1))
    assert longest < 2.0
    assert C / square >= 1.0
    assert longest >= 1.0 or C / square == pytest.approx(1.0), "no smaller than need be"


@pytest.mark.parametrize("gaps", [[-3e-5, 1e-5, 2e-5], [3e-5, -2e-5, 1e-7], [1e-7, 0.0, 0.0]])
def test_cvxopt_is_asked_for_less_until_the_certificate_holds(monkeypatch, gaps):
    asked, prices = [], []

    def answer(L, constraints, *, tol, max_iter):
        asked.append(tol)
        prices.append(constraints[0].prices().min())

    def certified(dual, L, answer, square, tol):
        gap = gaps[len(asked) - 1]
        status = "optimal" if abs(gap) <= tol else "iteration limit"
        return Solution({}, 1.0, 1.0 - gap, status, iterations=len(asked), scale=1.0)

    monkeypatch.setattr(svm_solver, "minimise_cvxopt", answer)
    monkeypatch.setattr(svm_solver, "_certified", certified)
    dual = HalfspaceDual(np.eye(3), 1e-3, np.array([1.0, 0.02, 5.0]))
    solution = svm_solver.solve_simplex_svm_cvxopt(dual, np.eye(3), tol=1e-6)
    n_tried = next((k + 1 for k, gap in enumerate(gaps) if abs(gap) <= 1e-6), 3)
    assert asked == pytest.approx([1e-8, 1e-6, 1e-4][:n_tried])
    assert solution.iterations == 1 + int(np.argmin(np.abs(gaps[:n_tried])))
    np.testing.assert_allclose(prices, 1.0, err_msg="of the lightest example")


@pytest.mark.parametrize(
    ("gap", "status"),
    [
        (1.005e-3, "optimal"),
        (-1.005e-3, "optimal"),
        (1.02e-3, "iteration limit"),
        (-1.02e-3, "iteration limit"),
    ],
)
@pytest.mark.parametrize("primal", [2.0, -2.0])
def test_status_is_optimal_to_a_hundredth_beyond_the_tolerance(primal, gap, status):
    solution = svm_solver._with_status({}, primal, primal - 2.0 * gap, 4, 1e-3)
    assert (solution.status, solution.iterations, solution.scale) == (status, 4, 2.0)
    # A negative gap is round-off of its size, and no proof of less.
    assert solution.relative_gap == pytest.approx(abs(gap))


@pytest.mark.parametrize(
    ("scores", "squared_norm", "factor"),
    [
        ([1.0, -0.5, -0.5], 4.0, 0.5),  # the best multiple
        ([1.0, -0.5, -0.5], 1.0, 1.0),  # not beyond f itself
        ([2.0, -1.0, -1.0], 4.0, 0.5),  # not beyond the hull
        ([2.0, -0.4, -1.6], 8.0, 0.3125),
        ([0.2, -0.1, -0.1], 0.3, 1.0),
        ([-1.0, 0.5, 0.5], 1.0, 0.0),  # not backwards
        ([1.0, -0.5, -0.5], 0.0, 0.0),
        ([1e-3, -5e-4, -5e-4], 1e-2, 0.2),
    ],
)
def test_a_model_is_scaled_to_the_best_multiple_in_the_hull(scores, squared_norm, factor):
    """C = 2: the objective of t f is t^2 / 2 ||f||^2 + 2 (1 - t s) for the score s of the label."""
    dual = HullDual(np.eye(3)[:1], 2.0, np.zeros((1, 3)))
    found = dual.feasible_factor(squared_norm, np.array([scores]))
    assert found == pytest.approx(factor, abs=1e-15)


def test_a_weight_counts_so_many_losses_in_the_objectives():
    """By hand, for two examples of weights 1 and 3 at C = 2 and a squared norm of 4."""
    indicators, weights = np.eye(3)[:2], np.array([1.0, 3.0])
    scores = np.array([[0.2, -0.6, 0.4], [1.0, 2.0, -3.0]])
    cone = ConeDual(indicators, 2.0, weights)
    # 1/2 + the scores of the other classes: 0, 0.9 | 1.5, 0
    assert cone.primal_objective(4.0, scores) == pytest.approx(2.0 + 2.0 * (0.9 + 3.0 * 1.5))
    halfspace = HalfspaceDual(indicators, 2.0, weights)
    # 1 - the scores of the labels: 0.8 | -1
    assert halfspace.primal_objective(4.0, scores) == pytest.approx(2.0 + 2.0 * 0.8)
    A = np.array([[0.0, 0.5, 1.0], [2.0, 0.0, 0.0]])
    assert cone.dual_objective(A, 4.0) == pytest.approx(3.5 / 2 - 2.0)
    assert halfspace.dual_objective(A, 4.0) == pytest.approx(3.5 - 2.0)
    hull = HullDual(indicators, 2.0, np.zeros((2, 3)), weights)
    assert hull.dual_objective(A, 4.0) == pytest.approx(2.0 * 4.0 - 3.5 / 2 - 2.0)
