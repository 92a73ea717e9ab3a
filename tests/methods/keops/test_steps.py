"""Steps of the solvers of KEOPS by hand and by naive formulas, both sides of every threshold."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from reprolib.methods.keops import KEOPSClassifier, MKLClassifier, TreeLassoClassifier, mkl_features
from reprolib.methods.keops import _svm_numba as loops
from reprolib.methods.keops import svm as svm_module
from reprolib.methods.keops.alternating import (
    MOST_UNCERTIFIED,
    _Problem,
    solve_pyramid_alternating,
)
from reprolib.methods.keops.kernel_sets import KernelStack, LinearBlocks, check_stack
from reprolib.methods.keops.mkl_features import _Newton, _Point, solve_mkl_features
from reprolib.methods.keops.norms import check_exponents
from reprolib.methods.keops.svm import TOLERANCES, solve_svm
from reprolib.methods.keops.svm_certificate import best_intercept, certify_point, size_of_gap
from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.keops.tree_norm import (
    best_logistic_intercept,
    prox_tree_norm,
    solve_tree_lasso_fista,
    tree_dual_norm,
)
from reprolib.methods.shared.solution import NotOptimalWarning, Solution
from reprolib.methods.shared.validation import ConstantClassifierWarning
from tests.methods.keops.test_pyramid import TREE, data, linear

EPSILON = np.finfo(float).eps


# ---- the SVM


def test_partner_at_no_distance_gives_the_largest_decrease():
    K = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    y = np.array([1.0, -1.0, -1.0])
    for order in ([0, 1, 2], [0, 2, 1]):
        alpha = np.zeros(3)
        M = K[np.ix_(order, order)]
        assert loops.two_coordinate_descent(M, y, np.ones(3), alpha, 1e-9, 9, np.zeros(3)) < 9
        assert alpha[order.index(1)] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("share", "expected"), [(1e-13, 0.0), (-1e-13, 0.0), (1e-11, -1.0), (-1e-11, 1.0)]
)
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_costs_that_are_equal_up_to_round_off_leave_a_flat_part(share, expected, unit):
    costs = unit * np.array([1.0, 1.0 + share])
    assert best_intercept(np.zeros(2), np.array([1.0, -1.0]), costs)[0] == expected


@pytest.mark.parametrize("seed", range(30))
def test_best_intercept_with_costs_is_the_minimum_over_all_breakpoints(seed):
    rng = np.random.default_rng(seed)
    y, scores, costs = np.resize([1.0, -1.0], 9), rng.normal(size=9), rng.uniform(0.5, 3.0, 9)
    b, value = best_intercept(scores, y, costs)
    losses = [costs @ np.maximum(0.0, 1.0 - y * (scores + c)) for c in (y - scores)]
    assert value == pytest.approx(min(losses))
    assert b == pytest.approx((y - scores)[np.argmin(losses)])


def certified(K, y, C, costs, alpha, *ending):
    return certify_point(alpha, K @ (y * alpha), np.sqrt(np.diag(K)), y, C, costs, *ending)


def test_objectives_of_the_svm_are_moved_by_their_round_off():
    K, y, alpha = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0]), np.full(2, 0.5)
    found = certified(K, y, 8.0, np.ones(2), alpha, "optimal", 3)
    assert found.variables["scores"].tolist() == [1.0, -1.0]
    assert 0.5 - found.dual_objective == 0.5 * EPSILON
    assert found.info["loss"] == pytest.approx(8 * EPSILON * (2 + 2))
    assert found.primal_objective - 0.5 == pytest.approx(32.5 * EPSILON)
    assert (found.status, found.iterations) == ("optimal", 3)


@pytest.mark.parametrize(("status", "expected"), [("optimal", "inaccurate"), ("max_iter",) * 2])
def test_an_open_gap_is_not_optimal(status, expected):
    K, y, costs = np.diag([4.0, 1.0, 9.0]), np.array([1.0, -1.0, -1.0]), np.array([1.0, 2.0, 2.0])
    alpha = np.array([0.5, 0.25, 0.25])
    found = certified(K, y, 2.0, costs, alpha, status, 0)
    assert found.status == expected
    assert found.variables["scores"].tolist() == [2.0, -0.25, -2.25]
    assert found.variables["intercept"] == -0.875
    terms = 5 * (1 + 0.875) + 2.0 * (2 * 1 + 1 * 2 + 3 * 2)
    assert found.info["loss"] == pytest.approx(2 * EPSILON * terms)
    assert found.primal_objective == pytest.approx(0.5 * 1.625)
    assert found.dual_objective == pytest.approx(1.0 - 0.5 * 1.625)
    assert found.info["reach"] == 3.0 * (2.0 * 0.5 + 0.25 + 3.0 * 0.25)


def with_gap(gap, alpha=0.0):
    return Solution({"alpha": alpha}, 1.0, 1.0 - gap, "optimal", scale=1.0)


def test_relative_gap_without_its_sign():
    assert size_of_gap(with_gap(0.25)) == size_of_gap(with_gap(-0.25)) == 0.25
    assert size_of_gap(with_gap(0.0)) == 0.0
    assert size_of_gap(with_gap(np.nan)) == np.inf


@pytest.mark.parametrize(
    ("gaps", "gap_tol", "chosen", "n_tried"),
    [
        ([1e-9, 0.5, 0.5, 0.5], 1e-8, 0, 1),
        ([1e-8, 0.0, 0.0, 0.0], 1e-8, 1, 2),
        ([1e-5, 1e-9, 0.0, 0.0], 1e-8, 1, 2),
        ([1e-7, 1e-5, 1e-6, 0.0], 1e-8, 0, 3),
        ([1e-3, 1e-5, 1e-4, 1e-2], 1e-8, 1, 4),
        ([1e-3, 1e-4, 1e-5, 1e-7], 1e-8, 3, 4),
        ([1e-2, 9e-4, 1e-4, 0.0], 1e-3, 1, 2),
    ],
)
def test_tolerances_are_tightened_and_the_best_answer_kept(
    monkeypatch, gaps, gap_tol, chosen, n_tried
):
    calls = []

    def answer(K, y, C, *, costs=None, **options):
        calls.append(options)
        return with_gap(gaps[len(calls) - 1] * 1.0001, alpha=len(calls))

    monkeypatch.setattr(svm_module, "solve_svm_active_set", answer)
    monkeypatch.setattr(svm_module, "solve_svm_cvxopt", answer)
    found = solve_svm(np.eye(2), np.array([1.0, -1.0]), 1.0, alpha=0, gap_tol=gap_tol)
    assert found.variables["alpha"] == chosen + 1
    assert len(calls) == n_tried
    expected = [{"alpha": k, "tol": tol} for k, tol in enumerate(TOLERANCES)]
    assert calls[:3] == expected[:n_tried]


def test_optimum_at_the_bounds_takes_no_step_and_has_no_violation():
    y, bounds = np.array([1.0, -1.0]), np.full(2, 0.1)
    alpha = bounds.copy()
    assert loops.active_set(np.eye(2), y, bounds, alpha, 1e-8, 9, np.zeros(2)) == (0, 0.0)
    assert alpha.tolist() == [0.1, 0.1]
    alpha = np.zeros(2)
    steps, violation = loops.active_set(np.eye(2), y, bounds, alpha, 1e-8, 1, np.zeros(2))
    assert steps == 1
    assert violation == 2.0
    assert alpha.tolist() == [0.1, 0.1]


# ---- the alternation


@pytest.mark.parametrize(("excess", "convex"), [(0.0, True), (1e-13, True), (1e-11, False)])
def test_penalty_is_convex_if_the_exponents_sum_to_one_at_most(excess, convex):
    problem = _Problem(None, None, KernelTree.flat(2), np.array([1.0 + excess]), 1.0)
    assert problem.convex == convex


def test_bound_is_the_dual_objective_and_minus_infinity_where_there_is_none():
    svm = Solution({"alpha": np.array([1.0, 2.0])}, 0.0, 0.0, "optimal")
    tree = KernelTree.flat(2)
    for p, expected in ((1.0, 3.0 - 0.5 * 16.0), (0.0, 3.0 - 0.5 * 25.0), (2.0, -np.inf)):
        problem = _Problem(None, None, tree, np.array([p]), 1.0)
        assert problem.bound(svm, np.array([3.0, 4.0])) == pytest.approx(expected)
        assert problem.penalty(np.array([3.0, 4.0])) == pytest.approx(
            {1.0: 24.5, 0.0: 12.5, 2.0: 0.5 * (3 ** (2 / 3) + 4 ** (2 / 3)) ** 3}[p]
        )


@pytest.mark.parametrize(
    ("p", "path", "gap", "n_uncertified", "expected"),
    [
        (1.0, [3.0, 2.0, 1.0], 1.9e-3, 0, "optimal"),
        (1.0, [3.0, 2.0, 1.0], 2.1e-3, 0, ""),
        (1.0, [1.0], 1.9e-3, 0, "optimal"),
        (1.0, [3.0, 2.0, 1.0], -0.9e-6, 0, "optimal"),
        (1.0, [3.0, 2.0, 1.0], -1.1e-6, 0, "inaccurate"),
        (1.0, [3.0, 2.0, 1.0], 0.5, MOST_UNCERTIFIED - 1, ""),
        (1.0, [3.0, 2.0, 1.0], 0.5, MOST_UNCERTIFIED, "inaccurate"),
        (1.0, [3.0, 1.0, 1.0], 0.5, 0, ""),
        (2.0, [3.0, 1.0 + 0.9e-4, 1.0], np.inf, 0, "stationary"),
        (2.0, [3.0, 1.0 + 1.1e-4, 1.0], np.inf, 0, ""),
        (2.0, [1.0, 1.0], np.inf, 0, ""),
        (2.0, [1.0, 1.0, 1.0], np.inf, 0, "stationary"),
        (2.0, [6.0, 2.0 + 1.9e-4, 2.0], np.inf, 0, "stationary"),
    ],
)
def test_alternation_ends_by_its_gap_or_its_decrease(p, path, gap, n_uncertified, expected):
    problem = _Problem(None, None, KernelTree.flat(2), np.array([p]), 1.0)
    problem.uncertified.extend([0.1] * n_uncertified)
    assert problem.ending(path, gap, 2.0, 1e-3, 1e-4) == expected


@pytest.mark.parametrize(
    ("decrease", "gap", "expected"),
    [
        (0.5e-14, 1.9e-6, "optimal"),
        (0.5e-14, 2.1e-6, ""),
        (4e-14, 1.9e-6, ""),
        (4e-14, 1.9e-12, "optimal"),
        (4e-14, 2.1e-12, ""),
    ],
)
def test_alternation_that_is_stuck_at_round_off_is_optimal_at_a_small_gap(decrease, gap, expected):
    problem = _Problem(None, None, KernelTree.flat(2), np.array([1.0]), 1.0)
    assert problem.ending([3.0, 2.0 + decrease, 2.0], gap, 1e-9, 1e-3, 0.0) == expected


@pytest.mark.parametrize("prune_tol", [0.1, 0.3, 0.6])
def test_kernels_of_small_norm_lose_their_weight(prune_tol):
    X, y = data()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = solve_pyramid_alternating(
            linear(X), y, TREE, np.ones(3), 50.0, prune_tol=prune_tol, max_iter=1
        ).variables
    assert [w.filename for w in caught] == [__file__]
    assert "1 outer steps" in str(caught[0].message)
    assert "last relative decrease inf" in str(caught[0].message)
    norms = found["kernel_norms"]
    np.testing.assert_array_equal(found["effective"] > 0, norms > prune_tol * norms.max())
    exact = solve_mkl_features(linear(X), y, 1.0, prune_tol=prune_tol).variables
    kept = exact["effective"][exact["effective"] > 0]
    assert kept.min() > prune_tol * kept.max()
    assert kept.sum() == pytest.approx(1.0)


def test_reach_bounds_the_scores_by_the_diagonal_of_the_effective_kernel():
    X, y = data()
    for solution, C in (
        (solve_mkl_features(linear(X), y, 2.0), 2.0),
        (solve_pyramid_alternating(linear(X), y, KernelTree.flat(9), np.zeros(1), 0.5), 0.5),
    ):
        found = solution.variables
        lengths = np.sqrt(np.diag((X * found["effective"]) @ X.T))
        expected = (lengths @ found["alpha"]) * lengths.max()
        assert solution.info["reach"] == pytest.approx(expected, rel=1e-9)
        assert np.abs(found["scores"]).max() <= solution.info["reach"]
        assert found["alpha"].max() <= C


@pytest.mark.parametrize("seed", range(8))
def test_kernels_that_cannot_tell_the_classes_apart_have_norm_zero(seed):
    rng = np.random.default_rng(seed)
    one_class = rng.normal(size=(6, 3)) * 10.0 ** rng.integers(-3, 4)
    X, y = np.r_[one_class, rng.permutation(one_class)], np.repeat([1.0, -1.0], 6)
    stack = KernelStack(np.stack([np.outer(x, x) for x in X.T]))
    for kernels in (linear(X), stack):
        found = solve_pyramid_alternating(kernels, y, KernelTree.flat(3), np.ones(1), 0.1)
        assert not found.variables["kernel_norms"].any()
        assert found.primal_objective == pytest.approx(0.1 * 12)


# ---- kernels


def test_norms_of_blocks_and_their_round_off_by_hand():
    X, coef = np.array([[3.0, 1.0, 2.0], [4.0, -1.0, -2.0]]), np.array([1.0, -2.0])
    kernels = LinearBlocks(X, np.array([0, 1, 1]))
    assert kernels.n_kernels == 2
    assert not kernels.single_features
    norms = kernels.dual_norms(coef)
    np.testing.assert_allclose(norms, [5.0, np.sqrt(9.0 + 36.0)])
    size = EPSILON * np.sqrt(5.0)
    np.testing.assert_allclose(kernels.round_off(coef, norms), [5 * size, np.sqrt(10.0) * size])
    weights = np.array([2.0, 3.0])
    np.testing.assert_allclose(kernels.gram(weights), (X * [2.0, 3.0, 3.0]) @ X.T)


@pytest.mark.parametrize("size", [0.0, 1e-6, 1.0, 1e6])
def test_norms_of_a_stack_and_their_round_off(size):
    rng = np.random.default_rng(0)
    X, coef = rng.normal(size=(3, 6, 2)), size * rng.normal(size=6)
    X[2] = 0.0
    Ks = X @ X.transpose(0, 2, 1)
    kernels = KernelStack(Ks)
    norms = kernels.dual_norms(coef)
    np.testing.assert_allclose(norms, [np.linalg.norm(coef @ x) for x in X])
    traces = np.array([np.trace(K) for K in Ks])
    off_square = EPSILON * traces * (coef @ coef)
    for values in (norms, np.zeros(3)):
        round_off = kernels.round_off(coef, values)
        sums = np.sqrt(values**2 + off_square) + values
        exact = np.divide(off_square, sums, out=np.zeros(3), where=sums > 0)
        assert np.all(exact * (1 - 1e-9) <= round_off)
        assert np.all(round_off <= exact * (2 + 1e-9))
        assert round_off.any() == (size > 0)
    weights = np.array([0.5, 0.0, 2.0])
    np.testing.assert_allclose(kernels.gram(weights), 0.5 * Ks[0] + 2.0 * Ks[2])


@pytest.mark.parametrize(
    "shape", [(4, 4), (2, 3, 3), (2, 4, 3), (2, 3, 4), (0, 4, 4), (1, 2, 4, 4)]
)
def test_stack_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"\(n_kernels, 4, 4\) for the 4 labels in y, none empty"):
        check_stack(np.zeros(shape), 4)


def test_exponents_must_be_finite():
    assert check_exponents([0.0, 2.0], 2).tolist() == [0.0, 2.0]
    for p in (np.inf, np.nan, [0.0, np.inf], [-1e-9, 0.0]):
        with pytest.raises(ValueError, match="every exponent must be a finite number >= 0"):
            check_exponents(p, 2)
    with pytest.raises(ValueError, match=r"p has shape \(1, 2\)"):
        check_exponents([[1.0, 1.0]], 2)


def test_ancestors_of_a_tree_of_four_levels():
    tree = KernelTree.from_nested([[[[0, 1], [2]], [[3]]], [[[4], [5, 6]]]])
    assert tree.height == 4
    assert tree.n_nodes == (2, 3, 5, 7)
    expected = [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 2, 2, 2], [0, 0, 1, 2, 3, 4, 4], range(7)]
    assert [nodes.tolist() for nodes in tree.ancestors()] == [list(level) for level in expected]
    assert tree.n_selected(np.arange(7) == 3) == (1, 1, 1, 1)
    assert tree.n_selected(np.zeros(7, bool)) == (0, 0, 0, 0)
    unordered = KernelTree.from_nested([[2, 0], [1]])
    assert unordered.ancestors()[0].tolist() == [0, 1, 0]


# ---- the interior-point method


def start_point(seed=0):
    rng = np.random.default_rng(seed)
    y, costs = np.resize([1.0, -1.0, -1.0], 12), rng.uniform(0.5, 2.0, 12)
    B = y[:, np.newaxis] * rng.normal(size=(12, 5))
    return _Point(B, y, 3.0, costs), B, y, 3.0 * costs


@pytest.mark.parametrize("seed", range(3))
def test_interior_point_method_starts_inside(seed):
    point, B, y, bounds = start_point(seed)
    assert y @ point.alpha == pytest.approx(0.0, abs=1e-12)
    assert np.all((point.alpha > 0) & (point.alpha < bounds))
    g = B.T @ point.alpha
    assert point.s == pytest.approx(1.1 * np.abs(g).max())
    slacks = (point.s - g, point.s + g, point.alpha, bounds - point.alpha)
    for found, expected in zip(point.slacks, slacks, strict=True):
        np.testing.assert_allclose(found, expected)
    u, v, z, xi = point.multipliers
    assert u.sum() + v.sum() == pytest.approx(point.s)
    assert (z.tolist(), xi.tolist(), point.b) == ([1.0] * 12, [1.0] * 12, 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_newton_direction_satisfies_the_linearised_conditions(seed):
    point, B, y, _ = start_point(seed)
    rng = np.random.default_rng(seed)
    target = [rng.uniform(0.0, 1.0, len(s)) for s in point.slacks]
    d_slacks, d_mult, db, ds = _Newton(point, 0.0).direction(target)
    for t, s, m, d_s, d_m in zip(
        target, point.slacks, point.multipliers, d_slacks, d_mult, strict=True
    ):
        np.testing.assert_allclose(s * m + m * d_s + s * d_m, t, atol=1e-9)
    np.testing.assert_allclose(d_slacks[0], ds - B.T @ d_slacks[2], atol=1e-9)
    np.testing.assert_allclose(d_slacks[1], ds + B.T @ d_slacks[2], atol=1e-9)
    np.testing.assert_allclose(d_slacks[3], -d_slacks[2])
    u, v, z, xi = (m + d for m, d in zip(point.multipliers, d_mult, strict=True))
    np.testing.assert_allclose(B @ (u - v) + (point.b + db) * y - 1.0 - z + xi, 0.0, atol=1e-8)
    assert u.sum() + v.sum() == pytest.approx(point.s + ds)
    assert y @ (point.alpha + d_slacks[2]) == pytest.approx(0.0, abs=1e-9)
    products = [
        (s + 0.5 * d_s) @ (m + 0.5 * d_m)
        for s, m, d_s, d_m in zip(point.slacks, point.multipliers, d_slacks, d_mult, strict=True)
    ]
    assert point.complementarity(0.5, d_slacks, d_mult) == pytest.approx(sum(products) / 34)
    before, b, s = [x.copy() for x in point.slacks], point.b, point.s
    plain = sum(x @ m for x, m in zip(point.slacks, point.multipliers, strict=True))
    assert point.complementarity() == pytest.approx(plain / 34)
    point.move(0.5, d_slacks, d_mult, db, ds)
    for x, old, d in zip(point.slacks, before, d_slacks, strict=True):
        np.testing.assert_allclose(x, old + 0.5 * d)
    assert (point.b, point.s) == (pytest.approx(b + 0.5 * db), pytest.approx(s + 0.5 * ds))
    assert point.alpha is point.slacks[2]
    assert point.complementarity() == pytest.approx(sum(products) / 34)


def test_ridges_are_raised_tenfold_and_then_given_up(monkeypatch):
    X, y = data()
    ridges = []

    def fails(point, ridge):
        ridges.append(ridge)
        raise np.linalg.LinAlgError

    monkeypatch.setattr(mkl_features, "_Newton", fails)
    solution = solve_mkl_features(linear(X), y, 1.0)
    assert (solution.status, solution.iterations) == ("inaccurate", 0)
    assert ridges[0] == 0.0
    np.testing.assert_allclose(ridges[1:8], 10.0 ** np.arange(-14, -7), rtol=1e-9)
    assert len(ridges) <= 9


# ---- the tree lasso


@pytest.mark.parametrize("unit", [1e-140, 1.0, 1e7])
@pytest.mark.parametrize("seed", range(4))
def test_dual_norm_is_the_smallest_step_that_leaves_nothing(seed, unit):
    u = unit * np.random.default_rng(seed).normal(size=9)
    t = tree_dual_norm(TREE, u)
    assert not prox_tree_norm(TREE, u, t).any()
    assert prox_tree_norm(TREE, u, t * (1 - 1e-9)).any()
    assert tree_dual_norm(KernelTree.flat(9), u) == pytest.approx(np.abs(u).max(), rel=1e-9)
    assert tree_dual_norm(TREE, np.zeros(9)) == 0.0


@pytest.mark.parametrize("start", [-70.0, -1.0, 0.0, 70.0])
@pytest.mark.parametrize("seed", range(3))
def test_logistic_intercept_balances_the_classes_from_any_start(start, seed):
    rng = np.random.default_rng(seed)
    scores, y = 3.0 * rng.normal(size=15), np.resize([1.0, -1.0, -1.0], 15)
    b = best_logistic_intercept(scores, y, start)
    assert y @ (1.0 / (1.0 + np.exp(y * (scores + b)))) == pytest.approx(0.0, abs=1e-12)


def test_gap_is_looked_at_every_so_many_steps_and_a_warm_start_takes_one():
    X, y = data(n=60)
    slow = solve_tree_lasso_fista(X, y, TREE, 2.0, tol=1e-6)
    assert slow.iterations % 25 == 0
    fine = solve_tree_lasso_fista(X, y, TREE, 2.0, tol=1e-6, check_every=1)
    assert fine.iterations <= slow.iterations < fine.iterations + 25
    w, b = slow.variables["coef"], slow.variables["intercept"]
    again = solve_tree_lasso_fista(X, y, TREE, 2.0, start=(w, b), tol=1e-6, check_every=1)
    assert again.iterations == 1
    np.testing.assert_allclose(again.variables["coef"], w, atol=1e-3)


def test_steps_that_are_too_few_are_counted_and_the_last_gap_is_told():
    X, y = data(n=60)
    with pytest.warns(NotOptimalWarning, match="after 30 steps") as caught:
        found = solve_tree_lasso_fista(X, y, TREE, 0.01, tol=1e-12, max_iter=30)
    assert caught[0].filename == __file__
    assert (found.status, found.iterations) == ("max_iter", 30)
    assert f"gap of {found.relative_gap:.3g} (wanted 1e-12)" in str(caught[0].message)


def test_tree_lasso_of_constant_features_predicts_the_majority():
    model = TreeLassoClassifier().fit(np.ones((5, 3)), [0, 0, 0, 1, 1])
    assert not model.coef_.any()
    assert model.intercept_ == pytest.approx(np.log(2 / 3))
    assert model.predict(np.ones((2, 3))).tolist() == [0, 0]


# ---- the estimators


@pytest.mark.parametrize(
    ("scores", "reach", "warns"),
    [
        ([0.25, 0.5], 0.05, True),
        ([-0.25, 0.0], 0.05, True),
        ([-0.125, 0.125], 0.05, False),
        ([0.25, 0.25], 0.05, False),
        ([0.25, 0.5], 0.099, True),
        ([0.25, 0.5], 0.1, False),
        ([3.0, 3.25], 0.05, True),
    ],
)
def test_constant_class_for_the_units_alone_is_told(scores, reach, warns):
    model = KEOPSClassifier(C=4.0)
    model._intercept_at_origin = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model._warn_if_constant(np.array(scores), reach)
    assert [w.category for w in caught] == [ConstantClassifierWarning] * warns
    if warns:
        assert "vary by 0.25, in units" in str(caught[0].message)
        assert "1 / C = 0.25. This" in str(caught[0].message)


def test_kernels_of_new_points_need_the_shape_of_the_training_data():
    X, y = data()
    Ks = np.stack([np.outer(x, x) for x in X.T])
    model = MKLClassifier(kernel="precomputed").fit(Ks, y)
    assert model.decision_function(Ks[:, :3]).shape == (3,)
    for bad in (Ks[:8], Ks[:, :, :39], Ks[0]):
        with pytest.raises(ValueError, match=r"training data have shape \(9, m, 40\)\."):
            model.predict(bad)
    with pytest.raises(ValueError, match=r"groups has shape \(8,\); .* of the 9 kernels\."):
        MKLClassifier(groups=np.zeros(8)).fit(X, y)


def test_random_weights_sum_to_one_at_every_level_and_children_to_their_parent():
    model = KEOPSClassifier(init="random", random_state=0)
    model.tree_ = TREE
    weights = model._start()
    above = np.ones(1)
    for level, parents in zip(weights, TREE.parents, strict=True):
        np.testing.assert_allclose(np.bincount(parents, level), above)
        assert level.min() > 0
        above = level
    assert len(np.unique(weights[-1])) == 9
    assert KEOPSClassifier()._start() is None
