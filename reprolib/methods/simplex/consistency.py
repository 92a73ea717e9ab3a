"""Relaxation error of a simplex loss at one input point (section 4 of the paper).

At a point x with class probabilities rho, the expected loss of the vector f is
E(f) = sum_y rho_y V(y, f), and the misclassification risk of decoding f is 1 - rho_D(f).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, minimize

from reprolib.methods.simplex.losses import (
    ConeHalfspaceLoss,
    ConeLoss,
    HalfspaceLoss,
    SimplexLoss,
)

#: Of BFGS, on the largest entry of the gradient.
GRADIENT_TOL = 1e-12

HingeLoss = ConeLoss | HalfspaceLoss | ConeHalfspaceLoss


def pointwise_minimizer(loss: SimplexLoss, probabilities, *, convex_hull: bool = False):
    """Minimise E(f) numerically over R^(T-1) or over the convex hull of the code words.

    Solved numerically without use of Theorem 1: a linear programme for the two SVM losses, a
    quasi-Newton method for the smooth losses.

    Raises
    ------
    ValueError
        If ``convex_hull`` is asked of a smooth loss, whose minimiser needs no constraint.
    """
    probabilities = np.asarray(probabilities, dtype=float)
    T, code = loss.n_classes, loss.code
    if not isinstance(loss, HingeLoss):
        if convex_hull:
            name = type(loss).__name__
            raise ValueError(f"convex_hull applies to the SVM losses, not to {name}.")

        def objective(f):
            labels, F = np.arange(T), np.tile(f, (T, 1))
            return probabilities @ loss.value(F, labels), probabilities @ loss.gradient(F, labels)

        return minimize(objective, np.zeros(T - 1), jac=True, tol=GRADIENT_TOL).x
    # Linear programme over (f, slacks): slack_k >= offset_k + <direction_k, f>.
    cone = code.T, np.full(T, 1.0 / (T - 1)), 1.0 - probabilities
    halfspace = -code.T, np.ones(T), probabilities
    if isinstance(loss, ConeLoss):
        directions, offsets, weights = cone
    elif isinstance(loss, HalfspaceLoss):
        directions, offsets, weights = halfspace
    else:
        directions, offsets, weights = map(np.concatenate, zip(cone, halfspace, strict=True))
    n_hinges = len(offsets)
    A_ub = np.hstack([directions, -np.eye(n_hinges)])
    b_ub = -offsets
    if convex_hull:
        A_ub = np.vstack([A_ub, np.hstack([-code.T, np.zeros((T, n_hinges))])])
        b_ub = np.concatenate([b_ub, np.full(T, 1.0 / (T - 1))])
    cost = np.concatenate([np.zeros(T - 1), weights])
    bounds = [(None, None)] * (T - 1) + [(0, None)] * n_hinges
    answer = linprog(cost, A_ub=A_ub, b_ub=b_ub, bounds=bounds)
    if not answer.success:
        raise RuntimeError(f"linear programme of {type(loss).__name__} failed: {answer.message}")
    return np.asarray(answer.x)[: T - 1]
