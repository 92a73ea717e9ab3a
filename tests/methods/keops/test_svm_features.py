"""The SVM on the points that move against the one on the whole Gram matrix."""

import numpy as np
import pytest

from reprolib.methods.keops import _svm_numba as loops
from reprolib.methods.keops import svm_features
from reprolib.methods.keops.cvxopt_reference import solve_svm_cvxopt
from reprolib.methods.keops.kernel_sets import LinearBlocks
from reprolib.methods.keops.svm import solve_svm
from reprolib.methods.keops.svm_certificate import OPTIMAL_GAP, size_of_gap
from reprolib.methods.keops.svm_features import WeightedFeatures, solve_svm_features


def problem(seed, n=60, p=25):
    """Features with a weight, labels, costs, and weights that differ a little."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    X = np.asfortranarray(rng.normal(size=(n, p)) + 0.5 * y[:, None] / np.sqrt(p))
    weights = rng.uniform(0.1, 2.0, p)
    return X, y, rng.uniform(0.5, 2.0, n), weights, weights * (1 + 0.05 * rng.normal(size=p))


def of(X, weights):
    return WeightedFeatures(X, X**2, weights)


def test_weighted_features_are_their_gram_matrix():
    X, y, _, weights, _ = problem(0)
    features, K = of(X, weights), (X * weights) @ X.T
    np.testing.assert_allclose(features.gram(), K, atol=1e-12)
    np.testing.assert_allclose(features.gram([3, 1]), K[np.ix_([3, 1], [3, 1])], atol=1e-12)
    np.testing.assert_allclose(features.scores(y), K @ y, atol=1e-12)
    np.testing.assert_allclose(features.lengths**2, np.diag(K))


@pytest.mark.parametrize("log_C", [-3, -1, 0, 2])
@pytest.mark.parametrize("seed", range(6))
def test_warm_answer_is_that_of_the_gram_matrix(seed, log_C):
    X, y, costs, weights, others = problem(seed)
    C = 10.0**log_C
    start = solve_svm((X * weights) @ X.T, y, C, costs=costs).variables["alpha"]
    features = of(X, others)
    found = solve_svm_features(features, y, C, start, costs=costs, gap_tol=1e-9)
    expected = solve_svm(features.gram(), y, C, costs=costs, gap_tol=1e-9)
    assert found.status == "optimal"
    assert abs(found.relative_gap) <= 1e-9
    assert found.primal_objective == pytest.approx(expected.primal_objective, rel=1e-9)
    for name in ("alpha", "scores", "intercept"):
        np.testing.assert_allclose(found.variables[name], expected.variables[name], atol=1e-6 * C)
    assert found.info["reach"] == pytest.approx(expected.info["reach"], rel=1e-6)
    assert found.info["loss"] == pytest.approx(expected.info["loss"], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("start", [0.0, 1.0, 0.5])
def test_any_feasible_start_will_do(start):
    X, y, *_, weights = problem(1)
    y = np.resize([1.0, -1.0], len(y))
    features = of(X, weights)
    found = solve_svm_features(features, y, 1.0, np.full(len(y), start))
    reference = solve_svm_cvxopt(features.gram(), y, 1.0)
    assert abs(found.relative_gap) <= OPTIMAL_GAP
    assert found.primal_objective == pytest.approx(reference.primal_objective, rel=1e-6)


def test_near_the_answer_only_few_entries_of_the_kernel_are_formed(monkeypatch):
    X, y, *_, weights, _ = problem(2, n=200, p=10)
    alpha = solve_svm((X * weights) @ X.T, y, 0.01).variables["alpha"]
    features, sizes, gram = of(X, weights * 1.001), [], WeightedFeatures.gram

    def counted(self, rows):
        sizes.append(len(rows))
        return gram(self, rows)

    monkeypatch.setattr(WeightedFeatures, "gram", counted)
    found = solve_svm_features(features, y, 0.01, alpha)
    assert found.status == "optimal"
    assert max(sizes) <= 0.5 * len(y)


def test_points_join_until_no_margin_is_violated(monkeypatch):
    X, y, *_, weights, _ = problem(3, n=200, p=10)
    alpha = solve_svm((X * weights) @ X.T, y, 0.01).variables["alpha"]
    weights = weights * np.linspace(0.05, 3.0, 10)
    rounds, gram = [], WeightedFeatures.gram

    def counted(self, rows):
        rounds.append(len(rows))
        return gram(self, rows)

    monkeypatch.setattr(WeightedFeatures, "gram", counted)
    monkeypatch.setattr(svm_features, "MOST_JOINING", 0.005)
    monkeypatch.setattr(svm_features, "NEAR", 0.0)
    found = solve_svm_features(of(X, weights), y, 0.01, alpha)
    assert len(rounds) > 2
    assert np.all(np.diff(rounds) > 0)
    assert np.all(np.diff(rounds) <= 1)
    assert abs(found.relative_gap) <= OPTIMAL_GAP


def test_more_join_than_may_move_and_the_whole_matrix_is_formed(monkeypatch):
    X, y, *_, weights, others = problem(4)
    alpha = solve_svm((X * weights) @ X.T, y, 1.0).variables["alpha"]
    monkeypatch.setattr(svm_features, "MOST_MOVING", 0.0)
    found = solve_svm_features(of(X, others), y, 1.0, alpha)
    expected = solve_svm((X * others) @ X.T, y, 1.0)
    assert found.primal_objective == pytest.approx(expected.primal_objective, rel=1e-9)


def test_what_is_not_certified_goes_to_the_solver_on_the_matrix(monkeypatch):
    X, y, *_, weights, others = problem(5)
    alpha = solve_svm((X * weights) @ X.T, y, 1.0).variables["alpha"]
    monkeypatch.setattr(svm_features, "MAX_STEPS", 0)
    monkeypatch.setattr(svm_features, "NEAR", 0.0)
    found = solve_svm_features(of(X, others), y, 1.0, alpha)
    assert abs(found.relative_gap) <= OPTIMAL_GAP


def repeated_contradicting_points(scale):
    X, y, *_, weights, _ = problem(6, n=20, p=3)
    return of(np.asfortranarray(scale * np.vstack([X, X])), weights), np.r_[y, -y]


@pytest.mark.parametrize("scale", [0.0, 1e-160, 1e-20, 1.0])
def test_repeated_contradicting_points(scale):
    features, y = repeated_contradicting_points(scale)
    found = solve_svm_features(features, y, 1.0, np.full(40, 0.5))
    expected = solve_svm(features.gram(), y, 1.0, alpha=np.full(40, 0.5))
    assert size_of_gap(found) <= OPTIMAL_GAP
    assert found.primal_objective == pytest.approx(expected.primal_objective, rel=1e-6)


def test_what_round_off_makes_hopeless_is_not_called_optimal():
    """Kernel values of 1e40, C = 1: no processor has a certified answer, nor that of another."""
    features, y = repeated_contradicting_points(1e20)
    found = solve_svm_features(features, y, 1.0, np.full(40, 0.5))
    assert np.isfinite(found.primal_objective)
    assert found.dual_objective <= found.primal_objective
    assert found.status != "optimal" or size_of_gap(found) <= OPTIMAL_GAP


@pytest.mark.parametrize("seed", range(4))
def test_held_multipliers_enter_the_gradient(seed):
    """Over some points, with the others held, both loops reach what all points have there."""
    X, y, _, weights, others = problem(seed)
    K, bounds = (X * others) @ X.T, np.ones(len(y))
    best = solve_svm(K, y, 1.0, gap_tol=1e-10).variables["alpha"]
    rows = np.flatnonzero((best > 0.0) & (best < 1.0))
    rest = np.setdiff1d(np.arange(len(y)), rows)
    held = y[rows] * (K[np.ix_(rows, rest)] @ (y * best)[rest])
    inner = K[np.ix_(rows, rows)]
    mean = np.where(y[rows] > 0, best[rows][y[rows] > 0].mean(), best[rows][y[rows] < 0].mean())
    moved = np.clip(mean, 0.0, 1.0)
    steps = loops.two_coordinate_descent(inner, y[rows], bounds[rows], moved, 1e-2, 10_000, held)
    assert 0 < steps < 10_000
    _, violation = loops.active_set(inner, y[rows], bounds[rows], moved, 1e-9, 1000, held)
    assert violation <= 1e-9
    np.testing.assert_allclose(moved, best[rows], atol=1e-5)


def test_blocks_keep_the_columns_of_the_features_that_have_a_weight():
    X, y, *_ = problem(7, n=12, p=4)
    kernels = LinearBlocks(X, np.array([0, 1, 1, 2]))
    for weights in ([1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 2.5, 3.0], [1.0, 0.0, 0.0], [0.0] * 3):
        per_feature = np.array(weights)[kernels.blocks]
        features = kernels.weighted(np.array(weights))
        assert features.X.shape[1] == np.count_nonzero(per_feature)
        np.testing.assert_allclose(features.gram(), (X * per_feature) @ X.T, atol=1e-12)
        warm = {"costs": None, "alpha": np.full(12, 0.0), "gap_tol": 1e-6}
        found = kernels.solve_svm(np.array(weights), y, 1.0, **warm)
        expected = solve_svm((X * per_feature) @ X.T, y, 1.0)
        assert found.primal_objective == pytest.approx(expected.primal_objective, rel=1e-6)
