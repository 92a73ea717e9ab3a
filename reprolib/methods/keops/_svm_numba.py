"""The loops of the SVM dual; every function changes ``alpha`` in place.

``C`` is the bound of one multiplier where it is a number, and those of all where it is an array.
What is compiled calls no LAPACK and no broadcasting: these took most of the time of compiling.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.linalg.lapack import dgesv

from reprolib.methods.shared.tolerances import ROUND_OFF, TINY

#: Added to the diagonal of Newton systems, whose entries are ones there.
RIDGE = 1e-12
#: Least curvature along a direction, relative to its terms, that a step is divided by.
CURVATURE_TOL = 1e-12
#: A multiplier short of its bound by no more than this part of it is put on it.
BOUND_TOL = 1e-15
#: What the ridge has taken from a step is given back where it is a larger part than this.
SHORTENED_TOL = 1e-6


@njit(cache=True)
def _gradient(K, y, alpha):
    """Gradient of 1/2 (y alpha)' K (y alpha) - sum alpha."""
    n = y.size
    gradient = -np.ones(n)
    for j in range(n):
        if alpha[j] != 0.0:
            c = alpha[j] * y[j]
            for t in range(n):
                gradient[t] += c * y[t] * K[j, t]
    return gradient


@njit(cache=True)
def _within_bounds(value, C):
    """Multiplier clipped to [0, C]; what round-off keeps from C is put on it."""
    return C if value > C * (1.0 - BOUND_TOL) else max(value, 0.0)


@njit(cache=True)
def _set(K, y, alpha, gradient, i, value):
    """Give one multiplier a value; the gradient follows what was stored."""
    change = (value - alpha[i]) * y[i]
    alpha[i] = value
    for t in range(y.size):
        gradient[t] += change * y[t] * K[i, t]


@njit(cache=True)
def _curvature(K, i, j):
    """Squared distance of two points in feature space, or a little more than zero."""
    size = K[i, i] + K[j, j]
    return max(size - 2.0 * K[i, j], CURVATURE_TOL * size + TINY)


@njit(cache=True)
def _choose_pair(K, y, C, alpha, gradient):
    """Most violating point, its partner of largest second-order decrease, and the violation.

    The first is the point whose y alpha has the most to gain by an increase and may increase; its
    partner may decrease.
    """
    n = y.size
    i, j, top, bottom, best = -1, -1, -np.inf, np.inf, np.inf
    for t in range(n):
        v = -y[t] * gradient[t]
        can_rise = alpha[t] < C[t] if y[t] > 0 else alpha[t] > 0
        if can_rise and v > top:
            top, i = v, t
    for t in range(n):
        can_fall = alpha[t] > 0 if y[t] > 0 else alpha[t] < C[t]
        if not can_fall:
            continue
        v = -y[t] * gradient[t]
        bottom = min(bottom, v)
        if top > v:
            decrease = -((top - v) ** 2) / _curvature(K, i, t)
            if decrease < best:
                best, j = decrease, t
    return i, j, top - bottom


@njit(cache=True)
def two_coordinate_descent(K, y, C, alpha, tol, max_iter, held):
    """Two-coordinate descent (SMO) on the dual; returns the number of steps.

    ``held`` is as in `active_set`.
    """
    gradient = _gradient(K, y, alpha) + held
    for step in range(max_iter):
        i, j, violation = _choose_pair(K, y, C, alpha, gradient)
        if violation < tol or j < 0:
            return step
        move = (-y[i] * gradient[i] + y[j] * gradient[j]) / _curvature(K, i, j)
        move = min(move, C[i] - alpha[i] if y[i] > 0 else alpha[i])
        move = min(move, alpha[j] if y[j] > 0 else C[j] - alpha[j])
        _set(K, y, alpha, gradient, i, _within_bounds(alpha[i] + y[i] * move, C[i]))
        _set(K, y, alpha, gradient, j, _within_bounds(alpha[j] - y[j] * move, C[j]))
    return max_iter


def _scales(K):
    """1 / sqrt(K_ii) of every point, which puts a one on the diagonal; zeros count as the largest.

    Solved in these units, the Newton system is right whatever the units of the kernel are, and
    for points of very different size.
    """
    diagonal = np.diagonal(K)
    largest = np.max(diagonal, initial=TINY)
    return 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, largest))


@njit(cache=True)
def _newton_system(K, y, gradient, free, scales, border):
    """System of the free multipliers with y'd = 0, in units of 1 / scales, and its right side."""
    n_free = free.size
    system = np.zeros((n_free + 1, n_free + 1))
    right = np.zeros(n_free + 1)
    for a in range(n_free):
        i = free[a]
        for c in range(n_free):
            j = free[c]
            system[a, c] = y[i] * y[j] * (K[i, j] * scales[i]) * scales[j]
        system[a, a] += RIDGE
        system[a, n_free] = y[i] * (scales[i] / border)
        system[n_free, a] = system[a, n_free]
        right[a] = -gradient[i] * (scales[i] / border)
    return system, right


def _free_direction(K, y, gradient, free, scales):
    """Newton direction of the free multipliers with y'd = 0, and the intercept (last entry).

    It is not finite where the matrix is singular in spite of the ridge, or the step too long.
    """
    border = np.max(scales[free])
    system, right = _newton_system(K, y, gradient, free, scales, border)
    _, _, direction, info = dgesv(system, right)
    if info:
        return np.full(len(free) + 1, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        direction[:-1] *= border * scales[free]
    return direction


@njit(cache=True)
def _best_step(K, gradient, direction, free):
    """Step of least objective along a direction: one, or more where the ridge has shortened it.

    From the Newton system, d'Qd = -g'd - ridge sum K_ii d_i^2.
    """
    slope, shortened = 0.0, 0.0
    for a in range(free.size):
        i = free[a]
        slope -= gradient[i] * direction[a]
        shortened += RIDGE * K[i, i] * direction[a] ** 2
    if shortened <= SHORTENED_TOL * slope:
        return 1.0
    return slope / max(slope - shortened, CURVATURE_TOL * slope) if slope > 0.0 else 1.0


@njit(cache=True)
def _longest_step(direction, best, alpha, C, free):
    """Largest step in [0, best] within the bounds, and the position of the blocking multiplier."""
    step, blocking = best, -1
    for a in range(free.size):
        d = direction[a]
        if d == 0.0:
            continue
        room = -alpha[free[a]] / d if d < 0 else (C[free[a]] - alpha[free[a]]) / d
        if room < step:
            step, blocking = room, a
    return step, blocking


@njit(cache=True)
def _move(K, y, C, alpha, gradient, free, step, direction):
    """Take a step along a direction, within the bounds."""
    for a in range(free.size):
        moved = alpha[free[a]] + step * direction[a]
        _set(K, y, alpha, gradient, free[a], min(max(moved, 0.0), C[free[a]]))


@njit(cache=True)
def _worst_violator(y, C, alpha, gradient, is_free, intercept, tol):
    """Multiplier at a bound whose optimality condition is violated most, or -1; the violation."""
    worst, violator = 0.0, -1
    for t in range(y.size):
        if is_free[t]:
            continue
        v = gradient[t] + y[t] * intercept
        if alpha[t] <= 0.0:
            v = -v
        if v > worst:
            worst, violator = v, t
    return (violator if worst > tol else -1), worst


def active_set(K, y, C, alpha, tol, max_iter, held):
    """Active-set method on the dual; returns the number of steps and the last violation.

    A ridge of 1e-12 of every diagonal entry enters the directions only (never the gradient): along
    a null direction of K the step is then long and ends at a bound. It stops where 2 n steps have
    not lowered the objective: degenerate problems may cycle. Where these multipliers are not all,
    ``held`` is what the others, which stay as they are, add to the gradient, shape (n,).
    """
    scales = _scales(K)
    gradient = _gradient(K, y, alpha) + held
    is_free = (alpha > 0.0) & (alpha < C)
    free = np.flatnonzero(is_free)
    violation, lowest, last_progress = np.inf, 0.0, 0
    for iteration in range(max_iter):
        objective = 0.5 * np.sum(alpha * (gradient + held - 1.0))  # minus the dual one
        if objective < lowest - ROUND_OFF * abs(lowest) or iteration == 0:
            lowest, last_progress = objective, iteration
        elif iteration - last_progress > 2 * len(y):
            return iteration, violation
        if len(free) == 0:
            i, j, violation = _choose_pair(K, y, C, alpha, gradient)
            if violation <= tol or j < 0:
                return iteration, max(violation, 0.0)
            free = np.array([i, j])
            is_free[free] = True
        direction = _free_direction(K, y, gradient, free, scales)
        if not np.all(np.isfinite(direction)):
            return iteration, np.inf
        best = _best_step(K, gradient, direction, free)
        step, blocking = _longest_step(direction, best, alpha, C, free)
        _move(K, y, C, alpha, gradient, free, step, direction)
        if blocking >= 0:
            i = free[blocking]
            _set(K, y, alpha, gradient, i, 0.0 if direction[blocking] < 0 else C[i])
            is_free[i] = False
            free[blocking] = free[-1]
            free = free[:-1]
            continue
        intercept = direction[-1]
        # The largest violation of stationarity among the free multipliers.
        residual = np.max(np.abs(gradient[free] + y[free] * intercept))
        if best > 1.0 and residual > tol and last_progress == iteration:
            violation = residual
            continue
        violator, violation = _worst_violator(y, C, alpha, gradient, is_free, intercept, tol)
        if violator < 0:
            return iteration, max(violation, residual)
        free = np.append(free, violator)
        is_free[violator] = True
    return max_iter, violation
