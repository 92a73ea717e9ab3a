"""Compiled loops of the tree norm: its proximal operator and dual norm, and gradient steps.

A tree is given by ``nodes`` (levels, p), the node of every level above or at each feature, coarsest
first, and by ``sizes``, how many nodes a level has.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from reprolib.methods.shared.tolerances import TINY


@njit(cache=True)
def prox(nodes, sizes, u, step):
    """Soft threshold of every feature, then of every node from the leaves to the root."""
    w = np.sign(u) * np.maximum(np.abs(u) - step, 0.0)
    for level in range(len(sizes) - 2, -1, -1):
        squares = np.zeros(sizes[level])
        for m in range(w.size):
            squares[nodes[level, m]] += w[m] * w[m]
        shrink = np.maximum(1.0 - step / np.maximum(np.sqrt(squares), TINY), 0.0)
        for m in range(w.size):
            w[m] *= shrink[nodes[level, m]]
    return w


@njit(cache=True)
def dual_norm(nodes, sizes, u, tol):
    """Smallest step whose proximal operator maps u to zero, by bisection."""
    low, high = 0.0, 0.0
    for m in range(u.size):
        high = max(high, abs(u[m]))
    while high - low > tol * high:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if np.any(prox(nodes, sizes, u, middle)):
            low = middle
        else:
            high = middle
    return high


@njit(cache=True)
def _scores(X, w, b):
    """X w + b for columns X, where few of the w are not zero."""
    scores = np.full(X.shape[0], b)
    for m in range(w.size):
        if w[m] != 0.0:
            for i in range(scores.size):
                scores[i] += X[i, m] * w[m]
    return scores


@njit(cache=True)
def fista_steps(X, y, nodes, sizes, alpha, steps, iterate, ahead, momentum, n_steps):
    """Accelerated proximal gradient steps with adaptive restart.

    Parameters
    ----------
    X : ndarray of shape (n, p), in columns
    y : ndarray of shape (n,)
    nodes, sizes : ndarray
        The tree.
    alpha : float
    steps : tuple of two floats
        Step lengths of w and of b.
    iterate, ahead : tuple of (w, b)
        The last iterate, and the point of the next gradient.
    momentum : float
    n_steps : int

    Returns
    -------
    iterate, ahead, momentum
    """
    w, b = iterate
    point, point_b = ahead
    for _ in range(n_steps):
        weights = y / (1.0 + np.exp(y * _scores(X, point, point_b)))
        moved = prox(nodes, sizes, point + steps[0] * np.dot(X.T, weights), alpha * steps[0])
        moved_b = point_b + steps[1] * np.sum(weights)
        if np.dot(point - moved, moved - w) + (point_b - moved_b) * (moved_b - b) > 0.0:
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        further = (momentum - 1.0) / following
        point, point_b = moved + further * (moved - w), moved_b + further * (moved_b - b)
        w, b, momentum = moved, moved_b, following
    return (w, b), (point, point_b), momentum
