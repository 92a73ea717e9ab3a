"""One-vs-rest machines with the squared hinge, by Newton's method: a peer of Table "peers".

Every machine is that of ``LinearSVC(dual=False, fit_intercept=False)``: minimise

    1/2 |w|^2 + C sum_i max(0, 1 - y_i x_i'w)^2.

The Hessian I + 2 C X_I'X_I counts the rows I with a margin below 1. liblinear solves for every
step by conjugate gradients, which are slow where features are correlated. Here all machines share
one X'X, from which the other rows are taken. v = 2 C max(0, 1 - y_i x_i'w) is a dual point.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator, ClassifierMixin

#: Newton's method stops at this part of the gradient at zero.
GRADIENT_TOL = 1e-6


class SquaredHingeOneVsRest(ClassifierMixin, BaseEstimator):
    """Linear machines without an intercept, one a class.

    Parameters
    ----------
    C : float
        Price of the squared losses.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
        The class labels.
    coef_ : ndarray of shape (T, p)
        The w of every class.
    duality_gap_ : float
        The largest relative duality gap of a machine.
    """

    def __init__(self, C: float):
        self.C = C

    def fit(self, X, y):
        """Fit every machine from w = 0."""
        self.classes_ = np.unique(y)
        whole = X.T @ X
        signs = [np.where(y == label, 1.0, -1.0) for label in self.classes_]
        self.coef_ = np.array([self._weights(X, s, whole) for s in signs])
        self.duality_gap_ = max(
            self._relative_gap(X, s, w) for s, w in zip(signs, self.coef_, strict=True)
        )
        return self

    def _weights(self, X, signs, whole):
        w, margins = np.zeros(X.shape[1]), np.zeros(len(X))
        small = GRADIENT_TOL * 2 * self.C * np.linalg.norm(X.T @ signs)
        while True:
            losses = np.maximum(1 - margins, 0)
            gradient = w - 2 * self.C * (X.T @ (signs * losses))
            if np.linalg.norm(gradient) <= small:
                return w
            counts = losses > 0
            if 2 * counts.sum() > len(X):
                hessian = 2 * self.C * (whole - X[~counts].T @ X[~counts])
            else:
                hessian = 2 * self.C * (X[counts].T @ X[counts])
            hessian.flat[:: len(w) + 1] += 1
            step = -cho_solve(cho_factor(hessian, check_finite=False), gradient)
            along, length, before = signs * (X @ step), 1.0, self._primal(w, margins)
            while self._primal(w + length * step, margins + length * along) > before + (
                0.01 * length * (gradient @ step)
            ):
                length /= 2
            w, margins = w + length * step, margins + length * along

    def _primal(self, w, margins):
        return 0.5 * w @ w + self.C * np.sum(np.maximum(1 - margins, 0) ** 2)

    def _relative_gap(self, X, signs, w):
        losses = np.maximum(1 - signs * (X @ w), 0)
        of_dual, primal = 2 * self.C * (X.T @ (signs * losses)), self._primal(w, 1 - losses)
        return (primal - self.C * np.sum(2 * losses - losses**2) + 0.5 * of_dual @ of_dual) / primal

    def predict(self, X):
        """Class of the largest score, the first of equal ones."""
        return self.classes_[np.argmax(X @ self.coef_.T, axis=1)]
