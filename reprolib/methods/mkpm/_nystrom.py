"""MKPM with the square loss on Nystrom features, for any number of rows."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator

from reprolib.methods.mkpm._codes import CODES, CodeClassifierMixin, make_code
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel, gram_eigh
from reprolib.methods.shared.nystrom import Moments, NystromMixin
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, Data, RandomState
from reprolib.methods.shared.validation import COUNT


class NystromMKPMClassifier(NystromMixin, CodeClassifierMixin, BaseEstimator):
    """`MKPMClassifier` with loss="square" and basis="nystrom", in one pass over the rows.

    The principal components of the Nystrom features come from their covariance, so that neither
    the features nor the components at the training points are stored; see
    `reprolib.methods.shared.nystrom`. Time
    O(n rank^2), memory O(rank^2). Components of less than ``rank_tol`` times the largest squared
    singular value are left out, more of them than where the features are decomposed themselves,
    since the covariance squares the condition number. With two classes and the simplex code this
    is the KPM with the square loss and no intercept.

    Parameters
    ----------
    n_components : int, optional
        Total dimension d; None means L times the rank.
    rank : int, default=500
        Number of landmarks, at most n.
    code : {"one-vs-all", "simplex", "random"} or array-like of shape (L, n_classes)
        As in `MKPMClassifier`.
    kernel, gamma, degree, coef0 : as in `MKPMClassifier`, but not "precomputed"
    rank_tol : float, default=1e-10
        See above.
    random_state : int, RandomState or None
        For the landmarks and the random code.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    code_ : ndarray of shape (L, n_classes)
    n_components_ : int
    allocation_path_ : ndarray of shape (n_components_ + 1, L)
    allocation_ : ndarray of shape (L,)
    bit_objective_path_ : ndarray of shape (L, r + 1)
    objective_path_ : ndarray of shape (n_components_ + 1,)
        Empirical risk summed over bits, for every total dimension.
    X_fit_ : ndarray of shape (rank, p)
        The landmarks.
    feature_map_ : ndarray of shape (rank, r)
        z(x) = feature_map_' k(X_fit_, x).
    coef_ : ndarray of shape (r, L)
        Bits of z(x) at the end of the path.

    See Also
    --------
    MKPMClassifier : All losses and bases; keeps the features of all rows.
    reprolib.methods.shared.streaming.open_rows : Training data larger than memory.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib import NystromMKPMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NystromMKPMClassifier(40, rank=30, gamma=0.5, random_state=0).fit(X, y)
    >>> model.allocation_.sum()
    np.int64(40)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **NystromMixin._parameter_constraints,
        "n_components": [COUNT, None],
        "code": [StrOptions(set(CODES)), "array-like"],
        "rank_tol": [Interval(Real, 0.0, 1.0, closed="left")],
    }

    if TYPE_CHECKING:
        classes_: Array
        code_: Array
        X_fit_: Array
        feature_map_: Array
        coef_: Array
        n_components_: int
        allocation_path_: Array
        allocation_: Array
        bit_objective_path_: Array
        objective_path_: Array

    def __init__(
        self,
        n_components: int | None = None,
        *,
        rank: int = 500,
        code: Data = "one-vs-all",
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        rank_tol: float = RANK_TOL,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.rank = rank
        self.code = code
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank_tol = rank_tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Sum over the rows, decompose the covariance, and allocate the dimensions.

        Parameters
        ----------
        X : array-like of shape (n, p), also memory-mapped
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            How often every example counts. The landmarks are drawn without regard to it, among
            the rows of positive weight.

        Raises
        ------
        ValueError
            If a hyperparameter or the code is not admissible, y has one class, or the kernel is
            zero.
        """
        self._validate_params()
        moments = self._accumulate(X, y, sample_weight)
        self.code_ = make_code(self.code, len(self.classes_), self.random_state)
        projection, coef = self._principal_components(moments)
        explained = np.cumsum(coef**2, axis=0) / moments.n_samples
        risk = self.code_**2 @ moments.class_counts / moments.n_samples
        path = np.vstack([risk, np.maximum(risk - explained, 0.0)]).T
        self._allocate(path, self.n_components)
        used = np.arange(len(coef))[:, None] < self.allocation_
        self.coef_ = projection @ np.where(used, coef, 0.0)
        return self

    def _principal_components(self, moments: Moments):
        """(r, k) map from features to k orthonormal components, and (k, L) coefficients of bits."""
        eigenvalues, vectors = gram_eigh(moments.covariance, rank_tol=self.rank_tol)
        projection = vectors / np.sqrt(eigenvalues)
        return projection, projection.T @ moments.class_sums @ self.code_.T

    def _bit_scores(self, X):
        return self._apply(X, self.coef_)
