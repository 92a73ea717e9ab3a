"""The exact minimiser of SC + SH, which no estimator of the package has: it is not in the paper.

With f(x) = W x, minimise 1/2 ||W||^2 + C sum_i V(y_i, W x_i) for the sum V of the losses of SC-SVM
and SH-SVM. The dual is the programme of `kronecker_bcd` with the multipliers of the own class in
[-C, 0] and those of the others in [0, C]; A + C Y (Y the one-hot labels) moves all to [0, C].
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.simplex.kronecker_bcd import descend_on_features
from reprolib.methods.simplex.kronecker_ipm import FactoredGram, minimise_interior_point
from reprolib.methods.simplex.kronecker_qp import kronecker_qp_scores, times_code_gram

#: Epochs of the descent before the interior-point method, and steps of that.
EPOCHS, STEPS = 100, 100


def minimise_cone_halfspace(X, y, C, tol=1e-4):
    """Class weights of the minimiser, and its certified duality gap relative to the objective.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    y : ndarray of int of shape (n,)
        Class indices.
    C : float
    tol : float, default=1e-4

    Returns
    -------
    weights : ndarray of shape (T, p)
        C'W, so that the scores <c_q, f(x)> are ``X @ weights.T``.
    gap : float
    """
    n_classes = int(y.max()) + 1
    Y = np.eye(n_classes)[y]
    unit = np.einsum("ij,ij->i", X, X).max()
    Z, C = X / np.sqrt(unit), C * unit
    shift = C * kronecker_qp_scores(Z, Y)
    other = 1.0 / (n_classes - 1)
    B, U = np.where(Y > 0, -1.0, other), np.full(Y.shape, C)

    def gap(moved, product):
        A, scores = moved - C * Y, shift - product
        squared_norm = -np.sum(A * scores)
        losses = np.where(Y > 0, np.maximum(0, 1 - scores), np.maximum(0, other + scores))
        primal = 0.5 * squared_norm + C * losses.sum()
        return primal - (np.sum(B * A) - 0.5 * squared_norm), primal

    def relative(moved):
        value, objective = gap(moved, kronecker_qp_scores(Z, moved))
        return abs(value) / objective

    moved, _ = descend_on_features(Z, B + shift, U, gap=gap, tol=tol, max_iter=EPOCHS)
    if relative(moved) > tol:
        features = FactoredGram.of_features(Z)
        settings = {"gap": gap, "tol": tol, "max_iter": STEPS}
        moved, _ = minimise_interior_point(features, B + shift, U, 0.5 * U, **settings)
    weights = -times_code_gram(Z.T @ (moved - C * Y)).T / np.sqrt(unit)
    return weights, relative(moved)
