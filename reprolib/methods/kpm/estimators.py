"""Kernel Projection Machine: regularise by the number of kernel principal components.

Blanchard, Massart, Vert and Zwald, "Kernel Projection Machine: a New Tool for Pattern
Recognition", NIPS 2004, section 3.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.kpm.components import (
    MAX_NORM,
    KernelComponents,
    ProjectionPath,
    undetermined_message,
)
from reprolib.methods.kpm.cvxopt_reference import solve_hinge_lp_cvxopt
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.kpm.logistic_path import solve_logistic_path
from reprolib.methods.kpm.square_path import solve_square_path
from reprolib.methods.shared.binary import OneVsRestMixin
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel, KernelMixin
from reprolib.methods.shared.path_scores import SCORING, path_scores, require_scores
from reprolib.methods.shared.probabilities import logistic_probabilities, square_probabilities
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.ties import first_largest, tied
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, ClassWeight, Data, RandomState, Scoring, Splitter
from reprolib.methods.shared.validation import COUNT, known_labels, list_folds, warn_if_constant
from reprolib.methods.shared.weights import CLASS_WEIGHT, counted_folds, example_weights

LOSSES: dict[str, Callable] = {
    "hinge": solve_hinge_lp_path,
    "square": solve_square_path,
    "logistic": solve_logistic_path,
}

SOLVERS = ("auto", "cvxopt")

TIE_BREAKS: dict[str, Callable] = {
    "smallest": lambda least: least[0],
    "largest": lambda least: least[-1],
    "middle": lambda least: least[(len(least) - 1) // 2],
}

#: A decision value of at most this part of the largest one is on the boundary: its sign may be
#: that of rounding.
BOUNDARY_TOL = 1e-8


def require_hinge(loss: str) -> None:
    """Refuse ``solver="cvxopt"`` for a loss that is no linear programme.

    Parameters
    ----------
    loss : str
        The loss that is to be minimised.

    Raises
    ------
    ValueError
        If it is not the hinge loss.
    """
    if loss != "hinge":
        raise ValueError(
            f"solver='cvxopt' solves the linear programme of loss='hinge'; loss={loss!r} needs "
            "solver='auto'."
        )


def error_path(y, scores, weights=None):
    """Fraction of points with y f(x) <= 0, for every column of scores.

    A point on the boundary, f(x) = 0, counts as an error, whatever class `predict` gives it. On
    the boundary is what is not beyond ``BOUNDARY_TOL`` times the column's largest score in size.

    Parameters
    ----------
    y : ndarray of shape (m,), of -1 and 1
        Labels of the points.
    scores : ndarray of shape (m, max_components)
        Their decision values, for every number of components.
    weights : ndarray of shape (m,), optional
        Of the points.

    Returns
    -------
    ndarray of shape (max_components,)
        The error, between 0 and 1, for every number of components.

    See Also
    --------
    select_dimension : The choice from such errors.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.estimators import error_path
    >>> error_path(np.array([1.0, -1.0]), np.array([[0.5, 0.0], [-0.1, -2.0]])).tolist()
    [0.0, 0.5]
    """
    boundary = BOUNDARY_TOL * np.max(np.abs(scores), axis=0, initial=0.0)
    return np.average(y[:, np.newaxis] * scores <= boundary, axis=0, weights=weights)


def select_dimension(errors, tie_break="smallest"):
    """Number of components of least error; ties are settled by a rule of `TIE_BREAKS`.

    Parameters
    ----------
    errors : ndarray of shape (max_components,)
        Entry D - 1 is the (cross-validated) error of D components, as a fraction.
    tie_break : {"smallest", "largest", "middle"}
        Which of the numbers of least error is taken; "middle" is the lower of two.

    Returns
    -------
    int
        The chosen number of components, at least one.

    See Also
    --------
    KPMClassifierCV : Uses it on cross-validated errors.

    Examples
    --------
    >>> from reprolib.methods.kpm import select_dimension
    >>> errors = [0.4, 0.2, 0.2, 0.2, 0.3]
    >>> [select_dimension(errors, rule) for rule in ("smallest", "middle", "largest")]
    [2, 3, 4]
    """
    least = np.flatnonzero(tied(-np.asarray(errors))) + 1
    return int(TIE_BREAKS[tie_break](least))


#: What the values of a loss say of probabilities; those of the hinge loss say nothing.
PROBABILITIES: dict[str, Callable] = {
    "square": square_probabilities,
    "logistic": logistic_probabilities,
}


class _ProjectionMachine(KernelMixin, OneVsRestMixin, BaseEstimator):
    """Prediction with one chosen D of a fitted path, and with all of them."""

    if TYPE_CHECKING:
        classes_: Array
        n_components_: int | Any
        dual_coef_: Array
        intercept_: float | Array
        objective_path_: Array
        duality_gap_: float
        path_: ProjectionPath
        X_fit_: Array
        estimators_: list[Any]

    _parameter_constraints: dict = {  # noqa: RUF012
        **KernelMixin._parameter_constraints,
        "loss": [StrOptions(set(LOSSES))],
        "solver": [StrOptions(set(SOLVERS))],
        "center": ["boolean"],
        "rank_tol": [Interval(Real, 0.0, 1.0, closed="both")],
        "class_weight": CLASS_WEIGHT,
    }

    _stacked = ("intercept_", "n_components_")
    _takes_sparse = True

    #: Whether the linear kernel is treated in its features, which are fewer than the points.
    _in_features = False

    def _fit_data(self, X, y, sample_weight):
        """Gram matrix (or features), labels -1 and 1, and weights of what counts."""
        weights = example_weights(y, sample_weight, self.class_weight)
        X = self._training_rows(X, weights)
        self._in_features = self.kernel == "linear" and X.shape[1] < X.shape[0]
        if self._in_features:
            self.X_fit_ = X
            rows = self._from_origin(X)
        else:
            rows = self._training_gram(X)
        return rows, self._signs(y[weights.rows]), weights

    def _path_solver(self):
        """Solver of the nested problems of all D."""
        if self.solver == "auto":
            return LOSSES[self.loss]
        require_hinge(self.loss)
        return solve_hinge_lp_cvxopt

    def _components(self, rows, weights, n_wanted: int, *, semidefinite: bool = False):
        settings: Any = {
            "center": self.center,
            "rank_tol": self.rank_tol,
            "weights": weights.values,
            "n_wanted": n_wanted,
        }
        if self._in_features:
            return KernelComponents.from_features(rows, **settings)
        return KernelComponents.from_gram(rows, semidefinite=semidefinite, **settings)

    def _from_origin(self, X):
        """X, for a centred linear kernel less the mean of the training data.

        So its values are free of the data's offset. A sparse matrix would become dense by that.
        """
        moved = self.center and self.kernel == "linear" and not issparse(self.X_fit_)
        return X - self.X_fit_.mean(axis=0) if moved else X

    def _kernel(self, X, Y):
        return super()._kernel(self._from_origin(X), self._from_origin(Y))

    def _new_rows(self, X):
        """Kernel between new and training data, or features, as `_fit_data` gives them."""
        if self._in_features:
            return self._from_origin(self._new_data(X))
        return self._cross_gram(X)

    def _set_path(self, path, n_components, unit: float):
        """Keep a path, whose objectives are in a unit of the weights."""
        path = replace(path, objective=unit * path.objective)
        self.path_ = path
        self.n_components_ = int(n_components)
        self.dual_coef_ = path.dual_coef[:, n_components - 1]
        self.intercept_ = float(path.intercept[n_components - 1])
        self.objective_path_ = path.objective
        self.duality_gap_ = float(path.duality_gap[n_components - 1])

    def _values(self, rows):
        path, chosen = self.path_, self.n_components_ - 1
        coef = self.dual_coef_ if path.coef is None else path.coef[:, chosen]
        return rows @ coef + self.intercept_

    @property
    def coef_(self) -> Array:
        """Weights of the features for kernel="linear", shape (p,).

        f(x) = <coef_, x> + intercept_; with ``center`` and dense X, x less the mean of the
        training data.
        """
        if self.kernel != "linear":
            raise AttributeError('coef_ is there for kernel="linear" only')
        check_is_fitted(self)
        if hasattr(self, "estimators_"):
            return np.array([model.coef_ for model in self.estimators_])
        if self.path_.coef is not None:
            return self.path_.coef[:, self.n_components_ - 1]
        return self.dual_coef_ @ self._from_origin(self.X_fit_)

    def _decide(self, X):
        return self._values(self._new_rows(X))

    def decision_path(self, X: Data) -> Array:
        """What `decision_function` would give, for every number of components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p), or (m, n) for kernel="precomputed"
            New data; or the kernel between them and the training data.

        Returns
        -------
        ndarray of shape (m, max D)
            Rows of X by number of components; column D - 1 is for D components. For more than two
            classes the shape is (m, n_classes, max D), up to the end of the shortest path.
        """
        check_is_fitted(self)
        if hasattr(self, "estimators_"):
            paths = self._of_each("decision_path", X)
            shortest = min(path.shape[1] for path in paths)
            return np.stack([path[:, :shortest] for path in paths], axis=1)
        return self.path_.scores(self._new_rows(X))

    def score_path(self, X: Data, y: Data) -> Array:
        """Accuracy, what `score` would give, for every number of components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p), or (m, n) for kernel="precomputed"
            New data; or the kernel between them and the training data.
        y : array-like of shape (m,)
            Their true classes.

        Returns
        -------
        ndarray of shape (max D,)
            Entry D - 1 is for D components.
        """
        values = self.decision_path(X)
        binary = values.ndim == 2
        chosen = (values > 0.0).astype(int) if binary else first_largest(np.moveaxis(values, 1, -1))
        return np.mean(self.classes_[chosen] == np.asarray(y)[:, None], axis=0)

    def error_path(self, X: Data, y: Data) -> Array:
        """Test error for every number of components.

        Of two classes, a point with f(x) = 0 counts as an error.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p), or (m, n) for kernel="precomputed"
            New data; or the kernel between them and the training data.
        y : array-like of shape (m,)
            Their true classes.

        Returns
        -------
        ndarray of shape (max D,)
            Share of errors, between 0 and 1; entry D - 1 is for D components.

        Raises
        ------
        ValueError
            If y holds a label that was not in the training data.
        """
        indices = known_labels(y, self.classes_)
        if hasattr(self, "estimators_"):
            return 1.0 - self.score_path(X, y)
        return error_path(2.0 * indices - 1.0, self.decision_path(X))

    @available_if(lambda model: model.loss in PROBABILITIES)
    def predict_proba(self, X: Data) -> Array:
        """Probability of every class, for the logistic and the square loss.

        The minimiser of the expected logistic loss has P(1 | x) = 1 / (1 + exp(-f(x))), that of
        the square loss (1 + f(x)) / 2, which is cut at 0 and 1. For other losses see
        `sklearn.calibration.CalibratedClassifierCV`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, p), or (m, n) for kernel="precomputed"
            New data; or the kernel between them and the training data.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Columns in the order of ``classes_``; every row sums to one.
        """
        return PROBABILITIES[self.loss](self.decision_function(X))


class KPMClassifier(_ProjectionMachine):
    """Kernel Projection Machine with a given number of components.

    For V_1, ..., V_D the leading unit eigenvectors of the Gram matrix K with eigenvalues lambda_j,
    it solves the linear program (eq. (6), (10)-(11))::

        minimise over beta, b   sum_i max(0, 1 - y_i (sum_{j <= D} beta_j V_j(i) + b))

    and predicts by the sign of f(x) = sum_i alpha_i k(x_i, x) + b with
    alpha = sum_j (beta_j / lambda_j) V_j (eq. (9)). D is the only regularisation. Where the
    optimum is not unique, as on separable training data, it is the one of least
    sum_i f(x_i)^2 over the training data. All numbers of components up to D are solved on the
    way and kept.

    More than two classes are told apart one against the others, the problem above for each:
    ``estimators_`` holds the models. Give at least as many components as there are classes: with
    fewer, the function of a class that lies between the others may be positive nowhere.
    `MKPMClassifier` is the joint method, whose classes share the components and one budget.

    Parameters
    ----------
    n_components : int
        The number of components D, at most the numerical rank of the Gram matrix.
        More components fit the training data better; with all of them the classes are separated.
    loss : {"hinge", "square", "logistic"}, default="hinge"
        What is minimised on the components. "hinge" is the paper's.
    solver : {"auto", "cvxopt"}, default="auto"
        "auto" is the fast solver of every loss. "cvxopt" solves the paper's linear programme of the
        hinge loss for every D from scratch, as a check on small problems: the same losses, but
        another optimum where there are several. See `reprolib.methods.kpm.cvxopt_reference`.
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
    center : bool, default=False
        Whether to centre the kernel in feature space, as kernel PCA does. The paper does not.
    rank_tol : float, default=1e-10
        Eigenvalues at most ``rank_tol`` times the largest count as zero: their components are
        round-off.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the examples of a class, such as {"target": 5.0}; "balanced"
        gives all classes the same total weight. See ``sample_weight`` of ``fit``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted. Of two, f(x) > 0 stands for the second.
    n_components_ : int
        The number of components D that `predict` uses.
    estimators_ : list of KPMClassifier
        For more than two classes, one model for each class against the others. This object then has
        only ``coef_``, ``intercept_``, ``n_components_`` (first axis: the classes) and
        ``classes_``; the models have the rest.
    dual_coef_ : ndarray of shape (n,)
        The alpha_i; n does not count rows of weight zero.
    intercept_ : float
        The constant b.
    objective_path_ : ndarray of shape (n_components,)
        Training loss for 1, ..., D components, summed by the weights; non-increasing.
    duality_gap_ : float
        Relative duality gap of the solution used.
    path_ : ProjectionPath
        The decision functions for 1, ..., D components.
    coef_ : ndarray of shape (p,)
        For the linear kernel, the weights of the features. With fewer features than examples the
        problem is solved in them, and no Gram matrix is formed.
    X_fit_ : ndarray of shape (n, p)
        Training data (not with a precomputed kernel). No copy is made of an array of floats: do
        not change that array afterwards.

    See Also
    --------
    KPMClassifierCV : Chooses the number of components by cross-validation.
    sklearn.kernel_approximation.Nystroem : In front of kernel="linear", for many rows.
    reprolib.methods.mkpm.MKPMClassifier : More than two classes.
    reprolib.methods.kpm.hinge_lp.solve_hinge_lp_path : The linear programs of all D.

    Notes
    -----
    Blanchard, Massart, Vert and Zwald, "Kernel Projection Machine: a New Tool for Pattern
    Recognition", NIPS 2004, section 3. The paper does not say which optimum it takes where there
    are several; the rule of least sum of squares is ours.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from reprolib import KPMClassifier
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = KPMClassifier(10, gamma=2.0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.decision_path(X).shape
    (100, 10)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_ProjectionMachine._parameter_constraints,
        "n_components": [COUNT],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        loss: str = "hinge",
        solver: str = "auto",
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        center: bool = False,
        rank_tol: float = RANK_TOL,
        class_weight: ClassWeight = None,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.solver = solver
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.center = center
        self.rank_tol = rank_tol
        self.class_weight = class_weight

    def __sklearn_tags__(self):
        """Say that one or two components are too few for more than two classes."""
        tags = super().__sklearn_tags__()
        few = isinstance(self.n_components, Integral) and self.n_components < 3
        tags.classifier_tags.poor_score = few
        return tags

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Fit on X of shape (n, p), or a Gram matrix of shape (n, n), and labels y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n) for kernel="precomputed"
            Training data, one example a row; or their Gram matrix.
        y : array-like of shape (n,)
            Class of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, in the loss and in the components.

        Returns
        -------
        self : KPMClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If y has one class, the Gram matrix is not square, symmetric and positive
            semidefinite, or n_components is beyond its numerical rank.
        NotOptimalError
            If a linear program could not be solved to a certified optimum.

        Warns
        -----
        NotOptimalWarning
            If the decision values are so large that rounding may change decisions.
        ConstantClassifierWarning
            If all training points get the same class.
        """
        self._validate_params()
        if several := self._several_classes(y, sample_weight):
            return self._fit_each(X, y, several)
        X, labels = self._training_data(X, y)
        rows, y, weights = self._fit_data(X, labels, sample_weight)
        components = self._components(rows, weights, self.n_components)
        if self.n_components > components.rank:
            raise ValueError(
                f"n_components is {self.n_components}, but the Gram matrix of {len(y)} samples "
                f"has numerical rank {components.rank} (eigenvalues above rank_tol="
                f"{self.rank_tol:g} times the largest). Ask for at most {components.rank} "
                "components or use a narrower kernel."
            )
        path = components.fit_path(y, self.n_components, self._path_solver())
        if path.norm[-1] > MAX_NORM:
            message = f"{undetermined_message(self.n_components)}; use fewer components"
            warnings.warn(message, NotOptimalWarning, stacklevel=3)
        self._set_path(path, self.n_components, weights.unit)
        warn_if_constant(self._values(rows) > 0.0, self, stacklevel=4)
        return self


class KPMClassifierCV(_ProjectionMachine):
    """Kernel Projection Machine that chooses the number of components by cross-validation.

    One path per fold scores every number of components at once; the paper (section 4) has five
    folds. With more than two classes, each class against the others has its own number, chosen on
    the same folds. Class weights also weigh the held-out errors. `MKPMClassifierCV` is the joint
    method.

    Parameters
    ----------
    max_components : int, default=50
        The largest number tried. It is lowered to the smallest numerical rank of a training fold.
        It is also lowered if decision values exceed 1e5 in root mean square (the margin is one), as
        rounding may then change decisions; and, with a `NotOptimalWarning`, if an answer is not
        certified. The path ends before that number. See ``max_components_`` and ``path_end_``.
    cv : int, cross-validation splitter or iterable, default=5
        How the data are divided into training and held-out parts. An integer means so many
        stratified folds, shuffled by ``random_state``.
    scoring : str or callable, optional
        Score to maximise, averaged over the folds; given as for
        `sklearn.model_selection.cross_val_score`, such as "balanced_accuracy" or "roc_auc". None
        means to minimise the share of errors on all held-out points.
    tie_break : {"smallest", "largest", "middle"}, default="smallest"
        Which of several numbers of components with the least cross-validated error is taken;
        "middle" is the lower median of them.
    random_state : int, RandomState instance or None
        Seed of the folds; None leaves the folds unshuffled.
    loss : {"hinge", "square", "logistic"}, default="hinge"
        What is minimised on the components. "hinge" is the paper's.
    solver : {"auto", "cvxopt"}, default="auto"
        "auto" is the fast solver of every loss. "cvxopt" solves the paper's linear programme of the
        hinge loss for every D from scratch, as a check on small problems: the same losses, but
        another optimum where there are several. See `reprolib.methods.kpm.cvxopt_reference`.
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
    center : bool, default=False
        Whether to centre the kernel in feature space, as kernel PCA does. The paper does not.
    rank_tol : float, default=1e-10
        Eigenvalues at most ``rank_tol`` times the largest count as zero: their components are
        round-off.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the examples of a class, such as {"target": 5.0}; "balanced"
        gives all classes the same total weight.

    Attributes
    ----------
    n_components_ : int
        The number of components chosen.
    max_components_ : int
        The largest number tried: ``max_components``, or less for the reasons given there.
    path_end_ : str
        Why the path ends before ``max_components`` and the ranks of the folds; empty if it does
        not.
    cv_error_path_ : ndarray of shape (max_components_,)
        Errors over all held-out points, as a fraction; f(x) = 0 counts as an error. Without
        ``scoring``.
    cv_score_path_ : ndarray of shape (max_components_,)
        Mean score over the folds, with ``scoring``.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted. Of two, f(x) > 0 stands for the second.
    estimators_ : list of KPMClassifierCV
        For more than two classes, one model for each class against the others, with its own choice.
        This object then has only ``coef_``, ``intercept_``, ``n_components_`` (first axis: the
        classes) and ``classes_``; the models have the rest.
    dual_coef_ : ndarray of shape (n,)
        The alpha_i of the model on all data; n does not count rows of weight zero.
    intercept_ : float
        The constant b.
    objective_path_ : ndarray
        Training loss for 1, 2, ... components, to ``max_components_`` or beyond.
    duality_gap_ : float
        Relative duality gap of the solution used.
    path_ : ProjectionPath
        The decision functions for all numbers of components, to ``max_components_`` or beyond.
    coef_ : ndarray of shape (p,)
        For the linear kernel, the weights of the features.
    X_fit_ : ndarray of shape (n, p)
        Training data (not with a precomputed kernel). No copy is made of an array of floats: do
        not change that array afterwards.

    See Also
    --------
    KPMClassifier : One given number of components.
    select_dimension : The choice from the cross-validated errors.

    Notes
    -----
    Blanchard, Massart, Vert and Zwald (NIPS 2004), section 4. The paper does not say how ties
    between numbers of components are settled: ``tie_break`` is a reading.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from reprolib import KPMClassifierCV
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = KPMClassifierCV(20, gamma=2.0, random_state=0).fit(X, y)
    >>> model.cv_error_path_.shape
    (20,)
    >>> bool(model.cv_error_path_[model.n_components_ - 1] == model.cv_error_path_.min())
    True
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_ProjectionMachine._parameter_constraints,
        "max_components": [COUNT],
        "cv": ["cv_object"],
        "tie_break": [StrOptions(set(TIE_BREAKS))],
        "scoring": SCORING,
        "random_state": ["random_state"],
    }

    if TYPE_CHECKING:
        max_components_: int
        path_end_: str
        cv_error_path_: Array
        cv_score_path_: Array

    def __init__(
        self,
        max_components: int = 50,
        *,
        cv: Splitter = 5,
        scoring: Scoring = None,
        tie_break: str = "smallest",
        random_state: RandomState = None,
        loss: str = "hinge",
        solver: str = "auto",
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        center: bool = False,
        rank_tol: float = RANK_TOL,
        class_weight: ClassWeight = None,
    ) -> None:
        self.max_components = max_components
        self.cv = cv
        self.scoring = scoring
        self.tie_break = tie_break
        self.random_state = random_state
        self.loss = loss
        self.solver = solver
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.center = center
        self.rank_tol = rank_tol
        self.class_weight = class_weight

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None, groups: Data = None) -> Self:
        """Choose the number of components and refit on all data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n) for kernel="precomputed"
            Training data, one example a row; or their Gram matrix.
        y : array-like of shape (n,)
            Class of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, also among the errors on held-out points.
        groups : array-like of shape (n,), optional
            For a splitter that needs them, such as leave-one-run-out.

        Returns
        -------
        self : KPMClassifierCV
            The fitted estimator.

        Raises
        ------
        ValueError
            For the reasons of `KPMClassifier.fit`, or if the kernel is zero on a training fold,
            ``scoring`` is NaN on a fold, or no fold holds out a row of positive weight.
        NotOptimalError
            If not even one component can be certified.

        Warns
        -----
        NotOptimalWarning
            Once, if a path ends early because an answer has no certificate, with the first reason.
        """
        self._validate_params()
        if several := self._several_classes(y, sample_weight):
            folds = list_folds(self._splitter(y), X, y, groups)
            return self._fit_each(X, y, several, cv=folds)
        X, labels = self._training_data(X, y)
        rows, y, weights = self._fit_data(X, labels, sample_weight)
        folds = list_folds(self._splitter(labels), X, labels, groups)
        folds = counted_folds(folds, weights.positions)

        def part(some, others):
            return rows[some] if self._in_features else rows[np.ix_(some, others)]

        components = self._components(rows, weights, self.max_components)
        fold_components = [
            self._components(
                part(train, train), weights.of(train), self.max_components, semidefinite=True
            )
            for _, train, _ in folds
        ]
        solve = self._path_solver()
        max_rank = min(c.rank for c in [components, *fold_components])
        if max_rank < 1:
            raise ValueError(
                "The Gram matrix of a training fold, or of all data, has numerical rank 0: it is "
                "zero, or its points are equal. Use fewer folds or another kernel."
            )
        wanted = min(self.max_components, max_rank)
        path = components.fit_determined_path(y, wanted, solve)
        lost, paths = np.zeros(path.max_components), [path]
        for (number, train, test), fold in zip(folds, fold_components, strict=True):
            fold_path = fold.fit_determined_path(y[train], len(lost), solve)
            paths.append(fold_path)
            scores, held_out = fold_path.scores(part(test, train)), weights.of(test)
            if self.scoring is None:
                more = held_out.total_repeats * error_path(y[test], scores, held_out.repeats)
            else:
                labels = self.classes_[(y[test] > 0).astype(int)]
                found = path_scores(
                    self.scoring, self.classes_, scores, labels, sample_weight=held_out.repeats
                )
                more = -require_scores(found, self.scoring, number)
            lost = lost[: fold_path.max_components] + more
        self.max_components_ = len(lost)
        self.path_end_ = next((path.end for path in reversed(paths) if path.end), "")
        if any(path.uncertified for path in paths):
            message = f"the path ends at {len(lost)} of {wanted} components: {self.path_end_}"
            warnings.warn(message, NotOptimalWarning, stacklevel=3)
        if self.scoring is None:
            lost = lost / sum(weights.of(test).total_repeats for _, _, test in folds)
            self.cv_error_path_ = lost
        else:
            self.cv_score_path_ = -lost / len(folds)
            lost = -self.cv_score_path_
        self._set_path(path, select_dimension(lost, self.tie_break), weights.unit)
        warn_if_constant(self._values(rows) > 0.0, self, stacklevel=4)
        return self

    def _splitter(self, y):
        if isinstance(self.cv, Integral) and self.random_state is not None:
            return StratifiedKFold(self.cv, shuffle=True, random_state=self.random_state)
        return check_cv(self.cv, y, classifier=True)


__all__ = ["KPMClassifier", "KPMClassifierCV", "error_path", "select_dimension"]
