"""Gram matrices, spectra, low-rank factors, and output codes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist

from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.mkmmc import KernelMMC
from reprolib.methods.mkpm import MKPMClassifier, NystromMKPMClassifier
from reprolib.methods.shared import codes, kernels

EXAMPLES = settings(derandomize=True, deadline=None, max_examples=25)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 4))


def test_rbf_gram_by_definition(X):
    expected = np.exp(-0.3 * cdist(X, X[:5]) ** 2)
    np.testing.assert_allclose(kernels.gram(X, X[:5], "rbf", gamma=0.3), expected, atol=1e-12)


def test_callable_kernel(X):
    K = kernels.gram(X, X, lambda a, b: float(a @ b))
    np.testing.assert_allclose(K, X @ X.T, atol=1e-12)


def test_centring_equals_centring_the_features(X):
    mean = X.mean(axis=0)
    Z = X[:7] + 1.0
    np.testing.assert_allclose(kernels.center_gram(X @ X.T), (X - mean) @ (X - mean).T, atol=1e-10)
    centred = kernels.center_gram(X @ X.T, Z @ X.T)
    np.testing.assert_allclose(centred, (Z - mean) @ (X - mean).T, atol=1e-10)


@EXAMPLES
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 99))
def test_spectrum_rebuilds_the_matrix_at_its_rank(n, p, seed):
    X = np.random.default_rng(seed).normal(size=(n, p))
    eigenvalues, vectors = kernels.gram_eigh(X @ X.T)
    assert len(eigenvalues) == np.linalg.matrix_rank(X)
    assert np.all(np.diff(eigenvalues) <= 0)
    np.testing.assert_allclose(vectors * eigenvalues @ vectors.T, X @ X.T, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(eigenvalues)), atol=1e-9)


def test_signs_of_eigenvectors_are_fixed(X):
    _, vectors = kernels.gram_eigh(X @ X.T)
    largest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(vectors.shape[1])]
    assert np.all(largest > 0)


def test_bad_gram_matrices_are_refused_with_the_remedy(X):
    with pytest.raises(ValueError, match=r"shape \(30, 4\).*square.*X_train"):
        kernels.check_gram(X)
    with pytest.raises(ValueError, match="not symmetric"):
        kernels.check_gram(np.triu(np.ones((3, 3))))
    with pytest.raises(ValueError, match="indefinite: its smallest eigenvalue is -1"):
        kernels.gram_eigh(np.diag([2.0, -1.0]))
    eigenvalues, _ = kernels.gram_eigh(np.zeros((3, 3)))
    assert len(eigenvalues) == 0


@pytest.mark.parametrize("percentile", [0, 25, 33.3, 100])
def test_the_percentile_of_wide_data_is_that_of_all_distances_bit_by_bit(percentile):
    """It sets the width of the kernels of the simplex paper, and so every number made with them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, kernels.WIDE))
    for rows in (X, 1e6 + X, rng.integers(3, size=X.shape).astype(float), np.zeros((4, 600))):
        expected = np.percentile(pdist(rows), percentile)
        assert kernels.distance_percentile(rows, percentile) == expected


def test_percentile_is_of_distances_over_distinct_pairs():
    X = np.array([[0.0], [1.0], [3.0]])
    assert kernels.distance_percentile(X, 50) == 2.0
    assert kernels.mean_distance(X) == 2.0
    many = np.random.default_rng(0).normal(size=(300, 2))
    sampled = kernels.distance_percentile(many, 25, max_samples=200, random_state=0)
    assert sampled == pytest.approx(kernels.distance_percentile(many, 25), rel=0.1)


def test_pivoted_cholesky_is_exact_at_full_rank_and_its_residual_is_certified(X):
    K = kernels.gram(X, X, "rbf", gamma=0.2)
    L, pivots, residual = kernels.pivoted_cholesky(np.diag(K), lambda i: K[:, i], 30)
    np.testing.assert_allclose(L @ L.T, K, atol=1e-8)
    L, pivots, residual = kernels.pivoted_cholesky(np.diag(K), lambda i: K[:, i], 8)
    assert residual == pytest.approx(np.trace(K - L @ L.T))
    assert np.linalg.eigvalsh(K - L @ L.T)[0] > -1e-10
    features = K[:, pivots] @ kernels.cholesky_map(L[pivots])
    np.testing.assert_allclose(features, L, atol=1e-10)


def test_pivoted_cholesky_stops_at_the_rank(X):
    K = X @ X.T
    L, pivots, residual = kernels.pivoted_cholesky(np.diag(K), lambda i: K[:, i], 30)
    assert L.shape == (30, 4)
    assert residual <= 1e-10 * np.trace(K)


def test_nystrom_features_rebuild_the_landmarks(X):
    K = kernels.gram(X, X, "rbf", gamma=0.2)
    landmarks = kernels.nystrom_landmarks(30, 10, random_state=0)
    assert len(set(landmarks)) == 10
    features = K[:, landmarks] @ kernels.nystrom_map(K[np.ix_(landmarks, landmarks)])
    np.testing.assert_allclose((features @ features.T)[landmarks], K[landmarks], atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 26])
def test_simplex_code_by_its_definition(n_classes):
    code = codes.simplex_code(n_classes)
    assert code.shape == (n_classes - 1, n_classes)
    expected = np.full((n_classes, n_classes), -1 / (n_classes - 1))
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(code.T @ code, expected, atol=1e-12)
    np.testing.assert_allclose(code.sum(axis=1), 0, atol=1e-12)


def test_simplex_code_needs_two_classes():
    with pytest.raises(ValueError, match="n_classes is 1"):
        codes.simplex_code(1)


@pytest.mark.parametrize("make", [codes.one_vs_all_code, codes.simplex_code])
def test_decoding_undoes_encoding(make):
    code = make(5)
    y = np.array([4, 0, 2, 2, 1, 3])
    assert np.array_equal(codes.decode(code, codes.encode(code, y)), y)


def test_one_vs_all_decoding_is_argmax():
    scores = np.random.default_rng(1).normal(size=(40, 4))
    assert np.array_equal(codes.decode(codes.one_vs_all_code(4), scores), scores.argmax(axis=1))


@pytest.mark.parametrize(
    "model",
    [
        KPMClassifier(1),
        MKPMClassifier(),
        MKPMClassifier(basis="cholesky", rank=5),
        NystromMKPMClassifier(rank=10),
        KernelMMC(),
    ],
)
@pytest.mark.parametrize("n", [12, 60])
def test_asymmetric_kernel_functions_are_refused(model, n):
    X, y = np.random.default_rng(0).normal(size=(n, 3)), np.arange(n) % 2

    def asymmetric(a, b):
        return float(np.exp(-np.sum((a - b) ** 2)) + 0.1 * (a[0] - b[0]))

    with pytest.raises(ValueError, match=r"kernel=.*asymmetric.* is not symmetric: k\(x, y\)"):
        model.set_params(kernel=asymmetric).fit(X, y)
    model.set_params(kernel=lambda a, b: float(np.exp(-np.sum((a - b) ** 2)))).fit(X, y)


def test_offsets_are_taken_out_exactly_and_other_columns_left_alone():
    rng = np.random.default_rng(0)
    X = rng.integers(-64, 65, size=(30, 3)) / 16
    moved, origin = kernels.without_offsets(X + np.array([0.0, 1e11, -1e9]))
    np.testing.assert_array_equal(moved[:, 0], X[:, 0])
    np.testing.assert_array_equal(moved - moved[0], X - X[0])
    np.testing.assert_array_equal(moved + origin, X + np.array([0.0, 1e11, -1e9]))
    for offset in (1e11, -1e11):
        moved, origin = kernels.without_offsets(np.full((5, 1), offset) * (1 + 1e-16 * X[:5, :1]))
        assert not moved.any()
        assert origin == pytest.approx(offset)
    constant, _ = kernels.without_offsets(np.full((5, 1), 0.1))
    np.testing.assert_array_equal(constant, 0.0)


def test_sparse_rows_have_the_kernel_of_dense_ones(X):
    rows = csr_array(X)
    expected = kernels.gram(X + 0.0, X[:5], gamma=0.3)
    for first, second in ((rows, X[:5]), (X, csr_array(X[:5])), (rows, csr_array(X[:5]))):
        np.testing.assert_allclose(kernels.gram(first, second, gamma=0.3), expected, atol=1e-12)
    alone = kernels.gram(rows, gamma=0.3)
    np.testing.assert_allclose(alone, kernels.gram(X, gamma=0.3), atol=1e-12)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_asymmetry_up_to_its_tolerance_is_taken_out(unit):
    K = unit * np.array([[2.0, 1.0], [1.0, 2.0]])
    K[0, 1] += 1.9e-8 * unit
    symmetric = kernels.check_gram(K)
    assert symmetric[0, 1] == symmetric[1, 0] == (K[0, 1] + K[1, 0]) / 2
    K[0, 1] += 0.2e-8 * unit
    with pytest.raises(ValueError, match=f"transpose by up to {2.1e-8 * unit:.3g}. Symm"):
        kernels.check_gram(K)
    for shape in ((4,), (2, 2, 2), (2, 3), (3, 2)):
        with pytest.raises(ValueError, match="training data is square"):
            kernels.check_gram(np.ones(shape))


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_rank_counts_eigenvalues_above_a_part_of_the_largest(unit):
    spectrum = unit * np.r_[1.0, 1.1e-10, 0.9e-10, np.zeros(7)]
    assert len(kernels.gram_eigh(np.diag(spectrum), rank_tol=1e-10)[0]) == 2
    eps = np.finfo(float).eps
    spectrum = unit * np.r_[1.0, 11 * eps, 9 * eps, np.zeros(7)]
    assert len(kernels.gram_eigh(np.diag(spectrum))[0]) == 2


def test_centring_by_weights_is_at_the_weighted_mean(X):
    weights = np.random.default_rng(1).uniform(1.0, 9.0, 30)
    mean, Z = np.average(X, axis=0, weights=weights), X[:7] + 1.0
    centred = kernels.center_gram(X @ X.T, weights=weights)
    np.testing.assert_allclose(centred, (X - mean) @ (X - mean).T, atol=1e-10)
    across = kernels.center_gram(X @ X.T, Z @ X.T, weights=weights)
    np.testing.assert_allclose(across, (Z - mean) @ (X - mean).T, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-25, 1.0, 1e20])
def test_scale_of_single_precision_is_summed_in_double(unit):
    X = (unit * np.random.default_rng(0).normal(size=(40, 3))).astype(np.float32)
    y = np.arange(40) % 2
    model = NystromMKPMClassifier(rank=5, gamma="scale", random_state=0).fit(X, y)
    given = NystromMKPMClassifier(
        rank=5, gamma=1.0 / (3.0 * X.astype(np.float64).var()), random_state=0
    )
    np.testing.assert_allclose(model.decision_function(X), given.fit(X, y).decision_function(X))
