"""Each compiled step of the simplex path against the sentence that says what it does."""

import numpy as np
import pytest

from reprolib.methods.kpm.hinge_lp import _least_norm, _simplex, solve_hinge_lp_path_highs
from reprolib.methods.kpm.hinge_lp._least_norm import _farthest_row, _start
from reprolib.methods.kpm.hinge_lp._simplex import perturbed_targets, simplex_path
from reprolib.methods.kpm.nested_basis import NestedBasis
from tests.naive import kpm as naive

SEEDS = range(6)
NO_GUESS = np.empty(0, np.int64)


def weighted_rows(seed, m=5, n=40):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)), rng.uniform(0.5, 2.0, n), rng


def signed_basis(seed, n, gap):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    V = rng.normal(size=(n, n // 3)) + gap * y[:, np.newaxis] * (np.arange(n // 3) == seed % 5)
    return NestedBasis.from_arrays(V, y, rng.uniform(0.5, 2.0, n))


@pytest.mark.parametrize("seed", SEEDS)
def test_highs_counts_the_steps_of_every_component(seed):
    V = np.random.default_rng(seed).normal(size=(40, 8))
    counts = [s.iterations for s in solve_hinge_lp_path_highs(V, np.resize([1, -1], 40))]
    assert min(counts) >= 0
    assert 8 <= sum(counts) <= 8 * 40


def test_perturbed_targets_are_all_different_and_close_to_one():
    targets = perturbed_targets(500)
    golden = (1 + np.sqrt(5)) / 2
    np.testing.assert_allclose((targets[:4] - 1) / 1e-7, golden * np.arange(1, 5) % 1, rtol=1e-6)
    assert len(np.unique(targets)) == 500
    assert np.all((targets >= 1.0) & (targets < 1.0 + 1e-7))


@pytest.mark.parametrize("seed", SEEDS)
def test_point_to_leave_is_the_one_of_steepest_descent(seed):
    _, weights, rng = weighted_rows(seed)
    inverse, basis = rng.standard_normal((5, 5)), rng.permutation(40)[:5]
    duals = rng.uniform(-1.0, 3.0, 5)
    below, above = -duals, duals - weights[basis]
    descent = np.maximum(below, above) / np.linalg.norm(inverse, axis=0)
    best, sign = _simplex._leaving(duals, inverse, basis, weights)
    assert best == (np.argmax(descent) if descent.max() > 0.0 else -1)
    assert best < 0 or sign == (1.0 if below[best] > above[best] else -1.0)
    inside = rng.uniform(0.0, 1.0, 5) * weights[basis]
    assert _simplex._leaving(inside, inverse, basis, weights)[0] == -1


@pytest.mark.parametrize("seed", SEEDS)
def test_line_search_stops_at_the_minimum_and_flips_what_it_passes(seed):
    GT, weights, rng = weighted_rows(seed)
    targets = perturbed_targets(40)
    margins, change = rng.normal(size=40), rng.normal(size=40)
    upper, basic = margins < targets, np.zeros(40, bool)
    load = GT @ np.where(upper, weights, 0.0)
    slope = -weights[upper] @ change[upper]
    if slope > 0.0:
        change, slope = -change, -slope
    point, step = _simplex._line_search(
        change, slope, margins, targets, GT, weights, basic, upper, load
    )
    kinks = (targets - margins) / change
    loss = [weights @ np.maximum(0.0, targets - margins - t * change) for t in kinks[kinks > 0]]
    assert point == np.flatnonzero(kinks > 0)[np.argmin(loss)]
    assert step == pytest.approx(kinks[point])
    others = np.arange(40) != point
    np.testing.assert_array_equal(
        upper[others], (margins + step * change < targets)[others], strict=True
    )
    np.testing.assert_allclose(load, GT @ np.where(upper, weights, 0.0), atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_exchanged_inverse_is_that_of_the_new_basis(seed):
    GT, weights, _ = weighted_rows(seed)
    basis, upper = np.arange(3, 8), np.zeros(40, bool)
    margins, load = np.empty(40), np.empty(5)
    targets = perturbed_targets(40)
    inverse = _simplex._factorise(GT, weights, targets, basis, upper, margins, load)
    np.testing.assert_allclose(inverse @ GT[:, basis].T, np.eye(5), atol=1e-10)
    np.testing.assert_allclose(margins[basis], targets[basis], atol=1e-10)
    basis[seed % 5] = 20
    _simplex._exchange(inverse, seed % 5, GT[:, 20].copy())
    np.testing.assert_allclose(inverse @ GT[:, basis].T, np.eye(5), atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_row_taken_up_is_violated_and_its_bound_farthest_along_the_active_rows(seed):
    rng = np.random.default_rng(seed)
    H, t = rng.normal(size=(30, 6)), rng.normal(size=6)
    sizes, is_active = np.linalg.norm(H, axis=1), np.arange(30) < 3
    h = H @ t + rng.normal(size=30)
    outside = H - H @ np.linalg.pinv(H[:3]) @ H[:3]
    squares = np.sum(outside**2, axis=1)
    violation = np.where(is_active, -np.inf, h - H @ t)
    distance = violation[3:] / np.linalg.norm(outside[3:], axis=1)
    row, relative = _farthest_row(H, h, sizes, squares, t, is_active)
    assert row == 3 + np.argmax(distance)
    size = abs(h[row]) + sizes[row] * np.linalg.norm(t)
    assert relative == pytest.approx(violation[row] / size)
    assert _farthest_row(H, H @ t, sizes, squares, t, is_active) == (-1, 0.0)


def test_a_row_in_the_span_of_the_active_ones_does_not_come_first_for_its_round_off():
    H, h = np.array([[1.0, 0.0], [1.0, 1e-9], [0.0, 1.0]]), np.array([1.0, 1.0 + 1e-12, 1e-6])
    is_active, squares = np.array([True, False, False]), np.array([0.0, 1e-18, 1.0])
    row, _ = _farthest_row(H, h, np.ones(3), squares, np.array([1.0, 0.0]), is_active)
    assert row == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_squares_outside_the_span_follow_the_directions_that_come_and_go(seed):
    rng = np.random.default_rng(seed)
    H, (Q, _) = rng.normal(size=(9, 6)), np.linalg.qr(rng.normal(size=(6, 4)))
    Q = np.ascontiguousarray(Q.T)
    expected = [np.sum((H - H @ Q[:k].T @ Q[:k]) ** 2, axis=1) for k in range(5)]
    squares = _least_norm._squares_outside(H, np.linalg.norm(H, axis=1), Q[:3])
    np.testing.assert_allclose(squares, expected[3])
    _least_norm._move_squares(H, Q[3], -1.0, squares)
    np.testing.assert_allclose(squares, expected[4])
    for k in (3, 2):
        _least_norm._move_squares(H, Q[k], 1.0, squares)
    np.testing.assert_allclose(squares, expected[2])


def test_start_takes_no_row_that_depends_on_others_or_pulls_the_wrong_way():
    H = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    h = np.array([1.0, 2.0, -1.0, 1.0])
    Q, R = np.zeros((3, 3)), np.zeros((3, 3))
    active, t, u = np.zeros(3, np.int64), np.zeros(3), np.zeros(3)
    n_active = _start(H, h, np.arange(4), Q, R, active, t, u)
    assert active[:n_active].tolist() == [0, 3]
    np.testing.assert_allclose(t, [1.0, 0.5, 0.5])
    np.testing.assert_allclose(u[:n_active], [1.0, 0.5])


@pytest.mark.parametrize("seed", SEEDS)
def test_factors_follow_the_rows_that_come_and_go(seed):
    """H[active]' = Q' R, Q orthonormal, and t the shortest point with H t = h in these rows."""
    rng = np.random.default_rng(seed)
    H, h = rng.normal(size=(9, 6)), rng.uniform(0.5, 2.0, 9)
    Q, R, along, outside = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    active, t, u = np.zeros(6, np.int64), np.zeros(6), np.zeros(6)
    for n_active, row in enumerate([4, 2, 7, 0, 5]):
        length = _least_norm._project(H[row], Q, n_active, along, outside)
        np.testing.assert_allclose(along[:n_active], Q[:n_active] @ H[row], atol=1e-12)
        assert length == pytest.approx(np.linalg.norm(H[row] - along[:n_active] @ Q[:n_active]))
        _least_norm._append(Q, R, n_active, along, outside, length)
        active[n_active] = row
    for n_active, position in ((5, seed % 5), (4, 0), (3, 2)):
        rows = np.delete(active[:n_active], position)
        u[:n_active] = multipliers = rng.uniform(size=n_active)
        _least_norm._remove(Q, R, active, u, position, n_active)
        kept = n_active - 1
        np.testing.assert_array_equal(u[:kept], np.delete(multipliers, position))
        np.testing.assert_array_equal(active[:kept], rows)
        np.testing.assert_allclose(Q[:kept].T @ R[:kept, :kept], H[rows].T, atol=1e-12)
        np.testing.assert_allclose(Q[:kept] @ Q[:kept].T, np.eye(kept), atol=1e-12)
        assert not np.tril(R[:kept, :kept], -1).round(12).any()
        _least_norm._solve_active(H, h, Q, R, active, kept, t, u)
        np.testing.assert_allclose(t, np.linalg.pinv(H[rows]) @ h[rows], atol=1e-10)
        np.testing.assert_allclose(H[rows].T @ u[:kept], t, atol=1e-10)


@pytest.mark.parametrize("gap", [0.0, 3.0])
@pytest.mark.parametrize("n", [20, 27, 48])
@pytest.mark.parametrize("seed", SEEDS)
def test_path_is_optimal_without_the_fallbacks(seed, n, gap):
    basis = signed_basis(seed, n, gap)
    GT, weights = basis.signed, basis.weights
    coordinates, duals, pivots, _ = simplex_path(GT, weights, perturbed_targets(n), 1e-12)
    for m in range(1, len(GT) + 1):
        c, a = coordinates[m - 1, :m], duals[m - 1]
        loss = weights @ np.maximum(0.0, 1.0 - c @ GT[:m])
        assert loss == pytest.approx(a.sum(), abs=1e-9 * weights.sum())
        assert a.min() >= -1e-9
        assert np.all(a <= weights * (1 + 1e-9))
        assert np.abs(GT[:m] @ a).max() <= 1e-9 * weights.sum()
    separable = ~duals.any(axis=1)
    assert np.all(np.diff(separable.astype(int)) >= 0)
    if separable.any():
        first = int(np.argmax(separable))
        assert np.all(coordinates[first + 1 :] == coordinates[first])
        assert not pivots[first + 1 :].any()


# ---- single steps by hand


def search(change, margins, basic=(), slope=-1.0, weights=(1.0, 1.0, 1.0), targets=1.0):
    """Line search over three points with one coordinate, every margin on its own side."""
    change, margins = np.array(change), np.array(margins)
    at_basis, upper, load = np.zeros(3, bool), change > 0.0, np.zeros(1)
    at_basis[list(basic)] = True
    found = _simplex._line_search(
        change,
        slope,
        margins,
        np.full(3, targets),
        np.ones((1, 3)),
        np.array(weights),
        at_basis,
        upper,
        load,
    )
    return *found, upper.tolist(), load.tolist()


def test_line_search_passes_kinks_while_the_slope_is_negative():
    change, margins = [1.0, 1.0, 1.0], [-2.0, 0.0, -1.0]
    assert search(change, margins, slope=-0.5) == (1, 1.0, [True] * 3, [0.0])
    assert search(change, margins, slope=-1.0) == (1, 1.0, [True] * 3, [0.0])
    assert search(change, margins, slope=-1.5) == (2, 2.0, [True, False, True], [-1.0])
    assert search(change, margins, slope=-9.0) == (0, 3.0, [True, False, False], [-2.0])
    assert search(change, margins, slope=-1.5, weights=(1.0, 2.0, 1.0))[:2] == (1, 1.0)
    assert search([2.0, 2.0, 1.0], margins, slope=-2.5)[:2] == (0, 1.5)


def test_line_search_leaves_out_basic_points_and_those_that_do_not_move():
    margins = [0.0, -1.0, -2.0]
    assert search([1.0, 1.0, 1.0], margins, basic=[0])[:2] == (1, 2.0)
    assert search([1.0, 1.0, 1.0], margins, basic=[0, 1, 2])[:2] == (-1, 0.0)
    assert search([0.9e-7, 1.0, 1.0], [1.0 - 1e-9, -1.0, -2.0])[:2] == (1, 2.0)
    assert search([1.1e-7, 1.0, 1.0], [1.0 - 1e-9, -1.0, -2.0], weights=(1e8, 1, 1))[0] == 0
    assert search([-1.1e-7, 1.0, 1.0], [1.0 + 1e-9, -1.0, -2.0], weights=(1e8, 1, 1))[0] == 0


def test_line_search_stays_where_a_margin_is_beyond_its_target_already():
    point, step, *_ = search([1.0, 1.0, 1.0], [1.5, 0.0, 0.0])
    assert (point, step) == (0, 0.0)


def leaving(dual, weight=1.0, edge=1.0, total=1.0):
    """Release of a single basic point, its edge of a given length."""
    weights = np.array([weight, total - weight])
    return _simplex._leaving(np.array([dual]), np.array([[edge]]), np.array([0]), weights)


@pytest.mark.parametrize("weight", [1.0, 8.0])
def test_dual_variable_out_of_its_bounds_by_more_than_the_tolerance_leaves(weight):
    assert leaving(-0.9e-9 * weight, weight, total=weight)[0] == -1
    assert leaving(-1.1e-9 * weight, weight, total=weight) == (0, 1.0)
    assert leaving(weight * (1 + 0.9e-9), weight, total=weight)[0] == -1
    assert leaving(weight * (1 + 1.1e-9), weight, total=weight) == (0, -1.0)


def test_descent_that_is_not_worth_following_is_not_followed():
    for total in (2.0, 20.0):
        assert leaving(-1.0, edge=0.9e13 / total, total=total)[0] == 0
        assert leaving(-1.0, edge=1.1e13 / total, total=total)[0] == -1


@pytest.mark.parametrize("seed", SEEDS)
def test_new_coordinate_brings_in_the_point_at_the_minimum_along_it(seed):
    GT, weights, rng = weighted_rows(seed, m=3, n=30)
    targets, basis = perturbed_targets(30), np.array([4, 9, 0])
    inverse = np.linalg.inv(GT[:2, basis[:2]].T)
    c = np.append(inverse @ targets[basis[:2]], 0.0)
    along = np.append(-inverse @ GT[2, basis[:2]], 1.0)
    margins, change = c @ GT, along @ GT
    basic, upper = np.isin(np.arange(30), basis[:2]), margins < targets
    upper[basic] = False
    kinks = np.full(30, np.inf)
    kinks[~basic] = (targets - margins)[~basic] / change[~basic]
    loss = [
        weights @ np.maximum(0.0, targets - margins - t * change) if np.isfinite(t) else np.inf
        for t in kinks
    ]
    entering = _simplex._add_coordinate(
        np.ascontiguousarray(GT), weights, targets, inverse, basis, basic, upper
    )
    assert entering == np.argmin(loss)
    at = margins + kinks[entering] * change
    others = ~basic
    assert np.flatnonzero(basic).tolist() == sorted([4, 9, entering])
    np.testing.assert_array_equal(upper[others], (at < targets)[others])
    assert not upper[basic].any()


def test_loss_and_gap_of_a_vertex_by_hand():
    GT, weights = np.array([[1.0, -1.0, 1.0], [0.5, 0.5, 3.0]]), np.array([1.0, 2.0, 5.0])
    c, margins = np.array([0.5, 1.0]), np.empty(3)
    assert _simplex._loss(GT, weights, c, margins) == 2.0
    np.testing.assert_array_equal(margins, [1.0, 0.0, 3.5])
    for dual in (1.0, 3.0):
        assert _simplex._gap(GT, weights, c, np.array([dual, 0.0, 0.0]), margins) == 0.125


@pytest.mark.parametrize("seed", SEEDS)
def test_vertex_has_the_targets_at_its_basis_and_a_feasible_dual_point(seed):
    GT, weights, rng = weighted_rows(seed)
    basis, upper = rng.permutation(40)[:5], rng.random(40) < 0.4
    upper[basis] = False
    rough = np.linalg.inv(GT[:, basis].T) * (1 + 1e-5 * rng.normal(size=(5, 5)))
    c, duals = np.full(5, np.nan), np.full(40, np.nan)
    _simplex._vertex(GT, weights, rough, basis, upper, c, duals)
    np.testing.assert_allclose(c @ GT[:, basis], 1.0, atol=1e-6)
    np.testing.assert_allclose(GT @ duals, 0.0, atol=1e-4)
    others = np.setdiff1d(np.arange(40), basis)
    np.testing.assert_array_equal(duals[others], np.where(upper, weights, 0.0)[others])


@pytest.mark.parametrize("seed", SEEDS)
def test_pivots_lead_from_any_basis_to_one_that_is_left_no_more(seed):
    GT, weights, rng = weighted_rows(seed)
    GT[0] = np.resize([1.0, -1.0], 40)
    targets, basis = perturbed_targets(40), rng.permutation(40)[:5]
    margins = np.linalg.solve(GT[:, basis].T, targets[basis]) @ GT
    basic, upper = np.isin(np.arange(40), basis), margins < targets
    upper[basic] = False
    start = basis.copy()
    inverse, pivots = _simplex._pivot_to_optimum(GT, weights, targets, basis, basic, upper)
    np.testing.assert_allclose(inverse @ GT[:, basis].T, np.eye(5), atol=1e-8)
    np.testing.assert_array_equal(np.flatnonzero(basic), np.sort(basis))
    c = np.linalg.solve(GT[:, basis].T, targets[basis])
    expected = naive.hinge_lp_linprog((GT[1:] / GT[0]).T, GT[0], weights)
    assert weights @ np.maximum(0.0, targets - c @ GT) == pytest.approx(expected, rel=1e-5)
    others = ~basic
    np.testing.assert_array_equal(upper[others], (c @ GT < targets)[others])
    assert len(set(start) - set(basis)) <= pivots <= 40
    again = _simplex._pivot_to_optimum(GT, weights, targets, basis, basic, upper)
    assert again[1] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_path_goes_on_with_the_targets_one_where_others_end_elsewhere(seed):
    basis = signed_basis(seed, 30, 0.3)
    GT, weights = basis.signed, basis.weights
    far = 1.0 + 2e6 * (perturbed_targets(30) - 1.0)
    plain = simplex_path(GT, weights, np.ones(30), 1e-12)
    back = simplex_path(GT, weights, far, 1e-12)
    for m in range(1, len(GT) + 1):
        loss = [
            weights @ np.maximum(0.0, 1.0 - path[0][m - 1, :m] @ GT[:m]) for path in (plain, back)
        ]
        assert loss[1] == pytest.approx(loss[0], abs=1e-9 * weights.sum())
        assert back[1][m - 1].sum() == pytest.approx(loss[1], abs=1e-9 * weights.sum())
    assert back[2].sum() > plain[2].sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_walk_ends_at_the_shortest_point_of_its_active_rows(seed):
    rng = np.random.default_rng(seed)
    H, h = rng.normal(size=(12, 5)), rng.uniform(0.5, 2.0, 12)
    Q, R = np.zeros((5, 5)), np.zeros((5, 5))
    active, is_active = np.zeros(5, np.int64), np.zeros(12, bool)
    t, u, sizes = np.zeros(5), np.zeros(5), np.linalg.norm(H, axis=1)
    n_active, squares = 0, sizes**2
    for _ in range(15):
        row, _ = _farthest_row(H, h, sizes, squares, t, is_active)
        if row < 0:
            break
        length = np.linalg.norm(t)
        n_active = _least_norm._add_row(H, h, row, Q, R, active, is_active, n_active, t, u, squares)
        if n_active < 0:
            break
        rows = active[:n_active]
        assert row in rows
        assert np.linalg.norm(t) > length
        np.testing.assert_array_equal(np.flatnonzero(is_active), np.sort(rows))
        np.testing.assert_allclose(t, np.linalg.pinv(H[rows]) @ h[rows], atol=1e-8)
        np.testing.assert_allclose(H[rows].T @ u[:n_active], t, atol=1e-8)
        assert u[:n_active].min() >= 0.0
        outside = H - H @ np.linalg.pinv(H[rows]) @ H[rows]
        np.testing.assert_allclose(squares, np.sum(outside**2, axis=1), atol=1e-10)
    assert n_active != 0


@pytest.mark.parametrize(("wide", "solved"), [(1e-9, True), (4e-9, False)])
def test_rows_that_contradict_each_other_within_round_off_are_no_contradiction(wide, solved):
    H = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert _least_norm.least_norm_active_set(H, np.array([1.0, -1.0 + wide]), NO_GUESS)[2] == solved


@pytest.mark.parametrize(("square", "first"), [(0.9e-6, 1), (1.1e-6, 0)])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_length_outside_of_the_span_counts_only_where_it_is_no_round_off(square, first, size):
    H, h = size * np.eye(2), size * np.array([1e-3, 0.5])
    squares = size**2 * np.array([square, 1.0])
    row, _ = _farthest_row(H, h, np.full(2, size), squares, np.zeros(2), np.zeros(2, bool))
    assert row == first


@pytest.mark.parametrize(("units", "row"), [(12, -1), (24, 0)])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_violations_within_eight_units_of_round_off_of_the_terms_do_not_count(units, row, size):
    t, none = np.array([1.0 - units * np.finfo(float).eps]), np.zeros(1, bool)
    H, sizes = np.array([[size]]), np.array([size])
    assert _farthest_row(H, np.array([size]), sizes, sizes**2, t, none)[0] == row


@pytest.mark.parametrize(("angle", "second"), [(2e-11, 0.5), (0.5e-11, 0.0)])
@pytest.mark.parametrize("guess", [NO_GUESS, np.array([0, 1])])
def test_rows_are_independent_if_enough_of_them_is_outside_of_the_span(angle, second, guess):
    """Two rows that nearly contradict each other; what lies between decides."""
    H, h = np.array([[1.0, 0.0], [-1.0, angle]]), np.array([1.0, -1.0 + 0.5 * angle])
    t, _, solved = _least_norm.least_norm_active_set(H, h, guess)
    assert solved
    np.testing.assert_allclose(t, [1.0, second], atol=1e-3)
