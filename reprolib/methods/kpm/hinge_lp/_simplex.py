"""Hinge LP for all D by a simplex method that walks from vertex to vertex of the loss."""

from __future__ import annotations

import numba
import numpy as np

from reprolib.methods.kpm.hinge_lp._certificate import GAP_TOL
from reprolib.methods.kpm.hinge_lp._least_norm import EPSILON, _dot, least_norm_active_set

#: Tolerance on 0 <= a <= w, relative to w.
FEASIBILITY_TOL = 1e-9
#: Least descent worth following, relative to sum w, for a step of root mean square one.
SLOPE_TOL = 1e-13
#: Least change of a margin, relative to the largest, at which a point may become basic.
PIVOT_TOL = 1e-7
#: Of the targets, see `perturbed_targets`.
PERTURBATION = 1e-7
PIVOTS_PER_FACTORISATION = 40
MAX_PIVOTS_PER_COORDINATE = 20


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _combine(coefficients, rows, out):
    """Sum of coefficient_k times row k, of shape (n,), written to ``out``."""
    out[:] = 0.0
    for k in range(len(coefficients)):
        for i in range(len(out)):
            out[i] += coefficients[k] * rows[k, i]


@numba.njit(cache=True)
def _flip(i, GT, weights, upper, load):
    """Move point i to its other bound, and with it ``load``, the sum of w_i g_i over ``upper``."""
    change = -weights[i] if upper[i] else weights[i]
    upper[i] = not upper[i]
    for k in range(len(load)):
        load[k] += change * GT[k, i]


@numba.njit(cache=True)
def _line_search(change, slope, margins, targets, GT, weights, basic, upper, load):
    """Minimise the loss along margins + t * change, t >= 0; flip the points that are passed.

    The loss is piecewise linear in t with a kink where a margin reaches its target. Returns the
    point at whose kink the slope stops being negative and its t, or (-1, 0) if there is no kink.
    """
    n = len(margins)
    threshold = PIVOT_TOL * np.max(np.abs(change))
    steps = np.empty(n)
    points = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        if not basic[i] and abs(change[i]) > threshold and upper[i] == (change[i] > 0.0):
            points[count] = i
            steps[count] = max(0.0, (targets[i] - margins[i]) / change[i])
            count += 1
    while count > 0:
        nearest = 0
        for k in range(1, count):
            if steps[k] < steps[nearest]:
                nearest = k
        point, step = points[nearest], steps[nearest]
        slope += weights[point] * abs(change[point])
        if slope >= 0.0 or count == 1:
            return point, step
        _flip(point, GT, weights, upper, load)
        count -= 1
        points[nearest], steps[nearest] = points[count], steps[count]
    return -1, 0.0


@numba.njit(cache=True)
def _enter(point, GT, weights, basic, upper, load):
    """Make a point basic."""
    if upper[point]:
        _flip(point, GT, weights, upper, load)
    basic[point] = True


@numba.njit(cache=True)
def _leaving(duals, inverse, basis, weights):
    """Find the basic point to release, and +1 (its dual is below 0) or -1 (above w).

    It is the one that descends most steeply; -1 if none does.

    The edge that releases basic point k is column k of the inverse; because the coordinates are
    orthonormal, its length is the root mean square of the function along the edge.
    """
    best, score, sign = -1, (SLOPE_TOL * weights.sum()) ** 2, 0.0
    for k in range(len(duals)):
        above = duals[k] - weights[basis[k]]
        violation = max(-duals[k], above)
        if violation > FEASIBILITY_TOL * weights[basis[k]]:
            length = 0.0
            for j in range(len(duals)):
                length += inverse[j, k] ** 2
            if violation**2 > score * length:
                best, score = k, violation**2 / length
                sign = -1.0 if above > -duals[k] else 1.0
    return best, sign


@numba.njit(cache=True)
def _exchange(inverse, leaving, row):
    """Update the inverse of the basis matrix when ``row`` replaces its row ``leaving``."""
    m = len(row)
    product = np.zeros(m)
    _combine(row, inverse, product)
    pivot = product[leaving]
    product[leaving] -= 1.0
    for j in range(m):
        scale = inverse[j, leaving] / pivot
        for k in range(m):
            inverse[j, k] -= scale * product[k]


@numba.njit(cache=True)
def _factorise(GT, weights, targets, basis, upper, margins, load):
    """Inverse of the basis matrix; ``margins`` and ``load`` are computed afresh."""
    m = len(GT)
    inverse = np.linalg.inv(GT[:, basis].T.copy())
    c, at_weight = np.zeros(m), np.where(upper, weights, 0.0)
    for k in range(m):
        load[k] = _dot(GT[k], at_weight)
        for j in range(m):
            c[k] += inverse[k, j] * targets[basis[j]]
    _combine(c, GT, margins)
    return inverse


@numba.njit(cache=True)
def _pivot_to_optimum(GT, weights, targets, basis, basic, upper):
    """Exchange basic points until their dual variables lie in [0, w].

    Returns the inverse of the basis matrix and the number of pivots, also if there were too many.
    """
    m, n = GT.shape
    margins, change, load = np.empty(n), np.empty(n), np.empty(m)
    duals, row = np.empty(m), np.empty(m)
    inverse = _factorise(GT, weights, targets, basis, upper, margins, load)
    for pivot in range(MAX_PIVOTS_PER_COORDINATE * m):
        if pivot % PIVOTS_PER_FACTORISATION == PIVOTS_PER_FACTORISATION - 1:
            inverse = _factorise(GT, weights, targets, basis, upper, margins, load)
        _combine(-load, inverse, duals)
        leaving, sign = _leaving(duals, inverse, basis, weights)
        if leaving < 0:
            return inverse, pivot
        point = basis[leaving]
        _combine(sign * inverse[:, leaving], GT, change)
        slope = sign * duals[leaving] + (weights[point] if sign < 0.0 else 0.0)
        entering, step = _line_search(
            change, slope, margins, targets, GT, weights, basic, upper, load
        )
        if entering < 0:
            break
        for i in range(n):
            margins[i] += step * change[i]
        basic[point] = False
        if sign < 0.0:
            _flip(point, GT, weights, upper, load)
        _enter(entering, GT, weights, basic, upper, load)
        basis[leaving] = entering
        for k in range(m):
            row[k] = GT[k, entering]
        _exchange(inverse, leaving, row)
    return inverse, pivot


@numba.njit(cache=True)
def _add_coordinate(GT, weights, targets, inverse, basis, basic, upper):
    """Bring in a point by a line search along the new coordinate, basic margins held fixed."""
    m, n = GT.shape
    direction, c, load = np.ones(m), np.zeros(m), np.zeros(m)
    for k in range(m - 1):
        direction[k] = 0.0
        for j in range(m - 1):
            direction[k] -= inverse[k, j] * GT[m - 1, basis[j]]
            c[k] += inverse[k, j] * targets[basis[j]]
    margins, change = np.empty(n), np.empty(n)
    _combine(c, GT, margins)
    _combine(direction, GT, change)
    slope = 0.0
    for i in range(n):
        slope -= weights[i] * change[i] if upper[i] else 0.0
    if slope > 0.0:
        change, slope = -change, -slope
    entering, _ = _line_search(change, slope, margins, targets, GT, weights, basic, upper, load)
    if entering < 0:
        entering, _ = _line_search(
            -change, -slope, margins, targets, GT, weights, basic, upper, load
        )
    if entering >= 0:
        _enter(entering, GT, weights, basic, upper, load)
    return entering


@numba.njit(cache=True)
def _vertex(GT, weights, inverse, basis, upper, c, duals):
    """Write coordinates and dual variables of a basis, with one step of refinement each."""
    m = len(GT)
    c[:] = 0.0
    duals[:] = np.where(upper, weights, 0.0)
    load, row = np.zeros(m), np.zeros(m)
    for _ in range(2):
        for j in range(m):
            residual = 1.0
            for k in range(m):
                residual -= c[k] * GT[k, basis[j]]
            row[j] = residual
        for k in range(m):
            for j in range(m):
                c[k] += inverse[k, j] * row[j]
    for _ in range(2):
        for k in range(m):
            load[k] = -_dot(GT[k], duals)
        for j in range(m):
            for k in range(m):
                duals[basis[j]] += inverse[k, j] * load[k]


@numba.njit(cache=True)
def _loss(GT, weights, c, margins):
    """Hinge loss of a point; its margins are written to ``margins``."""
    _combine(c, GT, margins)
    loss = 0.0
    for i in range(len(weights)):
        loss += weights[i] * max(0.0, 1.0 - margins[i])
    return loss


@numba.njit(cache=True)
def _gap(GT, weights, c, duals, margins):
    """Duality gap of a vertex relative to sum w; its margins are written to ``margins``."""
    return abs(_loss(GT, weights, c, margins) - duals.sum()) / weights.sum()


@numba.njit(cache=True)
def _separate(GT, basis, c):
    """Write the shortest point of margins >= 1 and return the points that determine it, if any."""
    rows = np.ascontiguousarray(GT.T)
    point, support, solved = least_norm_active_set(rows, np.ones(len(rows)), basis)
    if solved:
        c[:] = point
    return support


@numba.njit(cache=True)
def simplex_path(GT, weights, targets, tol):
    """Vertices that minimise the hinge loss in the first m coordinates, for m = 1, 2, ...

    A vertex is a basis of m points with margin one, found from that of m - 1 coordinates: the new
    coordinate brings in a point by a line search, then points whose dual variable lies outside
    [0, w] leave, the one of steepest descent first. The line search passes all kinks up to the
    minimum along its edge (the bound-flipping ratio test of the dual simplex method; Barrodale
    and Roberts' rule in L1 regression). The targets 1 + 1e-7 u_i in place of 1 keep tied vertices
    apart; if their optimum is not that of the targets 1, pivoting goes on with these.

    Where the loss is zero the classes are separable, also in all further coordinates: the point
    stays, and its dual point is zero. Just before that, vertices may be too ill-conditioned for
    their gap to close. Then the shortest separating point is looked for, which ends the path too.

    Parameters
    ----------
    GT : ndarray of shape (m, n), C-contiguous
        `NestedBasis.signed`.
    weights : ndarray of shape (n,)
    targets : ndarray of shape (n,)
        The perturbed targets, `perturbed_targets`.
    tol : float
        Relative duality gap above which pivoting goes on with the targets 1.

    Returns
    -------
    coordinates : ndarray of shape (m, m)
        Row k holds the coordinates of the optimum in the first k + 1.
    duals : ndarray of shape (m, n)
    pivots : ndarray of shape (m,)
        Number of exchanges; zero where the path has ended.
    support : ndarray of int
        Where the path has ended, points to start the search for the shortest separating point
        from: those that determine it, where it was looked for, else the basis. Else empty.
    """
    n_coordinates, n = GT.shape
    coordinates = np.zeros((n_coordinates, n_coordinates))
    duals = np.zeros((n_coordinates, n))
    pivots, support = np.zeros(n_coordinates, np.int64), np.zeros(0, np.int64)
    basis = np.zeros(n_coordinates, np.int64)
    basic, upper = np.zeros(n, np.bool_), np.ones(n, np.bool_)
    ones, margins, inverse = np.ones(n), np.empty(n), np.zeros((0, 0))
    for m in range(1, n_coordinates + 1):
        block, c, a = GT[:m], coordinates[m - 1, :m], duals[m - 1]
        entering = _add_coordinate(block, weights, targets, inverse, basis, basic, upper)
        if entering < 0:
            break
        basis[m - 1] = entering
        inverse, pivots[m - 1] = _pivot_to_optimum(block, weights, targets, basis[:m], basic, upper)
        _vertex(block, weights, inverse, basis, upper, c, a)
        if _gap(block, weights, c, a, margins) > tol:
            upper[:] = (margins < 1.0) & ~basic
            inverse, extra = _pivot_to_optimum(block, weights, ones, basis[:m], basic, upper)
            pivots[m - 1] += extra
            _vertex(block, weights, inverse, basis, upper, c, a)
        if _gap(block, weights, c, a, margins) > GAP_TOL:
            support = _separate(block, basis[:m], c)
        if _loss(block, weights, c, margins) <= (tol + EPSILON * np.linalg.norm(c)) * weights.sum():
            coordinates[m:, :m], duals[m - 1 :] = c, 0.0
            support = support if len(support) > 0 else basis[:m].copy()
            break
    return coordinates, duals, pivots, support


def perturbed_targets(n: int):
    """Targets 1 + 1e-7 u_i, u_i the fractional part of i times the golden ratio."""
    return 1.0 + PERTURBATION * np.modf(np.arange(1, n + 1) * (np.sqrt(5.0) - 1.0) / 2.0)[0]
