"""Simplex boosting: MCBoost (Saberian and Vasconcelos, NIPS 2011).

Problem: minimise over f: X -> R^(T-1) in the span of the weak learners

    sum_i sum over q != y_i of exp(-<c_{y_i} - c_q, f(x_i)>),

the loss in the notation of Mroueh et al. (2012), Remark 1. GD-MCBoost fits one vector-valued
regression tree to the negative gradient in every round, CD-MCBoost a scalar one to one of its
coordinates. Both take the step that minimises the loss along the tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.optimize import brentq
from sklearn.base import BaseEstimator, clone
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.probabilities import pairwise_exponential_probabilities
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.ties import first_largest
from reprolib.methods.shared.types import Array, Data, RandomState
from reprolib.methods.shared.validation import COUNT, validate_data, warn_if_constant
from reprolib.methods.shared.weights import example_weights, merge_repeated
from reprolib.methods.simplex._base import SimplexClassifierMixin
from reprolib.methods.simplex.losses import ExponentialLoss, SimplexLoss

#: A slope along a direction that is no steeper than this, per example, is none.
FLAT_SLOPE = 1e-12
#: The step along a direction is as exact as this part of a bound on it.
STEP_TOL = 1e-10


class SimplexBoostingClassifier(SimplexClassifierMixin, BaseEstimator):
    """Multiclass boosting with simplex codes and shallow trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Boosting rounds; fewer if the loss cannot be decreased any more.
    max_depth : int, default=1
        Depth of the trees; 1 means decision stumps.
    learning_rate : float, default=1.0
        Fraction of the optimal step that is taken.
    update : {"gradient", "coordinate"}, default="gradient"
        GD-MCBoost, all coordinates of f in every round; or CD-MCBoost, only the coordinate along
        whose tree the loss falls fastest (T - 1 trees are fitted to find it).
    random_state : int, RandomState or None
        Order of the features in the trees, which decides between equal splits.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
        The class labels, in increasing order.
    code_ : ndarray of shape (T - 1, T)
        Code words of the classes, one a column: the corners of a regular simplex.
    estimators_ : list of DecisionTreeRegressor
        The trees, in the order in which they were added.
    coordinates_ : list of slice
        Coordinates of f that every tree updates.
    steps_ : ndarray of shape (n_rounds,)
        By how much every tree is multiplied in the sum.
    train_loss_path_ : ndarray of shape (n_rounds + 1,)
        Mean loss on the training data before the first round and after every round.

    See Also
    --------
    losses.ExponentialLoss : The loss.
    SimplexConeSVC : A kernel method in the same coding.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from reprolib.methods.simplex import SimplexBoostingClassifier
    >>> boosting = SimplexBoostingClassifier(20, random_state=0).fit(X, y)
    >>> bool(boosting.train_loss_path_[-1] < boosting.train_loss_path_[0])
    True
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "n_estimators": [COUNT],
        "max_depth": [COUNT],
        "learning_rate": [Interval(Real, 0.0, 1.0, closed="right")],
        "update": [StrOptions({"gradient", "coordinate"})],
        "random_state": ["random_state"],
    }

    if TYPE_CHECKING:
        classes_: Array
        code_: Array
        estimators_: list[DecisionTreeRegressor]
        coordinates_: list[slice]
        steps_: Array
        train_loss_path_: Array

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int = 1,
        learning_rate: float = 1.0,
        update: str = "gradient",
        random_state: RandomState = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.update = update
        self.random_state = random_state

    def __sklearn_tags__(self):
        """Accept sparse input."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Boost.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, p)
            One example a row.
        y : array-like of shape (n,)
            Class label of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, in the loss and in the trees. Equal rows with equal
            labels are one example of their total weight, so that equally good splits are chosen
            alike.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            If a hyperparameter is out of range, or y has one class.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float32, accept_sparse="csr")
        X, y, weights = merge_repeated(X, y, example_weights(y, sample_weight))
        w, indices = weights.values, self._encode_classes(y)
        rng = check_random_state(self.random_state)
        loss = ExponentialLoss(len(self.classes_))
        F = np.zeros((X.shape[0], len(self.code_)))
        self.estimators_, self.coordinates_ = [], []
        steps, path = [], [np.average(loss.value(F, indices), weights=w)]
        for _ in range(self.n_estimators):
            blank = DecisionTreeRegressor(
                max_depth=self.max_depth, random_state=rng.randint(2**31 - 1)
            )
            targets = -loss.gradient(F, indices)
            if self.update == "gradient":
                tree, coordinates = blank.fit(X, targets, sample_weight=w), slice(None)
            else:
                # Of the trees on single coordinates, the first with the steepest slope per unit of
                # length.
                trees = [clone(blank).fit(X, target, sample_weight=w) for target in targets.T]
                roots = 1.0 if w is None else np.sqrt(w)
                slopes = []
                for tree, target in zip(trees, targets.T, strict=True):
                    predicted = roots * tree.predict(X)
                    length = max(float(np.linalg.norm(predicted)), np.finfo(float).tiny)
                    slopes.append(predicted @ (roots * target) / length)
                best = int(first_largest(slopes))
                tree, coordinates = trees[best], slice(best, best + 1)
            direction = _direction(tree, coordinates, X, F.shape[1])
            step = self.learning_rate * optimal_step(loss, F, direction, indices, w)
            if step <= 0.0:
                break
            F += step * direction
            self.estimators_.append(tree)
            self.coordinates_.append(coordinates)
            steps.append(step)
            path.append(np.average(loss.value(F, indices), weights=w))
        self.steps_ = np.array(steps)
        self.train_loss_path_ = np.array(path)
        warn_if_constant(first_largest(F @ self.code_), self, stacklevel=4)
        return self

    def staged_predict(self, X: Data) -> Iterator[Array]:
        """Predictions after every round.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.

        Yields
        ------
        ndarray of shape (n,)
            The predicted class of every example after one more round.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, accept_sparse="csr", reset=False)
        for F in self._stages(X):
            yield self.classes_[first_largest(F @ self.code_)]

    def predict_proba(self, X: Data) -> Array:
        """Probability of every class: proportional to exp(2 <c_q, f(x)>).

        That is where the expected loss is least; see
        `reprolib.methods.shared.probabilities.pairwise_exponential_probabilities`. Many rounds
        drive them towards 0 and 1.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.

        Returns
        -------
        ndarray of shape (n, T)
            One row an example, one column a class in the order of ``classes_``; rows sum to one.
        """
        return pairwise_exponential_probabilities(self._class_scores(X))

    def _stages(self, X):
        F = np.zeros((X.shape[0], len(self.code_)))
        rounds = zip(self.steps_, self.estimators_, self.coordinates_, strict=True)
        for step, tree, coordinates in rounds:
            F = F + step * _direction(tree, coordinates, X, F.shape[1])
            yield F

    def _vector_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, accept_sparse="csr", reset=False)
        F = np.zeros((X.shape[0], len(self.code_)))
        for stage in self._stages(X):
            F = stage
        return F


def _direction(tree, coordinates, X, n_coordinates):
    """Predictions of a tree in its coordinates, zero in the others, shape (n, T - 1)."""
    direction = np.zeros((X.shape[0], n_coordinates))
    direction[:, coordinates] = tree.predict(X).reshape(X.shape[0], -1)
    return direction


def optimal_step(
    loss: SimplexLoss, F, direction, y, weights=None, *, largest: float = 1e3
) -> float:
    """Step t >= 0 that minimises the convex function sum_i w_i V(y_i, f_i + t g_i).

    0 if g is no descent direction; ``largest`` (relative to the size of g) if the loss decreases
    all the way, which it does when the direction separates the data.
    """
    size = np.linalg.norm(direction, axis=1).max(initial=0.0)
    if size <= np.finfo(float).eps:
        return 0.0
    counts = np.ones(len(y)) if weights is None else weights
    weighed = counts[:, np.newaxis] * direction

    def slope(t):
        return float(np.sum(loss.gradient(F + t * direction, y) * weighed))

    if slope(0.0) >= -FLAT_SLOPE * counts.sum():
        return 0.0
    high = 1.0 / size
    while slope(high) < 0.0:
        if high * size >= largest:
            return high
        high *= 2.0
    return float(brentq(slope, 0.0, high, xtol=STEP_TOL * high))
