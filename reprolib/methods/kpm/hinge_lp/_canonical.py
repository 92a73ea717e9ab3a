"""The one optimum of the hinge LP that is reported: the one of least mean square."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy.linalg import qr
from scipy.optimize import nnls

#: Rise of the loss, relative to sum w, up to which a candidate is still an optimum.
LOSS_TOL = 1e-10
#: Distances to a bound, relative to w, up to which a dual variable is tried as at the bound.
SNAP_TOLS = (1e-2, 1e-4, 1e-6, 1e-8)
#: Relative round-off of margins.
ROUND_OFF = 1e-14
#: Relative to the largest diagonal entry of R, in the rank of the rows that hold with equality.
RANK_TOL = 1e-10


def least_norm_point(H, h):
    """Solve min ||t|| subject to H t >= h by nonnegative least squares.

    Least distance programming (Lawson and Hanson 1974, chapter 23): with u >= 0 minimising
    ||[H, h]' u - (0, ..., 0, 1)'|| and r its residual, t = -r[:-1] / r[-1]. The rows with u > 0
    hold with equality, and t is solved for again from them, free of the division's round-off.

    Parameters
    ----------
    H : ndarray of shape (p, k)
    h : ndarray of shape (p,)

    Returns
    -------
    t : ndarray of shape (k,)
    """
    target = np.zeros(H.shape[1] + 1)
    target[-1] = 1.0
    multipliers, _ = nnls(np.column_stack([H, h]).T, target, maxiter=20 * sum(H.shape))
    active = multipliers > 0
    if not active.any():
        return np.zeros(H.shape[1])
    return np.linalg.lstsq(H[active], h[active], rcond=None)[0]


def canonical_optimum(signed, weights, coordinates, dual, dual_tol):
    """Optimum of least mean square, among all that share the optimal value.

    The optimum is not unique where the loss reaches zero (separable data), or where a dual
    variable of a basic point is zero or w. Every dual optimum a describes the whole optimal face
    by complementary slackness: margin = 1 where 0 < a_i < w_i, >= 1 where a_i = 0, <= 1 where
    a_i = w_i. Of its points the one of least ||c|| is taken, that is, the decision function of
    least sum_i w_i f(x_i)^2. It is unique, does not depend on the solver, on the order of the
    points or on duplicates being merged into weights, and for separable data it is a
    hard-margin classifier.

    Dual variables of an ill-conditioned vertex are off by 1e-6 and more, and one that is wrongly
    taken for free makes the face smaller. So variables near a bound are first taken as at it. That
    can only enlarge the set, so that its least-norm point, if it is an optimum, is the one sought;
    if it is not, a narrower tolerance is tried.

    Parameters
    ----------
    signed : ndarray of shape (m, n)
        Signed orthonormal basis, see `NestedBasis`.
    weights : ndarray of shape (n,)
    coordinates : ndarray of shape (m,)
        An optimum.
    dual : ndarray of shape (n,)
        A dual optimum.
    dual_tol : float
        A dual variable within ``dual_tol * w`` of a bound is at the bound, by the tolerances of
        the solver.

    Returns
    -------
    coordinates : ndarray of shape (m,)
    found : bool
        False if the face could not be resolved numerically; the optimum is then returned as it
        came.
    """
    tolerances = [tol for tol in SNAP_TOLS if tol > dual_tol] + [dual_tol]
    before, tried = _loss(signed, weights, coordinates), None
    for tol in tolerances:
        at_zero, at_weight = dual <= tol * weights, dual >= (1.0 - tol) * weights
        sides = at_weight.astype(int) - at_zero.astype(int)
        if tried is not None and np.array_equal(sides, tried):
            continue
        tried = sides
        candidate = _least_norm_on_face(signed, sides)
        if candidate is not None:
            round_off = ROUND_OFF * weights.sum() * np.linalg.norm(candidate)
            allowed = LOSS_TOL * weights.sum() + round_off
            if _loss(signed, weights, candidate) <= before + allowed:
                return candidate, True
    return coordinates, False


def _least_norm_on_face(signed, sides):
    """Least-norm point of margins >= 1 where ``sides`` is -1, <= 1 where 1, = 1 where 0.

    None if nonnegative least squares does not find it.
    """
    inside = sides == 0
    particular, null = _affine_solution(np.ascontiguousarray(signed[:, inside].T))
    if null.shape[1] == 0:
        return particular
    sign = -sides[~inside].astype(float)
    H = sign[:, np.newaxis] * (signed[:, ~inside].T @ null)
    h = sign * (1.0 - particular @ signed[:, ~inside])
    try:
        return particular + null @ least_norm_point(H, h)
    except RuntimeError:
        return None


def _affine_solution(rows):
    """Least-norm solution of rows @ c = 1 and an orthonormal basis of the null space of rows."""
    m = rows.shape[1]
    if len(rows) == 0:
        return np.zeros(m), np.eye(m)
    if len(rows) == m:
        with suppress(np.linalg.LinAlgError):
            return np.linalg.solve(rows, np.ones(m)), np.zeros((m, 0))
    Q, R, _ = qr(rows.T, pivoting=True, check_finite=False)
    diagonal = np.abs(np.diagonal(R))
    rank = int(np.count_nonzero(diagonal > RANK_TOL * diagonal[0]))
    triangle = R[:rank, :rank]
    particular = Q[:, :rank] @ np.linalg.solve(triangle.T, np.ones(rank))
    return particular, Q[:, rank:]


def _loss(signed, weights, coordinates):
    return weights @ np.maximum(1.0 - coordinates @ signed, 0.0)
