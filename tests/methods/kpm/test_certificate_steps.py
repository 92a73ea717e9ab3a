"""Each step from a solver's raw answer to a certified one, on problems solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.kpm.hinge_lp import _solve, solve_hinge_lp_path
from reprolib.methods.kpm.hinge_lp._canonical import _affine_solution, canonical_optimum, hinge_loss
from reprolib.methods.kpm.hinge_lp._certificate import (
    GAP_TOL,
    MAX_ROUND_OFF,
    is_certified,
    nearly_feasible,
    require_path,
)
from reprolib.methods.kpm.hinge_lp._highs import BOUND, bounded_single, highs_single
from reprolib.methods.kpm.nested_basis import RADIUS, NestedBasis
from reprolib.methods.shared.solution import NotOptimalError
from tests.methods.kpm.test_certificates import solved

#: A constant alone: one point of each class, of weights 1 and 1 - lightness.
TWO_POINTS = np.array([[1.0, -1.0]])


def weighted_problem(seed=0, n=30, m=4):
    rng = np.random.default_rng(seed)
    V, y = rng.normal(size=(n, m)), np.resize([1.0, -1.0], n)
    return V, y, rng.uniform(8.0, 14.0, n)


# ---- the optimum of least mean square


@pytest.mark.parametrize("lightness", [3e-2, 1e-3, 1e-5, 1e-7, 1e-9])
def test_a_dual_variable_near_its_bound_but_free_is_found_to_be_free(lightness):
    """The heavier point decides; taken as at its bound it would let the constant be zero."""
    weights = np.array([1.0, 1.0 - lightness])
    dual = np.full(2, weights[1])
    c, found, _ = canonical_optimum(TWO_POINTS, weights, np.ones(1), dual, 1e-12)
    assert found
    assert c == pytest.approx([1.0])


@pytest.mark.parametrize(("lightness", "expected"), [(1e-10, 0.0), (1e-9, 1.0)])
@pytest.mark.parametrize("unit", [1.0, 64.0])
def test_a_shorter_point_may_cost_a_tiny_part_of_the_weights(lightness, expected, unit):
    weights = unit * np.array([1.0, 1.0 - lightness])
    dual = np.full(2, weights[1])
    c, found, _ = canonical_optimum(TWO_POINTS, weights, np.ones(1), dual, 1e-12)
    assert found
    assert c == pytest.approx([expected])


@pytest.mark.parametrize(("size", "expected"), [(1.0, 1.0), (1e-7, 0.0)])
def test_round_off_of_large_coordinates_is_no_rise_of_the_loss(size, expected):
    """A third point that is free holds the second coordinate at one over its size."""
    signed = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, size]])
    weights = np.array([1.0, 1.0 - 1e-8, 1.0])
    dual = np.array([weights[1], weights[1], 0.5])
    c, found, _ = canonical_optimum(signed, weights, np.array([1.0, 1.0 / size]), dual, 1e-12)
    assert found
    np.testing.assert_allclose(c, [expected, 1.0 / size], atol=1e-9)


@pytest.mark.parametrize("sizes", [(1.0,), (0.5, 4.0), (-0.1, -1.0)])
def test_on_a_line_of_optima_the_shortest_is_found_among_those_without_loss(sizes):
    """Two points hold the first coordinate at 1; the others ask size * c >= 0.25 of the second."""
    others = np.array([np.full(len(sizes), 0.75), sizes])
    signed = np.hstack([[[1.0, -1.0], [0.0, 0.0]], others])
    weights = np.array([1.0, 0.5, *np.ones(len(sizes))])
    dual = np.array([0.5, 0.5, *np.zeros(len(sizes))])
    line = np.column_stack([np.ones(2001), np.linspace(-5.0, 5.0, 2001)])
    losses = np.maximum(0.0, 1.0 - line @ signed) @ weights
    optima = line[losses <= losses.min() + 1e-9]
    shortest = min(optima, key=np.linalg.norm)
    c, found, _ = canonical_optimum(signed, weights, optima[-1], dual, 1e-12)
    assert found
    np.testing.assert_allclose(c, shortest, atol=1e-9)


def test_an_optimum_whose_face_cannot_be_resolved_is_returned_as_it_is():
    given = np.array([0.25])
    c, found, active = canonical_optimum(TWO_POINTS, np.ones(2), given, np.zeros(2), 1e-12)
    assert c is given
    assert not found
    assert len(active) == 0


@pytest.mark.parametrize(("angle", "rank"), [(1e-8, 2), (1e-12, 1)])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_rank_of_the_rows_that_hold_with_equality(angle, rank, size):
    rows = size * np.array([[1.0, 0.0, 0.0], [1.0, angle, 0.0]])
    particular, null = _affine_solution(rows)
    assert null.shape == (3, 3 - rank)
    np.testing.assert_allclose(rows @ particular, 1.0, rtol=1e-9)
    np.testing.assert_allclose(rows @ null, 0.0, atol=2e-12 * size)
    np.testing.assert_allclose(null.T @ null, np.eye(3 - rank), atol=1e-12)
    np.testing.assert_allclose(null.T @ particular, 0.0, atol=1e-9 / size)


def test_a_singular_square_set_of_rows_has_a_least_norm_solution_too():
    particular, null = _affine_solution(np.array([[2.0, 0.0], [2.0, 0.0]]))
    np.testing.assert_allclose(particular, [0.5, 0.0], atol=1e-15)
    np.testing.assert_allclose(np.abs(null), [[0.0], [1.0]], atol=1e-15)


def test_hinge_loss_by_hand():
    signed = np.array([[1.0, -1.0, 1.0], [0.5, 0.5, 3.0]])
    assert hinge_loss(signed, np.array([1.0, 2.0, 4.0]), np.array([0.5, 1.0])) == 2.0


# ---- dual points


def test_a_dual_point_is_mended_only_where_that_lowers_its_residual():
    signed, weights = np.array([[1.0, -1.0, 1.0]]), np.array([1.0, 2.0, 3.0])
    exact = np.array([1.0, 1.5, 0.5])
    assert nearly_feasible(signed, weights, exact, np.ones(1), 1e-9) is exact
    off = exact + np.array([0.0, 0.0, 1e-3])
    mended = nearly_feasible(signed, weights, off, np.ones(1), 1e-9)
    assert abs(signed @ mended) < 1e-15
    np.testing.assert_allclose(mended, exact, atol=1e-3)
    fixed = np.array([1.0, 0.0, 0.0])
    assert nearly_feasible(signed, weights, fixed, np.array([5.0]), 1e-9) is fixed


# ---- what counts as certified


def test_round_off_excuses_a_gap_only_up_to_a_part_of_the_scale():
    most = 10.0 * (GAP_TOL + MAX_ROUND_OFF)
    for part, certified in ((0.99, True), (1.01, False)):
        answer = solved(1.0, 1.0 - part * most, info={"round_off": 1.0})
        assert is_certified(answer) == certified
    below = solved(1.0, 1.0 + 11 * GAP_TOL)
    assert not is_certified(below)
    assert not is_certified(solved(1.0, 1.0, status="unknown"))


def test_the_loss_may_rise_by_no_more_than_twice_the_gap_and_round_off():
    for round_off in (0.0, 1e-5):
        allowed, info = 20 * GAP_TOL + round_off, {"round_off": round_off}
        for part, fine in ((0.99, True), (1.01, False)):
            value = 2.0 + part * allowed
            path = [solved(2.0, 2.0), solved(value, value, info=info)]
            if fine:
                assert require_path(path) is path
            else:
                with pytest.raises(NotOptimalError, match="rises"):
                    require_path(path)


def test_the_path_is_certified_before_the_answer_that_is_not():
    with pytest.raises(NotOptimalError, match="LP of 2 components .* gap 0.05 ") as caught:
        require_path([solved(2.0, 2.0), solved(2.0, 1.5), solved(1.0, 1.0)])
    assert caught.value.n_certified == 1
    without_scale = [solved(0.0, 0.0, scale=None), solved(1e-9, 1e-9, scale=None)]
    with pytest.raises(NotOptimalError, match="rises from 0 to 1e-09"):
        require_path(without_scale)


# ---- solutions in the units of the weights


def all_solvers(V, y, weights):
    basis = NestedBasis.from_arrays(V, y, weights)
    return {
        "simplex": solve_hinge_lp_path(V, y, weights=weights)[-1],
        "highs": highs_single(basis, V.shape[1]),
        "bounded": bounded_single(basis, V.shape[1]),
    }


def test_solutions_are_in_the_units_of_the_weights():
    V, y, weights = weighted_problem()
    assert NestedBasis.from_arrays(V, y, weights).weight_unit == 8.0
    for name, solution in all_solvers(V, y, weights).items():
        beta, b = solution.variables["beta"], solution.variables["intercept"]
        scores, dual = V @ beta + b, solution.variables["dual"]
        assert solution.status == "optimal", name
        assert solution.iterations > 0, name
        assert solution.scale == pytest.approx(weights.sum()), name
        loss = weights @ np.maximum(0.0, 1.0 - y * scores)
        assert solution.primal_objective == pytest.approx(loss, rel=1e-12), name
        assert solution.dual_objective == pytest.approx(dual.sum(), rel=1e-6), name
        assert solution.dual_objective == pytest.approx(loss, rel=1e-6), name
        assert dual.min() >= 0.0, name
        assert np.all(dual <= weights * (1 + 1e-12)), name
        norm = np.sqrt(np.average(scores**2, weights=weights))
        assert solution.info["norm"] == pytest.approx(norm, rel=1e-9), name
        size = weights @ (np.abs(V) @ np.abs(beta) + abs(b))
        if name != "bounded":
            round_off = 8 * np.finfo(float).eps * size
            assert solution.info["round_off"] == pytest.approx(round_off, rel=1e-6), name


@pytest.mark.parametrize("solve", [highs_single, bounded_single])
def test_certificate_is_lowered_by_the_slack_of_the_dual_point(monkeypatch, solve):
    V, y, weights = weighted_problem()
    basis = NestedBasis.from_arrays(V, y, weights)
    plain = solve(basis, 4)
    name = "slack" if solve is highs_single else "dropped_slack"
    monkeypatch.setattr(NestedBasis, name, lambda *arguments: 1e-3)
    lowered = solve(basis, 4)
    difference = plain.dual_objective - lowered.dual_objective
    assert difference == pytest.approx(8.0 * 1e-3, rel=1e-3)


# ---- the order of the solvers


def test_fallbacks_are_asked_until_one_is_certified_and_else_the_least_gap_is_taken():
    asked = []

    def fallback(gap, status="optimal"):
        def solve(basis, n_components):
            asked.append(n_components)
            return solved(1.0, 1.0 - gap, status=status)

        return solve

    def best_of(first, *fallbacks):
        return _solve._first_certified(None, 3, first, fallbacks, is_certified)

    first = solved(1.0, 0.5)
    assert best_of(first, fallback(0.3), fallback(0.4), fallback(-0.35)).gap == pytest.approx(0.3)
    assert asked == [3, 3, 3]
    assert best_of(first, fallback(0.3), fallback(0.0), fallback(0.0)).gap == 0.0
    assert len(asked) == 5
    found = best_of(first, fallback(1e-7), fallback(0.0, "unknown"))
    assert found.gap == pytest.approx(1e-7)
    assert best_of(solved(1.0, 1.0), fallback(0.0)).gap == 0.0
    assert len(asked) == 6


@pytest.mark.parametrize(("norm", "part"), [(1.0, 0.99), (1.0, 1.01), (5e4, 0.99), (5e4, 1.01)])
def test_an_answer_is_optimal_within_the_bound_if_its_dual_point_holds_for_all_functions_there(
    norm, part
):
    residual = part * 10.0 * GAP_TOL / (BOUND - 2.0 * max(RADIUS, norm))
    info = {"round_off": 0.0, "norm": norm, "residual": residual}
    assert _solve._is_optimal_within_bound(solved(1.0, 1.0, info=info)) == (part < 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_search_for_the_separating_point_starts_from_the_path_where_that_has_ended(
    monkeypatch, seed
):
    rng = np.random.default_rng(seed)
    y = np.resize([1.0, -1.0], 24)
    V = rng.normal(size=(24, 9))
    V[:, 5] = 0.0
    V[:, 6] += 2.0 * y
    kept, certify = [], _solve.certify
    monkeypatch.setattr(_solve, "certify", lambda *a: kept.extend(a[2]) or certify(*a))
    solve_hinge_lp_path(V, y)
    sizes = [len(answer.coordinates) for answer in kept]
    assert sizes == [2, 3, 4, 5, 6, 6, 7, 8, 9]
    ended = [not answer.dual.any() for answer in kept]
    assert ended[-1]
    assert not ended[0]
    supported = [len(answer.support) > 0 for answer in kept]
    assert supported == [size == sizes[ended.index(True)] for size in sizes]


def test_nested_lists_are_arrays_too():
    V, y = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], [1, 1, -1, -1]
    (only,) = solve_hinge_lp_path(V, y, 1)
    assert only.primal_objective == pytest.approx(2.0)
    with pytest.raises(ValueError, match="max_components is 3; V has 2 columns"):
        solve_hinge_lp_path(V, y, 3)
