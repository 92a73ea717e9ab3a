"""MKPM with the total dimension chosen along the whole path by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.model_selection import check_cv

from reprolib.methods.kpm.estimators import select_dimension
from reprolib.methods.mkpm._base import _MKPM
from reprolib.methods.mkpm._classifier import MKPMClassifier
from reprolib.methods.mkpm._paths import TieRule
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel
from reprolib.methods.shared.path_scores import SCORING, path_scores, require_scores
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, Data, RandomState, Splitter
from reprolib.methods.shared.validation import COUNT, list_folds
from reprolib.methods.shared.weights import counted_folds, example_weights


class MKPMClassifierCV(_MKPM):
    """Multiclass kernel projection machine, total dimension chosen by cross-validation.

    Every fold is fitted once; its path gives the accuracy for all total dimensions. The
    dimension with the most correct held-out predictions is taken, the smallest of equal ones, and
    the model is refitted on all data with its path ending there.

    Parameters
    ----------
    max_components : int, optional
        End of the path that is searched, at most what the smallest fold reaches. More takes more
        time. None means that.
    cv : int, cross-validation splitter or iterable, default=5
        How the data are divided into training and held-out parts. An integer means so many
        stratified folds.
    scoring : str or callable, optional
        What is largest at the chosen one, as for `sklearn.model_selection.cross_val_score`, such
        as "balanced_accuracy" or "roc_auc"; the mean over the folds. None means the share of right
        predictions on all held-out points.
    loss : {"square", "hinge", "logistic"}, default="square"
        How a bit's error is measured. The hinge and the logistic loss need a code in {-1, 1}, and
        time that grows quickly with the dimension: set ``rank``.
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
        Largest relative duality gap of the single-bit problems.
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
