"""MKPM: output-code bits in nested subspaces that share one budget of dimensions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.kpm.estimators import SOLVERS, require_hinge, select_dimension
from reprolib.methods.mkpm._bases import (
    Basis,
    cholesky_basis,
    kernel_pca_basis,
    linear_basis,
    nystrom_basis,
)
from reprolib.methods.mkpm._codes import CODES, CodeClassifierMixin, make_code
from reprolib.methods.mkpm._losses import LOSSES
from reprolib.methods.mkpm._paths import TieRule, decode_first, predict_blocks
from reprolib.methods.mkpm.cvxopt_reference import hinge_paths_cvxopt
from reprolib.methods.shared.codes import decision_values, encode
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel, KernelMixin
from reprolib.methods.shared.path_scores import SCORING, path_scores, require_scores
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, Data, RandomState, Splitter
from reprolib.methods.shared.validation import (
    COUNT,
    ConstantClassifierWarning,
    encode_labels,
    known_labels,
    list_folds,
    warn_if_constant,
)
from reprolib.methods.shared.weights import (
    ExampleWeights,
    counted_folds,
    distinct_rows,
    example_weights,
)

#: Duality gap of a bit, relative to the loss at zero, of which a fitted model warns.
NOTED_GAP = 1e-3


class _MKPM(KernelMixin, CodeClassifierMixin, BaseEstimator):
    """Hyperparameters ``loss``, ``solver``, ``basis``, ``rank``, ``code``, ``rank_tol``, kernel."""

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
        "solver": [StrOptions(set(SOLVERS))],
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
        if self.solver == "cvxopt":
            require_hinge(self.loss)
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
        targets = encode(self.code_, class_indices)
        if self.solver == "auto":
            paths, self.duality_gap_ = LOSSES[self.loss](basis, targets)
        else:
            # Of several optima cvxopt finds another where a point is there twice.
            first, place = distinct_rows(X, class_indices)
            merged = basis.merge(first, place)
            paths, self.duality_gap_ = hinge_paths_cvxopt(merged, targets[first])
        if self.duality_gap_ > NOTED_GAP:
            warnings.warn(
                f"the loss of a bit may be up to {self.duality_gap_:.2g} above its least: only "
                "functions of huge values come nearer, and rounding may change their decisions; "
                "use a smaller rank or a wider kernel",
                NotOptimalWarning,
                stacklevel=4,
            )
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
            few = not issparse(X) and 2 * X.shape[1] <= len(X)
            if self.kernel == "linear" and roots is None and few:
                return linear_basis(X, rank_tol=self.rank_tol)
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
        is_class = self.classes_ == y[:, None]
        place = np.where(is_class.any(axis=1), is_class.argmax(axis=1), -1)
        for block, indices in predict_blocks(self._paths, features, rows, self.code_):
            correct += counts[block] @ (indices == place[block, None])
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


class MKPMClassifier(_MKPM):
    """Multiclass kernel projection machine.

    A code word of length L stands for every class. Bit l of the code is predicted by a function
    f_l in the span S_{d_l} of the first d_l functions of a nested family psi_1, psi_2, ..., fitted
    without a penalty; the dimensions d_l share one budget d, the only regularisation::

        minimise    sum_l  min_{f_l in S_{d_l}}  (1/n) sum_i loss(f_l(x_i), y_il)
        subject to  d_1 + ... + d_L = d

    A dynamic programme solves this for all d = 0, ..., ``n_components`` at once, so that a fitted
    model holds the whole regularisation path (`score_path`, `predict_path`, `decision_path`);
    `predict` uses its last point. A new x gets the class of the nearest code word, the first of
    those that rounding cannot tell apart. The kernel is not centred, and the square loss has no
    intercept, as in the paper; with the hinge and the logistic loss every bit is a binary KPM with
    an intercept, which takes none of the budget.

    Parameters
    ----------
    n_components : int, optional
        Total dimension d, the end of the path; more dimensions fit the training data better. None,
        or more than L times the rank of the basis, means L times the rank, where every bit has
        its largest dimension.
    loss : {"square", "hinge", "logistic"}, default="square"
        How a bit's error is measured. The hinge and the logistic loss need a code in {-1, 1}, and
        time that grows quickly with the dimension: set ``rank``.
    solver : {"auto", "cvxopt"}, default="auto"
        "auto" is the fast solver of every loss. "cvxopt" solves the linear programme of the hinge
        loss for every bit and dimension from scratch, as a check on small problems: the same
        losses, but another optimum where there are several. See
        `reprolib.methods.mkpm.cvxopt_reference`.
    basis : {"kernel_pca", "nystrom", "cholesky"}, default="kernel_pca"
        Nested family: exact kernel PCA, kernel PCA of the Nystrom approximation on ``rank``
        random landmarks, or the Gram-Schmidt family of the ``rank`` points that pivoted
        incomplete Cholesky picks. The last two never form the n x n Gram matrix.
    rank : int, optional
        Largest dimension of one bit; all of the numerical rank by default.
    code : {"one-vs-all", "simplex", "random"} or array-like of shape (L, n_classes)
        One column per class, in the order of ``classes_``. "random": a seeded code in {-1, 1} of
        length ceil(10 log2(n_classes)). Repeated or opposite rows are admissible: such bits are
        fitted, and use up dimensions, like the others.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Similarity k(x, x') of two points. The named ones take sparse X, too. "precomputed":
        ``fit`` takes the Gram matrix of the training data in place of X. A callable takes two
        rows and returns a number; it has to be symmetric.
    gamma : float or "scale", optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features, "scale"
        1 / (n_features X.var()).
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    rank_tol : float, default=1e-10
        Eigenvalues at most this fraction of the largest are taken as zero, which caps d_l: at new
        points their functions are mostly round-off. Not used by ``basis="cholesky"``.
    random_state : int, RandomState or None
        For the landmarks and the random code.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    code_ : ndarray of shape (L, n_classes)
        The code: column t is the code word of ``classes_[t]``.
    n_components_ : int
        End of the path.
    allocation_path_ : ndarray of shape (n_components_ + 1, L)
        The best (d_1, ..., d_L) for every d, ties as in `solve_allocation_dp`.
    allocation_ : ndarray of shape (L,)
        Its last row, the dimensions that `predict` uses.
    bit_objective_path_ : ndarray of shape (L, r + 1)
        Empirical risk G_l(d) of every bit alone.
    objective_path_ : ndarray of shape (n_components_ + 1,)
        Empirical risk summed over bits, equation (11).
    support_ : ndarray of shape (m,)
        Rows of the training data in the expansion of the predictors: all of positive weight,
        landmarks, or pivots.
    dual_coef_ : ndarray of shape (m, L)
        f_l(x) = sum_i dual_coef_[i, l] k(x, X_fit_[i]) + intercept_[l].
    intercept_ : ndarray of shape (L,)
        Zero for the square loss.
    coef_ : ndarray of shape (L, p)
        For the linear kernel: f_l(x) = <coef_[l], x> + intercept_[l].
    duality_gap_ : float
        Largest relative duality gap of the single-bit problems. It is large, and there is a
        `NotOptimalWarning`, where only a function of huge values has the least hinge loss.
    X_fit_ : ndarray of shape (m, p)
        The training points of ``support_`` (not with a precomputed kernel).

    See Also
    --------
    MKPMClassifierCV : Chooses the total dimension by cross-validation.
    NystromMKPMClassifier : Square loss on any number of rows.
    reprolib.methods.mkpm.allocation.solve_allocation : How the bits share the dimensions.

    References
    ----------
    S. Takerkart and L. Ralaivola, MKPM: a multiclass extension to the kernel projection machine,
    CVPR 2011: Algorithm 1, equations (10)-(20), (34)-(42). Corrected: the stray 1/L of (16), the
    missing 1/N of (36) and (42), the variable of the minimum in (30). None changes the minimiser.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib.methods.mkpm import MKPMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKPMClassifier(n_components=20, gamma=0.5).fit(X, y)
    >>> model.allocation_.sum()
    np.int64(20)
    >>> model.score_path(X, y).shape
    (21,)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_MKPM._parameter_constraints,
        "n_components": [COUNT, None],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        loss: str = "square",
        solver: str = "auto",
        basis: str = "kernel_pca",
        rank: int | None = None,
        code: Data = "one-vs-all",
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        rank_tol: float = RANK_TOL,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.solver = solver
        self.basis = basis
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
        """Fit all bits in all dimensions, and allocate the dimensions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n) for kernel="precomputed"
            Training data, one example a row; or their Gram matrix.
        y : array-like of shape (n,)
            Class of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, in the loss and in the nested family.

        Returns
        -------
        self : MKPMClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If a hyperparameter, the code or the Gram matrix is not admissible.
        NotOptimalError
            If a single-bit problem was not solved.
        """
        X, y = self._validate(X, y)
        weights = example_weights(y, sample_weight)
        return self._fit_path(X, y, self.n_components, weights)


class MKPMClassifierCV(_MKPM):
    """Multiclass kernel projection machine, total dimension chosen by cross-validation.

    Every fold is fitted once; its path gives the accuracy for all total dimensions. The
    dimension with the most correct held-out predictions is taken, the smallest of equal ones, and
    the model is refitted on all data with its path ending there.

    Parameters
    ----------
    max_components : int, optional
        Largest total dimension that is tried; a larger one takes more time. At most, and by default
        (None), it is the largest one that all folds reach.
    cv : int, cross-validation splitter or iterable, default=5
        How the data are divided into training and held-out parts. An integer means so many
        stratified folds.
    scoring : str or callable, optional
        Score to maximise, averaged over the folds; given as for
        `sklearn.model_selection.cross_val_score`, such as "balanced_accuracy" or "roc_auc". None
        means the share of right predictions on all held-out points.
    loss : {"square", "hinge", "logistic"}, default="square"
        How a bit's error is measured. The hinge and the logistic loss need a code in {-1, 1}, and
        time that grows quickly with the dimension: set ``rank``.
    solver : {"auto", "cvxopt"}, default="auto"
        "auto" is the fast solver of every loss. "cvxopt" solves the linear programme of the hinge
        loss for every bit and dimension from scratch, as a check on small problems: the same
        losses, but another optimum where there are several. See
        `reprolib.methods.mkpm.cvxopt_reference`.
    basis : {"kernel_pca", "nystrom", "cholesky"}, default="kernel_pca"
        Nested family: exact kernel PCA, kernel PCA of the Nystrom approximation on ``rank``
        random landmarks, or the Gram-Schmidt family of the ``rank`` points that pivoted
        incomplete Cholesky picks. The last two never form the n x n Gram matrix.
    rank : int, optional
        Largest dimension of one bit; all of the numerical rank by default.
    code : {"one-vs-all", "simplex", "random"} or array-like of shape (L, n_classes)
        One column per class, in the order of ``classes_``. "random": a seeded code in {-1, 1} of
        length ceil(10 log2(n_classes)). Repeated or opposite rows are admissible: such bits are
        fitted, and use up dimensions, like the others.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Similarity k(x, x') of two points. The named ones take sparse X, too. "precomputed":
        ``fit`` takes the Gram matrix of the training data in place of X. A callable takes two
        rows and returns a number; it has to be symmetric.
    gamma : float or "scale", optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features, "scale"
        1 / (n_features X.var()).
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    rank_tol : float, default=1e-10
        Eigenvalues at most this fraction of the largest are taken as zero, which caps d_l: at new
        points their functions are mostly round-off. Not used by ``basis="cholesky"``.
    random_state : int, RandomState or None
        For the landmarks and the random code.

    Attributes
    ----------
    cv_score_path_ : ndarray of shape (length,)
        Held-out accuracy, all folds together, for d = 0, 1, ...; with ``scoring``, the mean score
        over the folds.
    n_components_ : int
        The chosen total dimension; at most L times the rank on all data.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    code_ : ndarray of shape (L, n_classes)
        The code: column t is the code word of ``classes_[t]``.
    allocation_path_ : ndarray of shape (n_components_ + 1, L)
        The best (d_1, ..., d_L) for every d, ties as in `solve_allocation_dp`.
    allocation_ : ndarray of shape (L,)
        Its last row, the dimensions that `predict` uses.
    bit_objective_path_ : ndarray of shape (L, r + 1)
        Empirical risk G_l(d) of every bit alone.
    objective_path_ : ndarray of shape (n_components_ + 1,)
        Empirical risk summed over bits, equation (11).
    support_ : ndarray of shape (m,)
        Rows of the training data in the expansion of the predictors: all of positive weight,
        landmarks, or pivots.
    dual_coef_ : ndarray of shape (m, L)
        f_l(x) = sum_i dual_coef_[i, l] k(x, X_fit_[i]) + intercept_[l].
    intercept_ : ndarray of shape (L,)
        Zero for the square loss.
    coef_ : ndarray of shape (L, p)
        For the linear kernel: f_l(x) = <coef_[l], x> + intercept_[l].
    duality_gap_ : float
        Largest relative duality gap of the single-bit problems. It is large, and there is a
        `NotOptimalWarning`, where only a function of huge values has the least hinge loss.
    X_fit_ : ndarray of shape (m, p)
        The training points of ``support_`` (not with a precomputed kernel).

    See Also
    --------
    MKPMClassifier : One given total dimension, and the path up to it.
    reprolib.methods.kpm.KPMClassifierCV : Two classes, hinge loss.

    Notes
    -----
    Takerkart and Ralaivola (CVPR 2011), section 4, take the dimension "that minimised the
    classification error rate on the training data": held-out parts of the training data, as here,
    are one reading. Of equal ones, the smallest is our choice.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib import MKPMClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKPMClassifierCV(30, gamma=0.5).fit(X, y)
    >>> model.cv_score_path_.shape
    (31,)
    >>> bool(model.cv_score_path_[model.n_components_] > 0.9)
    True
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_MKPM._parameter_constraints,
        "max_components": [COUNT, None],
        "cv": ["cv_object"],
        "scoring": SCORING,
    }

    if TYPE_CHECKING:
        cv_score_path_: Array

    def __init__(
        self,
        max_components: int | None = None,
        *,
        cv: Splitter = 5,
        scoring: str | Callable | None = None,
        loss: str = "square",
        solver: str = "auto",
        basis: str = "kernel_pca",
        rank: int | None = None,
        code: Data = "one-vs-all",
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        rank_tol: float = RANK_TOL,
        random_state: RandomState = None,
    ) -> None:
        self.max_components = max_components
        self.cv = cv
        self.scoring = scoring
        self.loss = loss
        self.solver = solver
        self.basis = basis
        self.rank = rank
        self.code = code
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank_tol = rank_tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None, groups: Data = None) -> Self:
        """Choose the total dimension and refit on all data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n) for kernel="precomputed"
            Training data, one example a row; or their Gram matrix.
        y : array-like of shape (n,)
            Class of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, also among the held-out predictions.
        groups : array-like of shape (n,), optional
            For a splitter that needs them, such as leave-one-run-out.

        Returns
        -------
        self : MKPMClassifierCV
            The fitted estimator.

        Raises
        ------
        ValueError
            Beside the reasons of `MKPMClassifier`: a fold trains without one of the classes,
            ``scoring`` is NaN on a fold, or no fold holds out a row of positive weight.
        """
        X, y = self._validate(X, y)
        folds = list_folds(check_cv(self.cv, y, classifier=True), X, y, groups)
        weights = example_weights(y, sample_weight)
        folds = counted_folds(folds, weights.counted)
        correct = [
            self._held_out_score(X, y, train, test, fold, weights) for fold, train, test in folds
        ]
        length = min(len(fold_correct) for fold_correct in correct)
        total = np.sum([fold_correct[:length] for fold_correct in correct], axis=0)
        if self.scoring is None:
            self.cv_score_path_ = total / sum(
                weights.at(test).total_repeats for _, _, test in folds
            )
        else:
            self.cv_score_path_ = total / len(folds)
        return self._fit_path(X, y, select_dimension(-self.cv_score_path_[1:]), weights)

    def _held_out_score(self, X, y, train, test, fold: int, weights):
        """Right predictions on one fold, or its score, for every total dimension."""
        missing = np.setdiff1d(y[weights.rows], y[train])
        if len(missing):
            raise ValueError(
                f"fold {fold} of cv trains without class {missing[0]}; use fewer folds, or a "
                "stratified splitter."
            )
        if self.kernel == "precomputed":
            X_train, X_test = X[np.ix_(train, train)], X[np.ix_(test, train)]
        else:
            X_train, X_test = X[train], X[test]
        parameters = {
            name: value
            for name, value in self.get_params().items()
            if name not in ("cv", "max_components", "scoring")
        }
        model = MKPMClassifier(self.max_components, **parameters)
        with warnings.catch_warnings():
            # The model of all data says so, once.
            warnings.simplefilter("ignore", ConstantClassifierWarning)
            model.fit(X_train, y[train], sample_weight=weights.at(train).values)
        repeats = weights.at(test).repeats
        if self.scoring is None:
            return model.count_path(X_test, y[test], sample_weight=repeats)
        values = model.decision_path(X_test)
        scores = path_scores(
            self.scoring,
            model.classes_,
            values,
            y[test],
            sample_weight=repeats,
            tolerance=TieRule.of(model.code_).tolerance,
        )
        require_scores(scores[1:], self.scoring, fold)
        return scores
