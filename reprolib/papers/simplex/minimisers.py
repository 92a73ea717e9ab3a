"""Exact minimisers of the losses of the line-up, as its control.

That of SC + SH no estimator of the package has: the loss is not in the paper.

With f(x) = W x, minimise 1/2 ||W||^2 + C sum_i V(y_i, W x_i) for the sum V of the losses of SC-SVM
and SH-SVM. The dual is the programme of `kronecker_bcd` with the multipliers of the own class in
[-C, 0] and those of the others in [0, C]; A + C Y (Y the one-hot labels) moves all to [0, C].
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from data_fetch import Dataset
from reprolib.methods.simplex import SimplexConeSVC
from reprolib.methods.simplex.kronecker_bcd import descend_on_features
from reprolib.methods.simplex.kronecker_ipm import FactoredGram, minimise_interior_point
from reprolib.methods.simplex.kronecker_qp import kronecker_qp_scores, times_code_gram
from reprolib.papers.simplex.methods import hold_out, mean_square

#: Epochs of the descent before the interior-point method, and steps of that.
EPOCHS, STEPS = 100, 100
#: Relative duality gap of `certified_accuracy`.
TOL = 1e-4


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


class _ConeHalfspace:
    """The minimiser as far as a hold-out needs it."""

    def __init__(self, C):
        self.C = C

    def fit(self, X, y):
        self.class_weights_, self.duality_gap_ = minimise_cone_halfspace(X, y, self.C, TOL)
        return self

    def score(self, X, y):
        return np.mean((X @ self.class_weights_.T).argmax(axis=1) == y)


_MAKERS = {
    "SC-SVM": lambda C: SimplexConeSVC(C, kernel="linear", tol=TOL, max_iter=2 * EPOCHS),
    "SC + SH": _ConeHalfspace,
}


def certified_accuracy(data: Dataset, loss: str, exponents: Iterable[int]) -> float:
    """Test accuracy in per cent of an exact minimiser, raw features, C by hold-out.

    Parameters
    ----------
    data : Dataset
        With an official split.
    loss : {"SC-SVM", "SC + SH"}
    exponents : iterable of int
        The candidates for C are 10^e over the mean of ||x||^2.

    Raises
    ------
    ArithmeticError
        If the refit is not certified to a relative duality gap of 1e-4.
    """
    (train, test), y = data.splits[0], np.unique(data.y, return_inverse=True)[1]
    X, X_test = data.X[train], data.X[test]
    grid = [10.0**e / mean_square(X) for e in exponents]
    model, _, _ = hold_out(_MAKERS[loss], grid, X, y[train], 0)
    if model.duality_gap_ > 1.01 * TOL:
        raise ArithmeticError(
            f"the minimiser of {loss} on {data.name} has a relative gap of "
            f"{model.duality_gap_:.1e}, above {TOL:g}: search smaller exponents"
        )
    return 100 * float(model.score(X_test, y[test]))
