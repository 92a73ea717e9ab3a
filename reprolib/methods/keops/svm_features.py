"""The SVM of `reprolib.methods.keops.svm` on weighted features, near the answer to a similar one.

The kernel of n points and p features is X diag(d) X'. A product with it costs 4 n p operations, the
matrix itself n^2 p. Near the answer only few multipliers move: those inside of their bounds, and
those whose margin is nearly violated. The dual is solved over these alone, on their rows. Then all
margins are looked at, and points whose margins are violated join, until there is none.
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.keops._svm_numba import active_set, two_coordinate_descent
from reprolib.methods.keops.svm import (
    MAX_STEPS,
    _best_attempt,
    solve_svm,
    solve_svm_active_set,
)
from reprolib.methods.keops.svm_certificate import (
    OPTIMAL_GAP,
    certify_point,
    feasible_point,
    size_of_gap,
)
from reprolib.methods.shared.solution import Solution

#: Points move from the start if their slack is below this part of the largest residual of those
#: that are inside of their bounds.
NEAR = 0.5
#: No more than this part of the points joins at once.
MOST_JOINING = 0.06
#: If more than this part of the points moves, the whole matrix is formed.
MOST_MOVING = 0.6
#: A multiplier short of its bound by this part of it starts on it: round-off has moved it.
AT_BOUND = 1e-12


class WeightedFeatures:
    """The kernel X diag(weights) X', seen through products; its entries are formed on demand.

    Parameters
    ----------
    X, squares : ndarray of shape (n, p), in columns
        The features, and their squares.
    weights : ndarray of shape (p,)
        Weight of every feature, not negative.

    Attributes
    ----------
    lengths : ndarray of shape (n,)
        Square roots of the diagonal.
    """

    def __init__(self, X, squares, weights):
        self.X = X
        self.weights = weights
        self.lengths = np.sqrt(squares @ weights)

    def scores(self, coef):
        """The kernel times a vector of shape (n,)."""
        return self.X @ (self.weights * (coef @ self.X))

    def gram(self, rows=slice(None)):
        """The kernel between some points, or all."""
        scaled = self.X[rows] * np.sqrt(self.weights)
        return scaled @ scaled.T


def solve_svm_features(
    features: WeightedFeatures, y, C: float, alpha, *, costs=None, gap_tol: float = OPTIMAL_GAP
) -> Solution:
    """The answer of `solve_svm` on ``features.gram()``, mostly without forming that matrix.

    Parameters
    ----------
    features : WeightedFeatures
        The kernel, by its features.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    C : float
        Weight of the hinge loss; a larger one fits the training data more closely.
    alpha : ndarray of shape (n,)
        Start, feasible for the dual: the better, the fewer points need to move.
    costs : ndarray of shape (n,), optional
        Positive factors of C, ones by default.
    gap_tol : float
        Relative duality gap to reach; a smaller one takes longer.

    Returns
    -------
    Solution
        Variables as in `reprolib.methods.keops.cvxopt_reference.solve_svm_cvxopt`.

    See Also
    --------
    reprolib.methods.keops.svm.solve_svm : On a Gram matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.svm_features import WeightedFeatures, solve_svm_features
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> features = WeightedFeatures(X, X**2, np.ones(1))
    >>> found = solve_svm_features(features, y, 10.0, np.full(2, 0.4))
    >>> found.variables["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    costs = np.ones(len(y)) if costs is None else costs

    def solve(alpha, tol):
        return _solve_moving(features, y, C, costs, alpha, tol)

    best = _best_attempt(solve, alpha, gap_tol)
    if size_of_gap(best) <= max(gap_tol, OPTIMAL_GAP):
        return best
    alpha = best.variables["alpha"]
    return solve_svm(features.gram(), y, C, costs=costs, alpha=alpha, gap_tol=gap_tol)


def _solve_moving(features, y, C, costs, alpha, tol):
    """Answer by the points that move; where they are too many or none is free, by all of them."""
    bounds, iterations = C * costs, 0
    alpha = np.where(alpha > bounds * (1.0 - AT_BOUND), bounds, alpha)
    gradient = y * features.scores(y * alpha) - 1.0
    moving = (alpha > 0.0) & (alpha < bounds)
    if moving.any():
        slack = _slack(gradient, y, alpha, -float(np.mean((y * gradient)[moving])))
        _join(moving, slack, NEAR * float(np.abs(slack[moving]).max()))
    while 0 < np.count_nonzero(moving) <= MOST_MOVING * len(y):
        rows = np.flatnonzero(moving)
        # The multipliers of these points, where all others are held.
        K, labels, ends, part = features.gram(rows), y[rows], bounds[rows], alpha[rows]
        held = gradient[rows] + 1.0 - labels * (K @ (labels * part))
        iterations += two_coordinate_descent(K, labels, ends, part, 1e-2, len(y), held)
        steps, violation = active_set(K, labels, ends, part, tol, MAX_STEPS, held)
        iterations += steps
        alpha[rows] = part
        point = feasible_point(alpha, y, bounds)
        scores = features.scores(y * point)
        gradient = y * scores - 1.0
        # The intercept in the middle of those that their optimality conditions leave.
        value = -labels * gradient[rows]
        can_rise = np.where(labels > 0, part < ends, part > 0.0)
        can_fall = np.where(labels > 0, part > 0.0, part < ends)
        lower, upper = value[can_rise].max(initial=-np.inf), value[can_fall].min(initial=np.inf)
        b = 0.5 * (lower + upper) if np.isfinite(lower) and np.isfinite(upper) else 0.0
        if not _join(moving, _slack(gradient, y, alpha, b), -tol):
            status = "optimal" if violation <= tol else "max_iter"
            lengths = features.lengths
            return certify_point(point, scores, lengths, y, C, costs, status, iterations)
    return solve_svm_active_set(features.gram(), y, C, costs=costs, alpha=alpha, tol=tol)


def _slack(gradient, y, alpha, b):
    """What is left before a multiplier at a bound has to leave it; below zero, it has to."""
    derivative = gradient + b * y
    return np.where(alpha > 0.0, -derivative, derivative)


def _join(moving, slack, limit) -> bool:
    """Let the points of least slack below a limit move, too, and say whether there are any."""
    near = np.flatnonzero(~moving & (slack < limit))
    most = int(np.ceil(MOST_JOINING * len(moving)))
    if len(near) > most:
        near = near[np.argpartition(slack[near], most)[:most]]
    moving[near] = True
    return len(near) > 0
