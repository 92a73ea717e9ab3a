"""The interior-point method for large C, part by part, and the working sets around it."""

import warnings

import numpy as np
import pytest

from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.simplex import SimplexConeSVC, SimplexHalfspaceSVC
from reprolib.methods.simplex.kronecker_ipm import (
    FIRST_COMPONENTS,
    LARGEST_RANK,
    FactoredGram,
    _Preconditioner,
    leading_columns,
)
from reprolib.methods.simplex.kronecker_qp import kronecker_qp_scores, times_code_gram
from reprolib.methods.simplex.svm_solver import (
    solve_simplex_svm_bcd,
    solve_simplex_svm_cvxopt,
    solve_simplex_svm_interior_point,
)
from reprolib.methods.simplex.svm_working_set import (
    FeatureAccess,
    KernelAccess,
    solve_simplex_svm_working_set,
)
from tests.methods.simplex.test_degenerate import PROGRAMMES, make_dual
from tests.methods.simplex.test_svc import CASES, blobs, fitted
from tests.naive.simplex import simplex_svm_objective


def kernel_access(K, most_rows=10_000):
    return KernelAccess(
        K.__getitem__, lambda rows: K[np.ix_(rows, rows)], np.diagonal(K).copy(), most_rows
    )


def test_leading_columns_leave_a_semidefinite_rest_and_are_exact_at_full_rank():
    X, _ = blobs(1, n=40)
    K = gram(X)
    L = leading_columns(K, 40)
    np.testing.assert_allclose(L @ L.T, K, atol=1e-12)
    for rank in (1, 5, 20):
        np.testing.assert_allclose(leading_columns(K, rank), L[:, :rank], atol=1e-12)
        rest = K - L[:, :rank] @ L[:, :rank].T
        assert np.linalg.eigvalsh(rest)[0] > -1e-12
        assert np.diagonal(rest).max() <= 1.0


def test_leading_columns_stop_at_the_rank():
    X, _ = blobs(2, n=30, p=3)
    L = leading_columns(X @ X.T, 30)
    assert L.shape == (30, 3)
    assert leading_columns(np.zeros((4, 4)), 3).shape == (4, 0)


def test_preconditioner_is_the_inverse_for_an_exact_factor():
    rng = np.random.default_rng(0)
    X, _ = blobs(3, n=12, p=2)
    D = rng.uniform(0.1, 10.0, size=(12, 4))
    is_open = rng.uniform(size=D.shape) < 0.8
    inverse = _Preconditioner(X, np.zeros(12), D, is_open)
    Z = np.where(is_open, rng.normal(size=D.shape), 0.0)
    image = np.where(is_open, D * Z + times_code_gram(X @ (X.T @ Z)), 0.0)
    np.testing.assert_allclose(inverse(image), Z, atol=1e-9)


@pytest.mark.parametrize("programme", PROGRAMMES)
@pytest.mark.parametrize("C", [0.1, 1e4])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_interior_point_finds_the_optimum_of_the_dense_programme(programme, kernel, C):
    X, y = blobs(4, n=25, p=4)
    K = gram(X, kernel=kernel)
    kind, hull = ("halfspace", True) if programme == "hull" else (programme, False)
    optimum = simplex_svm_objective(kind, K, y, C, hull)
    dual = make_dual(programme, K, y, 4, C)
    gram_of_X = FactoredGram.of_features(X) if kernel == "linear" else FactoredGram.of_matrix(K)
    solution = solve_simplex_svm_interior_point(dual, gram_of_X, tol=1e-6)
    assert solution.status == "optimal"
    assert -1e-7 <= solution.relative_gap <= 1.01e-6
    assert solution.primal_objective == pytest.approx(optimum, rel=3e-6)


@pytest.mark.parametrize("C", [1e-2, 10.0])
def test_wide_data_reach_the_certificate_in_few_steps(C):
    X, y = blobs(0, n=260, p=FIRST_COMPONENTS + 30)
    dual = make_dual("cone", X @ X.T, y, 4, C)
    solution = solve_simplex_svm_interior_point(
        dual, FactoredGram.of_features(X), tol=1e-7, max_iter=40
    )
    stored = solve_simplex_svm_interior_point(
        dual, FactoredGram.of_matrix(X @ X.T), tol=1e-7, max_iter=40
    )
    assert solution.status == stored.status == "optimal"
    assert solution.primal_objective == pytest.approx(stored.primal_objective, rel=3e-7)


@pytest.mark.parametrize(("svm", "kind", "hull"), CASES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [30.0, 3e3])
def test_default_solver_reaches_its_certificate_at_large_C(svm, kind, hull, kernel, C):
    for n in (300, 120):  # more than one working set; as many as cvxopt solves in a second
        X, y = blobs(5, n=n, p=5, spread=0.7)
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotOptimalWarning)
            model = fitted(svm, X, y, C=C, kernel=kernel, tol=1e-4, max_iter=500)
        assert model.duality_gap_ <= 1.01e-4
    reference = fitted(svm, X, y, C=C, kernel=kernel, tol=1e-6, solver="cvxopt")
    assert model.objective_ == pytest.approx(reference.objective_, rel=2e-4)


@pytest.mark.parametrize("programme", PROGRAMMES)
@pytest.mark.parametrize("C", [0.1, 30.0])
def test_cvxopt_is_optimal_at_once_and_its_multipliers_give_the_function(programme, C):
    X, y = blobs(6, n=24, p=3)
    K = X @ X.T
    dual = make_dual(programme, K, y, 4, C)
    solution = solve_simplex_svm_cvxopt(dual, X, tol=1e-6)
    assert solution.status == "optimal"
    kind, hull = ("halfspace", True) if programme == "hull" else (programme, False)
    expected = simplex_svm_objective(kind, K, y, C, hull)
    assert solution.primal_objective == pytest.approx(expected, rel=1e-5)
    A = solution.variables["A"]
    product = kronecker_qp_scores(X, A)
    squared_norm, _ = dual.point(A, product)
    assert dual.dual_objective(A, squared_norm) == pytest.approx(expected, rel=1e-5)


def test_descent_alone_does_not_get_there():
    """Otherwise the test above says nothing about the interior-point method."""
    X, y = blobs(5, n=300, p=5, spread=0.7)
    dual = make_dual("cone", X @ X.T, y, 4, 3e3)
    assert solve_simplex_svm_bcd(dual, X, tol=1e-4, max_iter=500).status == "iteration limit"


def test_working_set_leaves_out_what_the_descent_left_out():
    X, y = blobs(6, n=400, p=3, spread=0.3)
    K = gram(X)
    dual = make_dual("cone", K, y, 4, 1e3)
    solution = solve_simplex_svm_working_set(dual, kernel_access(K), tol=1e-4, max_iter=300)
    A = solution.variables["A"]
    assert solution.status == "optimal"
    assert np.count_nonzero(A.any(axis=1)) < 0.6 * len(A)
    by_features = solve_simplex_svm_working_set(
        make_dual("cone", X @ X.T, y, 4, 1e3), FeatureAccess(X), tol=1e-4, max_iter=300
    )
    assert by_features.status == "optimal"


def test_a_block_without_memory_is_left_to_the_descent():
    X, y = blobs(7, n=60)
    K = gram(X)
    dual = make_dual("cone", K, y, 4, 100.0)
    small = solve_simplex_svm_working_set(dual, kernel_access(K, 10), tol=1e-9, max_iter=40)
    assert (small.status, small.iterations) == ("iteration limit", 40)
    on_demand = SimplexConeSVC(100.0, tol=1e-3, cache_size=1e-3, max_iter=3000).fit(X, y)
    assert on_demand.duality_gap_ <= 1.01e-3


def test_hull_takes_all_examples():
    X, y = blobs(8, n=30)
    K = gram(X)
    dual = make_dual("hull", K, y, 4, 5.0)
    assert dual.needed_examples(np.zeros((30, 4)), np.zeros((30, 4))).all()
    assert dual.restricted(np.arange(30)) is dual
    with pytest.raises(ValueError, match="needs all examples"):
        dual.restricted(np.arange(29))
    model = SimplexHalfspaceSVC(1e3, tol=1e-4).fit(X, y)
    assert np.min(K @ model.dual_coef_ @ model.code_) >= -(1 + 1e-7) / 3


@pytest.mark.filterwarnings("ignore::reprolib.methods.shared.solution.NotOptimalWarning")
@pytest.mark.parametrize("scale", [1.0, 1e50])
def test_equal_points_with_all_labels_have_a_finite_answer(scale):
    """With 1e50, products of slack and room underflow before the gap is below its tolerance."""
    X, y = np.array([[0.0, scale]] * 4), np.array([0, 1, 2, 0])
    model = SimplexConeSVC(kernel="linear").fit(X, y)
    assert 0.0 <= model.duality_gap_ <= 1.0
    assert len(set(model.predict(X))) == 1


def test_factors_of_wide_data_are_for_ten_times_the_largest_rank_of_rows():
    wide, thin = np.zeros((1, LARGEST_RANK + 1)), np.zeros((1, LARGEST_RANK))
    assert FeatureAccess(wide).fits(10 * LARGEST_RANK)
    assert not FeatureAccess(wide).fits(10 * LARGEST_RANK + 1)
    assert FeatureAccess(thin).fits(10**9)
