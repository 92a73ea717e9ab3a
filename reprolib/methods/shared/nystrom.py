"""Kernel methods at any number of rows: Nystrom features in blocks, of which only sums are kept.

The square loss needs three sums of the features z(x) = M' k(landmarks, x) of all rows: the
covariance Z'Z, the sum of z over every class, and the sizes of the classes. Memory is
O(rank^2 + block_rows rank), whatever n is; X may be a memory map larger than memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from reprolib.methods.shared.kernels import KernelMixin, nystrom_landmarks, nystrom_map
from reprolib.methods.shared.sklearn_private import StrOptions
from reprolib.methods.shared.validation import COUNT, encode_labels, validate_data
from reprolib.methods.shared.weights import example_weights

#: Entries of a block of features, 16 MB.
BLOCK_ENTRIES = 2**21


@dataclass(frozen=True)
class Moments:
    """Sums over the rows of the training data.

    Parameters
    ----------
    covariance : ndarray of shape (r, r)
        Z'Z.
    class_sums : ndarray of shape (r, T)
        Sum of the features of every class.
    class_counts : ndarray of shape (T,)
        Sizes of the classes. With weights, all three are sums by the weights.
    """

    covariance: np.ndarray
    class_sums: np.ndarray
    class_counts: np.ndarray

    @property
    def n_samples(self) -> float:
        """Number of rows, or the sum of their weights."""
        return self.class_counts.sum()


class NystromMixin(KernelMixin):
    """Hyperparameters ``rank``, ``random_state`` and the kernel's, but not "precomputed"."""

    _parameter_constraints: dict = {  # noqa: RUF012
        **KernelMixin._parameter_constraints,
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid"}), callable],
        "rank": [COUNT],
        "random_state": ["random_state"],
    }

    def _validate(self, X, y="no_validation", **options):
        """Rows of numbers, in the precision that they are given in."""
        types, sparse = [np.float64, np.float32], self._sparse_format()
        return validate_data(self, X, y, dtype=types, accept_sparse=sparse, **options)

    def _accumulate(self, X, y, sample_weight) -> Moments:
        """Draw landmarks, set ``classes_``, ``X_fit_`` and ``feature_map_``, sum in one pass.

        Raises
        ------
        ValueError
            If y has one class, or the kernel is zero.
        """
        X, y = self._validate(X, y)
        weights = example_weights(y, sample_weight)
        X, y = self._training_rows(X, weights), y[weights.rows]
        self.classes_, indices = encode_labels(self, y)
        self._draw_landmarks(X)
        rank = self.feature_map_.shape[1]
        covariance, class_sums = np.zeros((rank, rank)), np.zeros((rank, len(self.classes_)))
        for rows in self._blocks(X.shape[0]):
            Z = self._kernel(X[rows], self.X_fit_) @ self.feature_map_
            counts = np.ones(len(Z)) if weights.values is None else weights.values[rows]
            classes = (counts, (np.arange(len(Z)), indices[rows]))
            class_sums += (csr_array(classes, shape=(len(Z), len(self.classes_))).T @ Z).T
            if weights.values is not None:
                Z *= np.sqrt(counts)[:, np.newaxis]
            covariance += Z.T @ Z
        return Moments(covariance, class_sums, np.bincount(indices, weights.values))

    def _draw_landmarks(self, X):
        """Set ``X_fit_``, rows of X drawn at random, and ``feature_map_``.

        Raises
        ------
        ValueError
            If the kernel is zero.
        """
        n_samples = X.shape[0]
        landmarks = nystrom_landmarks(n_samples, min(self.rank, n_samples), self.random_state)
        self.X_fit_ = X[landmarks].astype(np.float64)
        self._check_symmetric(self.X_fit_)
        self.feature_map_ = nystrom_map(self._kernel(self.X_fit_, self.X_fit_))
        if self.feature_map_.shape[1] == 0:
            raise ValueError("The kernel is zero on the landmarks; scale X or use another kernel.")

    def _apply(self, X, coefficients):
        """Values of z(x)' coefficients, shape (m, L), for coefficients of shape (r, L)."""
        X = self._validate(X, reset=False)
        on_landmarks = self.feature_map_ @ coefficients
        values = [
            self._kernel(X[rows], self.X_fit_) @ on_landmarks for rows in self._blocks(X.shape[0])
        ]
        return np.concatenate(values)

    def _blocks(self, n_samples: int) -> list[slice]:
        step = max(1, BLOCK_ENTRIES // self.X_fit_.shape[0])
        return [slice(start, start + step) for start in range(0, n_samples, step)]

    rank: int
    random_state: object
    _takes_sparse = True
