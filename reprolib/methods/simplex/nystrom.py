"""Simplex regularised least squares on Nystrom features, for any number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel
from reprolib.methods.shared.nystrom import NystromMixin
from reprolib.methods.shared.types import Array, Data, RandomState
from reprolib.methods.shared.validation import POSITIVE
from reprolib.methods.simplex._base import LeastSquaresProbabilities
from reprolib.methods.simplex.rls_solver import rls_dual_coefficients_cholesky


class NystromSimplexRLSClassifier(LeastSquaresProbabilities, NystromMixin, BaseEstimator):
    """S-RLS in the span of ``rank`` kernel functions, in one pass over the rows.

    Minimises (1/n) sum_i ||c_{y_i} - W z(x_i)||^2 + alpha ||W||^2 over W, z the Nystrom features of
    random landmarks: `SimplexRLSClassifier` with the linear kernel on these features, which are
    never stored. Time O(n rank^2), memory O(rank^2); see `reprolib.methods.shared.nystrom`.

    Parameters
    ----------
    alpha : float, default=1e-4
        Lambda of the paper's eq. (1), as in `SimplexRLSClassifier`.
    rank : int, default=500
        Number of landmarks, at most n.
    kernel, gamma, degree, coef0 : see `reprolib.methods.shared.kernels.KernelMixin`
        As in `SimplexRLSClassifier`, but not "precomputed".
    random_state : int, RandomState or None
        For the landmarks.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
    code_ : ndarray of shape (T - 1, T)
    X_fit_ : ndarray of shape (rank, p)
        The landmarks.
    feature_map_ : ndarray of shape (rank, r)
        z(x) = feature_map_' k(X_fit_, x).
    coef_ : ndarray of shape (T - 1, r)

    See Also
    --------
    SimplexRLSClassifier : The problem in the whole space, for up to some ten thousand rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from reprolib.methods.simplex import NystromSimplexRLSClassifier
    >>> model = NystromSimplexRLSClassifier(rank=30, gamma=0.5, random_state=0).fit(X, y)
    >>> model.X_fit_.shape
    (30, 4)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **NystromMixin._parameter_constraints,
        "alpha": [POSITIVE],
    }

    if TYPE_CHECKING:
        classes_: Array
        code_: Array
        X_fit_: Array
        feature_map_: Array
        coef_: Array

    def __init__(
        self,
        alpha: float = 1e-4,
        *,
        rank: int = 500,
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        random_state: RandomState = None,
    ) -> None:
        self.alpha = alpha
        self.rank = rank
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Sum over the rows, and solve one system of ``rank`` equations.

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
            If a hyperparameter is out of range, y has one class, or the kernel is zero.
        """
        self._validate_params()
        moments = self._accumulate(X, y, sample_weight)
        self._set_code()
        targets = moments.class_sums @ self.code_.T
        shift = moments.n_samples * self.alpha
        self.coef_ = rls_dual_coefficients_cholesky(moments.covariance, targets, shift).T
        return self

    def _vector_function(self, X):
        check_is_fitted(self)
        return self._apply(X, self.coef_.T)
