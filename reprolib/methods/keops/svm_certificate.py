"""Certificates of the SVM of `reprolib.methods.keops.svm`: objectives at feasible points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reprolib.methods.shared.solution import Solution

#: Relative duality gap up to which an answer counts as optimal.
OPTIMAL_GAP = 1e-6
#: A norm of at most this multiple of its round-off counts as zero.
SIGNIFICANT = 450.0
EPSILON = float(np.finfo(np.float64).eps)
#: A sum of costs that differs from another by this share of it is equal to it.
FLAT_SLOPE = 1e-12


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
    >>> from reprolib.methods.keops.svm_certificate import best_intercept
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


def certify_multipliers(K, y, C, costs, alpha, status, iterations) -> Solution:
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
