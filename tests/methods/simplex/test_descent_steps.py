"""Each step of the block descent against the sentence that says what it does."""

import numpy as np
import pytest

from reprolib.methods.simplex import kronecker_bcd as descent
from reprolib.methods.simplex.kronecker_qp import times_code_gram

SEEDS = range(6)


def programme(seed, n=12, p=4, n_classes=3):
    """Features, linear terms, bounds (one class of every example is free), feasible A."""
    rng = np.random.default_rng(seed)
    X, B = rng.normal(size=(n, p)), rng.normal(size=(n, n_classes))
    U = rng.uniform(0.5, 2.0, size=(n, n_classes))
    U[np.arange(n), rng.integers(n_classes, size=n)] = np.inf
    return X, B, U, np.minimum(rng.uniform(0.0, 2.0, size=B.shape), U), rng


def objective(K, B, A):
    """1/2 tr A'K A G - tr A'B."""
    return 0.5 * np.sum(A * times_code_gram(K @ A)) - np.sum(A * B)


def violation(K, B, U, A):
    """Largest part of the gradient that a feasible step could follow, in every row."""
    gradient = times_code_gram(K @ A) - B
    return np.maximum(np.where(A > 0, gradient, 0.0), np.where(A < U, -gradient, 0.0)).max(axis=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_visit_solves_the_block_and_keeps_the_products(seed):
    X, B, U, A, _ = programme(seed)
    K, i, before = X @ X.T, seed % 12, A.copy()
    Z = np.ascontiguousarray(A.T @ X)
    sums, norms = Z.sum(axis=0), np.einsum("ij,ij->i", X, X)
    change = descent._linear_row(X, norms, B, U, A, Z, sums, i, np.empty((2, 3)))
    others = np.arange(12) != i
    np.testing.assert_array_equal(A[others], before[others])
    np.testing.assert_allclose(Z, A.T @ X, atol=1e-12)
    np.testing.assert_allclose(sums, Z.sum(axis=0), atol=1e-12)
    assert violation(K, B, U, A)[i] < 1e-10
    assert change == pytest.approx(np.abs(A[i] - before[i]).max() * np.sqrt(norms[i]))


@pytest.mark.parametrize("seed", SEEDS)
def test_sweeps_end_at_the_optimum_and_keep_the_product(seed):
    X, B, U, A, _ = programme(seed)
    K = X @ X.T + np.eye(12)
    K[3], K[:, 3] = 0.0, 0.0
    start, F = A.copy(), np.ascontiguousarray((K @ A).T)
    descent._gram_sweeps(K, B, U, A, F, 1, 0.0)
    assert objective(K, B, A) < objective(K, B, start)
    once = A.copy()
    descent._gram_sweeps(K, B, U, A, F, 5000, 1e-12)
    assert objective(K, B, A) < objective(K, B, once)
    np.testing.assert_allclose(F, (K @ A).T, atol=1e-9)
    np.testing.assert_array_equal(A[3], start[3], err_msg="a point without curvature is left")
    others = np.arange(12) != 3
    assert violation(K, B, U, A)[others].max() < 1e-9
    np.testing.assert_allclose(
        descent._block_violation(A, times_code_gram(F.T) - B, U), violation(K, B, U, A), atol=1e-9
    )
    descent._gram_sweeps(K, B, U, start, np.ascontiguousarray((K @ start).T), 5000, 1e9)
    np.testing.assert_allclose(start, once, atol=1e-12, err_msg="one sweep is within so wide a tol")


def test_visits_without_change_are_counted():
    X, B, U, A, _ = programme(0)
    A[0], B[0] = 0.0, -100.0
    idle, Z = np.array([0, 2, 1] + [5] * 9), np.ascontiguousarray(A.T @ X)
    norms = np.einsum("ij,ij->i", X, X)
    descent._linear_sweep(X, norms, B, U, A, Z, np.array([0, 0, 1]), idle)
    assert idle.tolist() == [2, 0, 1] + [5] * 9
    np.testing.assert_allclose(Z, A.T @ X, atol=1e-12)


def test_small_changes_are_changes():
    X, B, U, A, _ = programme(0)
    X, U[:], idle = 1e-3 * X, 2.0, np.full(12, 5)
    Z, norms = np.ascontiguousarray(A.T @ X), np.einsum("ij,ij->i", X, X)
    before = A.copy()
    descent._linear_sweep(X, norms, B, U, A, Z, np.arange(12), idle)
    assert np.max(np.abs(A - before)) * np.sqrt(norms.max()) < 0.1
    assert idle.tolist() == np.where(np.any(before != A, axis=1), 0, 6).tolist()
    assert 0 in idle


def test_working_set_is_half_the_worst_and_half_drawn_among_the_other_violators():
    rng = np.random.default_rng(0)
    violations = np.r_[np.zeros(5), rng.permutation(np.arange(1.0, 21.0))]
    chosen = descent._working_set(violations, 7, np.random.default_rng(1))
    assert list(chosen) == sorted(set(chosen))
    assert len(chosen) == 7
    assert set(np.argsort(-violations)[:3]) <= set(chosen)
    assert violations[chosen].min() > 0
    other = descent._working_set(violations, 7, np.random.default_rng(2))
    assert set(other) != set(chosen)
    few = np.flatnonzero(violations > 13.0)
    np.testing.assert_array_equal(
        descent._working_set(np.where(violations > 13.0, violations, 0.0), 7, rng), few
    )
    all_small = descent._working_set(np.array([0.5, 0.0, 0.25, 1e-9]), 3, None)
    assert all_small.tolist() == [0, 2, 3]


def test_start_is_zero_but_at_the_bound_where_nothing_curves():
    B, U = np.array([[1.0, -1.0], [1.0, 1.0], [1.0, 1.0]]), np.full((3, 2), 2.0)
    U[2, 1] = np.inf
    A = descent._start(np.array([0.0, 1.0, 0.0]), B, U)
    assert A.tolist() == [[2.0, 0.0], [0.0, 0.0], [2.0, 0.0]]
    edges = np.array([[1.0, 0.0], [1.0, 1.0]])
    A = descent._start(np.array([descent.FLAT, 2.0 * descent.FLAT]), edges, np.full((2, 2), 2.0))
    assert A.tolist() == [[2.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("size", "power"),
    [(0.0, 1.0), (1.0, 1.0), (0.75, 0.5), (3.0, 2.0), (4.0, 4.0), (1e-300, 2.0**-997)],
)
def test_units_are_the_powers_of_two_below(size, power):
    assert descent.power_of_two(size) == power


@pytest.mark.parametrize("k", [0.0, descent.FLAT])
def test_a_point_without_curvature_is_left_and_counts_as_idle(k):
    X, B, U, A, _ = programme(0)
    norms = np.einsum("ij,ij->i", X, X)
    norms[0], before, idle = k, A.copy(), np.zeros(12, dtype=np.int64)
    Z = np.ascontiguousarray(A.T @ X)
    descent._linear_sweep(X, norms, B, U, A, Z, np.array([0]), idle)
    np.testing.assert_array_equal(A, before)
    assert idle.tolist() == [1] + [0] * 11
    K = np.array([[k]])
    one, F = np.ones((1, 3)), np.zeros((3, 1))
    descent._gram_sweeps(K, B[:1], U[:1], one, F, 3, 0.0)
    assert one.tolist() == [[1.0, 1.0, 1.0]]


def test_a_visit_that_changes_nothing_is_of_length_zero():
    X, B, U, A, _ = programme(0)
    A[0], B[0] = 0.0, -100.0
    Z, norms = np.ascontiguousarray(A.T @ X), np.einsum("ij,ij->i", X, X)
    change = descent._linear_row(X, norms, B, U, A, Z, Z.sum(axis=0), 0, np.empty((2, 3)))
    assert change == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_sweeps_stop_once_no_entry_moves_the_gradient_by_more_than_the_tolerance(seed):
    X, B, U, A, _ = programme(seed)
    K = X @ X.T + np.eye(12)

    def swept(n_sweeps, tol):
        moved = A.copy()
        F = np.ascontiguousarray((K @ moved).T)
        descent._gram_sweeps(K, B, U, moved, F, n_sweeps, tol)
        return moved

    once, twice = swept(1, 0.0), swept(2, 0.0)
    largest = np.max(np.abs(once - A) * np.diag(K)[:, None])
    np.testing.assert_array_equal(swept(2, 1.001 * largest), once)
    np.testing.assert_array_equal(swept(2, 0.999 * largest), twice)
    assert np.any(once != twice)


def record_sweeps(monkeypatch):
    """Numbers of examples that the sweeps over features are asked to visit."""
    lengths, sweep = [], descent._linear_sweep

    def recorded(*arguments):
        lengths.append(len(arguments[6]))
        sweep(*arguments)

    monkeypatch.setattr(descent, "_linear_sweep", recorded)
    return lengths


def test_examples_without_change_in_three_visits_are_left_out_until_the_next_check(monkeypatch):
    X, B, U, _, _ = programme(0)
    lengths, checks = record_sweeps(monkeypatch), []

    def gap(A, product):
        checks.append(len(lengths))
        return 1.0, 1.0

    A, epochs = descent.descend_on_features(
        X, -np.abs(B), U, gap=gap, tol=0.1, max_iter=7, epochs_per_check=5
    )
    assert (epochs, checks) == (7, [5, 7])
    assert lengths == [12, 12, 12, 0, 0, 12, 12]
    np.testing.assert_array_equal(A, 0.0)


GAPS = pytest.mark.parametrize(("gap", "stops"), [(0.5, True), (-0.5, True), (0.51, False)])


@GAPS
def test_descent_on_features_stops_at_the_tolerance_on_either_side(gap, stops):
    X, B, U, _, _ = programme(1)
    _, epochs = descent.descend_on_features(
        X, B, U, gap=lambda A, product: (gap, 2.0), tol=0.25, max_iter=4, epochs_per_check=2
    )
    assert epochs == (2 if stops else 4)


@GAPS
def test_descent_on_working_sets_stops_at_the_tolerance_on_either_side(gap, stops):
    X, B, U, _, _ = programme(1)
    K = X @ X.T
    _, _, iterations = descent.descend_on_working_sets(
        K.__getitem__,
        np.diag(K).copy(),
        B,
        U,
        gap=lambda A, product: (gap, 2.0),
        tol=0.25,
        max_iter=3,
    )
    assert iterations == (0 if stops else 3)


def test_a_working_set_is_solved_to_a_tenth_of_the_largest_violation(monkeypatch):
    X, _, U, _, _ = programme(2)
    K, settings, sweeps = X @ X.T, [], descent._gram_sweeps

    def recorded(*arguments):
        settings.append(arguments[5:])
        sweeps(*arguments)

    monkeypatch.setattr(descent, "_gram_sweeps", recorded)
    B = np.full((12, 3), -1.0)
    B[4, 1], B[7, 0] = 3.0, 2.0
    descent.descend_on_working_sets(
        K.__getitem__, np.diag(K).copy(), B, U, gap=lambda *_: (1.0, 1.0), tol=0.0, max_iter=1
    )
    ((n_sweeps, tol),) = settings
    assert (n_sweeps, tol) == (50, pytest.approx(0.3))


def test_points_without_curvature_are_in_no_working_set():
    X, B, U, _, _ = programme(3)
    X[[2, 5]], seen = 0.0, []
    B[:], U[:] = 1.0, np.inf
    K = X @ X.T

    def rows(chosen):
        seen.append(chosen.tolist())
        return K[chosen]

    descent.descend_on_working_sets(
        rows, np.diag(K).copy(), B, U, gap=lambda *_: (1.0, 1.0), tol=0.0, max_iter=1
    )
    assert seen == [[0, 1, 3, 4, 6, 7, 8, 9, 10, 11]]
