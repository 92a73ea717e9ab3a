import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.simplex import SimplexConeSVC, SimplexHalfspaceSVC, make_loss
from reprolib.methods.simplex.kronecker_bcd import minimise_block
from reprolib.methods.simplex.kronecker_qp import times_code_gram
from tests.degenerate import run_python
from tests.naive.simplex import simplex_svm_objective, simplex_svm_primal
from tests.processors import skip_unless_it_runs

CASES = [
    pytest.param(SimplexConeSVC(), "cone", False, id="cone"),
    pytest.param(SimplexHalfspaceSVC(convex_hull=False), "halfspace", False, id="halfspace"),
    pytest.param(SimplexHalfspaceSVC(), "halfspace", True, id="hull"),
]


def blobs(seed=0, n=30, p=3, T=4, spread=1.0):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(T), rng.integers(T, size=n - T)])
    centres = np.random.default_rng(99).normal(size=(T, p))
    return centres[y] + spread * rng.normal(size=(n, p)), y


def fitted(svm, X, y, **params):
    from sklearn.base import clone

    return clone(svm).set_params(**params).fit(X, y)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), T=st.integers(2, 7), k=st.floats(0.1, 10), free=st.booleans())
@example(seed=126, T=2, k=7.0, free=False)  # far from its bounds, the root is not nearby
def test_block_solution_satisfies_its_optimality_conditions(seed, T, k, free):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=T)
    u = np.full(T, np.inf) if free else rng.choice([0.0, 0.5, 2.0], size=T)
    b -= free * max(0.0, b.sum() / T + 0.1)
    a = rng.uniform(size=T)
    minimise_block(b, k, u, a)
    gradient = k * times_code_gram(a[None])[0] - b
    np.testing.assert_allclose(a, np.clip(a - gradient, 0, u), atol=1e-9)


@pytest.mark.parametrize(("svm", "kind", "hull"), CASES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [0.02, 0.5])
def test_both_solvers_reach_the_optimum_of_the_dense_programme(svm, kind, hull, kernel, C):
    X, y = blobs(1)
    optimum = simplex_svm_objective(kind, gram(X, kernel=kernel), y, C, hull)
    for solver, tol in (("descent", 1e-5), ("cvxopt", 1e-7)):
        model = fitted(svm, X, y, C=C, kernel=kernel, solver=solver, tol=tol, max_iter=200_000)
        assert 0 <= model.duality_gap_ + 1e-12 <= 2 * tol
        assert model.objective_ == pytest.approx(optimum, rel=2 * tol)


@pytest.mark.parametrize(("svm", "kind", "hull"), CASES)
def test_objective_is_the_definition_at_the_returned_coefficients(svm, kind, hull):
    X, y = blobs(2)
    model = fitted(svm, X, y, C=3.0)
    K = gram(X)
    by_definition = simplex_svm_primal(make_loss(kind, 4), K, model.dual_coef_, y, 3.0)
    assert model.objective_ == pytest.approx(by_definition, rel=1e-9)
    if hull:
        assert np.min(K @ model.dual_coef_ @ model.code_) >= -1 / 3 - 1e-9


@pytest.mark.parametrize(("svm", "kind", "hull"), CASES)
def test_solvers_agree_on_decisions(svm, kind, hull):
    X, y = blobs(3, n=40)
    descent = fitted(svm, X, y, tol=1e-7)
    reference = fitted(svm, X, y, tol=1e-7, solver="cvxopt")
    np.testing.assert_allclose(
        descent.decision_function(X), reference.decision_function(X), atol=2e-3
    )


@pytest.mark.parametrize("n_features", [2, 60])
def test_interior_point_agrees_whichever_matrix_it_factorises(n_features):
    """p = 2 takes the data as the factor of K, p = 60 > n its spectrum; both are certified."""
    X, y = blobs(4, n=25, p=n_features)
    model = SimplexConeSVC(kernel="linear", solver="cvxopt", tol=1e-8).fit(X, y)
    optimum = simplex_svm_objective("cone", X @ X.T, y, 1.0)
    assert model.objective_ == pytest.approx(optimum, rel=1e-7)


@pytest.mark.parametrize(("svm", "kind", "hull"), CASES[:2])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_two_classes_give_the_binary_svm_without_intercept(svm, kind, hull, kernel):
    X, y = blobs(5, n=40, T=2)
    K = gram(X, kernel=kernel)
    factor = np.linalg.cholesky(K + 1e-10 * np.eye(len(K)))
    binary = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-9, max_iter=200_000)
    binary.fit(factor, y)
    model = fitted(svm, X, y, kernel=kernel, tol=1e-8, max_iter=50_000)
    np.testing.assert_allclose(
        model.decision_function(X), binary.decision_function(factor), atol=2e-3
    )


def test_on_the_hull_the_optimum_is_below_no_feasible_point():
    """A general-purpose solver of the constrained primal finds nothing better."""
    X, y = blobs(6, n=12, p=2, T=3)
    model = SimplexHalfspaceSVC(kernel="linear", C=0.5, solver="cvxopt", tol=1e-9).fit(X, y)
    code, loss = model.code_, make_loss("halfspace", 3)

    def objective(w):
        F = X @ w.reshape(2, 2)
        return 0.5 * w @ w + 0.5 * loss.value(F, y).sum()

    def inside(w):
        return (X @ w.reshape(2, 2) @ code + 0.5).ravel()

    start = np.full(4, 1e-3)
    answer = minimize(objective, start, method="SLSQP", constraints={"type": "ineq", "fun": inside})
    assert model.objective_ <= answer.fun + 1e-6
    assert model.objective_ == pytest.approx(answer.fun, rel=1e-4)


def test_rows_on_demand_give_the_same_certificate():
    X, y = blobs(7, n=400)
    stored = SimplexConeSVC(tol=1e-5).fit(X, y)
    on_demand = SimplexConeSVC(tol=1e-5, cache_size=0.01).fit(X, y)
    assert on_demand.duality_gap_ <= 1.01e-5
    assert on_demand.objective_ == pytest.approx(stored.objective_, rel=3e-5)


def test_precomputed_kernel_gives_the_same_model():
    X, y = blobs(8)
    K = gram(X, gamma=0.4)
    rbf = SimplexConeSVC(gamma=0.4, tol=1e-10).fit(X, y)
    precomputed = SimplexConeSVC(kernel="precomputed", tol=1e-10).fit(K, y)
    # ||f - f*||^2 is at most twice the gap, in the norm of the RKHS.
    np.testing.assert_allclose(
        precomputed.decision_function(K),
        rbf.decision_function(X),
        rtol=0,
        atol=2 * np.sqrt(2e-10 * rbf.objective_),
    )


def test_model_depends_on_nothing_but_the_seed():
    X, y = blobs(9, n=300)
    first, second = (SimplexConeSVC(random_state=3).fit(X, y).dual_coef_ for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_zero_rows_and_repeated_rows_are_harmless():
    X, y = blobs(10)
    X, y = np.vstack([X, np.zeros((2, 3)), X[:5]]), np.concatenate([y, [0, 1], y[5:10]])
    for solver in ("descent", "cvxopt"):
        model = SimplexConeSVC(0.1, kernel="linear", solver=solver, tol=1e-4).fit(X, y)
        assert model.duality_gap_ <= 1.01e-4


def test_accuracy_on_digits():
    X, y = load_digits(return_X_y=True)
    model = SimplexConeSVC(10.0, gamma=1e-3, tol=1e-3).fit(X[:800], y[:800])
    assert model.score(X[800:], y[800:]) > 0.94


def test_early_stop_warns_with_the_certified_gap():
    X, y = blobs(11, n=60)
    with pytest.warns(NotOptimalWarning, match="relative duality gap of .* increase max_iter"):
        model = SimplexConeSVC(100.0, kernel="linear", max_iter=3, tol=1e-6).fit(X, y)
    assert model.duality_gap_ > 1e-6


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0}, "'C' parameter of SimplexConeSVC must be a float in the range"),
        ({"tol": -1.0}, r"'tol' parameter .* Got -1\.0"),
        ({"max_iter": 1.5}, r"'max_iter' parameter .* Got 1\.5"),
        ({"solver": "smo"}, "'solver' parameter .* Got 'smo'"),
    ],
)
def test_bad_hyperparameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        SimplexConeSVC(**params).fit(*blobs())


@pytest.mark.parametrize("solver", ["descent", "cvxopt"])
@pytest.mark.parametrize("svm", [SimplexConeSVC(), SimplexHalfspaceSVC(convex_hull=False)])
def test_indefinite_kernel_is_refused_with_its_smallest_eigenvalue(svm, solver):
    B = np.random.default_rng(3).normal(size=(9, 9))
    K = B @ B.T - 1.5 * np.eye(9)
    assert np.diagonal(K).min() > 0
    smallest = f"smallest eigenvalue is {np.linalg.eigvalsh(K)[0]:.3f}"
    with pytest.raises(ValueError, match=smallest):
        fitted(svm, K, np.arange(9) % 3, kernel="precomputed", solver=solver)


@pytest.mark.parametrize("cache_size", [500, 1e-3])
def test_kernel_function_that_is_indefinite_is_refused(cache_size):
    X, y = blobs(3, n=40)
    with pytest.raises(ValueError, match="kernel='sigmoid' is not positive semidefinite"):
        SimplexConeSVC(kernel="sigmoid", coef0=-2, cache_size=cache_size).fit(X, y)


def test_asymmetric_kernel_is_refused():
    with pytest.raises(ValueError, match="not symmetric"):
        SimplexConeSVC(kernel="precomputed").fit([[1.0, 0.5], [0.4, 1.0]], [0, 1])


@pytest.mark.parametrize("solver", ["descent", "cvxopt"])
@pytest.mark.parametrize(("svm", "kind", "hull"), CASES)
def test_a_zero_kernel_gives_the_zero_function(svm, kind, hull, solver):
    for kernel, X in (("precomputed", np.zeros((4, 4))), ("linear", np.zeros((4, 2)))):
        model = fitted(svm, X, [0, 1, 2, 0], kernel=kernel, solver=solver)
        assert model.duality_gap_ == 0
        np.testing.assert_array_equal(model.decision_function(X), np.zeros((4, 3)))


def test_interior_point_reaches_its_tolerance_on_another_processor():
    """On more of them: `make cpus`."""
    skip_unless_it_runs("Prescott")
    run_python(
        """
        from tests.methods.simplex.test_svc import (
            test_interior_point_agrees_whichever_matrix_it_factorises,
        )
        for n_features in (2, 60):
            test_interior_point_agrees_whichever_matrix_it_factorises(n_features)
        """,
        OPENBLAS_CORETYPE="Prescott",
    )


def test_early_stop_warns_once():
    X, y = blobs(11, n=60)
    for solver in ("descent", "cvxopt"):
        with pytest.warns(NotOptimalWarning) as caught:
            SimplexConeSVC(100.0, max_iter=1, tol=1e-6, solver=solver).fit(X, y)
        assert len(caught) == 1
        assert caught[0].filename == __file__, "the line that calls fit"


@pytest.mark.parametrize("solver", ["descent", "cvxopt"])
def test_a_kernel_function_that_is_not_symmetric_is_refused(solver):
    def skewed(a, b):
        return float(np.exp(-30.0 * (a - b) @ (a - b)) * (1.0 + 0.3 * (a[0] - b[0])))

    X, y = np.linspace(0.0, 1.0, 12).reshape(6, 2), [0, 1, 2, 0, 1, 2]
    for estimator in (SimplexConeSVC, SimplexHalfspaceSVC):
        with pytest.raises(ValueError, match="is not symmetric"):
            estimator(kernel=skewed, solver=solver).fit(X, y)


def test_a_problem_that_cvxopt_cannot_hold_is_refused_before_it_takes_the_memory():
    """It took 23 GB for 4,000 examples of ten classes, and the machine with it."""
    X = np.random.default_rng(0).normal(size=(3000, 5))
    with pytest.raises(ValueError, match=r'for these 3000 examples.*use solver="descent"'):
        SimplexConeSVC(solver="cvxopt", kernel="linear").fit(X, np.arange(3000) % 10)
