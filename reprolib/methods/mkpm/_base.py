"""What both MKPM estimators share: fit the path, and predict along it."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.mkpm._bases import (
    Basis,
    cholesky_basis,
    kernel_pca_basis,
    nystrom_basis,
)
from reprolib.methods.mkpm._codes import CODES, CodeClassifierMixin, make_code
from reprolib.methods.mkpm._losses import LOSSES
from reprolib.methods.mkpm._paths import decode_first, predict_blocks
from reprolib.methods.shared.codes import decision_values, encode
from reprolib.methods.shared.kernels import KernelMixin
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.types import Array, Data
from reprolib.methods.shared.validation import (
    COUNT,
    encode_labels,
    known_labels,
    warn_if_constant,
)
from reprolib.methods.shared.weights import ExampleWeights


class _MKPM(KernelMixin, CodeClassifierMixin, BaseEstimator):
    """Hyperparameters ``loss``, ``basis``, ``rank``, ``code``, ``rank_tol``, and the kernel's."""

    if TYPE_CHECKING:
        classes_: Array
        code_: Array
        n_components_: int
        allocation_path_: Array
        allocation_: Array
        bit_objective_path_: Array
        objective_path_: Array
        support_: Array
        dual_coef_: Array
        intercept_: Array
        duality_gap_: float
        X_fit_: Array

    _parameter_constraints: dict = {  # noqa: RUF012
        **KernelMixin._parameter_constraints,
        "loss": [StrOptions(set(LOSSES))],
        "basis": [StrOptions({"kernel_pca", "nystrom", "cholesky"})],
        "rank": [COUNT, None],
        "code": [StrOptions(set(CODES)), "array-like"],
        "rank_tol": [Interval(Real, 0.0, 1.0, closed="left")],
        "random_state": ["random_state"],
    }

    _takes_sparse = True

    def _validate(self, X, y):
        """Check hyperparameters and training data; return (X, y)."""
        self._validate_params()
        X, y = self._training_data(X, y)
        check_classification_targets(y)
        self._check_symmetric(X)
        return X, y

    def _fit_path(self, X, y, n_components, weights: ExampleWeights):
        """Algorithm 1 of the paper up to the total dimension ``n_components`` (None: all)."""
        X, y = self._training_rows(X, weights), y[weights.rows]
        self.classes_, class_indices = encode_labels(self, y)
        self.code_ = make_code(self.code, len(self.classes_), self.random_state)
        if self.loss != "square" and not np.all(np.abs(self.code_) == 1.0):
            raise ValueError(
                f"loss={self.loss!r} needs a code in {{-1, 1}}, and code={self.code!r} has other "
                "entries; use loss='square' or another code."
            )
        limits = [limit for limit in (self.rank, n_components) if limit is not None]
        roots = None if weights.values is None else np.sqrt(weights.relative)
        wanted = min(limits, default=None)
        basis = self._make_basis(X, roots, wanted).truncate(wanted)
        if basis.features.shape[1] == 0:
            raise ValueError(
                "The Gram matrix of the training data is zero, so that the basis is empty; scale "
                "X or use another kernel."
            )
        paths, self.duality_gap_ = LOSSES[self.loss](basis, encode(self.code_, class_indices))
        self._allocate(paths.objectives, n_components)
        largest = int(self.allocation_path_.max())
        self._paths = paths.truncate(largest)
        self._projection = basis.projection[:, :largest]
        self._support = basis.support
        self.support_ = np.arange(weights.n_samples)[weights.rows][basis.support]
        self.dual_coef_ = self.dual_coef_at(self.n_components_)
        self.intercept_ = self._paths.intercepts(self.allocation_)
        if self.kernel != "precomputed":
            self.X_fit_ = X[basis.support]
        self._warn_if_constant(basis)
        return self

    def _warn_if_constant(self, basis):
        bits = [
            basis.values[:, :dimension] @ self._paths.coefficients(bit, dimension)
            for bit, dimension in enumerate(self.allocation_)
        ]
        chosen = decode_first(self.code_, np.column_stack(bits) + self.intercept_)
        warn_if_constant(chosen, self, stacklevel=6)

    @property
    def coef_(self) -> Array:
        """Weights of the features for kernel="linear", shape (L, p): f_l(x) = <coef_[l], x>.

        The intercept of bit l is ``intercept_[l]``.
        """
        if self.kernel != "linear":
            raise AttributeError('coef_ is there for kernel="linear" only')
        check_is_fitted(self)
        return self.dual_coef_.T @ self.X_fit_

    def _make_basis(self, X, roots, n_wanted) -> Basis:
        if self.basis == "kernel_pca":
            K = self._kernel(X, X)
            return kernel_pca_basis(K, rank_tol=self.rank_tol, roots=roots, n_wanted=n_wanted)
        n_samples = X.shape[0]
        rank = n_samples if self.rank is None else self.rank
        if self.basis == "nystrom":
            return nystrom_basis(
                lambda indices: self._columns(X, indices),
                n_samples,
                rank,
                rank_tol=self.rank_tol,
                random_state=self.random_state,
                roots=roots,
            )
        if self.kernel == "precomputed":
            diagonal = np.diag(X)
        else:
            blocks = (X[start : start + 64] for start in range(0, n_samples, 64))
            diagonal = np.concatenate([np.diag(self._kernel(block, block)) for block in blocks])
        return cholesky_basis(diagonal, lambda i: self._columns(X, [i])[:, 0], rank, roots=roots)

    def _columns(self, X, indices):
        return X[:, indices] if self.kernel == "precomputed" else self._kernel(X, X[indices])

    def dual_coef_at(self, n_components: int) -> Array:
        """Dual coefficients at any point of the path, where ``dual_coef_`` has those at its end.

        Parameters
        ----------
        n_components : int
            Total dimension, from 0 to ``n_components_``.

        Returns
        -------
        ndarray of shape (m, L)
            Weights of the kernel functions of ``support_``, a column for each bit.

        Raises
        ------
        ValueError
            If the fitted path does not reach that far.
        """
        check_is_fitted(self)
        if not 0 <= n_components <= self.n_components_:
            raise ValueError(
                f"n_components is {n_components}; the fitted path has 0 to {self.n_components_}."
            )
        return np.column_stack(
            [
                self._projection[:, :dimension] @ self._paths.coefficients(bit, dimension)
                for bit, dimension in enumerate(self.allocation_path_[n_components])
            ]
        )

    def _bit_scores(self, X):
        """Values f_l(x) of all bits, shape (n, L)."""
        return self._support_gram(X) @ self.dual_coef_ + self.intercept_

    def decision_path(self, X: Data) -> Array:
        """What `decision_function` would give, for every total dimension.

        Memory is O(n n_classes n_components_); give X in parts where that is too much.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n_train) for kernel="precomputed"
            New data; or the kernel between them and the training data.

        Returns
        -------
        ndarray of shape (n, n_classes, n_components_ + 1)
            The path is the last axis, entry d for the total dimension d = 0, 1, ... For two classes
            the shape is (n, n_components_ + 1).
        """
        scores = self._paths.scores(self._features(X))
        along = scores[:, np.arange(len(self.code_)), self.allocation_path_]
        return np.moveaxis(decision_values(self.code_, along), 1, -1)

    def predict_path(self, X: Data) -> Array:
        """Classes for every total dimension d: what `predict` would give.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n_train) for kernel="precomputed"
            New data; or the kernel between them and the training data.

        Returns
        -------
        ndarray of shape (n, n_components_ + 1)
            A label of ``classes_`` for every row and every d = 0, 1, ...
        """
        features = self._features(X)
        predicted = np.empty((len(features), self.n_components_ + 1), dtype=self.classes_.dtype)
        for rows, indices in predict_blocks(
            self._paths, features, self.allocation_path_, self.code_
        ):
            predicted[rows] = self.classes_[indices]
        return predicted

    def score_path(self, X: Data, y: Data, allocations: Data = None) -> Array:
        """Accuracy for every total dimension d, what `score` would give.

        Memory beyond the features of X is O(n L), whatever the length of the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n_train) for kernel="precomputed"
            New data; or the kernel between them and the training data.
        y : array-like of shape (n,)
            Their true classes.
        allocations : array-like of int of shape (k, L), optional
            Score these dimensions of the bits instead, one accuracy a row.

        Returns
        -------
        ndarray of shape (n_components_ + 1,), or (k,)
            Share of right predictions, between 0 and 1.
        """
        return self.count_path(X, y, allocations) / len(y)

    def count_path(
        self, X: Data, y: Data, allocations: Data = None, sample_weight: Data = None
    ) -> Array:
        """Number of right predictions where `score_path` gives their share, or their weight.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n_train) for kernel="precomputed"
            New data; or the kernel between them and the training data.
        y : array-like of shape (n,)
            Their true classes.
        allocations : array-like of int of shape (k, L), optional
            Count for these dimensions of the bits instead, one number a row.
        sample_weight : array-like of shape (n,), optional
            How often every row counts; once by default.

        Returns
        -------
        ndarray of shape (n_components_ + 1,), or (k,)
            Right predictions for every total dimension.

        Raises
        ------
        ValueError
            If X and y differ in length, or the allocations do not fit the fitted path.
        """
        features, y = self._features(X), np.asarray(y)
        if len(y) != len(features):
            raise ValueError(f"y has {len(y)} entries, but X has {len(features)} rows.")
        rows = self.allocation_path_ if allocations is None else self._checked(allocations)
        counts = np.asarray(np.ones(len(y), np.intp) if sample_weight is None else sample_weight)
        correct = np.zeros(len(rows), dtype=counts.dtype)
        for block, indices in predict_blocks(self._paths, features, rows, self.code_):
            correct += counts[block] @ (self.classes_[indices] == y[block, None])
        return correct

    def bit_risk_path(self, X: Data, y: Data) -> Array:
        """Mean square loss of every bit alone, in every dimension, on other data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n_train) for kernel="precomputed"
            New data; or the kernel between them and the training data.
        y : array-like of shape (n,)
            Their true classes, of which the bits are the code words.

        Returns
        -------
        ndarray of shape (L, r + 1)
            One bit a row; column d is for its first d dimensions.

        Raises
        ------
        ValueError
            If y holds a label that was not in the training data.
        """
        features = self._features(X)
        targets = encode(self.code_, known_labels(y, self.classes_))
        risk = np.zeros((len(self.code_), features.shape[1] + 1))
        for start in range(0, len(targets), 16):
            block = slice(start, start + 16)
            scores = self._paths.scores(features[block])
            risk += np.sum((scores - targets[block, :, None]) ** 2, axis=0)
        return risk / len(targets)

    def _checked(self, allocations):
        """Validate allocations that are not our own."""
        allocations = np.asarray(allocations, dtype=np.intp)
        largest = self._projection.shape[1]
        if allocations.ndim != 2 or allocations.shape[1] != len(self.code_):
            raise ValueError(
                f"allocations has shape {allocations.shape}; it needs one column per bit, "
                f"{len(self.code_)}."
            )
        if allocations.min() < 0 or allocations.max() > largest:
            raise ValueError(
                f"allocations reaches from {allocations.min()} to {allocations.max()}; the fitted "
                f"path has dimensions 0 to {largest} per bit. Raise n_components."
            )
        return allocations

    def _features(self, X):
        check_is_fitted(self)
        return self._support_gram(X) @ self._projection

    def _support_gram(self, X):
        check_is_fitted(self)
        K = self._cross_gram(X)
        return K[:, self._support] if self.kernel == "precomputed" else K
