"""Simplex support vector machines SC-SVM and SH-SVM (Mroueh et al. 2012, section 5).

Problem: minimise over f: X -> R^(T-1) in the RKHS 1/2 ||f||^2 + C sum_i V(y_i, f(x_i)) with

- SC-SVM (cone): V(y, f) = sum over q != y of max(0, 1/(T-1) + <c_q, f>),
- SH-SVM (half space): V(y, f) = max(0, 1 - <c_y, f>), with or without the constraint that f(x_i)
  lies in the convex hull of the code words,

which is the paper's eq. (1) with C = 1 / (2 n lambda). There is no intercept. For T = 2 both are
the support vector machine without intercept.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel, KernelMixin
from reprolib.methods.shared.sklearn_private import StrOptions
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.types import Array, Data, RandomState
from reprolib.methods.shared.validation import (
    COUNT,
    POSITIVE,
    require_positive_semidefinite,
)
from reprolib.methods.shared.weights import example_weights, merge_repeated
from reprolib.methods.simplex._base import SimplexClassifierMixin, gram_name
from reprolib.methods.simplex.gram_access import FeatureGram, KernelGram, StoredGram
from reprolib.methods.simplex.kronecker_qp import gram_factor, times_code_gram
from reprolib.methods.simplex.svm_portfolio import solve_simplex_svm
from reprolib.methods.simplex.svm_solver import (
    GAP_TOL,
    ConeDual,
    HalfspaceDual,
    HullDual,
    solve_simplex_svm_cvxopt,
)

#: Megabytes that a number takes.
MB_A_NUMBER = 8e-6


class _SimplexSVC(SimplexClassifierMixin, KernelMixin, BaseEstimator):
    """Fit and prediction of the simplex SVMs; ``_dual`` says which."""

    if TYPE_CHECKING:
        classes_: Array
        code_: Array
        dual_coef_: Array
        coef_: Array
        objective_: float
        duality_gap_: float
        X_fit_: Array
        n_iter_: int

    _takes_sparse = True

    _parameter_constraints: dict = {  # noqa: RUF012
        **KernelMixin._parameter_constraints,
        "C": [POSITIVE],
        "solver": [StrOptions({"descent", "cvxopt"})],
        "tol": [POSITIVE],
        "max_iter": [COUNT],
        "cache_size": [POSITIVE],
        "random_state": ["random_state"],
    }

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Solve the dual programme to a relative duality gap of ``tol``.

        Parameters
        ----------
        X : array-like of shape (n, p), or Gram matrix of shape (n, n) if precomputed
            One example a row, or its kernel values with all training examples.
        y : array-like of shape (n,)
            Class label of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts: factors of C. Equal rows with equal labels are one
            example of their total weight.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            If a hyperparameter is out of range, y has one class, or the kernel is not symmetric or
            not positive semidefinite. Where the Gram matrix is not stored (``cache_size``), its
            diagonal blocks of some 256 rows are looked at, and not the whole of it.

        Warns
        -----
        NotOptimalWarning
            If ``max_iter`` ended the solver; the model is feasible and ``duality_gap_`` is
            certified.
        """
        self._validate_params()
        X, y = self._training_data(X, y)
        weights = example_weights(y, sample_weight)
        if self.kernel != "precomputed":
            X, y, weights = merge_repeated(X, y, weights)
        X, indices = self._training_rows(X, weights), self._encode_classes(y[weights.rows])
        self._check_symmetric(X)
        indicators = np.eye(len(self.classes_))[indices]
        solution = _SOLVERS[self.solver](self, X, indicators, weights)
        if solution.status != "optimal":
            warnings.warn(
                f"{type(self).__name__} stopped after {solution.iterations} iterations at a "
                f"relative duality gap of {solution.relative_gap:.2g} (tol={self.tol:g}); "
                "increase max_iter or tol, scale the features, or decrease C.",
                NotOptimalWarning,
                stacklevel=3,
            )
        return self._store(X, solution)

    def _store(self, X, solution):
        self.X_fit_ = X
        self.dual_coef_ = solution.variables["coefficients"]
        self.objective_ = solution.primal_objective
        self.duality_gap_ = solution.relative_gap
        self.n_iter_ = solution.iterations
        if self.kernel == "linear":
            self.coef_ = self.dual_coef_.T @ X
        return self

    def _vector_function(self, X):
        check_is_fitted(self)
        if self.kernel == "linear":
            return self._new_data(X) @ self.coef_.T
        return self._cross_gram(X) @ self.dual_coef_

    def _dual(self, indicators, gram_times, weights):
        """Dual programme; ``gram_times(Z)`` computes K Z where the programme needs it."""
        raise NotImplementedError


def _descend(svm, X, indicators, weights):
    """Block coordinate descent and, where it is slow, an interior-point method."""
    dense_features = svm.kernel == "linear" and not issparse(X)
    gram = FeatureGram(X) if dense_features else _gram(svm, X)
    dual = svm._dual(indicators, lambda Z: gram.unit * gram.times(Z), weights)
    seed = check_random_state(svm.random_state).randint(2**31 - 1)
    return solve_simplex_svm(dual, gram, tol=svm.tol, max_iter=svm.max_iter, seed=seed)


def _gram(svm, X):
    """K, stored if it fits in ``cache_size`` MB, else with parts on demand."""
    most_rows = int(np.sqrt(svm.cache_size / MB_A_NUMBER))
    if svm.kernel == "precomputed" or X.shape[0] <= most_rows:
        return StoredGram(_semidefinite(svm, svm._kernel(X, X)))
    blocks = np.array_split(np.arange(X.shape[0]), max(1, X.shape[0] // 256))
    diagonal = [np.diagonal(_semidefinite(svm, svm._kernel(X[b], X[b]))) for b in blocks]
    return KernelGram(
        lambda rows, columns: svm._kernel(X[rows], X[columns]), np.concatenate(diagonal), most_rows
    )


def _semidefinite(svm, K):
    """Return K, or a diagonal block of it, if the certificate holds for it."""
    if svm.kernel in ("linear", "rbf"):
        return K
    return require_positive_semidefinite(K, gram_name(svm.kernel))


def _interior_point(svm, X, indicators, weights):
    """Cvxopt on a factor of K: X itself for the linear kernel with p <= n, K's spectrum else."""
    if svm.kernel == "linear" and not issparse(X) and X.shape[1] <= X.shape[0]:
        L = X
    else:
        L = gram_factor(_semidefinite(svm, svm._kernel(X, X)))
    dual = svm._dual(indicators, lambda Z: L @ (L.T @ Z), weights)
    return solve_simplex_svm_cvxopt(dual, L, tol=svm.tol, max_iter=svm.max_iter)


_SOLVERS = {"descent": _descend, "cvxopt": _interior_point}


class SimplexConeSVC(_SimplexSVC):
    """SC-SVM, the Fisher-consistent simplex support vector machine.

    Parameters
    ----------
    C : float, default=1.0
        1 / (2 n lambda) of the paper: the loss is a sum over the examples.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Similarity k(x, x') of two points. "precomputed": ``fit`` takes the Gram matrix of the
        training data in place of X. A callable takes two rows and returns a number; it has to be
        symmetric. The named ones take sparse X, too;
        the linear one then works with its Gram matrix.
    gamma : float, optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features.
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    solver : {"descent", "cvxopt"}, default="descent"
        Block coordinate descent, followed where it is slow (a large C, a smooth kernel) by an
        interior-point method on the multipliers that no bound holds. "cvxopt" solves the paper's
        quadratic
        programme as it is printed, as a check on some hundred examples; it is exact also where
        C K is beyond 1e6. See `reprolib.methods.simplex.cvxopt_reference`.
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=2000
        Rounds of the descent (five visits of every example that is not optimal) and
        interior-point iterations together.
    cache_size : float, default=500
        The Gram matrix is stored if it fits in so many MB; otherwise its rows are computed as
        they are needed, and the interior-point method can use only the examples whose matrix
        fits: give 8e-6 n^2 where C is large.
    random_state : int, RandomState or None
        Order of the examples in the descent.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
        The class labels, in increasing order.
    code_ : ndarray of shape (T - 1, T)
        Code words of the classes, one a column: the corners of a regular simplex.
    dual_coef_ : ndarray of shape (n, T - 1)
        Rows a_i of f(x) = sum_i a_i k(x_i, x); n counts equal rows with equal labels once, and
        rows of weight zero not at all.
    coef_ : ndarray of shape (T - 1, p)
        For the linear kernel.
    objective_ : float
        Primal objective.
    duality_gap_ : float
        Certified duality gap divided by the primal objective.
    X_fit_ : ndarray of shape (n, p)
        Training data, or the Gram matrix if precomputed; not a copy of an array of floats.
    n_iter_ : int
        Iterations that the solver made.

    See Also
    --------
    SimplexHalfspaceSVC : One hinge per example instead of one per wrong class.
    SimplexSGDClassifier : The same loss, linear, one example at a time.
    SimplexRLSClassifierCV : Least squares in the same coding, with the whole path of alpha.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib.methods.simplex import SimplexConeSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> svm = SimplexConeSVC(C=10.0, gamma=0.5).fit(X, y)
    >>> svm.duality_gap_ <= 1.01e-4
    True
    >>> svm.decision_function(X).shape
    (150, 3)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        solver: str = "descent",
        tol: float = GAP_TOL,
        max_iter: int = 2000,
        cache_size: float = 500,
        random_state: RandomState = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    def _dual(self, indicators, gram_times, weights):
        return ConeDual(indicators, weights.strength(self.C), weights.values)


class SimplexHalfspaceSVC(_SimplexSVC):
    """SH-SVM, with the convex-hull constraint (Fisher consistent) or without.

    Parameters
    ----------
    C : float, default=1.0
        1 / (2 n lambda) of the paper: the loss is a sum over the examples. A larger one fits the
        training data more closely.
    convex_hull : bool, default=True
        Constrain f(x_i) to the convex hull of the code words. The paper's experiments leave the
        constraint out; on the hull the losses of SH-SVM and SC-SVM are the same function.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Similarity k(x, x') of two points. "precomputed": ``fit`` takes the Gram matrix of the
        training data in place of X. A callable takes two rows and returns a number; it has to be
        symmetric. The named ones take sparse X, too;
        the linear one then works with its Gram matrix.
    gamma : float, optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features.
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    solver : {"descent", "cvxopt"}, default="descent"
        Block coordinate descent, followed where it is slow (a large C, a smooth kernel) by an
        interior-point method on the multipliers that no bound holds. "cvxopt" solves the paper's
        quadratic
        programme as it is printed, as a check on some hundred examples; it is exact also where
        C K is beyond 1e6. See `reprolib.methods.simplex.cvxopt_reference`.
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=2000
        Rounds of the descent (five visits of every example that is not optimal) and
        interior-point iterations together.
    cache_size : float, default=500
        The Gram matrix is stored if it fits in so many MB; otherwise its rows are computed as they
        are needed.
    random_state : int, RandomState or None
        Seed of the order of the examples in the descent.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
        The class labels, in increasing order.
    code_ : ndarray of shape (T - 1, T)
        Code words of the classes, one a column: the corners of a regular simplex.
    dual_coef_ : ndarray of shape (n, T - 1)
        Rows a_i of f(x) = sum_i a_i k(x_i, x); n counts equal rows with equal labels once, and
        rows of weight zero not at all.
    coef_ : ndarray of shape (T - 1, p)
        Weights of the features, for the linear kernel.
    objective_ : float
        Primal objective.
    duality_gap_ : float
        Certified duality gap divided by the primal objective.
    X_fit_ : ndarray of shape (n, p)
        Training data, or the Gram matrix if precomputed; not a copy of an array of floats.
    n_iter_ : int
        Iterations that the solver made.

    See Also
    --------
    SimplexConeSVC : Fisher consistent without a constraint.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib.methods.simplex import SimplexHalfspaceSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> svm = SimplexHalfspaceSVC(C=10.0, gamma=0.5).fit(X, y)
    >>> scores = svm.decision_function(X)
    >>> bool(scores.min() >= -0.5 - 1e-9)  # in the convex hull of the three code words
    True
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_SimplexSVC._parameter_constraints,
        "convex_hull": ["boolean"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        convex_hull: bool = True,
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        solver: str = "descent",
        tol: float = GAP_TOL,
        max_iter: int = 2000,
        cache_size: float = 500,
        random_state: RandomState = 0,
    ) -> None:
        self.C = C
        self.convex_hull = convex_hull
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    def _dual(self, indicators, gram_times, weights):
        C, values = weights.strength(self.C), weights.values
        if not self.convex_hull:
            return HalfspaceDual(indicators, C, values)
        labels = indicators if values is None else values[:, np.newaxis] * indicators
        return HullDual(indicators, C, times_code_gram(gram_times(labels)), values)
