"""The kernel Fisher discriminant of two classes.

maximise  (alpha' (m_1 - m_0))^2 / alpha' (N + mu I) alpha,   m_k = K_k 1/n_k,
          N = 1/n sum_k K_k (I - 1 1'/n_k) K_k',   K_k the columns of the kernel matrix of class k.

The solution is alpha = (N + mu I)^-1 (m_1 - m_0); Mika et al. 1999, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

#: Values of mu to choose from.
MUS = np.logspace(-6, -1, 10)


def directions(K: np.ndarray, second: np.ndarray, mus: Sequence[float]) -> np.ndarray:
    """Solution for every mu, one a column; ``second`` marks the rows of the second class."""
    parts = K[:, ~second], K[:, second]
    centred = [part - part.mean(axis=1, keepdims=True) for part in parts]
    values, vectors = np.linalg.eigh(sum(part @ part.T for part in centred) / len(K))
    contrast = vectors.T @ (parts[1].mean(axis=1) - parts[0].mean(axis=1))
    return vectors @ (contrast[:, None] / (values[:, None].clip(0) + np.asarray(mus)))


def cut(on_line: np.ndarray, second: np.ndarray, threshold: str) -> float:
    """Place on the line where the second class begins."""
    low, high = on_line[~second].mean(), on_line[second].mean()
    if threshold == "middle":
        return (low + high) / 2
    places = (on_line - low) / (high - low)  # so that C means the same on every line
    svm = SVC(kernel="linear").fit(places[:, None], second)
    return low + (high - low) * float(-svm.intercept_[0] / svm.coef_[0, 0])


class KernelFisherDiscriminant(ClassifierMixin, BaseEstimator):
    """Two classes on the line that parts their means best for their spread.

    Parameters
    ----------
    gamma : float
        Of the kernel exp(-gamma ||x - y||^2).
    mu : float
        Regularisation.
    threshold : {"svm", "middle"}
        From a linear SVM on the line, or half-way between the means.
    """

    def __init__(self, gamma: float = 1.0, mu: float = 1e-3, threshold: str = "svm"):
        self.gamma = gamma
        self.mu = mu
        self.threshold = threshold

    def fit(self, X, y):
        """Fit to n rows and their labels, of two classes."""
        self.classes_, second = np.unique(y, return_inverse=True)
        K, second = rbf_kernel(X, gamma=self.gamma), second == 1
        self.X_, self.alpha_ = X, directions(K, second, [self.mu])[:, 0]
        self.cut_ = cut(K @ self.alpha_, second, self.threshold)
        return self

    def decision_function(self, X):
        """Place on the line, from the cut on."""
        return rbf_kernel(X, self.X_, gamma=self.gamma) @ self.alpha_ - self.cut_

    def predict(self, X):
        """Labels: the second class from the cut on."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def chosen_mu(X: np.ndarray, y: np.ndarray, gamma: float, threshold: str, seed: int) -> float:
    """The mu of least error in 5-fold cross-validation, the largest of equally good ones."""
    K, second = rbf_kernel(X, gamma=gamma), y == y.max()
    errors = np.zeros(len(MUS))
    for fit, rest in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, second):
        for i, alpha in enumerate(directions(K[np.ix_(fit, fit)], second[fit], MUS).T):
            place = cut(K[np.ix_(fit, fit)] @ alpha, second[fit], threshold)
            errors[i] += np.sum((K[np.ix_(rest, fit)] @ alpha > place) != second[rest])
    return float(MUS[np.flatnonzero(errors == errors.min())[-1]])
