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
        End of the path that is searched (and at most what the smallest fold reaches).
    cv : int, cross-validation splitter or iterable, default=5
        How the data are divided into training and held-out parts. An integer means so many
        stratified folds.
    scoring : str or callable, optional
        What is largest at the chosen one, as for `sklearn.model_selection.cross_val_score`, such
        as "balanced_accuracy" or "roc_auc"; the mean over the folds. None means the share of right
        predictions on all held-out points.
    loss, basis, rank, code : as in `MKPMClassifier`
    kernel, gamma, degree, coef0, rank_tol, random_state : as in `MKPMClassifier`

    Attributes
    ----------
    cv_score_path_ : ndarray of shape (length,)
        Held-out accuracy, all folds together, for d = 0, 1, ...; with ``scoring``, the mean score
        over the folds.
    n_components_ : int
        The chosen total dimension; at most L times the rank on all data.
    classes_, code_, allocation_path_, allocation_, bit_objective_path_, objective_path_, support_,
    dual_coef_, intercept_, duality_gap_, X_fit_
        As in `MKPMClassifier`.

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
        X : array-like of shape (n, p), or Gram matrix of shape (n, n) if precomputed
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            How often every example counts, also among the held-out predictions.
        groups : array-like of shape (n,), optional
            For a splitter that needs them, such as leave-one-run-out.

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
