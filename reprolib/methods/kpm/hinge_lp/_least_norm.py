"""The shortest point that satisfies linear inequalities, by a dual active-set method."""

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
    H : ndarray of shape (p, k)
        One inequality a row.
    h : ndarray of shape (p,)
        Their right-hand sides.
    guess : ndarray of int
        Rows that may hold with equality; an empty guess starts at zero.

    Returns
    -------
    t : ndarray of shape (k,)
        The least-norm point.
    active : ndarray of int
        Rows with a positive multiplier, which hold with equality.
    solved : bool
        False if the rows contradict each other, or after too many steps.
    """
    n_steps = MAX_STEPS_PER_ROW * sum(H.shape)
    H, h = np.ascontiguousarray(H), np.ascontiguousarray(h)
    t, rows, n, solved = _least_norm(H, h, guess, n_steps)
    return t, rows[:n], solved


@numba.njit(cache=True)
def _least_norm(H, h, guess, n_steps):
    """See `least_norm_active_set`.

    The active rows are kept factorised, H[rows]' = Q' R. The least-norm point with H t = h in them
    is t = H[rows]' u.
    """
    p, dimension = H.shape
    rows, u = np.empty(dimension, np.int64), np.zeros(dimension)
    Q, R = np.zeros((dimension, dimension)), np.zeros((dimension, dimension))
    t, along = np.zeros(dimension), np.zeros(dimension)
    outside, rates = np.zeros(dimension), np.zeros(dimension)
    whole, sizes, squares = np.empty(p), np.empty(p), np.empty(p)
    for i in range(p):
        whole[i] = _dot(H[i], H[i])
        sizes[i] = np.sqrt(whole[i])
    # Numba compiles what is called with a literal 0 once more: hence np.int64.
    is_active, n = np.zeros(p, np.bool_), np.int64(0)
    for row in guess:
        length = _split(H[row], Q, n, along, outside)
        if n < dimension and length > DEPENDENT_TOL * sizes[row]:
            _take_up(row, n, along, outside, length, rows, Q, R)
            is_active[row], n = True, n + 1
    _solve(H, h, n, rows, u, Q, R, t)
    while n > 0:
        place = np.argmin(u[:n])
        if u[place] >= 0.0:
            break
        is_active[rows[place]] = False
        _release(place, n, rows, u, Q, R)
        n -= 1
        _solve(H, h, n, rows, u, Q, R, t)
    # Squared lengths of what of the rows lies outside of the span of the active ones.
    for i in range(p):
        squares[i] = whole[i]
        for k in range(n):
            squares[i] -= _dot(H[i], Q[k]) ** 2
    is_exact = True
    for _ in range(n_steps):
        row, violation = _farthest(H, h, t, is_active, sizes, whole, squares)
        if row < 0 and is_exact:
            return t, rows, n, True
        if row < 0:
            _solve(H, h, n, rows, u, Q, R, t)
            is_exact = True
            continue
        # Walk to the least-norm point that satisfies this row as well. Active rows whose multiplier
        # falls to zero on the way are released.
        is_exact, multiplier = False, 0.0
        while not is_active[row]:
            length = _split(H[row], Q, n, along, outside)
            for k in range(n):
                rates[k] = along[k]
            _solve_upper(R, n, rates)
            # The first multiplier that falls to zero on the way, and how far that is.
            step = np.inf
            leaving: int | np.int64 = np.int64(-1)
            for k in range(n):
                if rates[k] > 0.0 and u[k] < step * rates[k]:
                    leaving, step = k, u[k] / rates[k]
            if n < dimension and length > DEPENDENT_TOL * sizes[row]:
                to_bound = (h[row] - _dot(H[row], t)) / length**2
                if to_bound <= step:
                    leaving, step = -1, to_bound
                for j in range(dimension):
                    t[j] += step * outside[j]
            elif leaving < 0:
                return t, rows, 0, violation <= CONTRADICTION_TOL
            for k in range(n):
                u[k] = max(0.0, u[k] - step * rates[k])
            multiplier += step
            if leaving < 0:
                _take_up(row, n, along, outside, length, rows, Q, R)
                is_active[row], u[n], n = True, multiplier, n + 1
                for i in range(p):
                    squares[i] -= _dot(H[i], Q[n - 1]) ** 2
            else:
                is_active[rows[leaving]] = False
                _release(leaving, n, rows, u, Q, R)
                n -= 1
                for i in range(p):
                    squares[i] += _dot(H[i], Q[n]) ** 2
    return t, rows, 0, False


@numba.njit(cache=True)
def _farthest(H, h, t, is_active, sizes, whole, squares):
    """Violated row whose bound is farthest from t, or -1; its violation in units of its terms.

    Only violations beyond round-off count.
    """
    farthest, longest, beyond, length = -1, 0.0, 0.0, np.sqrt(_dot(t, t))
    for i in range(len(h)):
        violation = h[i] - _dot(H[i], t)
        size = np.abs(h[i]) + sizes[i] * length
        if violation > 8.0 * EPSILON * size and not is_active[i]:
            square = squares[i] if squares[i] > NEAR_SPAN_TOL * whole[i] else whole[i]
            distance = violation**2 / max(square, TINY)
            if distance > longest:
                farthest, longest, beyond = i, distance, violation / size
    return farthest, beyond


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _dot(a, b):
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@numba.njit(cache=True)
def _split(row, Q, n, along, outside):
    """Parts of a row along n directions and outside of their span; the latter's length."""
    for j in range(len(row)):
        outside[j] = row[j]
    for k in range(n):
        along[k] = 0.0
    for _ in range(2):
        for k in range(n):
            part = _dot(Q[k], outside)
            along[k] += part
            for j in range(len(row)):
                outside[j] -= part * Q[k, j]
    return np.sqrt(_dot(outside, outside))


@numba.njit(cache=True)
def _take_up(row, n, along, outside, length, rows, Q, R):
    """Put a row after n others into the factors, given its `_split`."""
    rows[n], R[n, n] = row, length
    for k in range(n):
        R[k, n] = along[k]
    for j in range(len(outside)):
        Q[n, j] = outside[j] / length


@numba.njit(cache=True)
def _release(place, n, rows, u, Q, R):
    """Take one of n rows out of the factors; the direction that leaves the span is Q[n - 1]."""
    for k in range(place, n - 1):
        rows[k], u[k] = rows[k + 1], u[k + 1]
        for j in range(k + 2):
            R[j, k] = R[j, k + 1]
        length = np.hypot(R[k, k], R[k + 1, k])
        c, s = R[k, k] / length, R[k + 1, k] / length
        R[k, k] = length
        for j in range(k + 2, n):
            R[k, j], R[k + 1, j] = c * R[k, j] + s * R[k + 1, j], c * R[k + 1, j] - s * R[k, j]
        for j in range(Q.shape[1]):
            Q[k, j], Q[k + 1, j] = c * Q[k, j] + s * Q[k + 1, j], c * Q[k + 1, j] - s * Q[k, j]


@numba.njit(cache=True)
def _solve_upper(R, n, x):
    """Overwrite x with the solution of R x = x, of n rows."""
    for k in range(n - 1, -1, -1):
        x[k] /= R[k, k]
        for j in range(k):
            x[j] -= R[j, k] * x[k]


@numba.njit(cache=True)
def _solve(H, h, n, rows, u, Q, R, t):
    """Compute t and u from the factors, t refined once."""
    for j in range(len(t)):
        t[j] = 0.0
    for _ in range(2):
        for k in range(n):
            u[k] = h[rows[k]] - _dot(H[rows[k]], t)
        for k in range(n):  # R' x = u
            for j in range(k):
                u[k] -= R[j, k] * u[j]
            u[k] /= R[k, k]
        for k in range(n):
            for j in range(len(t)):
                t[j] += u[k] * Q[k, j]
    for k in range(n):
        u[k] = _dot(Q[k], t)
    _solve_upper(R, n, u)
