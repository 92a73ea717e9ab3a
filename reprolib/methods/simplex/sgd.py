"""Online simplex methods: stochastic subgradient descent (Mroueh et al. 2012, section 5).

Problem: minimise over W (T-1 x p) the objective of the batch methods with a linear kernel,
(1/n) sum_i V(y_i, W x_i) + alpha ||W||_F^2, for the S-LS, SC-SVM or SH-SVM loss, or for the sum of
the two hinge losses (see `losses.ConeHalfspaceLoss`), which the paper does not have. The paper's
online lambda, of the objective with lambda/2 ||W||^2 that its step (1 - eta lambda) minimises, is
2 alpha. Its printed subgradient of S-LS has the wrong sign (see `losses.LeastSquaresLoss`).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.shared.draft import all_or_nothing, all_or_nothing_step
from reprolib.methods.shared.sklearn_private import Interval, StrOptions, check_first_batch
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.tolerances import TINY
from reprolib.methods.shared.types import Array, Data, RandomState
from reprolib.methods.shared.validation import COUNT, POSITIVE, validate_data
from reprolib.methods.shared.weights import example_weights
from reprolib.methods.simplex._base import LeastSquaresProbabilities
from reprolib.methods.simplex.sgd_solver import (
    LOSS_KINDS,
    SGDState,
    inner_products,
    run_sgd,
    run_sgd_in_rows,
    takes_rows,
)

_REMEDY = (
    'The steps are too long: decrease eta0 ("auto" is the largest at which S-LS does not '
    "overshoot), set project=True, increase alpha, or scale the features."
)


class SimplexSGDClassifier(LeastSquaresProbabilities, BaseEstimator):
    """Linear simplex classifier trained one example at a time.

    Parameters
    ----------
    loss : {"least_squares", "cone", "halfspace", "cone_halfspace"}, default="cone"
        S-LS, SC-SVM or SH-SVM (without the convex-hull constraint), or SC + SH: with the scores
        z_q = <c_q, f>, the own class costs max(0, 1 - z_y) and every other class
        max(0, 1/(T-1) + z_q). It is Fisher consistent without a constraint, as SC-SVM is.
    alpha : float, default=1e-4
        Lambda of the paper's eq. (1); steps are 1 / (2 alpha (t + t0)).
    max_iter : int, default=10
        Passes over the data in ``fit``.
    eta0 : float, "auto", "first" or None, default="auto"
        First step size, which sets t0 (but never below 0). "auto" is 1 / (2 max ||x||^2) over the
        first data seen, the largest step at which S-LS does not overshoot. "first" is
        t0 = ceil(||x_1|| / sqrt(2 alpha)) with the first example seen, as in GURLS, the library of
        the authors' laboratory. None is t0 = 0, steps 1 / (2 alpha t).
    project : bool or float, default=True
        Project on the Frobenius ball of radius 1 / sqrt(2 alpha) after every step. A number is a
        factor of that radius; GURLS takes sqrt(T).
    average : bool or int, default=False
        Predict with the mean of the iterates: of all (True), or of those after so many steps.
    shuffle : bool, default=True
        Visit the examples in random order in every pass; turn it off for memory-mapped data larger
        than RAM, and shuffle the file, or feed blocks of it to ``partial_fit``.
    random_state : int, RandomState or None
        Seed of the order of the examples; an integer makes the fit repeatable.

    Attributes
    ----------
    classes_ : ndarray of shape (T,)
        The class labels, in increasing order.
    code_ : ndarray of shape (T - 1, T)
        Code words of the classes, one a column: the corners of a regular simplex.
    coef_ : ndarray of shape (T - 1, p)
        W, averaged if so asked.
    last_coef_ : ndarray of shape (T - 1, p)
        W of the last iterate.
    t_ : int
        Steps taken.
    n_iter_ : int
        Passes made by ``fit``.

    See Also
    --------
    SimplexConeSVC : The SC-SVM objective solved to a certified gap, also with kernels.
    SimplexRLSClassifier : The S-LS objective in closed form.

    Notes
    -----
    ``fit`` takes no ``sample_weight``: one long step is not the same as several short ones. So a
    weight would not equal repetitions of the row, as it does for the other classifiers.
    ``partial_fit`` takes one, as a factor of the loss.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from reprolib.methods.simplex import SimplexSGDClassifier
    >>> online = SimplexSGDClassifier("cone_halfspace", average=True, random_state=0)
    >>> model = make_pipeline(StandardScaler(), online).fit(X, y)
    >>> online.coef_.shape
    (2, 4)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "loss": [StrOptions(set(LOSS_KINDS))],
        "alpha": [POSITIVE],
        "max_iter": [COUNT],
        "eta0": [POSITIVE, StrOptions({"auto", "first"}), None],
        "project": ["boolean", POSITIVE],
        "average": ["boolean", Interval(Integral, 0, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    if TYPE_CHECKING:
        classes_: Array
        code_: Array
        coef_: Array
        last_coef_: Array
        t_: int
        n_iter_: int

    def __init__(
        self,
        loss: str = "cone",
        *,
        alpha: float = 1e-4,
        max_iter: int = 10,
        eta0: float | str | None = "auto",
        project: bool | float = True,
        average: bool | int = False,
        shuffle: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.max_iter = max_iter
        self.eta0 = eta0
        self.project = project
        self.average = average
        self.shuffle = shuffle
        self.random_state = random_state

    def __sklearn_tags__(self):
        """Accept sparse input."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @all_or_nothing
    def fit(self, X: Data, y: Data) -> Self:
        """Start afresh and make ``max_iter`` passes over the data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, p)
            Also memory-mapped. One example a row.
        y : array-like of shape (n,)
            Class label of every example.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            If a hyperparameter is out of range, y has one class, or the steps diverge.

        Warns
        -----
        NotOptimalWarning
            If the model has a larger objective than the zero function: its steps are too long.
        """
        return self._fit(X, y, inner_products)

    def _fit(self, X, y, products_of):
        """Fit, with the inner products of the rows from a function, asked for if they are used."""
        self._validate_params()
        X, y = self._validate(X, y, reset=True)
        indices = self._encode_classes(y)
        self._start(X, None)
        orders = [self._order(len(indices)) for _ in range(self.max_iter)]
        if takes_rows(self._state, X):
            run_sgd_in_rows(self._state, X, products_of(X), indices, orders, **self._settings())
            self._refuse_diverged()
        else:
            for order in orders:
                self._pass(X, indices, order, None)
        self.n_iter_ = self.max_iter
        self._store()
        self._warn_if_worse_than_zero()
        return self

    @all_or_nothing_step
    def partial_fit(
        self, X: Data, y: Data, classes: Data = None, sample_weight: Data = None
    ) -> Self:
        """Make one pass over a batch, going on from where the last call stopped.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, p)
            Also memory-mapped.
        y : array-like of shape (n,)
            Class label of every example.
        classes : array-like of shape (T,), optional
            All the classes there will be; required in the first call.
        sample_weight : array-like of shape (n,), optional
            Factors of the loss of every row, and so of its step; around 1, or steps overshoot.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            If the first call has no ``classes``, y has a label that is not among them, or the
            steps diverge; ``coef_`` is then that of the batch before.
        """
        self._validate_params()
        first = not hasattr(self, "_state")
        X, y = self._validate(X, y, reset=first)
        check_first_batch(self, classes)
        weights = example_weights(y, sample_weight)
        unit = weights.strength(1.0, "the loss")
        factors = None if weights.values is None else unit * weights.values
        X, y = weights.select(X), y[weights.rows]
        unseen = np.setdiff1d(y, self.classes_)
        if len(unseen):
            raise ValueError(
                f"y has labels {unseen[:5].tolist()} that are not in classes "
                f"{self.classes_[:10].tolist()}; name all classes in the first call."
            )
        if first:
            self._set_code()
            self._start(X, factors)
        else:
            self._state = copy.deepcopy(self._state)
        indices = np.searchsorted(self.classes_, y)
        self._pass(X, indices, self._order(X.shape[0]), factors)
        return self._store()

    def _validate(self, X, y, *, reset):
        return validate_data(
            self, X, y, dtype=[np.float64, np.float32], accept_sparse="csr", order="C", reset=reset
        )

    _state: SGDState

    def _start(self, X, weights):
        self._rng = check_random_state(self.random_state)
        self._state = SGDState(len(self.classes_), X.shape[1])
        self._t0 = self._step_offset(X, 1.0 if weights is None else float(weights.max()))

    def _step_offset(self, X, largest_weight: float) -> float:
        """Offset t0 of the steps 1 / (2 alpha (t + t0))."""
        eta0 = self.eta0
        if eta0 is None:
            return 0.0
        if eta0 == "first":
            return float(np.ceil(np.sqrt(_largest_squared_norm(X[:1]) / (2.0 * self.alpha))))
        if isinstance(eta0, str):
            longest = largest_weight * _largest_squared_norm(X)
            eta0 = 0.5 / max(longest, TINY)
        # Python's own numbers: where all features are zero the product is infinity, without a word.
        return max(0.5 / (float(self.alpha) * float(eta0)) - 1.0, 0.0)

    def _averages(self) -> bool:
        """Whether ``average`` is a number (0 too) or true."""
        return bool(self.average) or not isinstance(self.average, (bool, np.bool_))

    def _order(self, n_samples):
        """Rows of a pass in the order in which it takes them."""
        return self._rng.permutation(n_samples) if self.shuffle else np.arange(n_samples)

    def _settings(self):
        return {
            "loss": self.loss,
            "lam": 2.0 * self.alpha,
            "t0": self._t0,
            "project": self.project,
            "average_from": max(int(self.average) - 1, 0) if self._averages() else None,
        }

    def _pass(self, X, indices, order, weights):
        run_sgd(self._state, X, indices, order, weights=weights, **self._settings())
        self._refuse_diverged()

    def _refuse_diverged(self):
        if self._state.diverged:
            raise ValueError(
                f"SimplexSGDClassifier diverged: its weights overflowed within "
                f"{self._state.n_steps} steps with eta0={self.eta0!r}, alpha={self.alpha:g}, "
                f"project={self.project}. {_REMEDY}"
            )

    def _warn_if_worse_than_zero(self):
        penalty = self.alpha * float(np.linalg.norm(self.coef_)) ** 2
        loss_of_zero = 2.0 if self.loss == "cone_halfspace" else 1.0
        if penalty > loss_of_zero:
            warnings.warn(
                f"SimplexSGDClassifier ended after {self.t_} steps: its penalty alone, "
                f"{penalty:.3g}, is larger than the objective of the zero function, "
                f"{loss_of_zero:g} (eta0={self.eta0!r}, alpha={self.alpha:g}). {_REMEDY}",
                NotOptimalWarning,
                stacklevel=5,
            )

    @available_if(lambda model: model.loss == "least_squares")
    def predict_proba(self, X: Data) -> Array:
        """Probability of every class, for loss="least_squares"; see `SimplexRLSClassifier`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, p)
            One example a row.

        Returns
        -------
        ndarray of shape (n, T)
            One row an example, one column a class in the order of ``classes_``; rows sum to one.
        """
        return super().predict_proba(X)

    def _store(self):
        state = self._state
        n_classes = len(self.classes_)
        decoder = (n_classes - 1) / n_classes * self.code_
        self.last_coef_ = decoder @ state.class_weights()
        averages = self._averages()
        self.coef_ = decoder @ state.average_class_weights() if averages else self.last_coef_
        self.t_ = state.n_steps
        return self

    def _vector_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], accept_sparse="csr", reset=False)
        return safe_sparse_dot(X, self.coef_.T, dense_output=True)


def fit_along(
    model: SimplexSGDClassifier, alphas: Iterable[float], X: Array, y: Array
) -> Iterator[SimplexSGDClassifier]:
    """Fit a copy of a model at every alpha; inner products of the rows are computed at most once.

    Parameters
    ----------
    model : SimplexSGDClassifier
        Gives all other parameters.
    alphas : iterable of float
        The values of alpha.
    X : ndarray of shape (n, p)
        One example a row.
    y : ndarray of shape (n,)
        Class label of every example.

    Yields
    ------
    SimplexSGDClassifier
        The fitted copy of every alpha.
    """
    kept: list[Array] = []

    def products_of(X):
        if not kept:
            kept.append(inner_products(X))
        return kept[0]

    for alpha in alphas:
        yield clone(model).set_params(alpha=alpha)._fit(X, y, products_of)


def _largest_squared_norm(X) -> float:
    """Largest ||x||^2, summed in double precision."""
    if isinstance(X, np.ndarray):
        return float(np.einsum("ij,ij->i", X, X, dtype=np.float64).max())
    return float(row_norms(X.astype(np.float64, copy=False), squared=True).max())
