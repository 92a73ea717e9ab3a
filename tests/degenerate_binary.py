"""Binary problems with everything that upsets a solver, and exact values of their objectives."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

N_PROBLEMS = 200


def degenerate_problem(seed):
    """Features (n, p) with n < 16, labels -1 and 1, and C from 1e-6 to 1e6.

    In turn: nothing special, repeated points, ties, dependent columns, points of all sizes, zero
    points, two distinct points, features of all sizes. Every other problem is multiplied by a
    power of two between 1e-75 and 1e75, and C divided by its square.
    """
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 16)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, p))
    change = (
        lambda: X,
        lambda: X[rng.integers(0, max(1, n // 3), n)],
        lambda: np.round(X),
        lambda: X[:, rng.integers(0, p, p)],
        lambda: X * 10.0 ** rng.uniform(-17, 17, size=(n, 1)),
        lambda: X * (rng.random(n) < 0.5)[:, None],
        lambda: np.outer(np.sign(X[:, 0]), np.ones(p)),
        lambda: X * 10.0 ** rng.uniform(-6, 6, size=(1, p)),
    )
    X = change[seed % len(change)]()
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    if rng.random() < 0.3:  # one point against the rest
        y = np.where(np.arange(n) == rng.integers(n), 1.0, -1.0)
    exponent = int(rng.integers(-249, 250)) if seed // len(change) % 2 else 0
    return np.ldexp(X, exponent), y, float(np.ldexp(10.0 ** rng.uniform(-6, 6), -2 * exponent))


def exact(values):
    """Array of fractions."""
    return np.vectorize(Fraction, otypes=[object])(np.asarray(values, dtype=np.float64))


def exact_hinge_losses(scores, y, intercept):
    """Sum of hinge losses in rational arithmetic."""
    b = Fraction(float(intercept))
    return sum(max(Fraction(0), 1 - int(yi) * (f + b)) for f, yi in zip(scores, y, strict=True))
