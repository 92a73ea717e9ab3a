"""Simplex regularised least squares, S-RLS (Mroueh et al. 2012, section 5).

Problem: minimise over f: X -> R^(T-1) in the RKHS

    (1/n) sum_i ||c_{y_i} - f(x_i)||^2 + alpha ||f||^2,

solved by A = (K + n alpha I)^-1 Y, rows of Y being the code words of the labels; or, for the
linear kernel, f(x) = W x with W' = (X'X + n alpha I)^-1 X'Y. Neither has an intercept. Training
and tuning cost do not grow with T but for products of n x n (or n x p) by n x T matrices.

With ``fit_intercept`` f is taken from the RKHS of k + 1, the constants among it: minimise over f
in the RKHS of k and b in R^(T-1)

    (1/n) sum_i ||c_{y_i} - f(x_i) - b||^2 + alpha (||f||^2 + ||b||^2).

The optimum has A = (K + 11' + n alpha I)^-1 Y and b = A'1. For the linear kernel this is a column
of ones beside X, whose weights are b.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.shared.codes import encode
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel, KernelMixin
from reprolib.methods.shared.path_scores import SCORING, path_scores
from reprolib.methods.shared.ties import first_largest
from reprolib.methods.shared.types import Array, Data, Scoring
from reprolib.methods.shared.validation import (
    POSITIVE,
    ROUND_OFF_OF_EIGENVALUES,
    as_numbers,
    require_positive_semidefinite,
    warn_if_constant,
)
from reprolib.methods.shared.weights import ExampleWeights, example_weights
from reprolib.methods.simplex._base import LeastSquaresProbabilities, gram_name
from reprolib.methods.simplex.kronecker_qp import times_code_gram
from reprolib.methods.simplex.rls_solver import (
    feature_spectrum,
    gram_spectrum,
    leave_one_out_path,
    rls_dual_coefficients,
    rls_dual_coefficients_cholesky,
)


class _SimplexRLS(LeastSquaresProbabilities, KernelMixin, BaseEstimator):
    """Input and prediction of the two S-RLS estimators."""

    if TYPE_CHECKING:
        classes_: Array
        code_: Array
        dual_coef_: Array
        intercept_: Array
        coef_: Array
        X_fit_: Array
        fit_intercept: bool

    _parameter_constraints: dict = {  # noqa: RUF012
        **KernelMixin._parameter_constraints,
        "fit_intercept": ["boolean"],
    }

    _takes_sparse = True

    def _fit_input(self, X, y, sample_weight) -> _WeightedInput:
        """Validate, and weigh the rows of what counts."""
        X, y = self._training_data(X, y)
        weights = example_weights(y, sample_weight)
        X, indices = self._training_rows(X, weights), self._encode_classes(y[weights.rows])
        if self.kernel == "linear":
            if self.fit_intercept:
                ones = np.ones((X.shape[0], 1))
                dense = isinstance(X, np.ndarray)
                X = (
                    np.hstack([X, ones])
                    if dense
                    else sp.csr_array(sp.hstack([X, sp.csr_array(ones)]))
                )
            return _WeightedInput(X, indices, weights, X.shape[1] < X.shape[0])
        K = self._training_gram(X)
        if self.fit_intercept:
            K = K + 1.0
        return _WeightedInput(K, indices, weights, in_features=False)

    def _store_features(self, data: _WeightedInput, Y, coef, shift):
        """Keep W, and the A that goes with it; Y weighed."""
        self._set_coef(coef)
        fitted = data.rows @ coef.T
        self.dual_coef_ = data.weighed((Y - fitted) / shift)
        self._warn_if_constant(fitted)

    def _warn_if_constant(self, fitted):
        """Of f at the training points, times any positive numbers."""
        warn_if_constant(first_largest(fitted @ self.code_), self, stacklevel=6)

    def _store_dual(self, data: _WeightedInput, Y, dual_coef, shift):
        """Keep A, and for the linear kernel W; (K + shift I) A = Y gives f at the training data."""
        self._warn_if_constant(Y - shift * dual_coef)
        self.dual_coef_ = data.weighed(dual_coef)
        if self.kernel == "linear":
            self._set_coef(safe_sparse_dot(data.X.T, self.dual_coef_, dense_output=True).T)
        elif self.fit_intercept:
            self.intercept_ = self.dual_coef_.sum(axis=0)
        else:
            self.intercept_ = np.zeros(len(self.code_))

    def _set_coef(self, coef):
        """Keep W, of which the last column is the intercept's if there is one."""
        self.coef_, self.intercept_ = coef, np.zeros(len(coef))
        if self.fit_intercept:
            self.coef_, self.intercept_ = coef[:, :-1], coef[:, -1]

    def _vector_function(self, X):
        check_is_fitted(self)
        if self.kernel != "linear":
            return self._cross_gram(X) @ self.dual_coef_ + self.intercept_
        return safe_sparse_dot(self._new_data(X), self.coef_.T, dense_output=True) + self.intercept_


@dataclass(frozen=True)
class _WeightedInput:
    """Training data of S-RLS: rows times the roots of their weights make the problem unweighted.

    With w_i the weights and N their sum, (1/N) sum_i w_i ||c_{y_i} - f(x_i)||^2 + alpha ||f||^2 has
    the optimum A = W^(1/2) (W^(1/2) K W^(1/2) + N alpha I)^-1 W^(1/2) Y.

    Parameters
    ----------
    X : {ndarray, csr matrix} of shape (n, p), or Gram matrix of shape (n, n)
        The training points.
    indices : ndarray of int of shape (n,)
        Of the classes.
    weights : ExampleWeights
        Weights of the examples.
    in_features : bool
        Whether to solve in the p features.
    """

    X: np.ndarray
    indices: np.ndarray
    weights: ExampleWeights
    in_features: bool

    @property
    def total(self):
        """N, in units of the weights."""
        return self.weights.total

    @property
    def repetitions(self):
        """How often every example was given, shape (n,); None where no weights are given."""
        repeats = self.weights.repeats
        return None if repeats is None else self.weights.repeat_unit * repeats

    def weighed(self, rows):
        """Rows times the roots of their weights."""
        if self.weights.values is None:
            return rows
        roots = np.sqrt(self.weights.values)
        if not isinstance(rows, np.ndarray):
            return sp.csr_array(rows.multiply(roots[:, np.newaxis]))
        return roots[:, np.newaxis] * rows

    @functools.cached_property
    def rows(self):
        """X, weighed."""
        return self.weighed(self.X)

    def gram(self, kernel):
        """K between the weighed rows."""
        if kernel == "linear":
            return safe_sparse_dot(self.rows, self.rows.T, dense_output=True)
        return self.rows if self.weights.values is None else self.weighed(self.rows.T)


class SimplexRLSClassifier(_SimplexRLS):
    """S-RLS with a given regularisation parameter.

    Parameters
    ----------
    alpha : float, default=1.0
        Lambda of the paper's eq. (1), with the mean loss: the matrix inverted is K + n alpha I
        (scikit-learn's ``Ridge(alpha)`` has n times this value).
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="linear"
        Similarity k(x, x') of two points. "precomputed": ``fit`` takes the Gram matrix of the
        training data in place of X. A callable takes two rows and returns a number; it has to be
        symmetric. The named ones take sparse X, too.
    gamma : float, optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features.
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    fit_intercept : bool, default=False
        Whether f has a constant term. It is one more feature, 1 in every row, and is penalised as
        the others are: the kernel is k + 1. The paper has none.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
        The class labels, in increasing order.
    code_ : ndarray of shape (T - 1, T)
        Code words of the classes, one a column: the corners of a regular simplex.
    dual_coef_ : ndarray of shape (n, T - 1)
        n does not count rows of weight zero.
    intercept_ : ndarray of shape (T - 1,)
        The constant term, the sum of ``dual_coef_`` over the training points; zeros without
        ``fit_intercept``.
    coef_ : ndarray of shape (T - 1, p)
        W, for the linear kernel.
    X_fit_ : ndarray of shape (n, p)
        Training data, for the other kernels but "precomputed"; not a copy of an array of floats.

    See Also
    --------
    SimplexRLSClassifierCV : Selects alpha by the leave-one-out error.
    sklearn.kernel_approximation.Nystroem : In front of the linear kernel, for many rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from reprolib.methods.simplex import SimplexRLSClassifier
    >>> SimplexRLSClassifier(1e-3).fit(X, y).coef_.shape
    (2, 4)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_SimplexRLS._parameter_constraints,
        "alpha": [POSITIVE],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Kernel = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        fit_intercept: bool = False,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Fit by one Cholesky factorisation of min(n, p) rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, p), or Gram matrix of shape (n, n)
            One example a row; with kernel="precomputed" its kernel values with all training
            examples.
        y : array-like of shape (n,)
            Class label of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            If alpha is not positive, y has one class, or the kernel is not PSD.
        """
        self._validate_params()
        data = self._fit_input(X, y, sample_weight)
        Y, shift = data.weighed(encode(self.code_, data.indices)), data.total * self.alpha
        if data.in_features:
            X = data.rows
            covariance = safe_sparse_dot(X.T, X, dense_output=True)
            coef = rls_dual_coefficients_cholesky(covariance, X.T @ Y, shift).T
            self._store_features(data, Y, coef, shift)
            return self
        K = data.gram(self.kernel)
        if self.kernel not in ("linear", "rbf"):
            require_positive_semidefinite(K, gram_name(self.kernel))
        self._store_dual(data, Y, rls_dual_coefficients_cholesky(K, Y, shift), shift)
        return self


def spectrum_alphas(
    eigenvalues, n_samples: float, *, n_alphas: int = 100, n_rows: int | None = None
):
    """Logarithmic grid of alphas such that n alpha spans the positive eigenvalues of K.

    Eigenvalues at most the rows of K times the machine epsilon times the largest do not count.

    Parameters
    ----------
    eigenvalues : ndarray
        Of K, in increasing order.
    n_samples : float
        The n of n alpha: with weights, their sum.
    n_alphas : int
        Number of values; more make a finer grid.
    n_rows : int, optional
        Rows of K; ``n_samples`` by default.

    Returns
    -------
    ndarray of shape (n_alphas,), decreasing
        The values of alpha, evenly spaced on a logarithmic scale.

    Raises
    ------
    ValueError
        If no eigenvalue is positive.
    """
    largest = np.max(eigenvalues, initial=0.0)
    rows = n_samples if n_rows is None else n_rows
    positive = eigenvalues[eigenvalues > rows * np.finfo(float).eps * largest]
    if not len(positive):
        raise ValueError("The Gram matrix is zero; pass explicit alphas or other features.")
    return np.geomspace(largest, positive[0], n_alphas) / n_samples


class SimplexRLSClassifierCV(_SimplexRLS):
    """S-RLS with alpha selected by the exact leave-one-out error.

    One eigendecomposition (of X'X for the linear kernel with p < n, of K otherwise) gives the
    leave-one-out predictions of all alphas, in O(n min(n, p) T) for each. They equal retraining
    without x_i at the same n alpha. An example that is alone in its class counts as an error,
    since no model without it knows its class. Of equally good alphas, the largest is taken.
    Where ``sample_weight`` says that an example counts s times, one of its s repetitions is left
    out at a time (all of it if s < 1).

    Parameters
    ----------
    alphas : array-like of shape (L,) or callable or None
        The values to try, or a function (eigenvalues of K in increasing order, n) -> values.
        None means `spectrum_alphas`: 100 values, n alpha from the largest to the smallest
        positive eigenvalue of K.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="linear"
        Similarity k(x, x') of two points. "precomputed": ``fit`` takes the Gram matrix of the
        training data in place of X. A callable takes two rows and returns a number; it has to be
        symmetric. The named ones take sparse X, too.
    gamma : float, optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features.
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    fit_intercept : bool, default=False
        Whether f has a constant term. It is one more feature, 1 in every row, and is penalised as
        the others are: the kernel is k + 1. The paper has none.
    scoring : str or callable, optional
        Score to maximise, of all left-out predictions together; given as for
        `sklearn.model_selection.cross_val_score`, such as "balanced_accuracy" or "roc_auc". None
        means the accuracy; a score needs memory for n T numbers at every alpha.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    alphas_ : ndarray of shape (L,)
        In decreasing order.
    loo_score_path_ : ndarray of shape (L,)
        Leave-one-out accuracy, or score, at every alpha of ``alphas_``.
    eigenvalues_ : ndarray
        Of K (with an intercept, of K + 1), in increasing order (the positive ones for the linear
        kernel with p < n).
    classes_ : ndarray of shape (T,)
        The class labels, in increasing order.
    code_ : ndarray of shape (T - 1, T)
        Code words of the classes, one a column: the corners of a regular simplex.
    dual_coef_ : ndarray of shape (n, T - 1)
        Coefficients over the training points at the chosen alpha; n does not count rows of weight
        zero.
    intercept_ : ndarray of shape (T - 1,)
        The constant term, the sum of ``dual_coef_`` over the training points; zeros without
        ``fit_intercept``.
    coef_ : ndarray of shape (T - 1, p)
        W at the chosen alpha, for the linear kernel.
    X_fit_ : ndarray of shape (n, p)
        Training data, for the other kernels but "precomputed"; not a copy of an array of floats.

    See Also
    --------
    SimplexRLSClassifier : One alpha, by a Cholesky factorisation.
    sklearn.kernel_approximation.Nystroem : In front of the linear kernel, for many rows.

    Notes
    -----
    Memory of the kernel case: 24 n^2 bytes at the peak (6.1 GB for n = 16,000). Beyond, put
    `sklearn.kernel_approximation.Nystroem` in front of the linear kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from reprolib.methods.simplex import SimplexRLSClassifierCV
    >>> model = SimplexRLSClassifierCV(kernel="rbf", gamma=0.5).fit(X, y)
    >>> len(model.loo_score_path_)
    100
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_SimplexRLS._parameter_constraints,
        "alphas": ["array-like", POSITIVE, callable, None],
        "scoring": SCORING,
    }

    if TYPE_CHECKING:
        alpha_: float
        alphas_: Array
        loo_score_path_: Array
        eigenvalues_: Array

    def __init__(
        self,
        alphas: Data = None,
        *,
        kernel: Kernel = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        fit_intercept: bool = False,
        scoring: Scoring = None,
    ) -> None:
        self.alphas = alphas
        self.scoring = scoring
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Decompose once, score all alphas by leave-one-out, refit at the best.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, p), or Gram matrix of shape (n, n)
            One example a row; with kernel="precomputed" its kernel values with all training
            examples.
        y : array-like of shape (n,)
            Class label of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, also among those left out.

        Returns
        -------
        self
            The fitted classifier, with the best alpha.

        Raises
        ------
        ValueError
            If an alpha is not positive, y has one class, or the kernel is not PSD.
        """
        self._validate_params()
        data = self._fit_input(X, y, sample_weight)
        if data.in_features:
            spectrum = feature_spectrum(data.rows)
        elif self.kernel in ("linear", "rbf"):
            spectrum = gram_spectrum(data.gram(self.kernel), overwrite=True)
        else:
            K, name = data.gram(self.kernel), gram_name(self.kernel)
            given = self.kernel == "precomputed" and data.weights.values is None
            tol = ROUND_OFF_OF_EIGENVALUES * len(K)
            spectrum = gram_spectrum(K, tol=tol, name=name, overwrite=not given)
        with np.errstate(over="ignore"):  # back to the weights as they were given
            self.eigenvalues_ = data.weights.unit * spectrum.eigenvalues
        if not np.isfinite(self.eigenvalues_).all():
            raise ValueError(
                "The eigenvalues of the Gram matrix overflow when they are multiplied by "
                "sample_weight. Scale sample_weight, for example to mean 1, or the features."
            )
        alphas, default = self.alphas, functools.partial(spectrum_alphas, n_rows=len(data.indices))
        rule = default if alphas is None else alphas
        grid = rule(self.eigenvalues_, data.weights.unit * data.total) if callable(rule) else rule
        grid = np.sort(np.atleast_1d(as_numbers(grid, "alphas")))[::-1]
        if not (grid.ndim == 1 and len(grid) and np.all(np.isfinite(grid) & (grid > 0))):
            raise ValueError(f"alphas must be positive numbers, at least one; got {alphas!r}.")
        self.alphas_ = grid
        self.loo_score_path_ = self._loo_scores(spectrum, data)
        self.alpha_ = float(self.alphas_[first_largest(self.loo_score_path_)])
        Y, shift = data.weighed(encode(self.code_, data.indices)), data.total * self.alpha_
        if spectrum.feature_map is not None:
            V, s = spectrum.feature_map, spectrum.eigenvalues
            coef = ((V / (s + shift)) @ (V.T @ (data.rows.T @ Y))).T
            self._store_features(data, Y, coef, shift)
            return self
        self._store_dual(data, Y, rls_dual_coefficients(spectrum, Y, shift), shift)
        return self

    def _loo_scores(self, spectrum, data: _WeightedInput):
        """Leave-one-out accuracy, or score, at every alpha, shape (L,)."""
        n_samples, n_classes, indices = len(data.indices), len(self.classes_), data.indices
        repeats, repetitions = data.weights.repeats, data.repetitions
        # Predictions of class indicators times the roots of weights.
        ones = np.ones(n_samples)
        indicators = data.weighed(sp.csr_array((ones, (np.arange(n_samples), indices))))
        shares = None if repetitions is None else 1.0 / np.maximum(1.0, repetitions)
        shifts = data.total * self.alphas_
        path = leave_one_out_path(spectrum, indicators, shifts, shares=shares)
        # Examples without which nothing is left of their class.
        alone = np.bincount(indices)[indices] == 1
        alone &= True if repetitions is None else repetitions <= 1.0
        if self.scoring is None:
            hits = np.zeros(len(self.alphas_))
            for rows, columns, scores in path:
                right = first_largest(scores) == indices[rows, None]
                right &= ~alone[rows, None]
                hits[columns] += np.sum(right, axis=0) if repeats is None else repeats[rows] @ right
            return hits / data.weights.total_repeats
        values = np.empty((n_samples, len(self.alphas_), n_classes))
        for rows, columns, scores in path:
            products = times_code_gram(scores.reshape(-1, n_classes))
            values[rows, columns] = products.reshape(scores.shape)
        # The class of an example that is alone in it comes last.
        lonely = np.flatnonzero(alone)
        own, lowest = indices[lonely], values[lonely].min(axis=2) - 1.0
        values[lonely, :, own] = lowest
        if n_classes == 2:
            values[lonely, :, 1 - own] = -lowest
        if data.weights.values is not None:
            values /= np.sqrt(data.weights.values)[:, np.newaxis, np.newaxis]
        values = values[..., 1] if n_classes == 2 else np.moveaxis(values, 2, 1)
        labels = self.classes_[indices]
        return path_scores(self.scoring, self.classes_, values, labels, sample_weight=repeats)
