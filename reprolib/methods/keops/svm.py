"""The support vector machine with an intercept, on a Gram matrix.

Primal and dual problem, for labels y in {-1, 1}, K of shape (n, n) and 0 < C:

    min over f in the span of K, b of   1/2 ||f||^2 + C sum_i [1 - y_i (f(x_i) + b)]_+
    max over alpha of   sum_i alpha_i - 1/2 (y alpha)' K (y alpha),
        subject to 0 <= alpha_i <= C, sum_i y_i alpha_i = 0,     f = K (y alpha).

With costs w_i of the examples, C is C w_i in all of this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reprolib.methods.keops._svm_numba import active_set, two_coordinate_descent
from reprolib.methods.shared.qp import cvxopt
from reprolib.methods.shared.solution import NotOptimalError, Solution

#: Relative duality gap up to which an answer counts as optimal.
OPTIMAL_GAP = 1e-6
EPSILON = float(np.finfo(np.float64).eps)
#: A sum of costs that differs from another by this share of it is equal to it.
FLAT_SLOPE = 1e-12
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


def size_of_gap(solution: Solution) -> float:
    """Relative gap without its sign; infinite where round-off has made it NaN."""
    size = abs(solution.relative_gap)
    return size if size >= 0.0 else np.inf


def best_intercept(scores, y, costs=None) -> tuple[float, float]:
    """Intercept b that minimises sum_i w_i [1 - y_i (scores_i + b)]_+, and that sum (exact).

    The sum is piecewise linear in b, and every breakpoint y_i - scores_i raises its slope by w_i,
    from minus the sum over the positive points. Of a flat part, the middle.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Values of the function at the examples, without intercept.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    costs : ndarray of shape (n,), optional
        The w_i, ones by default.

    Returns
    -------
    intercept : float
        The best b.
    loss : float
        Weighted sum of the hinge losses at b.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.svm import best_intercept
    >>> best_intercept(np.array([3.0, 1.0]), np.array([1.0, -1.0]))
    (-2.0, 0.0)
    """
    costs = np.ones(len(y)) if costs is None else costs
    breakpoints = y - scores
    order = np.argsort(breakpoints, kind="stable")
    slopes, positive = np.cumsum(costs[order]), costs[y > 0].sum()
    first = int(np.searchsorted(slopes, positive * (1.0 - FLAT_SLOPE)))
    level = abs(slopes[first] - positive) <= FLAT_SLOPE * positive and positive > 0.0
    flat = breakpoints[order[first : first + 2 if level else first + 1]]
    b = float(flat[0] + 0.5 * (flat[-1] - flat[0]))
    return b, float((np.maximum(0.0, 1.0 - y * (scores + b)) * costs).sum())


def feasible_point(alpha, y, C):
    """Dual point: 0 <= alpha <= C, and y'alpha = 0 up to round-off (the heavier class shrinks).

    C is one bound for all, or one for each point.
    """
    alpha = np.clip(alpha, 0.0, C)
    positive, negative = alpha[y > 0].sum(), alpha[y < 0].sum()
    if min(positive, negative) <= 0.0:
        return np.zeros_like(alpha)
    lighter = min(positive, negative)
    return alpha * np.where(y > 0, lighter / positive, lighter / negative)


def _solution(K, y, C, costs, alpha, status, iterations) -> Solution:
    """Objectives recomputed at the dual point alpha and the primal point that it gives."""
    alpha = feasible_point(alpha, y, C * costs)
    lengths = np.sqrt(np.maximum(np.diag(K), 0.0))
    return certify_point(alpha, K @ (y * alpha), lengths, y, C, costs, status, iterations)


def certify_point(alpha, scores, lengths, y, C, costs, status, iterations) -> Solution:
    """Objectives at a feasible dual point and its scores K (y alpha), for lengths sqrt(K_ii).

    Each is moved by the round-off of its sums, the primal one up, the dual one down: a gap that is
    small in spite of that is a proof. It is relative to the objective itself: where C is large, the
    value at f = 0 is larger by orders and would certify anything.
    """
    reach = lengths @ alpha
    norm2 = (y * alpha) @ scores + EPSILON * reach**2
    b, hinge = best_intercept(scores, y, costs)
    sizes = costs.sum() * (1.0 + abs(b)) + reach * (lengths * costs).sum()
    round_off = C * EPSILON * sizes
    solution = Solution(
        variables={"alpha": alpha, "intercept": b, "scores": scores},
        primal_objective=float(0.5 * norm2 + C * hinge + round_off),
        dual_objective=float(alpha.sum() - 0.5 * norm2),
        status=status,
        iterations=iterations,
        info={"loss": float(C * hinge + round_off), "reach": float(reach * lengths.max())},
    )
    certified = status != "optimal" or abs(solution.relative_gap) <= OPTIMAL_GAP
    return solution if certified else replace(solution, status="inaccurate")


def solve_svm_cvxopt(K, y, C: float, *, costs=None, tol: float = 1e-10) -> Solution:
    """Reference: the dual as a dense quadratic programme, by CVXOPT's interior-point method.

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
    tol : float
        Absolute and relative tolerance handed to CVXOPT, for the problem scaled to C = 1.

    Returns
    -------
    Solution
        Variables ``alpha`` (n,), ``intercept``, ``scores`` (f at the training points, without b).
        ``info["loss"]`` is C times the hinge losses, ``info["reach"]`` a bound on the scores by the
        diagonal of K. Objectives are bounds: round-off is added.
        Status "optimal", "inaccurate" where the gap exceeds 1e-6, or CVXOPT's.

    Raises
    ------
    NotOptimalError
        If CVXOPT cannot factor its linear system.

    See Also
    --------
    solve_svm : Faster, with this method in reserve.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.svm import solve_svm_cvxopt
    >>> K, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> solve_svm_cvxopt(K, y, 10.0).variables["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    n, costs = len(y), np.ones(len(y)) if costs is None else costs
    try:
        # max sum_i beta_i - beta'Q beta / 2, 0 <= beta <= w, y'beta = 0, with alpha = C beta
        answer = cvxopt.solvers.qp(
            cvxopt.matrix(C * (y[:, None] * K * y)),
            cvxopt.matrix(-np.ones(n)),
            cvxopt.spmatrix(
                np.r_[-np.ones(n), np.ones(n)].tolist(), range(2 * n), [*range(n), *range(n)]
            ),
            cvxopt.matrix(np.r_[np.zeros(n), costs]),
            cvxopt.matrix(y[None, :].astype(np.float64)),
            cvxopt.matrix(0.0),
            options={"show_progress": False, "abstol": tol, "reltol": tol, "feastol": tol},
        )
    except (ArithmeticError, ValueError) as error:
        raise NotOptimalError(
            f"CVXOPT cannot factor its linear system for C = {C:g} and kernel values up to "
            f"{np.abs(K).max():.3g} ({error}); scale the kernel, or lower C."
        ) from error
    alpha = C * np.array(answer["x"]).ravel()
    return _solution(K, y, C, costs, alpha, answer["status"], answer["iterations"])


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
    first = two_coordinate_descent(K, y, C * costs, start, 1e-2, warm_up)
    steps, violation = active_set(K, y, C * costs, start, tol, max_iter)
    status = "optimal" if violation <= tol else "max_iter"
    return _solution(K, y, C, costs, start, status, first + steps)


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
