"""The one optimum of the hinge LP that is reported: the one of least mean square."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy.linalg import qr

from reprolib.methods.kpm.hinge_lp._least_norm import least_norm_active_set
from reprolib.methods.shared.tolerances import ROUND_OFF

#: Rise of the loss, relative to sum w, up to which a candidate is still an optimum.
LOSS_TOL = 1e-10
#: Distances to a bound, relative to w, up to which a dual variable is tried as at the bound.
SNAP_TOLS = (1e-2, 1e-4, 1e-6, 1e-8)
NO_GUESS = np.empty(0, dtype=np.int64)
#: Relative to the largest diagonal entry of R, in the rank of the rows that hold with equality.
RANK_TOL = 1e-10


def canonical_optimum(signed, weights, coordinates, dual, dual_tol, guess=NO_GUESS):
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
        Positive weights w of the points.
    coordinates : ndarray of shape (m,)
        An optimum.
    dual : ndarray of shape (n,)
        A dual optimum.
    dual_tol : float
        A dual variable within ``dual_tol * w`` of a bound is at the bound, by the tolerances of
        the solver.
    guess : ndarray of int, optional
        Points whose margin may be what keeps the answer from being shorter, such as those of one
        component less. It saves time and changes nothing else.

    Returns
    -------
    coordinates : ndarray of shape (m,)
        The optimum of least norm.
    found : bool
        False if the face could not be resolved numerically; the optimum is then returned as it
        was given.
    active : ndarray of int
        Points whose margin keeps the answer from being shorter.
    """
    tolerances = [tol for tol in SNAP_TOLS if tol > dual_tol] + [dual_tol]
    before, tried = hinge_loss(signed, weights, coordinates), None
    for tol in tolerances:
        at_zero, at_weight = dual <= tol * weights, dual >= (1.0 - tol) * weights
        sides = at_weight.astype(int) - at_zero.astype(int)
        if tried is not None and np.array_equal(sides, tried):
            continue
        tried = sides
        # The candidate is the least-norm point of margins = 1 where sides is 0, >= 1 where it is
        # -1 and <= 1 where it is 1: a particular point of the equations, and a part of their null
        # space that the inequalities determine.
        points, particular, null = np.flatnonzero(sides), np.zeros(len(signed)), None
        if len(points) < len(sides):
            particular, null = _affine_solution(np.ascontiguousarray(signed[:, sides == 0].T))
        candidate, active = particular, NO_GUESS
        if null is None or null.shape[1]:
            along = signed if null is None else null.T @ signed
            sign = -sides[points].astype(float)
            H = np.ascontiguousarray((sign * along[:, points]).T)
            h = sign * (1.0 - (particular @ signed)[points])
            guessed = np.searchsorted(points, guess[sides[guess] != 0])
            t, rows, solved = least_norm_active_set(H, h, guessed)
            if not solved:
                continue
            candidate, active = t if null is None else particular + null @ t, points[rows]
        round_off = ROUND_OFF * weights.sum() * np.linalg.norm(candidate)
        allowed = LOSS_TOL * weights.sum() + round_off
        if hinge_loss(signed, weights, candidate) <= before + allowed:
            return candidate, True, active
    return coordinates, False, NO_GUESS


def _affine_solution(rows):
    """Least-norm solution of rows @ c = 1 and an orthonormal basis of the null space of rows."""
    m = rows.shape[1]
    if len(rows) == m:
        with suppress(np.linalg.LinAlgError):
            return np.linalg.solve(rows, np.ones(m)), np.zeros((m, 0))
    Q, R, _ = qr(rows.T, pivoting=True, check_finite=False)
    diagonal = np.abs(np.diagonal(R))
    rank = int(np.count_nonzero(diagonal > RANK_TOL * diagonal[0]))
    triangle = R[:rank, :rank]
    particular = Q[:, :rank] @ np.linalg.solve(triangle.T, np.ones(rank))
    return particular, Q[:, rank:]


def hinge_loss(signed, weights, coordinates):
    """Weighted hinge loss of a point."""
    return weights @ np.maximum(1.0 - coordinates @ signed, 0.0)
