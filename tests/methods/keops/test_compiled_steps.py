"""Each compiled step of the SVM dual against the sentence that says what it does."""

import inspect

import numpy as np
import pytest

from reprolib.methods.keops import _svm_numba as loops
from reprolib.methods.keops.cvxopt_reference import solve_svm_cvxopt
from reprolib.methods.keops.svm import solve_svm
from reprolib.methods.keops.svm_features import WeightedFeatures, solve_svm_features
from tests.methods.keops.test_svm import two_classes

SEEDS = range(8)
C = 2.0
#: What other multipliers add to the gradient, where there are none.
NONE_HELD = np.zeros(1000)


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
def test_pairs_alone_reach_the_optimum(seed):
    K, y, alpha, _, _ = dual_point(seed)
    K += 0.1 * np.eye(30)
    costs = np.full(30, C)
    steps = loops.two_coordinate_descent(K, y, costs, alpha, 1e-7, 10**5, NONE_HELD[:30])
    assert 0 < steps < 10**5
    assert abs(y @ alpha) < 1e-9
    assert np.all((alpha >= 0.0) & (alpha <= C))
    best = solve_svm_cvxopt(K, y, C).dual_objective
    assert objective(K, y, alpha) == pytest.approx(best, rel=1e-6)
    assert loops.two_coordinate_descent(K, y, costs, alpha, 1e-7, 10**5, NONE_HELD[:30]) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_active_set_goes_on_as_long_as_the_objective_falls(seed):
    """It gives up after 2 n steps without progress, not after 2 n steps."""
    n = 40
    X, y = np.random.default_rng(seed).normal(size=(n, 3)), np.resize([1.0, -1.0], n)
    steps, violation = loops.active_set(
        X @ X.T, y, np.full(n, 100.0), np.zeros(n), 1e-8, 10_000, NONE_HELD[:n]
    )
    assert steps > 2 * n
    assert violation <= 1e-8


def test_active_set_gives_up_soon_where_no_step_lowers_the_objective():
    gave_up = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(10, 2)) * 10.0 ** rng.uniform(-8, 8)
        y, bounds = np.resize([1.0, -1.0], 10), np.full(10, 10.0 ** rng.uniform(-3, 6))
        steps, violation = loops.active_set(
            X @ X.T, y, bounds, np.zeros(10), 1e-13, 10**5, NONE_HELD[:10]
        )
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
    steps, violation = loops.active_set(K, y, bounds, alpha, 1e-8, 5000, NONE_HELD[: len(y)])
    best = solve_svm_cvxopt(K, y, bounds[0]).dual_objective
    assert violation <= 1e-8
    assert objective(K, y, alpha) == pytest.approx(best, rel=1e-7)
    assert (steps == 0) == np.array_equal(alpha, at_bounds)


def test_every_loop_is_compiled_once_and_calls_no_lapack():
    """LAPACK in a compiled loop took 2.5 seconds to compile, and two loops were compiled twice."""
    called = ("two_coordinate_descent", "_gradient", "_choose_pair", "_newton_system")
    K, y = two_classes(0)
    solve_svm(K, y, 1.0)
    features = WeightedFeatures(*[np.asfortranarray(A) for A in (K, K**2)], np.full(len(K), 1e-3))
    solve_svm_features(features, y, 1.0, solve_svm(features.gram(), y, 0.9).variables["alpha"])
    for loop in (getattr(loops, name) for name in called):
        assert len(loop.signatures) == 1, loop
        assert "linalg" not in inspect.getsource(loop.py_func), loop
