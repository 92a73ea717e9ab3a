"""Few components of a large Gram matrix are those that the full decomposition gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group
from sklearn.datasets import make_moons

from reprolib.methods.kpm import KPMClassifier, components
from reprolib.methods.kpm.components import leading_eigh
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.methods.shared.kernels import gram, gram_eigh

examples = settings(derandomize=True, deadline=None, max_examples=60)


@pytest.fixture(scope="module", autouse=True)
def _small_matrices_count_as_large():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(components, "FEWEST_ROWS", 20)
        patch.setattr(components, "LARGEST_PART", 0.5)
        yield


@pytest.fixture
def refuses_the_full_solver(monkeypatch):
    def full(K, **options):
        raise AssertionError("all eigenvectors were computed")

    monkeypatch.setattr(components, "gram_eigh", full)


def with_spectrum(eigenvalues, seed=0):
    Q = ortho_group.rvs(len(eigenvalues), random_state=seed)
    K = (Q * eigenvalues) @ Q.T
    return (K + K.T) / 2


@examples
@given(
    st.integers(0, 10_000),
    st.lists(st.sampled_from([1.0, 0.9, 0.5, 1e-3, 1e-9, 1e-12, 0.0]), min_size=24, max_size=24),
    st.integers(1, 12),
)
def test_pairs_are_those_of_the_full_decomposition_also_with_equal_eigenvalues(
    seed, eigenvalues, k
):
    K = with_spectrum(np.array(eigenvalues), seed)
    expected, vectors = gram_eigh(K, rank_tol=1e-10)
    found, found_vectors = leading_eigh(K, k, rank_tol=1e-10)
    assert len(found) >= min(k, len(expected))
    np.testing.assert_allclose(found, expected[: len(found)], rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(K @ found_vectors, found_vectors * found, atol=1e-12)
    size = len(found)
    if size < len(expected) and expected[size - 1] > expected[size] + 1e-6:
        span, expected_span = (V @ V.T for V in (found_vectors, vectors[:, :size]))
        np.testing.assert_allclose(span, expected_span, atol=1e-7)


@pytest.mark.usefixtures("refuses_the_full_solver")
def test_few_components_do_not_take_all_eigenvectors_and_are_the_same_twice():
    K = gram(np.random.default_rng(0).standard_normal((200, 3)), gamma=0.3)
    eigenvalues, vectors = leading_eigh(K, 8, rank_tol=1e-10)
    again, vectors_again = leading_eigh(K, 8, rank_tol=1e-10)
    assert vectors.shape == (200, 8)
    assert np.array_equal(eigenvalues, again)
    assert np.array_equal(vectors, vectors_again)
    np.testing.assert_allclose(vectors, gram_eigh(K)[1][:, :8], atol=1e-9)


def test_an_eigenvalue_that_lanczos_missed_is_found(monkeypatch):
    K = with_spectrum(np.linspace(1.0, 0.1, 30))
    expected, vectors = gram_eigh(K)
    missed = [0, 1, 3, 4]
    found = (expected[missed], vectors[:, missed])
    monkeypatch.setattr(components, "eigsh", lambda *arguments, **options: found)
    np.testing.assert_allclose(leading_eigh(K, 3, rank_tol=1e-10)[0][:3], expected[:3])


def test_an_indefinite_matrix_is_refused_though_its_negative_part_is_not_asked_for():
    K = with_spectrum(np.append(np.linspace(1.0, 0.1, 29), -1e-3))
    with pytest.raises(ValueError, match="indefinite"):
        leading_eigh(K, 3, rank_tol=1e-10)


@pytest.mark.parametrize("make", [KPMClassifier, MKPMClassifier], ids=lambda make: make.__name__)
@pytest.mark.parametrize("weighted", [False, True])
def test_classifiers_of_few_components_are_those_of_the_full_decomposition(make, weighted):
    X, y = make_moons(120, noise=0.2, random_state=0)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    few = make(6, loss="square", gamma=2.0).fit(X, y, sample_weight=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(components, "FEWEST_ROWS", len(X) + 1)
        full = make(6, loss="square", gamma=2.0).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(few.decision_path(X), full.decision_path(X), atol=1e-8)


def test_too_many_components_name_the_numerical_rank_of_the_whole_matrix():
    X, y = make_moons(60, noise=0.2, random_state=0)
    with pytest.raises(ValueError, match="numerical rank 2"):
        KPMClassifier(3, kernel="linear").fit(X, y)
