"""Multiple kernel learning with one linear kernel for each feature, as one quadratic programme.

With K_m = x_m x_m' for the columns x_m of X, problem (1) of the paper (MKL) is

    min over w, b of  1/2 (sum_m |w_m|)^2 + C sum_i [1 - y_i (<w, x_i> + b)]_+ ,

whose dual, with B = diag(y) X, is

    max over alpha, s of  sum_i alpha_i - s^2 / 2
    subject to  |B_m' alpha| <= s for every feature m,  0 <= alpha_i <= C,  y' alpha = 0.

The multipliers of the two constraints of feature m are the positive and negative parts of w_m,
that of y' alpha = 0 is b. With costs w_i of the examples, C is C w_i.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from reprolib.methods.keops.kernel_sets import PRUNE_TOL, LinearBlocks
from reprolib.methods.keops.svm_certificate import (
    EPSILON,
    SIGNIFICANT,
    best_intercept,
    feasible_point,
)
from reprolib.methods.shared.solution import Solution

#: Ridges of an indefinite Newton system go from the one to the other, ten times a step.
SMALLEST_RIDGE, LARGEST_RIDGE = 1e-14, 1e-8
#: Slack of the start where no feature has any correlation with the labels.
FIRST_SLACK = 1e-12
#: Duality gap, relative to the objective in whatever units, up to which an answer is "optimal".
OPTIMAL_GAP = 1e-5
#: Features that add less than this part of the largest to the Newton system are left out ...
NEGLIGIBLE = 1e-7
#: ... once no more than this part of them is left: copies cost, too.
MOST_KEPT = 0.7
#: A feature that was left out may exceed the bound of the others by this part of it.
EXCESS_TOL = 1e-9


class _Point:
    """Iterate of the interior-point method: (alpha, s, b) and the multipliers u, v, z, xi.

    ``kept`` are the features that it is about, the columns of ``B``.
    """

    def __init__(self, B, y, C, costs):
        self.B, self.y = B, y
        self.n_features = B.shape[1]
        self.kept, self.squares = np.arange(self.n_features), (B**2).sum(axis=0)
        positive, negative = np.mean((y > 0) * costs), np.mean((y < 0) * costs)
        share = np.where(y > 0, negative, positive) / np.mean(costs)
        self.alpha = C * costs * share
        g = B.T @ self.alpha
        self.s = 1.1 * float(np.abs(g).max()) + FIRST_SLACK
        self.slacks = (self.s - g, self.s + g, self.alpha, C * costs - self.alpha)
        self.b = 0.0
        per_feature = np.full(B.shape[1], self.s / (2 * B.shape[1]))
        self.multipliers = (per_feature, per_feature, np.ones(len(y)), np.ones(len(y)))

    def move(self, step, d_slacks, d_multipliers, db, ds):
        """Take a step; slacks are carried along, not subtracted anew, to keep small ones exact."""
        self.slacks = tuple(s + step * d for s, d in zip(self.slacks, d_slacks, strict=True))
        self.multipliers = tuple(
            m + step * d for m, d in zip(self.multipliers, d_multipliers, strict=True)
        )
        self.alpha = self.slacks[2]
        self.b += step * db
        self.s += step * ds

    def leave_out(self, least):
        """Go on without features that add less than a part of the largest to the Newton system."""
        p, q, a, r = self.slacks
        u, v, z, xi = self.multipliers
        size = (u / p + v / q) * self.squares
        keep = np.flatnonzero(size >= least * size.max())
        if len(keep) > MOST_KEPT * len(size):
            return
        self.B = np.ascontiguousarray(self.B[:, keep])
        self.kept, self.squares = self.kept[keep], self.squares[keep]
        self.slacks, self.multipliers = (p[keep], q[keep], a, r), (u[keep], v[keep], z, xi)

    def weights(self):
        """The coefficients u - v of all features, zero for those that were left out."""
        w = np.zeros(self.n_features)
        w[self.kept] = self.multipliers[0] - self.multipliers[1]
        return w

    def complementarity(self, step=0.0, d_slacks=None, d_multipliers=None):
        """Mean of slack times multiplier, after a step if one is given."""
        total, count = 0.0, 0
        for k, (slack, mult) in enumerate(zip(self.slacks, self.multipliers, strict=True)):
            if d_slacks is not None:
                slack, mult = slack + step * d_slacks[k], mult + step * d_multipliers[k]
            total, count = total + float(slack @ mult), count + len(slack)
        return total / count


class _Newton:
    """Factored Newton system of one iterate, solved for several right-hand sides.

    Every diagonal entry is raised by the fraction ``ridge`` of it.
    """

    def __init__(self, point: _Point, ridge: float):
        self.point = point
        p, q, a, r = point.slacks
        u, v, z, xi = point.multipliers
        self.difference = u / p - v / q
        curvature = u / p + v / q
        self.corner = 1.0 + float(curvature.sum())
        scaled = point.B * np.sqrt(curvature)
        H = scaled @ scaled.T
        H[np.diag_indices_from(H)] += z / a + xi / r
        H[np.diag_indices_from(H)] *= 1.0 + ridge
        self.factor = cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
        border = np.column_stack([point.y, -(point.B @ self.difference)])
        self.border = border
        self.solved_border = cho_solve(self.factor, border, check_finite=False)
        schur = -border.T @ self.solved_border
        schur[1, 1] += self.corner
        self.schur = schur

    def direction(self, target):
        """Changes of slacks, multipliers, b and s towards given products slack * multiplier."""
        point = self.point
        tu, tv, tz, tx = (t / s for t, s in zip(target, point.slacks, strict=True))
        right_alpha = 1.0 - point.b * point.y - point.B @ (tu - tv) + tz - tx
        right = np.array([-(point.y @ point.alpha), float(tu.sum() + tv.sum()) - point.s])
        half = cho_solve(self.factor, right_alpha, check_finite=False)
        db, ds = np.linalg.solve(self.schur, right - self.border.T @ half)
        d_alpha = half - self.solved_border @ np.array([db, ds])
        dg = point.B.T @ d_alpha
        d_slacks = (ds - dg, ds + dg, d_alpha, -d_alpha)
        d_multipliers = tuple(
            t - m - m / s * d
            for t, m, s, d in zip(
                (tu, tv, tz, tx), point.multipliers, point.slacks, d_slacks, strict=True
            )
        )
        return d_slacks, d_multipliers, db, ds


def _longest(values, changes):
    """Largest step in [0, 1] that keeps all values positive."""
    step = 1.0
    for value, change in zip(values, changes, strict=True):
        shrinking = change < 0
        if np.any(shrinking):
            step = min(step, float(np.min(-value[shrinking] / change[shrinking])))
    return step


def _interior_point(B, y, C, costs, tol, max_iter):
    """The dual's (w, alpha, iterations), mostly without the features that turn out not to matter.

    They are those whose constraint is slack. Should alpha violate one of theirs, or the method end
    early, all take part.
    """
    w, alpha, iterations, kept, is_settled = _predict_and_correct(
        B, y, C, costs, tol, max_iter, NEGLIGIBLE
    )
    size = np.abs(B.T @ alpha)
    none_missing = size.max() <= (1.0 + EXCESS_TOL) * size[kept].max()
    if len(kept) < B.shape[1] and not (none_missing and is_settled):
        return _predict_and_correct(B, y, C, costs, tol, max_iter, 0.0)[:3]
    return w, alpha, iterations


def _predict_and_correct(B, y, C, costs, tol, max_iter, least):
    """Mehrotra's predictor-corrector method: (w, alpha, iterations, kept, is_settled).

    Features below ``least`` are left out on the way; ``kept`` are the others. Where round-off makes
    the Newton system indefinite, it goes on with a small ridge. It is settled where the
    complementarity is small and so is the residual, or round-off keeps it from falling. The best
    iterate is returned; the caller measures its gap.
    """
    point = _Point(B, y, C, costs)
    iteration, ridge, last_residual, is_settled = 0, 0.0, np.inf, False
    best, w, alpha = np.inf, np.zeros(B.shape[1]), point.alpha
    while iteration < max_iter:
        point.leave_out(least)
        u, v, z, xi = point.multipliers
        mu = point.complementarity()
        residual = np.abs(point.B @ (u - v) + point.b * y - 1.0 - z + xi).max()
        complementarity = mu * 2 * (len(y) + len(point.kept)) / C
        if max(complementarity, residual) < best:
            best, w, alpha = max(complementarity, residual), point.weights(), point.alpha
        still = residual <= tol or (ridge == 0.0 and residual >= last_residual)
        is_settled = bool(still and complementarity <= tol)
        if is_settled:
            break
        try:
            newton = _Newton(point, ridge)
            d_slacks, d_mult, *_ = newton.direction([np.zeros(len(s)) for s in point.slacks])
        except np.linalg.LinAlgError:
            if ridge >= LARGEST_RIDGE:
                break
            ridge = max(SMALLEST_RIDGE, 10 * ridge)
            continue
        ridge, last_residual = 0.0, residual
        step = min(_longest(point.slacks, d_slacks), _longest(point.multipliers, d_mult))
        centring = (point.complementarity(step, d_slacks, d_mult) / mu) ** 3
        target = [centring * mu - ds * dm for ds, dm in zip(d_slacks, d_mult, strict=True)]
        d_slacks, d_mult, db, ds = newton.direction(target)
        step = 0.995 * min(_longest(point.slacks, d_slacks), _longest(point.multipliers, d_mult))
        iteration += 1
        point.move(step, d_slacks, d_mult, db, ds)
    return w, alpha, iteration, point.kept, is_settled


def solve_mkl_features(
    features: LinearBlocks,
    y,
    C: float,
    *,
    costs=None,
    tol: float = 1e-9,
    prune_tol: float = PRUNE_TOL,
    max_iter: int = 80,
) -> Solution:
    """MKL over single features, exact in some twenty Newton steps whatever C is.

    The dual above by a primal-dual interior-point method; every step factors one n x n matrix.
    Features with |w_m| at most ``prune_tol`` times the largest are set to zero (the method ends
    with 1e-8 and less in place of zeros), and the objectives are recomputed after that.

    Parameters
    ----------
    features : LinearBlocks
        With one feature for each kernel, M in all, in any order.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    C : float
        Weight of the hinge loss; a larger one fits the training data more closely.
    costs : ndarray of shape (n,), optional
        Positive factors w_i of C, ones by default.
    tol : float
        Stop when the complementarity, relative to C, and the residual are below this.
    prune_tol : float
        Features with a smaller part of the largest weight are dropped: a larger one drops more.
    max_iter : int
        Largest number of Newton steps.

    Returns
    -------
    Solution
        Variables as of `reprolib.methods.keops.alternating.solve_pyramid_alternating`, the
        intercept for the features less ``features.origin``; status
        "optimal" if the duality gap is at most 1e-5 of the objective (which may be far below one
        where features are in large units), else "inaccurate".

    See Also
    --------
    reprolib.methods.keops.alternating.solve_pyramid_alternating : Any kernels and trees.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.kernel_sets import LinearBlocks
    >>> from reprolib.methods.keops.mkl_features import solve_mkl_features
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([1.0, -1.0])
    >>> solution = solve_mkl_features(LinearBlocks(X, np.arange(2)), y, 10.0)
    >>> solution.variables["effective"].round(3).tolist(), solution.status
    ([1.0, 0.0], 'optimal')
    """
    X = np.asfortranarray(features.X[:, np.argsort(features.blocks)])
    costs = np.ones(len(y)) if costs is None else costs
    scale = float(np.sqrt(np.mean(X**2))) or 1.0
    B = np.ascontiguousarray(y[:, None] * (X / scale))
    w, alpha, iterations = _interior_point(B, y, C * scale**2, costs, tol, max_iter)
    alpha = feasible_point(alpha / scale**2, y, C * costs)
    coef = y * alpha
    gradient = X.T @ coef
    round_off = features.round_off(coef, np.abs(gradient))
    w = np.where(np.abs(gradient) > SIGNIFICANT * round_off, w, 0.0)
    kept = np.where(np.abs(w) > prune_tol * np.abs(w).max(), np.abs(w), 0.0)
    weights = kept / kept.sum() if kept.any() else kept
    w = weights * gradient
    scores = X @ w
    intercept, hinge = best_intercept(scores, y, costs)
    sizes = np.sum((1.0 + abs(intercept) + np.abs(X) @ np.abs(w)) * costs)
    lengths = np.sqrt(X**2 @ weights)
    solution = Solution(
        variables={
            "weights": [weights],
            "effective": weights,
            "kernel_norms": np.abs(w),
            "alpha": alpha,
            "intercept": intercept,
            "scores": scores,
        },
        primal_objective=0.5 * float(np.abs(w).sum()) ** 2 + C * (hinge + EPSILON * float(sizes)),
        dual_objective=float(alpha.sum()) - 0.5 * float((np.abs(gradient) + round_off).max()) ** 2,
        status="optimal",
        iterations=iterations,
        info={"reach": float((lengths @ alpha) * lengths.max())},
    )
    solution.variables["objective_path"] = np.array([solution.primal_objective])
    certified = abs(solution.relative_gap) <= OPTIMAL_GAP
    status = "optimal" if certified else "inaccurate"
    return replace(solution, status=status)
