"""Binary estimators of the package on any number of classes, and along a path.

No estimators of their own: they do what the study needs, and check nothing.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from reprolib.methods.keops import MKLClassifier
from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.kpm.components import KernelComponents
from reprolib.methods.kpm.estimators import LOSSES
from reprolib.methods.mkmmc import nearest_in_order
from reprolib.methods.shared.kernels import center_gram, gram
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.ties import DIVIDED, SOLVED, first_largest
from reprolib.methods.simplex import SimplexRLSClassifier


class NearestVote(ClassifierMixin, BaseEstimator):
    """Majority of the k nearest training points, for use behind a projection.

    As `sklearn.neighbors.KNeighborsClassifier`, which lets round-off choose among equally near
    points. Here the first of them count (`nearest_in_order`); a vote that ties goes to the first
    class, as there. Several sets have many equal rows of different classes.

    Parameters
    ----------
    n_neighbors : int
    tie_tol : float
        Part of the largest distance up to which distances are equal.
    """

    def __init__(self, n_neighbors=5, *, tie_tol=SOLVED):
        self.n_neighbors = n_neighbors
        self.tie_tol = tie_tol

    def fit(self, X, y):
        """Remember the training points."""
        self.X_fit_ = X
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        return self

    def predict(self, X):
        """Class of every row."""
        nearest = nearest_in_order(self.X_fit_, X, self.n_neighbors, self.tie_tol)
        votes = np.eye(len(self.classes_), dtype=int)[self.codes_[nearest]].sum(axis=1)
        return self.classes_[np.argmax(votes, axis=1)]


class ConstantRLS(ClassifierMixin, BaseEstimator):
    """Simplex RLS with the kernel k + 1: a constant that is penalised as any other function.

    Parameters
    ----------
    alpha, gamma : float
        As in `reprolib.methods.simplex.SimplexRLSClassifier`.
    """

    def __init__(self, alpha=1.0, *, gamma=None):
        self.alpha = alpha
        self.gamma = gamma

    def fit(self, X, y):
        """Fit to the Gram matrix with one added to every entry."""
        self.X_fit_ = X
        self.model_ = SimplexRLSClassifier(self.alpha, kernel="precomputed")
        self.model_.fit(gram(X, gamma=self.gamma) + 1.0, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        """Class of every row."""
        return self.model_.predict(gram(X, self.X_fit_, gamma=self.gamma) + 1.0)


class OneVsRestKPM:
    """One KPM for each class against the rest, all with the same D (two classes: one KPM).

    D is lowered to the numerical rank of the Gram matrix, and for each KPM to the last number of
    components of which rounding does not change decisions
    (`reprolib.methods.kpm.components.KernelComponents.fit_determined_path`).
    """

    def __init__(self, n_components=15, *, loss="hinge", gamma=None):
        self.n_components = n_components
        self.loss = loss
        self.gamma = gamma

    def fit(self, X, y):
        """Fit the path up to D of every class.

        Raises
        ------
        NotOptimalError
            If not even one component can be certified.
        """
        self.classes_ = np.unique(y)
        self.X_fit_ = X
        rank_tol = KPMClassifier().rank_tol
        components = KernelComponents.from_gram(
            gram(X, gamma=self.gamma), center=False, rank_tol=rank_tol
        )
        self.n_components_ = min(self.n_components, components.rank)
        self.paths_ = [
            components.fit_determined_path(
                np.where(y == label, 1.0, -1.0), self.n_components_, LOSSES[self.loss]
            )
            for label in self._labels()
        ]
        return self

    def _labels(self):
        """Class compared with the rest, for every binary problem; two classes need one problem."""
        return self.classes_ if len(self.classes_) > 2 else self.classes_[1:]

    def predict(self, X):
        """Class of every row, with all D components."""
        return self.predict_at(X, [self.n_components_])[0]

    def predict_at(self, X, dimensions):
        """Class of every row for several D, one array each."""
        K = gram(X, self.X_fit_, gamma=self.gamma)
        scores = [path.scores(K) for path in self.paths_]
        return [self._decide([s[:, min(D, s.shape[1]) - 1] for s in scores]) for D in dimensions]

    def _decide(self, scores):
        """Class of every row from the decision values of every KPM, the margin being one.

        Equal rows with both labels equally often have a value of zero where the D components tell
        them from all other rows, but for round-off divided by a small eigenvalue.
        """
        if len(scores) == 1:
            return self.classes_[(scores[0] > DIVIDED).astype(int)]
        return self.classes_[first_largest(np.column_stack(scores), DIVIDED)]


class KernelBank:
    """MKL on a linear kernel and Gaussian kernels of several widths, two classes.

    Kernels are scaled to unit centred mean diagonal on the training data.

    Parameters
    ----------
    C : float
    gammas : sequence of float
        Of the Gaussian kernels.
    tol : float
        Relative duality gap at which the solver stops.
    """

    def __init__(self, C=1.0, *, gammas=(1.0,), tol=1e-2):
        self.C = C
        self.gammas = gammas
        self.tol = tol

    def _stack(self, X):
        gaussian = [gram(X, self.X_fit_, gamma=gamma) for gamma in self.gammas]
        return np.stack([X @ self.X_fit_.T, *gaussian])

    def fit(self, X, y):
        """Learn the weights of the kernels.

        Warns
        -----
        NotOptimalWarning
            If the iteration limit ended the solver.
        """
        self.X_fit_ = X
        Ks = self._stack(X)
        self.scale_ = np.array([1.0 / np.mean(np.diag(center_gram(K))) for K in Ks])
        machine = MKLClassifier(self.C, kernel="precomputed", gap_tol=self.tol)
        self.model_ = machine.fit(Ks * self.scale_[:, np.newaxis, np.newaxis], y)
        self.classes_ = self.model_.classes_
        if self.model_.status_ == "max_iter":
            message = f"the kernel weights were not settled after {self.model_.n_iter_} steps"
            warnings.warn(message, NotOptimalWarning, stacklevel=2)
        return self

    def predict(self, X):
        """Class of every row."""
        return self.model_.predict(self._stack(X) * self.scale_[:, np.newaxis, np.newaxis])
