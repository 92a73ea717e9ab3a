"""Compiled loops of the SVM dual; every function changes ``alpha`` in place."""

from __future__ import annotations

import numpy as np
from numba import njit


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
def _can_rise(y_t, alpha_t, C):
    """Whether y alpha of this point may increase."""
    return (y_t > 0 and alpha_t < C) or (y_t < 0 and alpha_t > 0)


@njit(cache=True)
def _can_fall(y_t, alpha_t, C):
    return (y_t > 0 and alpha_t > 0) or (y_t < 0 and alpha_t < C)


@njit(cache=True)
def _snap(value, C):
    """Multipliers within round-off of a bound are put on it."""
    if value < 1e-14 * C:
        return 0.0
    if value > C * (1.0 - 1e-14):
        return C
    return value


@njit(cache=True)
def _choose_pair(K, y, C, alpha, gradient):
    """Most violating point, its partner of largest second-order decrease, and the violation."""
    n = y.size
    i, j, top, bottom, best = -1, -1, -np.inf, np.inf, np.inf
    for t in range(n):
        v = -y[t] * gradient[t]
        if _can_rise(y[t], alpha[t], C) and v > top:
            top, i = v, t
    for t in range(n):
        if not _can_fall(y[t], alpha[t], C):
            continue
        v = -y[t] * gradient[t]
        bottom = min(bottom, v)
        if top > v:
            curvature = max(K[i, i] + K[t, t] - 2.0 * K[i, t], 1e-12 * (K[i, i] + K[t, t]) + 1e-300)
            decrease = -((top - v) ** 2) / curvature
            if decrease < best:
                best, j = decrease, t
    return i, j, top - bottom


@njit(cache=True)
def two_coordinate_descent(K, y, C, alpha, tol, max_iter):
    """Two-coordinate descent (SMO) on the dual; returns the number of steps."""
    gradient = _gradient(K, y, alpha)
    for step in range(max_iter):
        i, j, violation = _choose_pair(K, y, C, alpha, gradient)
        if violation < tol or j < 0:
            return step
        curvature = max(K[i, i] + K[j, j] - 2.0 * K[i, j], 1e-12 * (K[i, i] + K[j, j]) + 1e-300)
        move = (-y[i] * gradient[i] + y[j] * gradient[j]) / curvature
        move = min(move, C - alpha[i] if y[i] > 0 else alpha[i])
        move = min(move, alpha[j] if y[j] > 0 else C - alpha[j])
        alpha[i] = _snap(alpha[i] + y[i] * move, C)
        alpha[j] = _snap(alpha[j] - y[j] * move, C)
        for t in range(y.size):
            gradient[t] += y[t] * move * (K[i, t] - K[j, t])
    return max_iter


@njit(cache=True)
def _free_direction(K, y, gradient, free, n_free, ridge):
    """Newton direction of the free multipliers with y'd = 0, and the intercept (last entry)."""
    system = np.zeros((n_free + 1, n_free + 1))
    right = np.zeros(n_free + 1)
    for a in range(n_free):
        i = free[a]
        for c in range(n_free):
            system[a, c] = y[i] * y[free[c]] * K[i, free[c]]
        system[a, a] += ridge
        system[a, n_free] = y[i]
        system[n_free, a] = y[i]
        right[a] = -gradient[i]
    return np.linalg.solve(system, right)


@njit(cache=True)
def _longest_step(direction, alpha, C, free, n_free):
    """Largest step in [0, 1] within the bounds, and the position of the blocking multiplier."""
    step, blocking = 1.0, -1
    for a in range(n_free):
        d = direction[a]
        if d == 0.0:
            continue
        room = -alpha[free[a]] / d if d < 0 else (C - alpha[free[a]]) / d
        if room < step:
            step, blocking = room, a
    return step, blocking


@njit(cache=True)
def _worst_violator(y, C, alpha, gradient, intercept, tol):
    """Multiplier at a bound that wants to leave it most, or -1, and by how much."""
    worst, violator = 0.0, -1
    for t in range(y.size):
        v = gradient[t] + y[t] * intercept
        if alpha[t] <= 0.0:
            v = -v
        elif alpha[t] < C:
            continue
        if v > worst:
            worst, violator = v, t
    return (violator if worst > tol else -1), worst


@njit(cache=True)
def active_set(K, y, C, alpha, tol, max_iter):
    """Active-set method on the dual; returns the number of steps and the last violation.

    A ridge of 1e-12 of the largest diagonal entry enters the directions only (never the
    gradient): along a null direction of K the step is then long and ends at a bound.
    """
    n = y.size
    ridge = 1e-12 * max(np.max(np.diag(K)), 1e-300)
    gradient = _gradient(K, y, alpha)
    free = np.empty(n, np.int64)
    n_free = 0
    for t in range(n):
        if 0.0 < alpha[t] < C:
            free[n_free] = t
            n_free += 1
    violation = np.inf
    for iteration in range(max_iter):
        if n_free == 0:
            i, j, violation = _choose_pair(K, y, C, alpha, gradient)
            if violation <= tol or j < 0:
                return iteration, max(violation, 0.0)
            free[0], free[1], n_free = i, j, 2
        direction = _free_direction(K, y, gradient, free, n_free, ridge)
        step, blocking = _longest_step(direction, alpha, C, free, n_free)
        for a in range(n_free):
            i = free[a]
            change = step * direction[a]
            alpha[i] += change
            for t in range(n):
                gradient[t] += change * y[i] * y[t] * K[i, t]
        if blocking >= 0:
            alpha[free[blocking]] = 0.0 if direction[blocking] < 0 else C
            n_free -= 1
            free[blocking] = free[n_free]
            continue
        violator, violation = _worst_violator(y, C, alpha, gradient, direction[n_free], tol)
        if violator < 0:
            return iteration, violation
        free[n_free] = violator
        n_free += 1
    return max_iter, violation
