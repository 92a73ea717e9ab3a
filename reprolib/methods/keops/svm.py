"""The support vector machine with an intercept, on a Gram matrix.

Primal and dual problem, for labels y in {-1, 1}, K of shape (n, n) and 0 < C:

    min over f in the span of K, b of   1/2 ||f||^2 + C sum_i [1 - y_i (f(x_i) + b)]_+
    max over alpha of   sum_i alpha_i - 1/2 (y alpha)' K (y alpha),
        subject to 0 <= alpha_i <= C, sum_i y_i alpha_i = 0,     f = K (y alpha).

With costs w_i of the examples, C is C w_i in all of this.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reprolib.methods.keops._svm_numba import active_set, two_coordinate_descent
from reprolib.methods.keops.cvxopt_reference import solve_svm_cvxopt
from reprolib.methods.keops.svm_certificate import OPTIMAL_GAP, certify_multipliers, size_of_gap
from reprolib.methods.shared.solution import NotOptimalError, Solution

#: Steps of the active-set phase.
MAX_STEPS = 5000
#: Tolerances of the active-set method in units of the margin, tried one after the other until the
#: gap is small. Where C is large, C times a small violation may still be much.
TOLERANCES = (1e-8, 1e-11, 1e-14)


def _best_attempt(solve: Callable[..., Solution], alpha, gap_tol: float) -> Solution:
    """First answer of ``solve(alpha, tol)`` within a gap, each from the last; else the best one."""
    tried = []
    for tol in TOLERANCES:
        tried.append(solve(alpha, tol))
        if size_of_gap(tried[-1]) <= gap_tol:
            return tried[-1]
        alpha = tried[-1].variables["alpha"]
    return min(tried, key=size_of_gap)


def solve_svm_active_set(
    K, y, C: float, *, costs=None, alpha=None, tol: float = 1e-8, max_iter: int = MAX_STEPS
) -> Solution:
    """Exact warm-started answer: a few two-coordinate steps, then an active-set method.

    The first phase (Fan, Chen and Lin, JMLR 2005: pairs chosen by second-order information) brings
    most multipliers to their bounds; the second solves the equality-constrained problem on the free
    ones, moves to the first bound in the way, and frees the worst violator, until none violates the
    optimality conditions by more than ``tol`` (in units of the margin). A start from the answer to
    a similar problem takes a handful of steps.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix of the training points.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    C : float
        Weight of the hinge loss; a larger one fits the training data more closely.
    costs : ndarray of shape (n,), optional
        Positive factors w_i of C, ones by default.
    alpha : ndarray of shape (n,), optional
        Start, feasible for the dual; zero by default.
    tol : float
        Largest violation of the optimality conditions, in units of the margin.
    max_iter : int
        Steps of the active-set phase.

    Returns
    -------
    Solution
        Variables as in `solve_svm_cvxopt`; status "optimal", "inaccurate" (the gap exceeds 1e-6)
        or "max_iter" (or no step lowered the objective any more).

    See Also
    --------
    solve_svm : Checks the answer.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.svm import solve_svm_active_set
    >>> K, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> solve_svm_active_set(K, y, 10.0).variables["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    y = np.ascontiguousarray(y, dtype=np.float64)
    K = np.ascontiguousarray(K)
    costs = np.ones(len(y)) if costs is None else costs
    start = np.zeros(len(y)) if alpha is None else np.array(alpha, dtype=np.float64)
    warm_up = (10 if alpha is None else 1) * len(y)
    none_held = np.zeros(len(y))
    first = two_coordinate_descent(K, y, C * costs, start, 1e-2, warm_up, none_held)
    steps, violation = active_set(K, y, C * costs, start, tol, max_iter, none_held)
    status = "optimal" if violation <= tol else "max_iter"
    return certify_multipliers(K, y, C, costs, start, status, first + steps)


def solve_svm(K, y, C: float, *, costs=None, alpha=None, gap_tol: float = OPTIMAL_GAP) -> Solution:
    """Active-set answer, checked by its duality gap; by CVXOPT where that exceeds 1e-6.

    The better of the two answers is returned, certified or not: read ``relative_gap`` or call
    ``require_optimal``.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix of the training points.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    C : float
        Weight of the hinge loss; a larger one fits the training data more closely.
    costs : ndarray of shape (n,), optional
        Positive factors w_i of C, ones by default.
    alpha : ndarray of shape (n,), optional
        Start, feasible for the dual; zero by default.
    gap_tol : float
        Relative duality gap that the active-set method tries to reach.

    Returns
    -------
    Solution
        Variables as in `solve_svm_cvxopt`.

    See Also
    --------
    solve_svm_active_set, solve_svm_cvxopt : The two methods.
    sklearn.svm.SVC : libsvm.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.svm import solve_svm
    >>> K, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> solve_svm(K, y, 10.0).variables["alpha"].round(6).tolist()
    [0.5, 0.5]
    """

    def solve(alpha, tol):
        return solve_svm_active_set(K, y, C, costs=costs, alpha=alpha, tol=tol)

    best = _best_attempt(solve, alpha, gap_tol)
    if size_of_gap(best) <= max(gap_tol, OPTIMAL_GAP):
        return best
    try:
        return min(best, solve_svm_cvxopt(K, y, C, costs=costs), key=size_of_gap)
    except NotOptimalError:
        return best
