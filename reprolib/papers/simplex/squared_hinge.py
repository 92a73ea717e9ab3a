"""One-vs-rest machines with the squared hinge, by Newton's method: a peer of Table "peers".

Every machine is that of ``LinearSVC(dual=False, fit_intercept=False)``: minimise

    P(w) = 1/2 |w|^2 + C sum_i max(0, 1 - y_i x_i'w)^2.

The Hessian is I + 2 C X_I'X_I, with the rows I whose margin is below 1. liblinear solves for every
step by conjugate gradients, which are slow where features are correlated. Here all machines share
one X'X, from which the rows outside I are taken.

The dual programme is to maximise sum_i (v_i - v_i^2 / (4 C)) - 1/2 |sum_i v_i y_i x_i|^2 over
v >= 0. At v_i = 2 C max(0, 1 - y_i x_i'w) the duality gap is half the squared gradient of P.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator, ClassifierMixin

#: Newton's method stops at this duality gap relative to P, or after so many steps.
GAP_TOL, MOST_STEPS = 1e-12, 100
#: A step is halved until P falls by this part of what its slope promises.
SUFFICIENT = 0.01


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
        Largest duality gap of a machine, relative to its P.
    """

    def __init__(self, C: float):
        self.C = C

    def fit(self, X, y):
        """Fit every machine, each from w = 0.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            One example a row.
        y : ndarray of shape (n,)
            Class labels.

        Returns
        -------
        self
            The fitted classifier.
        """
        self.classes_, gram = np.unique(y), X.T @ X
        machines = [self._machine(X, np.where(y == c, 1.0, -1.0), gram) for c in self.classes_]
        self.coef_ = np.array([w for w, _ in machines])
        self.duality_gap_ = max(gap for _, gap in machines)
        return self

    def predict(self, X):
        """Class of the largest score, the first of equal ones.

        Parameters
        ----------
        X : ndarray of shape (m, p)
            One example a row.

        Returns
        -------
        ndarray of shape (m,)
            Class labels.
        """
        return self.classes_[np.argmax(X @ self.coef_.T, axis=1)]

    def _machine(self, X, signs, gram):
        """Weights of one machine, and their relative duality gap."""
        w, margins = np.zeros(X.shape[1]), np.zeros(len(X))
        for iteration in range(MOST_STEPS + 1):
            losses, value = np.maximum(1 - margins, 0), self._objective(w, margins)
            gradient = w - 2 * self.C * (X.T @ (signs * losses))
            gap = 0.5 * (gradient @ gradient) / value
            if gap <= GAP_TOL or iteration == MOST_STEPS:
                break
            step = -self._newton(X, losses > 0, gram, gradient)
            along, length, slope = signs * (X @ step), 1.0, SUFFICIENT * (gradient @ step)
            while (
                length > 0
                and self._objective(w + length * step, margins + length * along)
                > value + length * slope
            ):
                length /= 2
            w, margins = w + length * step, margins + length * along
        return w, gap

    def _objective(self, w, margins):
        return 0.5 * (w @ w) + self.C * np.sum(np.maximum(1 - margins, 0) ** 2)

    def _newton(self, X, counts, gram, gradient):
        """Inverse Hessian times gradient; X_I'X_I is taken from X'X where I is most of the rows."""
        if 2 * counts.sum() > len(X):
            hessian = 2 * self.C * (gram - X[~counts].T @ X[~counts])
        else:
            hessian = 2 * self.C * (X[counts].T @ X[counts])
        hessian.flat[:: len(gradient) + 1] += 1
        return cho_solve(cho_factor(hessian, check_finite=False), gradient)
