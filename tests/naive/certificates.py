"""Random degenerate problems for solvers of nested paths, and independent answers to them."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog


def degenerate_problem(seed):
    """Columns that depend on each other, repeated points, one class, awkward weights and sizes."""
    rng = np.random.default_rng(seed)
    n, D = int(rng.integers(2, 13)), int(rng.integers(1, 6))
    V = rng.integers(-2, 3, size=(n, D)).astype(float) if seed % 2 else rng.normal(size=(n, D))
    for j in np.flatnonzero(rng.random(D) < 0.4):
        V[:, j] = rng.normal() + V[:, :j] @ rng.integers(-1, 2, size=j)
    if rng.random() < 0.3:
        V = V[rng.integers(0, max(1, n // 2), size=n)]
    y = rng.choice([-1.0, 1.0], n)
    if rng.random() < 0.1:
        y[:] = 1.0
    weights = rng.integers(1, 5, n).astype(float)
    scale, unit = 10.0 ** rng.uniform(-150, 150, size=2)
    return V, y, weights, scale, unit


def column_space(V, weights):
    """Constant and columns of V as an orthonormal basis by singular values."""
    A = np.hstack([np.ones((len(V), 1)), V])
    A = A / np.maximum(np.linalg.norm(A, axis=0), np.finfo(float).tiny)
    root = np.sqrt(weights)[:, np.newaxis]
    U, s, _ = np.linalg.svd(root * A, full_matrices=False)
    return U[:, s > 1e-9 * s[0]] / root


def hinge_optimum(V, y, weights):
    """Optimal value by HiGHS on the dual: no slack variables, V as it is."""
    A = np.vstack([np.ones(len(y)), V.T]) * y
    bounds = np.stack([np.zeros(len(y)), weights], axis=1)
    answer = linprog(-np.ones(len(y)), A_eq=A, b_eq=np.zeros(len(A)), bounds=bounds)
    assert answer.status == 0, answer.message
    return -answer.fun


def square_optimum(V, y, weights):
    """Optimal value by least squares."""
    root = np.sqrt(weights)
    A = np.hstack([np.ones((len(V), 1)), V])
    z = np.linalg.lstsq(root[:, np.newaxis] * A, root * y, rcond=1e-9)[0]
    return np.sum(weights * (y - A @ z) ** 2)


def logistic_optimum(V, y, weights, ridge=1e-6):
    """Optimal value by Newton's method in extended precision, in coordinates of the space."""
    Q = column_space(V, weights).astype(np.longdouble)
    w, y = weights.astype(np.longdouble), y.astype(np.longdouble)
    penalty = np.longdouble(ridge)

    def objective(z):
        f = Q @ z
        return np.sum(w * np.logaddexp(0, -y * f)) + penalty / 2 * np.sum(w * f**2)

    z = np.zeros(Q.shape[1], dtype=np.longdouble)
    for _ in range(200):
        f = Q @ z
        p = 1 / (1 + np.exp(y * f))
        gradient = Q.T @ (w * (penalty * f - y * p))
        hessian = Q.T @ ((w * (p * (1 - p) + penalty))[:, np.newaxis] * Q)
        step = np.linalg.solve(hessian.astype(float), -gradient.astype(float))
        length = np.longdouble(1)
        while objective(z + length * step) > objective(z) and length > 1e-12:
            length /= 2
        z = z + length * step
        if np.abs(length * step).max() < 1e-14:
            break
    return float(objective(z))
