"""Pivots of the simplex method on the hinge loss: the only compiled loops of the KPM.

They are plain loops over numbers: what numba compiles of NumPy takes most of the first call.
"""

from __future__ import annotations

import numba
import numpy as np

#: Tolerance on 0 <= a <= w, relative to w.
FEASIBILITY_TOL = 1e-9
#: Least change of a margin, relative to the largest, at which a point may become basic.
PIVOT_TOL = 1e-7


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _combine(coefficients, rows, out):
    """Sum of coefficient_k times row k, of shape (n,), written to ``out``."""
    out[:] = 0.0
    for k in range(len(coefficients)):
        for i in range(len(out)):
            out[i] += coefficients[k] * rows[k, i]


@numba.njit(cache=True)
def line_search(change, slope, margins, targets, GT, weights, basic, bound, load, steps, points):
    """Minimise the loss along margins + t * change, t >= 0; flip the points that are passed.

    The loss is piecewise linear in t with a kink where a margin reaches its target. The point at
    whose kink the slope stops being negative becomes basic; it and its t are returned, or (-1, 0)
    if there is no kink. ``steps`` and ``points``, of shape (n,), are work space; the rest is as in
    `pivot`.
    """
    largest, count = 0.0, 0
    for i in range(len(margins)):
        largest = max(largest, abs(change[i]))
    for i in range(len(margins)):
        rising = change[i] > 0.0
        if not basic[i] and abs(change[i]) > PIVOT_TOL * largest and (bound[i] > 0.0) == rising:
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
        found = slope >= 0.0 or count == 1
        move = -bound[point] if found else weights[point] - 2.0 * bound[point]
        bound[point] += move
        for k in range(len(load)):
            load[k] += move * GT[k, point]
        if found:
            basic[point] = True
            return point, step
        count -= 1
        points[nearest], steps[nearest] = points[count], steps[count]
    return -1, 0.0


@numba.njit(cache=True)
def _leaving(duals, inverse, basis, weights, best):
    """Place in the basis of the point to release, or -1 if none descends.

    It is the one that descends most steeply. The edge that releases basic point k is column k of
    the inverse; because the coordinates are orthonormal, its length is the root mean square of the
    function along the edge. ``best`` is the square of the least descent worth following.
    """
    row = -1
    for k in range(len(duals)):
        weight = weights[basis[k]]
        violation = max(-duals[k], duals[k] - weight)
        if violation > FEASIBILITY_TOL * weight:
            length = 0.0
            for j in range(len(duals)):
                length += inverse[j, k] ** 2
            if violation**2 > best * length:
                row, best = k, violation**2 / length
    return row


@numba.njit(cache=True)
def pivot(GT, weights, targets, basis, basic, bound, margins, load, inverse, least, n_pivots):
    """Exchange basic points until their dual variables lie in [0, w], at most ``n_pivots`` times.

    Parameters
    ----------
    GT : ndarray of shape (m, n), C-contiguous
        The signed basis, one coordinate a row.
    weights, targets : ndarray of shape (n,)
        Weights of the points, and the margins that they are asked for.
    basis : ndarray of int of shape (m,)
        The basic points; it and all arrays that follow are changed in place.
    basic : ndarray of bool of shape (n,)
        Which points are basic.
    bound : ndarray of shape (n,)
        The dual variables of the other points: 0 or w; 0 for the basic ones.
    margins : ndarray of shape (n,)
        Those of the vertex.
    load : ndarray of shape (m,)
        GT @ bound.
    inverse : ndarray of shape (m, m)
        Of the rows of the basic points.
    least : float
        Square of the least descent worth following.
    n_pivots : int

    Returns
    -------
    int
        The number of exchanges; less than ``n_pivots`` if there is none left to make.
    """
    m, n = GT.shape
    change, steps, points = np.empty(n), np.empty(n), np.empty(n, np.int64)
    row, edge = np.empty(m), np.empty(m)
    for done in range(n_pivots):
        _combine(load, inverse, row)
        for k in range(m):
            row[k] = -row[k]
        leaving = _leaving(row, inverse, basis, weights, least)
        if leaving < 0:
            return done
        point, dual = basis[leaving], row[leaving]
        sign = -1.0 if dual > 0.0 else 1.0
        slope = dual if sign > 0.0 else weights[point] - dual
        for j in range(m):
            edge[j] = sign * inverse[j, leaving]
        _combine(edge, GT, change)
        entering, step = line_search(
            change, slope, margins, targets, GT, weights, basic, bound, load, steps, points
        )
        if entering < 0:
            return done
        for i in range(n):
            margins[i] += step * change[i]
        basic[point] = False
        bound[point] = weights[point] if sign < 0.0 else 0.0
        basis[leaving] = entering
        for j in range(m):
            load[j] += bound[point] * GT[j, point]
            edge[j] = GT[j, entering]
        # Update the inverse: the row ``edge`` replaces that of the leaving point.
        _combine(edge, inverse, row)
        divisor = row[leaving]
        row[leaving] -= 1.0
        for j in range(m):
            scale = inverse[j, leaving] / divisor
            for k in range(m):
                inverse[j, k] -= scale * row[k]
    return n_pivots
