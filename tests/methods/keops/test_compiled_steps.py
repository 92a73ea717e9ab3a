"""Each compiled step of the SVM dual against the sentence that says what it does."""

import numpy as np
import pytest

from reprolib.methods.keops import _svm_numba as loops
from reprolib.methods.keops.svm import solve_svm_cvxopt
from tests.methods.keops.test_svm import two_classes

SEEDS = range(8)
C = 2.0


def dual_point(seed, n=30, p=4):
    """Kernel, labels, a feasible dual point with multipliers at both bounds, its gradient."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    alpha = np.repeat(rng.choice([0.0, 0.3, 1.1, C], n // 2), 2)
    K = X @ X.T
    return K, y, alpha, y * (K @ (y * alpha)) - 1.0, rng


def objective(K, y, alpha):
    return alpha.sum() - 0.5 * (y * alpha) @ K @ (y * alpha)


@pytest.mark.parametrize("seed", SEEDS)
def test_pair_is_the_worst_violator_and_its_partner_of_largest_decrease(seed):
    K, y, alpha, gradient, _ = dual_point(seed)
    np.testing.assert_allclose(loops._gradient(K, y, alpha), gradient, atol=1e-12)
    value = -y * gradient
    up = np.where(y > 0, alpha < C, alpha > 0.0)
    down = np.where(y > 0, alpha > 0.0, alpha < C)
    i, j, violation = loops._choose_pair(K, y, np.full(30, C), alpha, gradient)
    assert i == np.argmax(np.where(up, value, -np.inf))
    assert violation == pytest.approx(value[up].max() - value[down].min())
    distance = K[i, i] + np.diag(K) - 2.0 * K[i]
    possible = down & (value < value[i])
    gain = np.divide((value[i] - value) ** 2, distance, out=np.zeros(30), where=possible)
    assert j == np.argmax(gain)


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_alone_reach_the_optimum(seed):
    K, y, alpha, _, _ = dual_point(seed)
    K += 0.1 * np.eye(30)
    costs = np.full(30, C)
    steps = loops.two_coordinate_descent(K, y, costs, alpha, 1e-7, 10**5)
    assert 0 < steps < 10**5
    assert abs(y @ alpha) < 1e-9
    assert np.all((alpha >= 0.0) & (alpha <= C))
    best = solve_svm_cvxopt(K, y, C).dual_objective
    assert objective(K, y, alpha) == pytest.approx(best, rel=1e-6)
    assert loops.two_coordinate_descent(K, y, costs, alpha, 1e-7, 10**5) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_newton_direction_with_its_step_minimises_over_the_free_multipliers(seed):
    """The ridge shortens it along directions that the kernel hardly changes; the step makes up."""
    K, y, alpha, gradient, rng = dual_point(seed)
    K += 1e-11 * np.eye(30)
    free, n_free = rng.permutation(30), 6
    direction = loops._free_direction(K, y, gradient, free, n_free, loops._scales(K))
    used = free[:n_free]
    assert y[used] @ direction[:n_free] == pytest.approx(0.0, abs=1e-6 * np.abs(direction).max())
    best = loops._best_step(K, gradient, direction, free, n_free)
    Q = (y[:, None] * K * y)[np.ix_(used, used)]

    def slope_at(step):
        return direction[:n_free] @ (gradient[used] + step * Q @ direction[:n_free])

    assert best > 1.0
    assert abs(slope_at(best)) < 0.05 * abs(slope_at(0.0))
    assert abs(slope_at(best)) < 0.7 * abs(slope_at(1.0))


def test_step_of_a_well_posed_direction_is_one():
    K, y, _, gradient, _ = dual_point(0)
    free = np.arange(30)
    K += np.eye(30)
    direction = loops._free_direction(K, y, gradient, free, 30, loops._scales(K))
    assert loops._best_step(K, gradient, direction, free, 30) == 1.0
    at_optimum = gradient + (y[:, None] * K * y) @ direction[:30]
    assert loops._residual(y, at_optimum, free, 30, direction[30]) < 1e-9
    assert loops._residual(y, gradient, free, 3, 0.5) == np.abs(gradient + 0.5 * y)[:3].max()


@pytest.mark.parametrize("seed", SEEDS)
def test_longest_step_keeps_to_the_bounds(seed):
    _, _, alpha, _, rng = dual_point(seed)
    free = np.flatnonzero((alpha > 0) & (alpha < C))
    direction = rng.normal(size=len(free))
    room = np.where(direction > 0, C - alpha[free], alpha[free]) / np.abs(direction)
    step, blocking = loops._longest_step(direction, 1e3, alpha, np.full(30, C), free, len(free))
    assert (step, blocking) == (pytest.approx(room.min()), np.argmin(room))
    short = 0.5 * room.min()
    assert loops._longest_step(direction, short, alpha, np.full(30, C), free, len(free)) == (
        short,
        -1,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_violator_is_the_worst_of_those_at_a_bound(seed):
    _, y, alpha, gradient, rng = dual_point(seed)
    is_free, intercept = (alpha > 0) & (alpha < C), rng.normal()
    violation = (gradient + y * intercept) * np.where(alpha > 0, 1.0, -1.0)
    violation[is_free] = -np.inf
    found, worst = loops._worst_violator(
        y, np.full(30, C), alpha, gradient, is_free, intercept, 1e-8
    )
    assert found == np.argmax(violation)
    assert worst == violation.max()
    beyond = loops._worst_violator(y, np.full(30, C), alpha, gradient, is_free, intercept, worst)
    assert beyond == (-1, worst)


def test_multipliers_are_kept_in_their_bounds():
    clipped = [loops._within_bounds(value, C) for value in (-0.1, 0.0, 1.0, C * (1 - 1e-16), 2.1)]
    assert clipped == [0.0, 0.0, 1.0, C, C]


@pytest.mark.parametrize("seed", SEEDS)
def test_objective_and_gradient_follow_a_step(seed):
    K, y, alpha, gradient, _ = dual_point(seed)
    loops._set(K, y, alpha, gradient, seed, 0.7)
    assert alpha[seed] == 0.7
    np.testing.assert_allclose(gradient, loops._gradient(K, y, alpha), atol=1e-11)
    assert -loops._negative_objective(alpha, gradient) == pytest.approx(objective(K, y, alpha))


@pytest.mark.parametrize("seed", SEEDS)
def test_active_set_goes_on_as_long_as_the_objective_falls(seed):
    """It gives up after 2 n steps without progress, not after 2 n steps."""
    n = 40
    X, y = np.random.default_rng(seed).normal(size=(n, 3)), np.resize([1.0, -1.0], n)
    steps, violation = loops.active_set(X @ X.T, y, np.full(n, 100.0), np.zeros(n), 1e-8, 10_000)
    assert steps > 2 * n
    assert violation <= 1e-8


def test_active_set_gives_up_soon_where_no_step_lowers_the_objective():
    gave_up = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(10, 2)) * 10.0 ** rng.uniform(-8, 8)
        y, bounds = np.resize([1.0, -1.0], 10), np.full(10, 10.0 ** rng.uniform(-3, 6))
        steps, violation = loops.active_set(X @ X.T, y, bounds, np.zeros(10), 1e-13, 10**5)
        assert steps < 10**4
        gave_up += violation > 1e-13
    assert gave_up > 5


@pytest.mark.parametrize("log_C", [-3, 0, 3])
@pytest.mark.parametrize("seed", range(5))
def test_active_set_reaches_the_optimum_alone_from_points_at_the_bounds(seed, log_C):
    K, y = two_classes(seed, p=30)
    bounds = np.full(len(y), 10.0**log_C)
    at_bounds = np.zeros(len(y))
    at_bounds[np.r_[np.flatnonzero(y > 0)[:seed], np.flatnonzero(y < 0)[:seed]]] = bounds[0]
    alpha = at_bounds.copy()
    steps, violation = loops.active_set(K, y, bounds, alpha, 1e-8, 5000)
    best = solve_svm_cvxopt(K, y, bounds[0]).dual_objective
    assert violation <= 1e-8
    assert objective(K, y, alpha) == pytest.approx(best, rel=1e-7)
    assert (steps == 0) == np.array_equal(alpha, at_bounds)
