"""Certificates of simplex coding's solvers on 200 degenerate problems each, by definition."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
import scipy.sparse as sp

from reprolib.methods.mkmmc.stqp import solve_stqp_global
from reprolib.methods.simplex import SimplexSGDClassifier, make_loss
from reprolib.methods.simplex.gram_access import FeatureGram, KernelGram, StoredGram
from reprolib.methods.simplex.kronecker_qp import times_code_gram
from reprolib.methods.simplex.rls_solver import (
    feature_spectrum,
    gram_spectrum,
    leave_one_out_path,
    rls_dual_coefficients,
    rls_dual_coefficients_cholesky,
)
from reprolib.methods.simplex.svm_portfolio import solve_simplex_svm
from reprolib.methods.simplex.svm_solver import (
    ConeDual,
    HalfspaceDual,
    HullDual,
    solve_simplex_svm_cvxopt,
)
from tests.degenerate import KINDS, degenerate_labels, degenerate_points, run_python
from tests.naive import simplex as naive
from tests.naive.mkmmc import stqp_maximum

N_PROBLEMS = 200
PROGRAMMES = ("cone", "halfspace", "hull")
TOL = {
    "cvxopt": 1e-6,
    "features": 1e-3,
    "stored": 1e-3,
    "on demand": 1e-3,
    "without room for the interior-point method": 1e-3,
}
#: cvxopt is the work of others, and takes as long as all of ours together.
N_OF = {"cvxopt": 100}
#: Solvers that reach their tolerance at every C that the multipliers can tell f at.
FINISHING = ("features", "stored", "on demand")


def problem(seed):
    """Points, labels, number of classes, generator."""
    rng = np.random.default_rng(seed)
    X = degenerate_points(KINDS[seed % len(KINDS)], rng)
    n_classes = int(rng.integers(2, 6))
    return X, degenerate_labels(len(X), n_classes, rng), n_classes, rng


def make_dual(programme, K, y, n_classes, C):
    indicators = np.eye(n_classes)[y]
    if programme == "cone":
        return ConeDual(indicators, C)
    if programme == "halfspace":
        return HalfspaceDual(indicators, C)
    return HullDual(indicators, C, times_code_gram(K @ indicators))


def solve(solver, dual, X, tol):
    if solver == "cvxopt":
        return solve_simplex_svm_cvxopt(dual, X, tol=tol)
    if solver == "features":
        return solve_simplex_svm(dual, FeatureGram(X), tol=tol, max_iter=300)
    K = X @ X.T
    if solver == "stored":
        return solve_simplex_svm(dual, StoredGram(K), tol=tol, max_iter=300)
    most_rows = len(K) if solver == "on demand" else 0
    parts = KernelGram(lambda i, j: K[i][:, j], np.diagonal(K).copy(), most_rows)
    return solve_simplex_svm(dual, parts, tol=tol, max_iter=300 if most_rows else 20)


def primal_by_definition(programme, solution, K, y, n_classes, C):
    loss = make_loss("cone" if programme == "cone" else "halfspace", n_classes)
    A = solution.variables["coefficients"]
    if programme == "hull":
        scores = K @ A @ loss.code
        # the terms of a score are of size C K: their sum here is known to so many digits
        terms = np.abs(K) @ np.abs(A) @ np.abs(loss.code)
        round_off = 2 * len(K) * np.finfo(float).eps * terms
        assert np.all(scores >= -(1 + 1e-7) / (n_classes - 1) - round_off)
    return naive.simplex_svm_primal(loss, K, A, y, C)


@pytest.mark.parametrize("programme", PROGRAMMES)
@pytest.mark.parametrize("solver", sorted(TOL))
def test_svm_certificates_hold_and_the_portfolio_reaches_its_tolerance(solver, programme):
    for seed in range(N_OF.get(solver, N_PROBLEMS)):
        X, y, n_classes, rng = problem(seed)
        C = 10.0 ** rng.uniform(-6, 6)
        K = X @ X.T
        dual = make_dual(programme, K, y, n_classes, C)
        solution = solve(solver, dual, X, TOL[solver])
        A = solution.variables["A"]
        round_off = 1e-9 * C * len(X)
        if programme == "hull":  # the descent's f is a difference of terms of size C K
            round_off *= 1 + 1e-5 * C * np.max(np.diagonal(K))
        assert np.all((A >= 0) & (dual.U >= A)), seed
        primal = primal_by_definition(programme, solution, K, y, n_classes, C)
        assert solution.primal_objective == pytest.approx(primal, rel=1e-6, abs=round_off), seed
        assert solution.gap >= -round_off, seed
        optimal = abs(solution.relative_gap) <= 1.01 * TOL[solver]
        assert (solution.status == "optimal") == optimal, seed
        assert solver != "cvxopt" or programme == "hull" or optimal, seed
        # beyond that the multipliers, of size C, do not tell f to the digits of the tolerance
        told = C * np.max(np.diagonal(K)) <= 1e6
        assert solver not in FINISHING or not told or optimal, seed


@pytest.mark.parametrize("programme", PROGRAMMES)
def test_svm_optima_are_those_of_a_dense_programme(programme):
    kind, hull = ("halfspace", True) if programme == "hull" else (programme, False)
    for seed in range(N_PROBLEMS // 2):
        X, y, n_classes, rng = problem(seed)
        y[0] = n_classes - 1  # the reference counts the classes
        C = 10.0 ** rng.uniform(-2, 2) / max(np.max(np.sum(X**2, axis=1)), 1e-6)
        optimum = naive.simplex_svm_objective(kind, X @ X.T, y, C, hull)
        dual = make_dual(programme, X @ X.T, y, n_classes, C)
        solution = solve_simplex_svm_cvxopt(dual, X, tol=1e-7)
        assert solution.primal_objective == pytest.approx(optimum, rel=1e-5), seed


@pytest.mark.parametrize("scale", [1e-75, 1e-30, 1e30, 1e75])
@pytest.mark.parametrize("programme", PROGRAMMES)
@pytest.mark.parametrize("solver", sorted(TOL))
def test_svm_answers_do_not_depend_on_the_units(solver, programme, scale):
    scale = 2.0 ** np.round(np.log2(scale))
    for seed in range(len(KINDS)):
        X, y, n_classes, _ = problem(seed)
        plain, scaled = (
            solve(solver, make_dual(programme, Z @ Z.T, y, n_classes, C), Z, 1e-3)
            for Z, C in ((X, 2.0), (scale * X, 2.0 / scale**2))
        )
        assert scaled.status == plain.status
        assert scaled.relative_gap == pytest.approx(plain.relative_gap, rel=1e-6, abs=1e-9)
        assert scaled.primal_objective * scale**2 == pytest.approx(plain.primal_objective)


getcontext().prec = 60


def decimals(Z):
    return np.array([[Decimal(float(v)) for v in row] for row in Z], dtype=object).reshape(Z.shape)


def decimal_inverse(M):
    """Gauss-Jordan elimination with pivots, in 60 digits."""
    n = len(M)
    A = np.concatenate([M, decimals(np.eye(n))], axis=1)
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        A[[k, pivot]] = A[[pivot, k]]
        A[k] = A[k] / A[k, k]
        for i in range(n):
            if i != k:
                A[i] = A[i] - A[i, k] * A[k]
    return A[:, n:]


def rls_in_decimals(X, Y, shift):
    """(K + shift I)^-1 Y and the leave-one-out predictions."""
    D = decimals(X)
    M = D.dot(D.T)
    M[np.diag_indices(len(M))] += Decimal(float(shift))
    inverse = decimal_inverse(M)
    A = inverse.dot(decimals(Y))
    loo = decimals(Y) - A / np.diagonal(inverse)[:, None]
    return A.astype(float), loo.astype(float)


def leave_one_out(spectrum, Y, shift):
    scores = np.empty(Y.shape)
    for rows, _, block in leave_one_out_path(spectrum, sp.csr_array(Y), np.array([shift])):
        scores[rows] = block[:, 0]
    return scores


def test_rls_and_leave_one_out_are_as_exact_as_the_condition_number_allows():
    for seed in range(N_PROBLEMS):
        X, y, n_classes, rng = problem(seed)
        X = X * 2.0 ** float(rng.integers(-249, 250))
        Y = np.eye(n_classes)[y]
        largest = max(np.max(np.sum(X**2, axis=1)), 1e-150)
        ratio = 10.0 ** rng.uniform(-12, 3)
        shift = ratio * largest
        A, loo = rls_in_decimals(X, Y, shift)
        spectra = [gram_spectrum(X @ X.T)]
        if X.any():
            spectra.append(feature_spectrum(X))
        for spectrum in spectra:
            # U = X V / sigma is orthonormal up to eps times the ratio of the singular values.
            sigma = np.sqrt(spectrum.eigenvalues[spectrum.eigenvalues > 0.0])
            lost = np.finfo(float).eps * sigma.max(initial=0) / sigma.min(initial=np.inf)
            allowed = {"rtol": 0, "atol": 2e-12 * (1 + 1 / ratio) + lost}
            np.testing.assert_allclose(leave_one_out(spectrum, Y, shift), loo, **allowed)
            np.testing.assert_allclose(
                shift * rls_dual_coefficients(spectrum, Y, shift), shift * A, **allowed
            )
        answer = rls_dual_coefficients_cholesky(X @ X.T, Y, shift)
        np.testing.assert_allclose(shift * answer, shift * A, rtol=0, atol=2e-12 * (1 + 1 / ratio))


def degenerate_form(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 6))
    factor = np.round(rng.normal(size=(p, max(1, p // 2))), seed % 3)
    M = factor @ factor.T * rng.choice([-1.0, 1.0])
    if seed % 4 == 1:
        M += np.diag(rng.integers(-1, 2, size=p))
    if seed % 4 == 2 and p > 1:  # a kernel twice
        M[-1], M[:, -1] = M[0], M[:, 0]
        M[-1, -1] = M[0, 0]
    return M, 10.0 ** rng.uniform(-150, 150)


def test_quadratic_forms_have_the_maximum_of_all_faces():
    for seed in range(N_PROBLEMS):
        M, scale = degenerate_form(seed)
        allowed = 1e-8 * max(np.abs(M).max(), 1e-300)
        solution = solve_stqp_global(scale * M).require_optimal(1e-8)
        maximum = -solution.primal_objective / scale
        assert maximum == pytest.approx(stqp_maximum(M), rel=1e-8, abs=allowed), seed


@pytest.mark.filterwarnings("ignore:SimplexSGDClassifier ended .* steps are too long")
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_online_steps_follow_the_definition(container):
    for seed in range(N_PROBLEMS // 2):
        X, y, n_classes, rng = problem(seed)
        y = np.arange(len(X)) % min(n_classes, len(X)) if len(X) > 1 else y
        if len(np.unique(y)) < 2:
            continue
        kind = ("least_squares", "cone", "halfspace")[seed % 3]
        model = SimplexSGDClassifier(kind, alpha=0.1, eta0=1e-2, max_iter=2, shuffle=False)
        model.fit(container(X), y)
        loss, order = make_loss(kind, len(np.unique(y))), np.tile(np.arange(len(X)), 2)
        last = naive.sgd(loss, X, y, 0.2, order, 1 / (0.2 * 1e-2) - 1)[-1]
        np.testing.assert_allclose(model.coef_, last, atol=1e-9 * max(1.0, np.abs(last).max()))


def test_compiled_loops_stay_within_their_arrays():
    """Interpreted, an index past the end is an IndexError."""
    run_python(
        """
        import numpy as np, scipy.sparse as sp
        import tests.methods.simplex.test_degenerate as t
        from reprolib.methods.simplex import sgd_solver
        from reprolib.methods.simplex.kronecker_bcd import minimise_block

        assert not hasattr(minimise_block, "py_func")
        for seed in range(4 * len(t.KINDS)):
            X, y, n_classes, rng = t.problem(seed)
            for n in {1, 2, len(X)} & set(range(1, len(X) + 1)):
                for programme in t.PROGRAMMES:
                    dual = t.make_dual(programme, X[:n] @ X[:n].T, y[:n], n_classes, 3.0)
                    for solver in ("features", "stored", "on demand"):
                        t.solve(solver, dual, X[:n], 0.1)
        t.N_PROBLEMS = 40
        for container in (np.asarray, sp.csr_array):
            for sgd_solver.MANY in (0, 12_000):
                t.test_online_steps_follow_the_definition(container)
        """,
        NUMBA_DISABLE_JIT="1",
    )
