"""Least-norm point of linear inequalities by a dual active-set method that starts from a guess."""

from __future__ import annotations

import numba
import numpy as np

EPSILON = float(np.finfo(np.float64).eps)
#: A row depends on the active ones if less than this part of it lies outside of their span.
DEPENDENT_TOL = 1e-11
#: Violation, in units of the terms of h - H t, below which a dependent row is no contradiction.
CONTRADICTION_TOL = 1e-9
#: Where less than this share of a row's squared length is outside of the span of the active rows,
#: the whole length is used: round-off must not bring a row of the span to the front.
NEAR_SPAN_TOL = 1e-6
TINY = float(np.finfo(np.float64).tiny)
MAX_STEPS_PER_ROW = 10


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@numba.njit(cache=True)
def _project(row, Q, n_active, along, outside):
    """Write Q row and what of the row lies outside of the span of Q; return the latter's length."""
    outside[:] = row
    along[:n_active] = 0.0
    for _ in range(2):
        for k in range(n_active):
            part = _dot(Q[k], outside)
            along[k] += part
            for i in range(len(row)):
                outside[i] -= part * Q[k, i]
    return np.sqrt(_dot(outside, outside))


@numba.njit(cache=True)
def _append(Q, R, n_active, along, outside, length):
    """Give the factors of the active rows, H[active]' = Q' R, one row more."""
    for k in range(n_active):
        R[k, n_active] = along[k]
    R[n_active, n_active] = length
    for i in range(len(outside)):
        Q[n_active, i] = outside[i] / length


@numba.njit(cache=True)
def _remove(Q, R, active, u, position, n_active):
    """Take one active row out of the factors, by rotations that make R triangular again."""
    for j in range(position, n_active - 1):
        active[j], u[j] = active[j + 1], u[j + 1]
        for k in range(j + 2):
            R[k, j] = R[k, j + 1]
    for j in range(position, n_active - 1):
        length = np.hypot(R[j, j], R[j + 1, j])
        cosine, sine = R[j, j] / length, R[j + 1, j] / length
        for k in range(j, n_active - 1):
            upper, lower = R[j, k], R[j + 1, k]
            R[j, k] = cosine * upper + sine * lower
            R[j + 1, k] = cosine * lower - sine * upper
        for i in range(Q.shape[1]):
            upper, lower = Q[j, i], Q[j + 1, i]
            Q[j, i] = cosine * upper + sine * lower
            Q[j + 1, i] = cosine * lower - sine * upper


@numba.njit(cache=True)
def _solve_upper(R, right, n_active):
    """Solve R x = right, in place."""
    for k in range(n_active - 1, -1, -1):
        known = _dot(R[k, k + 1 : n_active], right[k + 1 : n_active])
        right[k] = (right[k] - known) / R[k, k]


@numba.njit(cache=True)
def _solve_active(H, h, Q, R, active, n_active, t, u):
    """Write the least-norm t with H t = h in the active rows, refined once, and t = H' u."""
    residual = np.empty(n_active)
    t[:] = 0.0
    for _ in range(2):
        for k in range(n_active):
            residual[k] = h[active[k]] - _dot(H[active[k]], t)
        for k in range(n_active):
            part = residual[k] / R[k, k]
            for j in range(k + 1, n_active):
                residual[j] -= part * R[k, j]
            for i in range(len(t)):
                t[i] += part * Q[k, i]
    for k in range(n_active):
        u[k] = _dot(Q[k], t)
    _solve_upper(R, u, n_active)


@numba.njit(cache=True)
def _start(H, h, guess, Q, R, active, t, u):
    """Make the guessed rows active, without those that depend on others or pull the wrong way."""
    along, outside = np.empty(H.shape[1]), np.empty(H.shape[1])
    n_active = 0
    for row in guess:
        if n_active == H.shape[1]:
            break
        length = _project(H[row], Q, n_active, along, outside)
        if length > DEPENDENT_TOL * np.sqrt(_dot(H[row], H[row])):
            _append(Q, R, n_active, along, outside, length)
            active[n_active] = row
            n_active += 1
    _solve_active(H, h, Q, R, active, n_active, t, u)
    while n_active > 0 and np.min(u[:n_active]) < 0.0:
        _remove(Q, R, active, u, int(np.argmin(u[:n_active])), n_active)
        n_active -= 1
        _solve_active(H, h, Q, R, active, n_active, t, u)
    return n_active


@numba.njit(cache=True)
def _farthest_row(H, h, sizes, squares, t, is_active):
    """Violated row whose bound is farthest from t, or -1; its violation in units of its terms.

    Only violations beyond round-off count. ``squares`` holds the squared length of every row's part
    outside of the span of the active rows.
    """
    length = np.sqrt(_dot(t, t))
    farthest, row, relative = 0.0, -1, 0.0
    for i in range(len(h)):
        if not is_active[i]:
            violation = h[i] - _dot(H[i], t)
            size = abs(h[i]) + sizes[i] * length
            if violation > 8.0 * EPSILON * size:
                square = sizes[i] ** 2
                if squares[i] > NEAR_SPAN_TOL * square:
                    square = squares[i]
                distance = violation**2 / max(square, TINY)
                if distance > farthest:
                    farthest, row, relative = distance, i, violation / size
    return row, relative


@numba.njit(cache=True)
def _squares_outside(H, sizes, Q):
    """Squared length of every row's part outside of the span of the orthonormal rows Q."""
    squares, along = sizes**2, np.dot(H, Q.T)
    for i in range(len(H)):
        squares[i] -= _dot(along[i], along[i])
    return squares


@numba.njit(cache=True)
def _move_squares(H, direction, sign, squares):
    """Add to ``squares`` the squares of the rows' parts along a direction, or subtract them."""
    for i in range(len(H)):
        squares[i] += sign * _dot(H[i], direction) ** 2


@numba.njit(cache=True)
def _add_row(H, h, row, Q, R, active, is_active, n_active, t, u, squares):
    """Walk to the least-norm point that satisfies a violated row as well.

    Active rows whose multiplier falls to zero on the way are released. Returns the number of active
    rows, -1 if the row contradicts them.
    """
    along, outside = np.empty(H.shape[1]), np.empty(H.shape[1])
    size, multiplier = np.sqrt(_dot(H[row], H[row])), 0.0
    while True:
        length = _project(H[row], Q, n_active, along, outside)
        rates = along[:n_active].copy()
        _solve_upper(R, rates, n_active)
        step, leaving = np.inf, -1
        for k in range(n_active):
            if rates[k] > 0.0 and u[k] < step * rates[k]:
                step, leaving = u[k] / rates[k], k
        independent = n_active < len(t) and length > DEPENDENT_TOL * size
        if independent:
            whole = (h[row] - _dot(H[row], t)) / length**2
            if whole <= step:
                step, leaving = whole, -1
        if step == np.inf:
            return -1
        if independent:
            for i in range(len(t)):
                t[i] += step * outside[i]
        for k in range(n_active):
            u[k] = max(0.0, u[k] - step * rates[k])
        multiplier += step
        if leaving < 0:
            _append(Q, R, n_active, along, outside, length)
            active[n_active], u[n_active], is_active[row] = row, multiplier, True
            _move_squares(H, Q[n_active], -1.0, squares)
            return n_active + 1
        is_active[active[leaving]] = False
        _remove(Q, R, active, u, leaving, n_active)
        n_active -= 1
        _move_squares(H, Q[n_active], 1.0, squares)


@numba.njit(cache=True)
def least_norm_active_set(H, h, guess):
    """Solve min ||t|| subject to H t >= h, from a guess of the rows that hold with equality.

    The dual method of Goldfarb and Idnani (Mathematical Programming 27, 1983) for the identity as
    Hessian. A point that is the least-norm one for its active rows takes up the violated row whose
    bound is farthest, and releases active rows whose multiplier becomes zero on the way, until no
    row is violated beyond round-off. Every such walk makes the point longer, so that no set of
    active rows comes back. The distance is measured along steps on which the active rows stay at
    their bounds (steepest edge). Where the rows barely admit a point, this takes a half to a
    quarter of the walks that the largest violation takes.

    Parameters
    ----------
    H : ndarray of shape (p, k), C-contiguous
    h : ndarray of shape (p,)
    guess : ndarray of int
        Rows; an empty guess starts at zero.

    Returns
    -------
    t : ndarray of shape (k,)
    active : ndarray of int
        Rows with a positive multiplier, which hold with equality.
    solved : bool
        False if the rows contradict each other, or after too many steps.
    """
    n_rows, size = H.shape
    Q, R = np.zeros((size, size)), np.zeros((size, size))
    active, is_active = np.zeros(size, np.int64), np.zeros(n_rows, np.bool_)
    t, u, sizes = np.zeros(size), np.zeros(size), np.empty(n_rows)
    for i in range(n_rows):
        sizes[i] = np.sqrt(_dot(H[i], H[i]))
    n_active = _start(H, h, guess, Q, R, active, t, u)
    for k in range(n_active):
        is_active[active[k]] = True
    squares = _squares_outside(H, sizes, Q[:n_active])
    exact = True
    for _ in range(MAX_STEPS_PER_ROW * (n_rows + size)):
        row, violation = _farthest_row(H, h, sizes, squares, t, is_active)
        if row < 0 and exact:
            return t, active[:n_active].copy(), True
        if row < 0:
            _solve_active(H, h, Q, R, active, n_active, t, u)
            exact = True
            continue
        n_active = _add_row(H, h, row, Q, R, active, is_active, n_active, t, u, squares)
        if n_active < 0:
            return t, active[:0].copy(), violation <= CONTRADICTION_TOL
        exact = False
    return t, active[:0].copy(), False
