"""Simplex regularised least squares, S-RLS (Mroueh et al. 2012, section 5).

Problem: minimise over f: X -> R^(T-1) in the RKHS

    (1/n) sum_i ||c_{y_i} - f(x_i)||^2 + alpha ||f||^2,

solved by A = (K + n alpha I)^-1 Y, rows of Y being the code words of the labels; or, for the
linear kernel, f(x) = W x with W' = (X'X + n alpha I)^-1 X'Y. Neither has an intercept. Training
and tuning cost do not grow with T but for products of n x n (or n x p) by n x T matrices.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.shared.codes import encode, first_largest
from reprolib.methods.shared.kernels import KernelMixin
from reprolib.methods.shared.validation import (
    POSITIVE,
    as_numbers,
    require_positive_semidefinite,
    validate_data,
)
from reprolib.methods.simplex._base import SimplexClassifierMixin, gram_name
from reprolib.methods.simplex.rls_solver import (
    feature_spectrum,
    gram_spectrum,
    leave_one_out_path,
    rls_dual_coefficients,
    rls_dual_coefficients_cholesky,
)


class _SimplexRLS(SimplexClassifierMixin, KernelMixin, BaseEstimator):
    """Input and prediction of the two S-RLS estimators."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel == "linear"
        return tags

    def _fit_input(self, X, y):
        """Return validated (X, class indices, whether to solve in the p features)."""
        if self.kernel != "linear":
            K, y = self._fit_gram(X, y)
            if self.kernel != "rbf":
                require_positive_semidefinite(K, gram_name(self.kernel))
            return K, self._encode_classes(y), False
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        return X, self._encode_classes(y), X.shape[1] < X.shape[0]

    def _store_linear(self, X, dual_coef):
        self.dual_coef_ = dual_coef
        if self.kernel == "linear":
            self.coef_ = safe_sparse_dot(X.T, dual_coef, dense_output=True).T

    def _vector_function(self, X):
        check_is_fitted(self)
        if self.kernel != "linear":
            return self._cross_gram(X) @ self.dual_coef_
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return safe_sparse_dot(X, self.coef_.T, dense_output=True)


def _linear_gram(X):
    return safe_sparse_dot(X, X.T, dense_output=True)


class SimplexRLSClassifier(_SimplexRLS):
    """S-RLS with a given regularisation parameter.

    Parameters
    ----------
    alpha : float, default=1.0
        Lambda of the paper's eq. (1), with the mean loss: the matrix inverted is K + n alpha I
        (scikit-learn's ``Ridge(alpha)`` has n times this value).
    kernel, gamma, degree, coef0 : see `reprolib.methods.shared.kernels.KernelMixin`
        As in scikit-learn. "linear" accepts sparse X.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
    code_ : ndarray of shape (T - 1, T)
    dual_coef_ : ndarray of shape (n, T - 1)
    coef_ : ndarray of shape (T - 1, p)
        W, for the linear kernel.
    X_fit_ : ndarray of shape (n, p)
        Training data, for the other kernels but "precomputed".

    See Also
    --------
    SimplexRLSClassifierCV : Selects alpha by the leave-one-out error.
    NystromSimplexRLSClassifier : For any number of rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from reprolib.methods.simplex import SimplexRLSClassifier
    >>> SimplexRLSClassifier(1e-3).fit(X, y).coef_.shape
    (2, 4)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **KernelMixin._parameter_constraints,
        "alpha": [POSITIVE],
    }

    def __init__(self, alpha=1.0, *, kernel="linear", gamma=None, degree=3, coef0=1):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X, y):
        """Fit by one Cholesky factorisation of min(n, p) rows.

        Raises
        ------
        ValueError
            If alpha is not positive, y has one class, or the kernel is not PSD.
        """
        self._validate_params()
        X, indices, in_features = self._fit_input(X, y)
        Y = encode(self.code_, indices)
        shift = len(Y) * self.alpha
        if in_features:
            covariance = safe_sparse_dot(X.T, X, dense_output=True)
            self.coef_ = rls_dual_coefficients_cholesky(covariance, X.T @ Y, shift).T
            self.dual_coef_ = (Y - X @ self.coef_.T) / shift
            return self
        K = _linear_gram(X) if self.kernel == "linear" else X
        self._store_linear(X, rls_dual_coefficients_cholesky(K, Y, shift))
        return self


def spectrum_alphas(eigenvalues, n_samples: int, *, n_alphas: int = 100):
    """Logarithmic grid of alphas such that n alpha spans the positive eigenvalues of K.

    Eigenvalues at most n times the machine epsilon times the largest do not count.

    Parameters
    ----------
    eigenvalues : ndarray
        Of K, in increasing order.
    n_samples : int
    n_alphas : int

    Returns
    -------
    ndarray of shape (n_alphas,), decreasing

    Raises
    ------
    ValueError
        If no eigenvalue is positive.
    """
    largest = np.max(eigenvalues, initial=0.0)
    positive = eigenvalues[eigenvalues > n_samples * np.finfo(float).eps * largest]
    if not len(positive):
        raise ValueError("The Gram matrix is zero; pass explicit alphas or other features.")
    return np.geomspace(largest, positive[0], n_alphas) / n_samples


class SimplexRLSClassifierCV(_SimplexRLS):
    """S-RLS with alpha selected by the exact leave-one-out error.

    One eigendecomposition (of X'X for the linear kernel with p < n, of K otherwise) gives the
    leave-one-out predictions of all alphas, in O(n min(n, p) T) for each. They equal retraining
    without x_i at the same n alpha. An example that is alone in its class counts as an error,
    since no model without it knows its class. Of equally good alphas, the largest is taken.

    Parameters
    ----------
    alphas : array-like of shape (L,) or callable or None
        The values to try, or a function (eigenvalues of K in increasing order, n) -> values.
        None means `spectrum_alphas`: 100 values, n alpha from the largest to the smallest
        positive eigenvalue of K.
    kernel, gamma, degree, coef0 : as in `SimplexRLSClassifier`

    Attributes
    ----------
    alpha_ : float
    alphas_ : ndarray of shape (L,)
        In decreasing order.
    loo_score_path_ : ndarray of shape (L,)
        Leave-one-out accuracy at every alpha of ``alphas_``.
    eigenvalues_ : ndarray
        Of K, in increasing order (the positive ones for the linear kernel with p < n).
    classes_, code_, dual_coef_, coef_, X_fit_
        As in `SimplexRLSClassifier`.

    See Also
    --------
    SimplexRLSClassifier : One alpha, by a Cholesky factorisation.
    NystromSimplexRLSClassifier : For any number of rows.

    Notes
    -----
    Memory of the kernel case: 24 n^2 bytes at the peak (6.1 GB for n = 16,000). Beyond, map the
    data with `reprolib.methods.shared.kernels.nystrom_map` and use the linear kernel, or give
    alpha to `NystromSimplexRLSClassifier`.

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
        **KernelMixin._parameter_constraints,
        "alphas": ["array-like", POSITIVE, callable, None],
    }

    def __init__(self, alphas=None, *, kernel="linear", gamma=None, degree=3, coef0=1):
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X, y):
        """Decompose once, score all alphas by leave-one-out, refit at the best.

        Raises
        ------
        ValueError
            If an alpha is not positive, y has one class, or the kernel is not PSD.
        """
        self._validate_params()
        X, indices, in_features = self._fit_input(X, y)
        spectrum = self._spectrum(X, in_features)
        self.eigenvalues_ = spectrum.eigenvalues
        self.alphas_ = self._check_alphas(len(indices))
        self.loo_score_path_ = _loo_scores(spectrum, indices, self.alphas_)
        self.alpha_ = float(self.alphas_[np.argmax(self.loo_score_path_)])
        Y, shift = encode(self.code_, indices), len(indices) * self.alpha_
        if in_features:
            V, s = spectrum.feature_map, spectrum.eigenvalues
            self.coef_ = ((V / (s + shift)) @ (V.T @ (X.T @ Y))).T
            self.dual_coef_ = (Y - X @ self.coef_.T) / shift
            return self
        self._store_linear(X, rls_dual_coefficients(spectrum, Y, shift))
        return self

    def _spectrum(self, X, in_features):
        if in_features:
            return feature_spectrum(X)
        if self.kernel == "linear":
            return gram_spectrum(_linear_gram(X), overwrite=True)
        return gram_spectrum(X, overwrite=self.kernel != "precomputed")

    def _check_alphas(self, n_samples):
        rule = spectrum_alphas if self.alphas is None else self.alphas
        alphas = rule(self.eigenvalues_, n_samples) if callable(rule) else rule
        alphas = np.sort(np.atleast_1d(as_numbers(alphas, "alphas")))[::-1]
        if not (alphas.ndim == 1 and len(alphas) and np.all(np.isfinite(alphas) & (alphas > 0))):
            raise ValueError(f"alphas must be positive numbers, at least one; got {self.alphas!r}.")
        return alphas


def _loo_scores(spectrum, indices, alphas):
    """Leave-one-out accuracy at every alpha, shape (L,)."""
    n_samples = len(indices)
    indicators = sp.csr_array((np.ones(n_samples), (np.arange(n_samples), indices)))
    hits = np.zeros(len(alphas))
    for rows, columns, scores in leave_one_out_path(spectrum, indicators, n_samples * alphas):
        hits[columns] += np.sum(first_largest(scores) == indices[rows, None], axis=0)
    return hits / n_samples
