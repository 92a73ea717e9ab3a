"""Tree-structured sparse logistic regression, the structured baseline of the KEOPS paper."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator

from reprolib.methods.keops.tree import KernelTree, check_tree
from reprolib.methods.keops.tree_norm import largest_alpha, solve_tree_lasso_fista
from reprolib.methods.shared.binary import OneVsRestMixin
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import without_offsets
from reprolib.methods.shared.probabilities import logistic_probabilities
from reprolib.methods.shared.sklearn_private import Interval
from reprolib.methods.shared.types import Array, Data
from reprolib.methods.shared.validation import COUNT, NON_NEGATIVE, validate_data


class TreeLassoClassifier(OneVsRestMixin, BaseEstimator):
    """Logistic regression with an l1/l2 norm over the nodes of a tree of features.

    Minimises sum_i log(1 + exp(-y_i (x_i w + b))) + alpha sum_g ||w_g||_2 over the nodes g of all
    levels, each feature a node of its own: the method that the KEOPS paper calls SPAMS, after the
    toolbox (Jenatton, Mairal, Obozinski and Bach, JMLR 2011, "l_(1;2) mixed norm").

    With more than two classes, the problem above is solved for each class against the others, so
    every class selects its own features; ``alpha_ratio`` then multiplies the smallest alpha that
    selects nothing for that class.

    Parameters
    ----------
    tree : KernelTree or nested lists of feature indices, optional
        None means a flat tree, which is the lasso.
    alpha_ratio : float, default=0.1
        Strength of the penalty: alpha, divided by the smallest alpha that selects nothing; in
        (0, 1]. Larger values select fewer features.
    tol : float, default=1e-3
        Relative duality gap at which the solver stops.
    max_iter : int, default=20000
        Largest number of gradient steps.

    Attributes
    ----------
    coef_ : ndarray of shape (p,)
        The w.
    intercept_ : float
        The b.
    alpha_ : float
        The alpha that ``alpha_ratio`` gives.
    selected_ : ndarray of bool of shape (p,)
        Whether a feature has a weight other than zero.
    n_selected_ : tuple of int
        Selected nodes of every level.
    objective_ : float
        Objective of the solution.
    duality_gap_ : float
        Relative duality gap.
    tree_ : KernelTree
        The tree, as it was given or flat.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in increasing order.
    n_iter_ : int
        Gradient steps that were made.
    estimators_ : list of TreeLassoClassifier
        For more than two classes, one model for each class against the others. This object then has
        ``coef_``, ``intercept_`` (first axis: the classes), ``classes_`` and ``n_iter_`` (the
        largest); the models have the rest.

    See Also
    --------
    KEOPSClassifier : The SVM on a pyramid of kernels.
    reprolib.methods.keops.tree_norm.solve_tree_lasso_fista : The solver.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib import TreeLassoClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 6)), np.arange(80) % 2
    >>> X[:, 0] += 3.0 * y
    >>> model = TreeLassoClassifier([[0, 1], [2, 3], [4, 5]], alpha_ratio=0.5).fit(X, y)
    >>> model.selected_.tolist()
    [True, False, False, False, False, False]
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "tree": [KernelTree, "array-like", None],
        "alpha_ratio": [Interval(Real, 0.0, 1.0, closed="right")],
        "tol": [NON_NEGATIVE],
        "max_iter": [COUNT],
    }

    if TYPE_CHECKING:
        classes_: Array
        coef_: Array
        intercept_: float | Array
        alpha_: float
        selected_: Array
        n_selected_: tuple[int, ...]
        objective_: float
        duality_gap_: float
        tree_: KernelTree
        n_iter_: int
        estimators_: list[TreeLassoClassifier]

    def __init__(
        self,
        tree: Data = None,
        alpha_ratio: float = 0.1,
        *,
        tol: float = 1e-3,
        max_iter: int = 20000,
    ) -> None:
        self.tree = tree
        self.alpha_ratio = alpha_ratio
        self.tol = tol
        self.max_iter = max_iter

    @all_or_nothing
    def fit(self, X: Data, y: Data) -> Self:
        """Fit to features of shape (n, p) and class labels.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.
        y : array-like of shape (n,)
            Class label of every example.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            If a hyperparameter is out of range, the tree is malformed, or y has one class.
        """
        self._validate_params()
        if several := self._several_classes(y):
            return self._fit_each(X, y, several)
        X, y = validate_data(self, X, y, dtype=np.float64)
        signs = self._signs(y)
        self.tree_ = check_tree(self.tree, X.shape[1])
        self._solve(X, signs)
        return self

    def _solve(self, X, signs):
        X, self._origin = without_offsets(X)
        scale = float(np.sqrt(np.mean((X - X.mean(axis=0)) ** 2))) or 1.0
        largest = largest_alpha(self.tree_, X / scale, signs)
        alpha = self.alpha_ratio * largest
        solution = solve_tree_lasso_fista(
            X / scale, signs, self.tree_, alpha, tol=self.tol, max_iter=self.max_iter
        )
        self.alpha_ = alpha * scale
        self.coef_ = solution.variables["coef"] / scale
        self._intercept_at_origin = solution.variables["intercept"]
        self.intercept_ = self._intercept_at_origin - self._origin @ self.coef_
        self.selected_ = self.coef_ != 0
        self.n_selected_ = self.tree_.n_selected(self.selected_)
        self.objective_ = solution.primal_objective
        self.duality_gap_ = solution.relative_gap
        self.n_iter_ = solution.iterations

    def predict_proba(self, X: Data) -> Array:
        """Probability of every class, by the logistic loss; see `logistic_probabilities`.

        The penalty draws them towards the shares of the classes.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.

        Returns
        -------
        ndarray of shape (n, n_classes)
            One row an example, one column a class in the order of ``classes_``; rows sum to one.
        """
        return logistic_probabilities(self.decision_function(X))

    def _decide(self, X):
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self._origin) @ self.coef_ + self._intercept_at_origin
