"""KEOPS with the weight of its loss chosen by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.model_selection import check_cv

from reprolib.methods.keops.alternating import DECREASE_TOL
from reprolib.methods.keops.estimators import KEOPSClassifier
from reprolib.methods.keops.kernel_sets import PRUNE_TOL
from reprolib.methods.keops.norms import check_exponents, effective_weights, uniform_weights
from reprolib.methods.keops.tree import check_tree
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import center_gram
from reprolib.methods.shared.path_scores import SCORING, path_scores, require_scores
from reprolib.methods.shared.ties import first_largest
from reprolib.methods.shared.types import Array, ClassWeight, Data, RandomState, Scoring, Splitter
from reprolib.methods.shared.validation import (
    POSITIVE,
    ConstantClassifierWarning,
    as_numbers,
    list_folds,
)
from reprolib.methods.shared.weights import counted_folds, example_weights

#: Values of C that are tried, in units of the data; see `KEOPSClassifierCV`.
DEFAULT_GRID = np.geomspace(1e-4, 1e1, 11)


class KEOPSClassifierCV(KEOPSClassifier):
    """KEOPS that chooses C, the weight of its loss, by cross-validation.

    The scale of C is not that of an SVM and grows with the tree, so that no fixed C is right. Every
    C is scored on the same held-out parts; then the model is fitted to all data at the best.

    Parameters
    ----------
    tree : KernelTree or nested lists of kernel indices, optional
        Groups of kernels, such as `reprolib.tree_from_info` makes; None means a flat tree.
    p : float or sequence of float, default=1.0
        Exponents of the levels, coarsest first; one number means the same for all. 0 leaves all
        kernels of a level in, larger exponents make the level sparser.
    Cs : array-like of shape (L,), optional
        Values of C to try. None means eleven values from 1e-4 to 10, divided by the variance of the
        data under the kernel of uniform weights: the mean squared distance of the training points
        from their mean in feature space.
    cv : int, cross-validation splitter or iterable, default=5
        How the data are divided into training and held-out parts. An integer means so many
        stratified folds. For trials of several runs or subjects give a splitter by groups, such as
        `sklearn.model_selection.LeaveOneGroupOut`, and ``groups`` to ``fit``.
    scoring : str or callable, optional
        Score to maximise, averaged over the folds; given as for
        `sklearn.model_selection.cross_val_score`, such as "balanced_accuracy" or "roc_auc". None
        means the share of right predictions on all held-out points.
    kernel : {"linear", "precomputed"} or list, default="linear"
        "linear": one linear kernel for each block of features. "precomputed": ``X`` holds Gram
        matrices, shape (n_kernels, n, n). A list has one kernel an entry: a name of
        `sklearn.metrics.pairwise.pairwise_kernels` ("rbf", "laplacian", ...) with its default
        parameters, or a function of two arrays of rows, (n, p) and (m, p), that returns their
        kernel values, (n, m).
    blocks : array-like of int of shape (p,), optional
        Kernel of every feature, 0..n_kernels-1; one kernel for each feature by default.
    solver : {"auto", "cvxopt"}, default="auto"
        "auto" is the fast warm-started solver of the SVMs. "cvxopt" solves the quadratic programme
        of every outer step from scratch, as a check on small problems. See
        `reprolib.methods.keops.cvxopt_reference`.
    init : {"uniform", "random"}, default="uniform"
        Weights at the start; matters where the penalty is not convex.
    gap_tol : float, default=1e-3
        Where the penalty is convex: duality gap, relative to the penalty, at which to stop.
    decrease_tol : float, default=1e-6
        Where the penalty is not convex: stop when a step lowers the objective by at most this part.
    prune_tol : float, default=1e-6
        Kernels whose norm is at most this part of the largest are dropped for good.
    max_iter : int, default=3000
        Largest number of outer steps, each of which trains an SVM and then renews the weights.
    random_state : int, RandomState or None
        Seed of the weights at the start, for init="random".
    class_weight : dict, "balanced" or None, default=None
        Factor of C for the examples of a class; "balanced" gives all classes the same total
        weight.

    Attributes
    ----------
    C_ : float
        The chosen C, the smallest of equally good ones.
    Cs_ : ndarray of shape (L,)
        In increasing order.
    cv_score_path_ : ndarray of shape (L,)
        Held-out accuracy, all folds together, at every C; with ``scoring``, the mean score over the
        folds.
    weights_ : list of ndarray
        sigma of every level of the tree, coarsest first; each sums to one.
    kernel_weights_ : ndarray of shape (n_kernels,)
        Weights of the effective kernel, which is the sum of the kernels under them.
    kernel_norms_ : ndarray of shape (n_kernels,)
        ||f_m||, the size of every kernel's part of the function; zero if it is dropped.
    selected_ : ndarray of bool of shape (n_kernels,)
        Whether a kernel takes part in the decision.
    n_selected_ : tuple of int
        Selected nodes of every level, coarsest first.
    objective_path_ : ndarray of shape (n_iter_,)
        Objective after every outer step; non-increasing.
    objective_ : float
        Objective of the solution.
    duality_gap_ : float
        Relative duality gap; infinite where the penalty is not convex.
    status_ : str
        "optimal" (by the gap), "stationary" (by the decrease) or "max_iter".
    coef_ : ndarray of shape (p,)
        Weight of every feature, for kernel="linear".
    X_fit_ : ndarray of shape (n, p)
        Training data whose weight is not zero, where ``kernel`` is a list.
    dual_coef_ : ndarray of shape (n,)
        y_i alpha_i; n does not count rows of weight zero.
    intercept_ : float
        The b, which is added to the sum of the functions.
    tree_ : KernelTree
        The tree, as it was given or flat.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in increasing order.
    n_iter_ : int
        Outer steps that were made.
    estimators_ : list of KEOPSClassifier
        For more than two classes, one model for each class against the others. This object then has
        ``coef_``, ``intercept_`` (first axis: the classes), ``classes_`` and ``n_iter_`` (the
        largest), and what belongs to the choice of C, which they share; the models have the rest.

    See Also
    --------
    KEOPSClassifier : One given C.

    Notes
    -----
    Every C is a fit of its own from the same start, as in `sklearn.model_selection.GridSearchCV`:
    where the penalty is not convex, a start from the last answer would lead elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib import KEOPSClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 6)), np.arange(60) % 2
    >>> X[:, :2] += 1.5 * y[:, None]
    >>> model = KEOPSClassifierCV([[0, 1], [2, 3], [4, 5]], p=0.5, cv=3).fit(X, y)
    >>> model.cv_score_path_.shape
    (11,)
    >>> bool(model.C_ in model.Cs_)
    True
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **{k: v for k, v in KEOPSClassifier._parameter_constraints.items() if k != "C"},
        "Cs": ["array-like", POSITIVE, None],
        "cv": ["cv_object"],
        "scoring": SCORING,
    }

    if TYPE_CHECKING:
        C_: float
        Cs_: Array
        cv_score_path_: Array

    def __init__(
        self,
        tree: Data = None,
        p: Data = 1.0,
        Cs: Data = None,
        *,
        cv: Splitter = 5,
        scoring: Scoring = None,
        kernel: str | list[str | Callable[..., Any]] = "linear",
        blocks: Data = None,
        solver: str = "auto",
        init: str = "uniform",
        gap_tol: float = 1e-3,
        decrease_tol: float = DECREASE_TOL,
        prune_tol: float = PRUNE_TOL,
        max_iter: int = 3000,
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
    ) -> None:
        super().__init__(
            tree,
            p,
            kernel=kernel,
            blocks=blocks,
            solver=solver,
            init=init,
            gap_tol=gap_tol,
            decrease_tol=decrease_tol,
            prune_tol=prune_tol,
            max_iter=max_iter,
            random_state=random_state,
            class_weight=class_weight,
        )
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None, groups: Data = None) -> Self:
        """Choose C and refit on all data.

        Parameters
        ----------
        X : array-like of shape (n, p), or (n_kernels, n, n) for kernel="precomputed"
            One example a row, or one Gram matrix of the training examples a kernel.
        y : array-like of shape (n,)
            Class label of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, also among the held-out predictions.
        groups : array-like of shape (n,), optional
            For a splitter that needs them, such as leave-one-run-out.

        Returns
        -------
        self
            The fitted classifier, with the best C.

        Raises
        ------
        ValueError
            Beside the reasons of `KEOPSClassifier`: a fold trains without one of the classes,
            ``scoring`` is NaN on a fold, or no fold holds out a row of positive weight.
        """
        self._validate_params()
        X, y = self._checked(X, y)
        weights = example_weights(y, sample_weight, self.class_weight)
        self._signs(y[weights.rows])
        self.Cs_ = self._grid(X, weights)
        folds = list_folds(check_cv(self.cv, y, classifier=True), y, y, groups)
        folds = counted_folds(folds, weights.counted)
        scores = [self._held_out_scores(X, y, fold, weights) for fold in folds]
        # By default every held-out point counts alike, with a scoring every fold.
        held_out = [weights.at(test).total_repeats for _, _, test in folds]
        self.cv_score_path_ = np.average(
            scores, axis=0, weights=held_out if self.scoring is None else None
        )
        self.C_ = float(self.Cs_[first_largest(self.cv_score_path_)])
        chosen = self._at(self.C_).fit(X, y, sample_weight=_repetitions(weights))
        parameters = chosen.get_params(deep=False)
        results = {name: value for name, value in vars(chosen).items() if name not in parameters}
        self.__dict__.update(results)
        if hasattr(self, "feature_names_in_"):
            for model in getattr(self, "estimators_", []):
                model.feature_names_in_ = self.feature_names_in_
        return self

    def _at(self, C: float) -> KEOPSClassifier:
        """The same estimator at a given C."""
        own = ("Cs", "cv", "scoring")
        parameters = {k: v for k, v in self.get_params(deep=False).items() if k not in own}
        return KEOPSClassifier(C=C, **parameters)

    def _grid(self, X, weights):
        """Values of C in increasing order."""
        if self.Cs is None:
            kernels = self._kernel_set(X, weights.rows)
            tree = check_tree(self.tree, kernels.n_kernels)
            exponents = check_exponents(self.p, tree.height)
            uniform = effective_weights(tree, exponents, uniform_weights(tree))
            centred = center_gram(kernels.gram(uniform), weights=weights.values)
            variance = float(np.average(np.diag(centred), weights=weights.values))
            return DEFAULT_GRID / (variance or 1.0) / weights.unit
        Cs = np.sort(np.atleast_1d(as_numbers(self.Cs, "Cs")))
        if Cs.ndim != 1 or not len(Cs) or not np.all(np.isfinite(Cs) & (Cs > 0.0)):
            raise ValueError(f"Cs is {self.Cs!r}; give positive numbers, at least one.")
        return Cs

    def _held_out_scores(self, X, y, fold, weights):
        """Score of one fold at every C."""
        number, train, test = fold
        missing = np.setdiff1d(y[weights.rows], y[train])
        if len(missing):
            raise ValueError(
                f"fold {number} of cv trains without class {missing[0]}; use fewer folds, or a "
                "stratified splitter."
            )
        given = _repetitions(weights)
        sample_weight = None if given is None else given[train]
        with warnings.catch_warnings():
            # A small C is worth a try, and its constant classifier a low score.
            warnings.simplefilter("ignore", ConstantClassifierWarning)
            part, held_out = self._part(X, train, train), self._part(X, test, train)
            models = [
                self._at(C).fit(part, y[train], sample_weight=sample_weight) for C in self.Cs_
            ]
        values = np.stack([model.decision_function(held_out) for model in models], axis=-1)
        repeats, scoring = weights.at(test).repeats, self.scoring or "accuracy"
        found = path_scores(scoring, models[0].classes_, values, y[test], sample_weight=repeats)
        return require_scores(found, scoring, number)

    def _part(self, X, rows, train):
        """Features of some rows, or their kernel values with the training rows."""
        return X[:, rows][:, :, train] if self.kernel == "precomputed" else X[rows]


def _repetitions(weights):
    """Sample weights as they were given, of all rows; None where none were."""
    if weights.repeats is None:
        return None
    given = np.zeros(weights.n_samples)
    given[weights.rows] = weights.repeat_unit * weights.repeats
    return given
