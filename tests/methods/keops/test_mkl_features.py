"""The interior-point method that leaves features out on the way, against the one that does not."""

import numpy as np
import pytest

from reprolib.methods.keops import mkl_features
from reprolib.methods.keops.kernel_sets import LinearBlocks
from reprolib.methods.keops.mkl_features import solve_mkl_features


def problem(seed, n=60, p=90):
    """Features of which few matter, and labels."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, p))
    X[:, :4] += 0.7 * y[:, None]
    return LinearBlocks(X, np.arange(p)), y


@pytest.mark.parametrize("C", [1e-2, 1e-1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(5))
def test_answer_is_that_with_all_features(seed, C, monkeypatch):
    (features, y), costs = problem(seed), np.linspace(0.5, 1.5, 60)
    found = solve_mkl_features(features, y, C, costs=costs)
    monkeypatch.setattr(mkl_features, "NEGLIGIBLE", 0.0)
    expected = solve_mkl_features(features, y, C, costs=costs)
    assert found.status == expected.status == "optimal"
    assert abs(found.relative_gap) <= mkl_features.OPTIMAL_GAP
    norms = expected.variables["kernel_norms"]
    np.testing.assert_allclose(found.variables["kernel_norms"], norms, atol=1e-6 * norms.max())
    alpha = expected.variables["alpha"]
    np.testing.assert_allclose(found.variables["alpha"], alpha, atol=1e-5 * C)


@pytest.mark.parametrize("seed", range(5))
def test_all_take_part_where_one_is_missing(seed, monkeypatch):
    """Where features that matter were left out, the answer is found anew with all of them."""
    features, y = problem(seed)
    monkeypatch.setattr(mkl_features, "NEGLIGIBLE", 0.1)
    found = solve_mkl_features(features, y, 0.1)
    monkeypatch.setattr(mkl_features, "NEGLIGIBLE", 0.0)
    expected = solve_mkl_features(features, y, 0.1)
    np.testing.assert_array_equal(found.variables["alpha"], expected.variables["alpha"])
    assert found.iterations == expected.iterations
