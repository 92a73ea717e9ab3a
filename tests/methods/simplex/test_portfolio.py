"""The portfolio of the simplex SVMs: its optimum, its certificate, and what they depend on."""

import warnings

import numpy as np
import pytest

from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.simplex import SimplexConeSVC, SimplexHalfspaceSVC, svm_portfolio
from reprolib.methods.simplex.gram_access import FeatureGram, KernelGram, StoredGram
from reprolib.methods.simplex.kronecker_bcd import descend_on_features
from reprolib.methods.simplex.kronecker_ipm import _Preconditioner
from reprolib.methods.simplex.kronecker_qp import kronecker_qp_scores, times_code_gram
from reprolib.methods.simplex.svm_portfolio import solve_simplex_svm
from reprolib.methods.simplex.svm_solver import solve_simplex_svm_cvxopt
from tests.methods.simplex.test_degenerate import PROGRAMMES, make_dual
from tests.methods.simplex.test_svc import CASES, blobs, fitted
from tests.naive.simplex import simplex_svm_objective


def kernel_gram(K, most_rows=10_000):
    return KernelGram(lambda i, j: K[i][:, j], np.diagonal(K).copy(), most_rows)


def optimum(programme, K, y, C):
    kind, hull = ("halfspace", True) if programme == "hull" else (programme, False)
    return simplex_svm_objective(kind, K, y, C, hull)


@pytest.mark.parametrize("programme", PROGRAMMES)
@pytest.mark.parametrize("C", [0.1, 1e4])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_optimum_is_that_of_the_dense_programme_however_k_is_given(programme, kernel, C):
    X, y = blobs(4, n=25, p=4)
    K = gram(X, kernel=kernel)
    dual, expected = make_dual(programme, K, y, 4, C), optimum(programme, K, y, C)
    ways = [StoredGram(K), kernel_gram(K)] + [FeatureGram(X)] * (kernel == "linear")
    for way in ways:
        solution = solve_simplex_svm(dual, way, tol=1e-6)
        assert solution.status == "optimal"
        assert -1e-7 <= solution.relative_gap <= 1.01e-6
        assert solution.primal_objective == pytest.approx(expected, rel=3e-6)
        assert np.all((solution.variables["A"] >= 0) & (solution.variables["A"] <= dual.U))


@pytest.mark.parametrize(("svm", "kind", "hull"), CASES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [30.0, 3e3])
def test_the_certificate_is_reached_at_a_large_c(svm, kind, hull, kernel, C):
    for n in (300, 120):  # the smaller one has as many rows as cvxopt solves in a second
        X, y = blobs(5, n=n, p=5, spread=0.7)
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotOptimalWarning)
            model = fitted(svm, X, y, C=C, kernel=kernel, tol=1e-4, max_iter=500)
        assert model.duality_gap_ <= 1.01e-4
    reference = fitted(svm, X, y, C=C, kernel=kernel, tol=1e-6, solver="cvxopt")
    assert model.objective_ == pytest.approx(reference.objective_, rel=2e-4)


@pytest.mark.parametrize("programme", PROGRAMMES)
def test_a_start_from_the_descent_and_one_from_the_centre_have_the_same_optimum(
    programme, monkeypatch
):
    X, y = blobs(3, n=90, p=3, spread=0.8)
    K = gram(X)
    dual, found = make_dual(programme, K, y, 4, 300.0), []
    for cold in (0.0, np.inf):
        monkeypatch.setattr(svm_portfolio, "COLD", cold)
        found.append(solve_simplex_svm(dual, StoredGram(K), tol=1e-7))
    assert [solution.status for solution in found] == ["optimal"] * 2
    assert found[0].primal_objective == pytest.approx(found[1].primal_objective, rel=3e-7)


@pytest.mark.parametrize("programme", PROGRAMMES)
def test_multipliers_that_are_wrongly_held_are_opened(programme, monkeypatch):
    """HELD = 0 holds every multiplier at a bound whose gradient points outwards."""
    X, y = blobs(6, n=120, p=3, spread=0.5)
    K = gram(X)
    monkeypatch.setattr(svm_portfolio, "HELD", 0.0)
    solution = solve_simplex_svm(make_dual(programme, K, y, 4, 1e3), StoredGram(K), tol=1e-5)
    assert solution.status == "optimal"


def test_descent_alone_does_not_get_there():
    """Otherwise the tests above say nothing about the interior-point method."""
    X, y = blobs(5, n=300, p=5, spread=0.7)
    dual = make_dual("cone", X @ X.T, y, 4, 3e3)
    gram, settings = FeatureGram(X), {"gap": dual.gap, "tol": 1e-4, "max_iter": 500}
    assert descend_on_features(gram, dual.B, dual.U * gram.unit, **settings)[2] == 500


def test_wide_data_reach_the_certificate_in_few_steps():
    X, y = blobs(0, n=260, p=230)
    dual = make_dual("cone", X @ X.T, y, 4, 10.0)
    wide, stored = (
        solve_simplex_svm(dual, way, tol=1e-7, max_iter=300)
        for way in (FeatureGram(X), StoredGram(X @ X.T))
    )
    assert wide.status == stored.status == "optimal"
    assert wide.primal_objective == pytest.approx(stored.primal_objective, rel=3e-7)


def test_without_room_the_descent_goes_on_and_an_early_end_is_said():
    X, y = blobs(7, n=60)
    K = gram(X)
    dual = make_dual("cone", K, y, 4, 100.0)
    small = solve_simplex_svm(dual, kernel_gram(K, 10), tol=1e-9, max_iter=40)
    assert (small.status, small.iterations) == ("iteration limit", 40)
    on_demand = SimplexConeSVC(100.0, tol=1e-3, cache_size=1e-3, max_iter=3000).fit(X, y)
    assert on_demand.duality_gap_ <= 1.01e-3


def test_the_model_on_the_hull_is_in_the_hull():
    X, y = blobs(8, n=30)
    model = SimplexHalfspaceSVC(1e3, tol=1e-4).fit(X, y)
    assert np.min(gram(X) @ model.dual_coef_ @ model.code_) >= -(1 + 1e-7) / 3


@pytest.mark.filterwarnings("ignore::reprolib.methods.shared.solution.NotOptimalWarning")
@pytest.mark.parametrize("scale", [1.0, 1e50])
def test_equal_points_with_all_labels_have_a_finite_answer(scale):
    """With 1e50, products of slack and room underflow before the gap is below its tolerance."""
    X, y = np.array([[0.0, scale]] * 4), np.array([0, 1, 2, 0])
    model = SimplexConeSVC(kernel="linear").fit(X, y)
    assert 0.0 <= model.duality_gap_ <= 1.0
    assert len(set(model.predict(X))) == 1


def test_weights_count_as_repeated_rows():
    X, y = blobs(9, n=50, p=3, spread=0.8)
    weights = np.random.default_rng(0).integers(1, 4, size=50)
    repeated = np.repeat(np.arange(50), weights)
    for svm in (SimplexConeSVC(30.0, tol=1e-7), SimplexHalfspaceSVC(30.0, tol=1e-7)):
        weighted = svm.fit(X, y, sample_weight=weights).objective_
        assert svm.fit(X[repeated], y[repeated]).objective_ == pytest.approx(weighted, rel=3e-7)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_every_kernel_is_the_same_one_when_it_is_given(kernel):
    rng = np.random.default_rng(2)
    X, y, X_new = rng.normal(size=(24, 3)), np.arange(24) % 3, rng.normal(size=(5, 3))
    ours = SimplexConeSVC(kernel=kernel, gamma=0.5, tol=1e-9).fit(X, y)
    K, K_new = gram(X, kernel=kernel, gamma=0.5), gram(X_new, X, kernel=kernel, gamma=0.5)
    given = SimplexConeSVC(kernel="precomputed", tol=1e-9).fit(K, y)
    expected = ours.decision_function(X_new)
    np.testing.assert_allclose(given.decision_function(K_new), expected, atol=2e-3)
    assert hasattr(ours, "coef_") == (kernel == "linear")


@pytest.mark.parametrize("programme", PROGRAMMES)
def test_cvxopt_is_optimal_and_its_multipliers_give_the_function(programme):
    X, y = blobs(6, n=24, p=3)
    dual, expected = (f(programme, X @ X.T, y) for f in (_dual_at_30, _optimum_at_30))
    solution = solve_simplex_svm_cvxopt(dual, X, tol=1e-6)
    assert solution.status == "optimal"
    assert solution.primal_objective == pytest.approx(expected, rel=1e-5)
    A = solution.variables["A"]
    squared_norm, _ = dual.point(A, kronecker_qp_scores(X, A))
    assert dual.dual_objective(A, squared_norm) == pytest.approx(expected, rel=1e-5)


def _dual_at_30(programme, K, y):
    return make_dual(programme, K, y, 4, 30.0)


def _optimum_at_30(programme, K, y):
    return optimum(programme, K, y, 30.0)


def test_the_preconditioner_is_the_inverse_for_an_exact_factor():
    """Else conjugate gradients take many steps, and the solver is slow without being wrong."""
    rng = np.random.default_rng(0)
    X, _ = blobs(3, n=12, p=2)
    D = rng.uniform(0.1, 10.0, size=(12, 4))
    is_open = rng.uniform(size=D.shape) < 0.8
    inverse = _Preconditioner(X, np.zeros(12), D, is_open)
    Z = np.where(is_open, rng.normal(size=D.shape), 0.0)
    image = np.where(is_open, D * Z + times_code_gram(X @ (X.T @ Z)), 0.0)
    np.testing.assert_allclose(inverse(image), Z, atol=1e-9)


def test_the_preconditioner_solves_where_few_multipliers_are_at_a_bound():
    """With explicit inverses the residual was 3e-3, more than a step may leave: no step got on."""
    rng = np.random.default_rng(0)
    L, R = 1.0 + rng.normal(size=(200, 120)) / 11.0, rng.normal(size=(200, 8))
    D = np.where(rng.uniform(size=R.shape) < 0.3, 1e3, 10.0 ** rng.uniform(-6.0, -5.0, R.shape))
    Z = _Preconditioner(L, np.zeros(200), D, np.ones(D.shape, dtype=bool))(R)
    residual = D * Z + times_code_gram(L @ (L.T @ Z)) - R
    scale = np.sqrt(D + np.sum(L**2, axis=1)[:, None])
    assert np.linalg.norm(residual / scale) <= 3e-4 * np.linalg.norm(R / scale)
