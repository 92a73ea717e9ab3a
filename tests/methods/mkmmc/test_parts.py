"""MMC about the origin, with a ridge, and where points or directions are few."""

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.datasets import make_blobs

from reprolib.methods.mkmmc import (
    MMC,
    KernelMMC,
    MultipleKernelMMC,
    leave_one_out_hits,
    margin_laplacian,
)
from reprolib.methods.mkmmc._nearest import (
    nearest_neighbor,
    nearest_neighbor_path,
)
from reprolib.methods.shared.kernels import center_gram, gram
from tests.naive import mkmmc as naive

# Ties


@pytest.mark.parametrize("unit", [1e-160, 1e-3, 1.0, 1e150])
def test_the_nearest_in_every_dimension_is_the_first_of_the_equally_near(unit):
    rng = np.random.default_rng(0)
    train, test = rng.integers(0, 3, size=(30, 4)) * unit, rng.integers(0, 3, size=(20, 4)) * unit
    train[:, 2:] += 1e-14 * unit * rng.normal(size=(30, 2))
    path = nearest_neighbor_path(train, np.arange(30), test)
    for m in range(1, 5):
        labels = nearest_neighbor(train[:, :m], np.arange(30), test[:, :m])
        np.testing.assert_array_equal(path[m - 1], labels)


def test_about_the_origin_nothing_is_centred():
    """X(2B - I)X' with B_ij = 1/n_k inside class k: the criterion that the authors ran."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 5)) + 3.0, np.repeat([0, 1, 2], 4)
    B = np.equal.outer(y, y) / 4
    criterion = X.T @ (2 * B - np.eye(12)) @ X
    values, vectors = np.linalg.eigh(criterion)
    fitted = MMC(3, between="origin").fit(X, y)
    np.testing.assert_allclose(fitted.eigenvalues_, values[::-1][:3])
    np.testing.assert_allclose(np.abs(fitted.components_), np.abs(vectors.T[::-1][:3]), atol=1e-9)
    np.testing.assert_allclose(fitted.transform(X), X @ fitted.components_.T)
    kernel = KernelMMC(3, kernel="linear", constraint="function", between="origin").fit(X, y)
    np.testing.assert_allclose(kernel.eigenvalues_, fitted.eigenvalues_)
    np.testing.assert_allclose(np.abs(kernel.transform(X)), np.abs(fitted.transform(X)), atol=1e-9)


@pytest.mark.parametrize("constraint", ["coefficient", "function"])
def test_points_are_left_out_about_the_origin_as_by_brute_force(constraint):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 4)
    X = rng.normal(size=(12, 3)) + y[:, None]
    K = gram(X, gamma=0.3)

    def fit(K, y):
        model = KernelMMC(3, kernel="precomputed", constraint=constraint, between="origin")
        return model.fit(K, y).components_.T

    expected = naive.leave_one_out_predictions(fit, K, y, 3) == y
    hits = leave_one_out_hits(K, y, 3, range(12), constraint=constraint, between="origin")
    np.testing.assert_array_equal(np.array(list(hits)).T, expected)


# Scale constraints


@pytest.mark.parametrize("ridge", [0.0, 0.1, 2.0])
def test_a_ridge_is_in_units_of_the_mean_variance(ridge):
    """Against the generalised eigenproblem in coordinates of the centred kernel."""
    X, y = make_blobs([5, 3, 4, 6], n_features=7, cluster_std=3.0, random_state=3)
    K, L = gram(X, gamma=0.05), margin_laplacian(y)
    fitted = KernelMMC(3, gamma=0.05, constraint="whitened", ridge=ridge).fit(X, y)
    A, values = fitted.components_.T, fitted.eigenvalues_
    centred = center_gram(K)
    variances = np.sort(np.linalg.eigvalsh(centred))[1:]
    total = centred @ centred + ridge * np.mean(variances) * centred
    np.testing.assert_allclose(A.T @ total @ A, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(A.T @ K @ L @ K @ A, np.diag(values), atol=1e-9)
    np.testing.assert_allclose(A.sum(axis=0), 0.0, atol=1e-9)
    H = np.linalg.svd(centred)[0][:, :-1]
    best = eigh(H.T @ centred @ L @ centred @ H, H.T @ total @ H, eigvals_only=True)[::-1]
    np.testing.assert_allclose(values, best[:3], rtol=1e-6)


@pytest.mark.filterwarnings("ignore:MMC leaves out")
@pytest.mark.parametrize(("small", "rank"), [(1.1e-5, 2), (0.9e-5, 1)])
def test_directions_of_a_hundred_thousandth_of_the_spread_do_not_count(small, rank):
    """Their eigenvalues are 1e-10 of the largest."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, small], [0.0, -small]]), [0, 0, 1, 1]
    assert MMC(1).fit(X, y).components_.shape == (1, 2)
    if rank == 2:
        assert MMC(2).fit(X, y).components_.shape == (2, 2)
    else:
        expected = "n_components is 2, but the training data span 1 dimensions; give an integer "
        with pytest.raises(ValueError, match=expected + "from 1 to 1, or None"):
            MMC(2).fit(X, y)


# The alternation. The kernels of these are numbers: the combined one is theta_1.


@pytest.mark.parametrize("estimator", [MMC(), KernelMMC(), MultipleKernelMMC()])
def test_two_points_have_a_direction_and_one_has_none(estimator):
    X, y = np.array([[0.0, 1.0], [3.0, 5.0]]), [0, 1]
    Z = estimator.fit(X, y).transform(X)
    assert Z.shape == (2, 1)
    assert abs(Z[0, 0] - Z[1, 0]) > 0.1
    with pytest.raises(ValueError, match=r"minimum of 2|one sample|\[0\]"):
        estimator.fit(X[:1], y[:1])
