"""Simplex coding by definition: slow and obvious."""

from __future__ import annotations

import numpy as np

from reprolib.codes import simplex_code


def loss_value(name, f, y, n_classes):
    """One loss value, term by term as the paper writes it."""
    c = simplex_code(n_classes).T
    others = [q for q in range(n_classes) if q != y]
    if name == "least_squares":
        return sum((c[y][k] - f[k]) ** 2 for k in range(n_classes - 1))
    if name == "cone":
        return sum(max(0.0, 1.0 / (n_classes - 1) + c[q] @ f) for q in others)
    if name == "halfspace":
        return max(0.0, 1.0 - c[y] @ f)
    return sum(np.exp(-(c[y] - c[q]) @ f) for q in others)


def srls_dual(K, Y, alpha):
    return np.linalg.solve(K + len(K) * alpha * np.eye(len(K)), Y)


def srls_leave_one_out(K, Y, alpha):
    """Retrain without each example, at the same value of n alpha."""
    n = len(K)
    predictions = np.empty_like(Y)
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        A = np.linalg.solve(K[np.ix_(rest, rest)] + n * alpha * np.eye(n - 1), Y[rest])
        predictions[i] = K[i, rest] @ A
    return predictions
