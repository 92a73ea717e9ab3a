"""MKPM with the square loss on Nystrom features, for any number of rows.

The square loss needs three sums of the features z(x) = M' k(landmarks, x) of all rows: the
covariance Z'Z, the sum of z over every class, and the sizes of the classes. They are added up in
blocks of rows. Memory is O(rank^2 + block_rows rank), whatever n is; X may be a memory map larger
than memory.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from reprolib.methods.mkpm._codes import CODES, CodeClassifierMixin, make_code
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import (
    Kernel,
    KernelMixin,
    gram_eigh,
    nystrom_landmarks,
    nystrom_map,
)
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, Data, RandomState
from reprolib.methods.shared.validation import COUNT, encode_labels, validate_data
from reprolib.methods.shared.weights import example_weights

#: Entries of a block of features, 16 MB.
BLOCK_ENTRIES = 2**21


class NystromMKPMClassifier(KernelMixin, CodeClassifierMixin, BaseEstimator):
    """`MKPMClassifier` with loss="square" and basis="nystrom", in one pass over the rows.

    The principal components of the Nystrom features come from their covariance, so that neither
    the features nor the components at the training points are stored. Time O(n rank^2), memory
    O(rank^2). Components whose squared singular value is below ``rank_tol`` times the largest one
    are left out. These are more than if the features themselves were decomposed, since the
    covariance squares the condition number. With two classes and the simplex code this is the KPM
    with the square loss and no intercept.

    Parameters
    ----------
    n_components : int, optional
        Total dimension d, the end of the path; more dimensions fit the training data better. None
        means L times the rank.
    rank : int, default=500
        Number of landmarks, rows drawn at random, at most n. With more of them the features come
        closer to the kernel, and time grows with the square.
    code : {"one-vs-all", "simplex", "random"} or array-like of shape (L, n_classes)
        One column per class, in the order of ``classes_``. "random": a seeded code in {-1, 1} of
        length ceil(10 log2(n_classes)).
    kernel : {"linear", "poly", "rbf", "sigmoid"} or callable, default="rbf"
        Similarity k(x, x') of two points. The named ones take sparse X, too. A callable takes two
        rows and returns a number; it has to be symmetric.
    gamma : float or "scale", optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features, "scale"
        1 / (n_features X.var()).
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    rank_tol : float, default=1e-10
        Components whose eigenvalue is at most this part of the largest are left out; larger values
        leave out more.
    random_state : int, RandomState or None
        Seed of the landmarks and of the random code.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    code_ : ndarray of shape (L, n_classes)
        The code: column t is the code word of ``classes_[t]``.
    n_components_ : int
        End of the path, at most L times the rank of the features.
    allocation_path_ : ndarray of shape (n_components_ + 1, L)
        The best dimensions of the bits, (d_1, ..., d_L), for every total dimension.
    allocation_ : ndarray of shape (L,)
        Its last row, the dimensions that `predict` uses.
    bit_objective_path_ : ndarray of shape (L, r + 1)
        Mean square loss of every bit alone, for each of its dimensions 0, ..., r.
    objective_path_ : ndarray of shape (n_components_ + 1,)
        Empirical risk summed over bits, for every total dimension.
    X_fit_ : ndarray of shape (rank, p)
        The landmarks.
    feature_map_ : ndarray of shape (rank, r)
        Map from kernel values to features: z(x) = feature_map_' k(X_fit_, x).
    coef_ : ndarray of shape (r, L)
        Weights of the features, z(x)' coef_ being the bits at the end of the path.

    See Also
    --------
    MKPMClassifier : All losses and bases; keeps the features of all rows.
    sklearn.kernel_approximation.Nystroem : The features, in front of a linear estimator.

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
        **KernelMixin._parameter_constraints,
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid"}), callable],
        "rank": [COUNT],
        "random_state": ["random_state"],
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

    _takes_sparse = True

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
        """Draw landmarks, sum over the rows, and allocate the components of the covariance.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Training rows; a memory map is read block by block.
        y : array-like of shape (n,)
            Class of every row.
        sample_weight : array-like of shape (n,), optional
            How often every example counts. The landmarks are drawn without regard to it, among
            the rows of positive weight.

        Returns
        -------
        self : NystromMKPMClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If a hyperparameter or the code is not admissible, y has one class, or the kernel is
            zero.
        """
        self._validate_params()
        X, y = self._validate(X, y)
        weights = example_weights(y, sample_weight)
        X, y = self._training_rows(X, weights), y[weights.rows]
        self.classes_, indices = encode_labels(self, y)
        n, n_classes = X.shape[0], len(self.classes_)
        landmarks = nystrom_landmarks(n, min(self.rank, n), self.random_state)
        self.X_fit_ = X[landmarks].astype(np.float64)
        self._check_symmetric(self.X_fit_)
        self.feature_map_ = nystrom_map(self._kernel(self.X_fit_, self.X_fit_))
        rank = self.feature_map_.shape[1]
        if rank == 0:
            raise ValueError("The kernel is zero on the landmarks; scale X or use another kernel.")
        covariance, class_sums = np.zeros((rank, rank)), np.zeros((rank, n_classes))
        for rows in self._blocks(n):
            Z = self._kernel(X[rows], self.X_fit_) @ self.feature_map_
            counts = np.ones(len(Z)) if weights.values is None else weights.values[rows]
            classes = (counts, (np.arange(len(Z)), indices[rows]))
            class_sums += (csr_array(classes, shape=(len(Z), n_classes)).T @ Z).T
            if weights.values is not None:
                Z *= np.sqrt(counts)[:, np.newaxis]
            covariance += Z.T @ Z
        class_counts = np.bincount(indices, weights.values)
        total = class_counts.sum()
        self.code_ = make_code(self.code, n_classes, self.random_state)
        eigenvalues, vectors = gram_eigh(covariance, rank_tol=self.rank_tol)
        # Components of length one over the rows, and the bits' coefficients on them.
        projection = vectors / np.sqrt(eigenvalues)
        coef = projection.T @ class_sums @ self.code_.T
        explained = np.cumsum(coef**2, axis=0) / total
        risk = self.code_**2 @ class_counts / total
        path = np.vstack([risk, np.maximum(risk - explained, 0.0)]).T
        self._allocate(path, self.n_components)
        used = np.arange(len(coef))[:, None] < self.allocation_
        self.coef_ = projection @ np.where(used, coef, 0.0)
        return self

    def _validate(self, X, y="no_validation", **options):
        """Rows of numbers, in the precision that they are given in."""
        types, sparse = [np.float64, np.float32], self._sparse_format()
        return validate_data(self, X, y, dtype=types, accept_sparse=sparse, **options)

    def _blocks(self, n_samples: int) -> list[slice]:
        step = max(1, BLOCK_ENTRIES // self.X_fit_.shape[0])
        return [slice(start, start + step) for start in range(0, n_samples, step)]

    def _bit_scores(self, X):
        X = self._validate(X, reset=False)
        on_landmarks = self.feature_map_ @ self.coef_
        values = [
            self._kernel(X[rows], self.X_fit_) @ on_landmarks for rows in self._blocks(X.shape[0])
        ]
        return np.concatenate(values)
