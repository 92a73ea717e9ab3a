"""The support vector machine with an intercept, on a Gram matrix.

Primal and dual problem, for labels y in {-1, 1}, K of shape (n, n) and 0 < C:

    min over f in the span of K, b of   1/2 ||f||^2 + C sum_i [1 - y_i (f(x_i) + b)]_+
    max over alpha of   sum_i alpha_i - 1/2 (y alpha)' K (y alpha),
        subject to 0 <= alpha_i <= C, sum_i y_i alpha_i = 0,     f = K (y alpha).
"""

from __future__ import annotations

import warnings

import cvxopt
import numpy as np

from reprolib.solvers._solution import NotOptimalWarning, Solution
from reprolib.solvers._svm_numba import active_set, two_coordinate_descent


def best_intercept(scores, y) -> tuple[float, float]:
    """Intercept b that minimises sum_i [1 - y_i (scores_i + b)]_+, and that sum (exact).

    The sum is piecewise linear in b with breakpoints y_i - scores_i; of a flat part, the left end.
    """
    breakpoints = y - scores
    positive = np.sort(breakpoints[y > 0])
    negative = np.sort(breakpoints[y < 0])
    candidates = np.sort(breakpoints)
    slope = (
        np.searchsorted(positive, candidates, side="right")
        - len(positive)
        + np.searchsorted(negative, candidates, side="right")
    )
    b = float(candidates[np.argmax(slope >= 0)])
    return b, float(np.maximum(0.0, 1.0 - y * (scores + b)).sum())


def _solution(K, y, C, alpha, status, iterations) -> Solution:
    """Objectives recomputed at the dual point alpha and the primal point that it gives."""
    alpha = _feasible(alpha, y, C)
    scores = K @ (y * alpha)
    norm2 = float((y * alpha) @ scores)
    b, hinge = best_intercept(scores, y)
    return Solution(
        variables={"alpha": alpha, "intercept": b, "scores": scores},
        primal_objective=0.5 * norm2 + C * hinge,
        dual_objective=float(alpha.sum()) - 0.5 * norm2,
        status=status,
        iterations=iterations,
    )


def _feasible(alpha, y, C):
    """Dual point with 0 <= alpha <= C and y'alpha = 0 exactly enough: shrink the heavier class."""
    alpha = np.clip(alpha, 0.0, C)
    positive, negative = alpha[y > 0].sum(), alpha[y < 0].sum()
    if min(positive, negative) <= 0.0:
        return np.zeros_like(alpha)
    lighter = min(positive, negative)
    return alpha * np.where(y > 0, lighter / positive, lighter / negative)


def solve_svm_cvxopt(K, y, C: float, *, tol: float = 1e-10) -> Solution:
    """Reference: the dual as a dense quadratic programme, by CVXOPT's interior-point method.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of shape (n,), values -1 and 1
    C : float
    tol : float
        Absolute and relative tolerance handed to CVXOPT, for the problem scaled to C = 1.

    Returns
    -------
    Solution
        Variables ``alpha`` (n,), ``intercept``, ``scores`` (f at the training points, without b).
    """
    n = len(y)
    Q = C * (y[:, None] * K * y)
    answer = cvxopt.solvers.qp(
        cvxopt.matrix(Q),
        cvxopt.matrix(-np.ones(n)),
        cvxopt.spmatrix(
            np.r_[-np.ones(n), np.ones(n)].tolist(), range(2 * n), [*range(n), *range(n)]
        ),
        cvxopt.matrix(np.r_[np.zeros(n), np.ones(n)]),
        cvxopt.matrix(y[None, :].astype(np.float64)),
        cvxopt.matrix(0.0),
        options={"show_progress": False, "abstol": tol, "reltol": tol, "feastol": tol},
    )
    alpha = C * np.array(answer["x"]).ravel()
    return _solution(K, y, C, alpha, answer["status"], answer["iterations"])


def solve_svm_active_set(
    K, y, C: float, *, alpha=None, tol: float = 1e-8, max_iter: int = 5000
) -> Solution:
    """Exact warm-started answer: a few two-coordinate steps, then an active-set method.

    The first phase (Fan, Chen and Lin, JMLR 2005: pairs chosen by second-order information) brings
    most multipliers to their bounds; the second solves the equality-constrained problem on the free
    ones, moves to the first bound in the way, and frees the worst violator, until none violates the
    optimality conditions by more than ``tol`` (in units of the margin). A start from the answer to
    a similar problem takes a handful of steps.

    Parameters
    ----------
    K, y, C : as in `solve_svm_cvxopt`
    alpha : ndarray of shape (n,), optional
        Start, feasible for the dual; zero by default.
    tol : float
        Largest violation of the optimality conditions, in units of the margin.
    max_iter : int
        Steps of the active-set phase.

    Returns
    -------
    Solution
        Variables as in `solve_svm_cvxopt`; status "optimal" or "max_iter".
    """
    y = np.ascontiguousarray(y, dtype=np.float64)
    K = np.ascontiguousarray(K)
    start = np.zeros(len(y)) if alpha is None else np.array(alpha, dtype=np.float64)
    warm_up = (10 if alpha is None else 1) * len(y)
    first = two_coordinate_descent(K, y, float(C), start, 1e-2, warm_up)
    steps, violation = active_set(K, y, float(C), start, tol, max_iter)
    status = "optimal" if violation <= tol else "max_iter"
    return _solution(K, y, C, start, status, first + steps)


def solve_svm(K, y, C: float, *, alpha=None, gap_tol: float = 1e-6) -> Solution:
    """Active-set answer, checked by its duality gap; by CVXOPT where that check fails.

    Parameters
    ----------
    K, y, C, alpha : as in `solve_svm_active_set`
    gap_tol : float
        Relative duality gap.

    Returns
    -------
    Solution
        Variables as in `solve_svm_cvxopt`.

    Warns
    -----
    NotOptimalWarning
        If neither answer has a relative duality gap of at most ``gap_tol``.
    """
    fast = solve_svm_active_set(K, y, C, alpha=alpha)
    if fast.relative_gap <= gap_tol:
        return fast
    try:
        slow = solve_svm_cvxopt(K, y, C)
    except (ArithmeticError, ValueError):  # CVXOPT could not factor its linear system.
        slow = fast
    best = min(fast, slow, key=lambda solution: solution.relative_gap)
    if not best.relative_gap <= gap_tol:
        warnings.warn(
            f"The inner SVM with C = {C:g} stopped with a relative duality gap of "
            f"{best.relative_gap:.3g} (wanted {gap_tol:g}); scale the kernels, or lower C.",
            NotOptimalWarning,
            stacklevel=2,
        )
    return best
