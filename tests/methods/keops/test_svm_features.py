"""The SVM on the points that move against the one on the whole Gram matrix."""

import numpy as np
import pytest

from reprolib.methods.keops.cvxopt_reference import solve_svm_cvxopt
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


@pytest.mark.parametrize("start", [0.0, 1.0, 0.5])
def test_any_feasible_start_will_do(start):
    X, y, *_, weights = problem(1)
    y = np.resize([1.0, -1.0], len(y))
    features = of(X, weights)
    found = solve_svm_features(features, y, 1.0, np.full(len(y), start))
    reference = solve_svm_cvxopt(features.gram(), y, 1.0)
    assert abs(found.relative_gap) <= OPTIMAL_GAP
    assert found.primal_objective == pytest.approx(reference.primal_objective, rel=1e-6)


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
