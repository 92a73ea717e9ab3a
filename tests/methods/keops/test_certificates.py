"""Certificates of the solvers of KEOPS, compared with exact arithmetic and other solvers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize

from reprolib.methods.keops import KEOPSClassifier
from reprolib.methods.keops.alternating import solve_pyramid_alternating
from reprolib.methods.keops.kernel_sets import KernelStack, LinearBlocks
from reprolib.methods.keops.mkl_features import solve_mkl_features
from reprolib.methods.keops.svm import solve_svm
from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.keops.tree_norm import largest_alpha, solve_tree_lasso_fista
from reprolib.methods.shared.solution import NotOptimalWarning
from tests.degenerate import run_python
from tests.degenerate_binary import N_PROBLEMS, degenerate_problem, exact, exact_hinge_losses
from tests.naive import keops as naive

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
UNITS = (-249, -100, -7, 7, 100, 249)


def quiet(solve, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotOptimalWarning)
        return solve(*args, **options)


def linear(X):
    return LinearBlocks(X, np.arange(X.shape[1]))


def exact_svm_objectives(K, y, C, solution):
    """Primal and dual objective at the solver's point, over C, in rational arithmetic."""
    coef = exact(y * solution.variables["alpha"])
    scores = exact(K) @ coef
    losses = exact_hinge_losses(scores, y, solution.variables["intercept"])
    half_norm2, total = coef @ scores / 2, sum(abs(coef))
    C = exact(C)[()]
    assert abs(sum(coef)) <= 1e-13 * total
    return float(half_norm2 / C + losses), float((total - half_norm2) / C)


def cvxopt_dual(K, y, C):
    """Dual objective over C, exact, where CVXOPT stops (made feasible), or None if it fails."""
    try:
        coef, _ = naive.dense_svm(C * K, y, 1.0)
    except (ArithmeticError, ValueError):
        return None
    alpha = np.clip(y * coef, 0.0, 1.0)
    positive, negative = alpha[y > 0].sum(), alpha[y < 0].sum()
    alpha *= np.where(y > 0, min(positive, negative) / positive, min(positive, negative) / negative)
    coef = exact(y * alpha)
    return float(sum(abs(coef)) - exact(C)[()] * (coef @ exact(K) @ coef) / 2)


def test_svm_on_degenerate_problems():
    uncertified = []
    for seed in range(N_PROBLEMS):
        X, y, C = degenerate_problem(seed)
        K = X @ X.T
        solution = solve_svm(K, y, C)
        if solution.status != "optimal":
            uncertified.append(seed % 8)
            continue
        primal, dual = exact_svm_objectives(K, y, C, solution)
        assert solution.primal_objective / C == pytest.approx(primal, rel=1e-6), seed
        assert solution.dual_objective / C == pytest.approx(dual, rel=1e-6), seed
        assert -1e-12 * primal <= primal - dual <= 1e-6 * primal, seed
        reference = cvxopt_dual(K, y, C)
        assert reference is None or reference <= primal * (1 + 1e-9), seed
    assert set(uncertified) <= {4, 7}  # Points or features of all sizes: beyond double precision.
    assert len(uncertified) < 0.15 * N_PROBLEMS


def exact_mkl_objectives(X, y, C, solution):
    """Primal and dual objective of MKL over single features, over C, in rational arithmetic."""
    found, X, C = solution.variables, exact(X), exact(C)[()]
    coef = exact(y * found["alpha"])
    gradient = X.T @ coef
    w = exact(found["effective"]) * gradient
    losses = exact_hinge_losses(X @ w, y, found["intercept"])
    primal = sum(abs(w)) ** 2 / 2 / C + losses
    coef = exact(y * solution.info.get("dual_alpha", found["alpha"]))
    gradient = X.T @ coef
    return float(primal), float((sum(abs(coef)) - max(abs(gradient)) ** 2 / 2) / C)


def by_alternation(X, y, C):
    return solve_pyramid_alternating(
        linear(X), y, KernelTree.flat(X.shape[1]), np.ones(1), C, max_iter=60
    )


@pytest.mark.parametrize(
    ("solve", "hard"),
    [
        (lambda X, y, C: solve_mkl_features(linear(X), y, C), range(8)),
        (by_alternation, (4, 7)),
    ],
    ids=["interior point", "alternation"],
)
def test_mkl_on_degenerate_problems(solve, hard):
    certified = 0
    for seed in range(N_PROBLEMS):
        X, y, C = degenerate_problem(seed)
        solution = quiet(solve, X, y, C)
        if solution.status != "optimal":
            assert solution.status == "max_iter" or seed % 8 in hard, seed
            continue
        certified += 1
        primal, dual = exact_mkl_objectives(X, y, C, solution)
        assert -1e-9 * primal <= primal - dual <= 1e-3 * primal, seed
        assert 1 - 1e-9 <= solution.primal_objective / C / primal <= 1 + 1e-3, seed
        assert solution.dual_objective / C <= dual + 1e-9 * primal, seed
        if seed % 5 == 0:
            reference = l1_objective(X, y, C)
            assert reference is None or primal == pytest.approx(reference, rel=2e-3), seed
    assert certified > 0.7 * N_PROBLEMS


def l1_objective(X, y, C):
    """Optimum of MKL over C by CVXOPT, in units where C is one, or None if it fails."""
    unit = np.abs(X).max()
    if unit == 0.0 or not 1e-3 < C * unit**2 < 1e3:
        return None
    try:
        return naive.l1_svm_objective(X / unit, y, C * unit**2) / (C * unit**2)
    except (ArithmeticError, ValueError):
        return None


def smooth_lasso_objective(X, y, alpha):
    """Optimum of the logistic lasso over w = u - v, u, v >= 0, and b, by L-BFGS-B."""
    n, p = X.shape

    def value(point):
        w, b = point[:p] - point[p : 2 * p], point[-1]
        margins = y * (X @ w + b)
        slopes = -y / (1.0 + np.exp(np.minimum(margins, 700.0)))
        gradient = np.r_[X.T @ slopes + alpha, -(X.T @ slopes) + alpha, slopes.sum()]
        return np.logaddexp(0.0, -margins).sum() + alpha * point[:-1].sum(), gradient

    bounds = [(0.0, None)] * (2 * p) + [(None, None)]
    start = np.zeros(2 * p + 1)
    return minimize(value, start, jac=True, method="L-BFGS-B", bounds=bounds).fun


def test_tree_lasso_on_degenerate_problems():
    for seed in range(N_PROBLEMS):
        X, y, _ = degenerate_problem(seed)
        tree = KernelTree.flat(X.shape[1])
        alpha = 0.1 * largest_alpha(tree, X, y) or 1.0
        solution = solve_tree_lasso_fista(X, y, tree, alpha, max_iter=2000)
        assert solution.status == "optimal", seed
        assert -1e-9 <= solution.relative_gap <= 1e-3, seed
        w, b = solution.variables["coef"], solution.variables["intercept"]
        stated = np.logaddexp(0.0, -y * (X @ w + b)).sum() + alpha * np.abs(w).sum()
        assert solution.primal_objective == pytest.approx(stated, rel=1e-6), seed
        if seed % 5 == 0:
            unit = float(np.abs(X).max()) or 1.0
            reference = smooth_lasso_objective(X / unit, y, alpha / unit)
            assert solution.dual_objective <= reference * (1 + 1e-9), seed


def test_kernels_whose_norms_are_round_off_get_no_weight():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        one_class = rng.normal(size=(6, 3)) * 10.0 ** rng.integers(-3, 4)
        X = np.r_[one_class, rng.permutation(one_class)]
        y, C = np.repeat([1.0, -1.0], 6), 10.0 ** rng.integers(-2, 1)
        solution = solve_mkl_features(linear(X), y, C)
        assert not solution.variables["effective"].any(), seed


@pytest.mark.parametrize("exponent", UNITS)
def test_units_of_the_kernel_do_not_matter(exponent):
    for seed in range(3, 160, 16):
        X, y, C = degenerate_problem(seed)
        scaled, scaled_C = np.ldexp(X, exponent), float(np.ldexp(C, -2 * exponent))
        stack = [KernelStack(np.stack([x @ x.T, 2 * x @ x.T])) for x in (X, scaled)]
        tree = KernelTree.flat(2)
        pairs = [
            [solve_svm(x @ x.T, y, c) for x, c in ((X, C), (scaled, scaled_C))],
            [solve_mkl_features(linear(x), y, c) for x, c in ((X, C), (scaled, scaled_C))],
            [by_alternation(x, y, c) for x, c in ((X, C), (scaled, scaled_C))],
            [
                solve_pyramid_alternating(Ks, y, tree, np.array([0.5]), c)
                for Ks, c in zip(stack, (C, scaled_C), strict=True)
            ],
        ]
        for plain, other in pairs:
            assert other.status == plain.status, seed
            assert other.relative_gap == pytest.approx(plain.relative_gap, abs=1e-12)
            np.testing.assert_allclose(
                other.variables["alpha"] / scaled_C, plain.variables["alpha"] / C, atol=1e-9
            )


def hostile(n_problems: int) -> None:
    """Fit rows of lengths from 1e-17 to 1e17, and solve degenerate problems; nothing is raised."""
    r = np.random.default_rng(21)
    n, p = int(r.integers(6, 16)), int(r.integers(1, 5))
    X = r.normal(size=(n, p)) * 10.0 ** r.uniform(-17, 17, size=(n, 1))
    C = 10.0 ** r.uniform(-6, 6)
    with warnings.catch_warnings(action="ignore"):
        KEOPSClassifier(C=C, max_iter=5).fit(X, np.arange(n) % 2)
        for seed in range(n_problems):
            X, y, C = degenerate_problem(seed)
            solve_svm(X @ X.T, y, C)


def test_compiled_loops_stay_inside_their_arrays():
    """Interpreted, an index past the end is an IndexError."""
    run_python(
        """
        import numba

        from tests.methods.keops.test_certificates import hostile

        assert numba.config.DISABLE_JIT
        hostile(200)
        """,
        NUMBA_DISABLE_JIT="1",
    )


def test_hostile_problems_end_in_compiled_code():
    """`make bounds` checks every index in them."""
    hostile(200)
