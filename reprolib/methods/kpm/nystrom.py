"""Kernel Projection Machine on principal components of Nystrom features, for many rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from reprolib.methods.kpm.components import KernelComponents
from reprolib.methods.kpm.estimators import _GivenComponents
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel, gram_eigh
from reprolib.methods.shared.nystrom import NystromMixin
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, ClassWeight, Data, RandomState
from reprolib.methods.shared.validation import warn_if_constant
from reprolib.methods.shared.weights import distinct_rows, example_weights


@dataclass(frozen=True)
class NystromComponents(KernelComponents):
    """Components of the kernel z(x)'z(x') of Nystrom features z.

    Parameters
    ----------
    directions : ndarray of shape (n_landmarks, rank)
        Values at new points are kernel(X_new, landmarks) @ directions.
    """

    directions: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def _expansion(self, beta):
        """Coefficients on the landmarks in place of the training points."""
        return np.sqrt(len(self.eigenvectors)) * (self.directions[:, : len(beta)] @ beta)


class NystromKPMClassifier(NystromMixin, _GivenComponents):
    """`KPMClassifier` on the principal components of Nystrom features, for many rows.

    The components come from the covariance of the features, which is summed block by block (see
    `reprolib.methods.shared.nystrom`); of the training points only their values on the first D
    components are stored. Then the problems of `KPMClassifier` are solved on these. With as many
    landmarks as rows, and no component near ``rank_tol``, the functions are those of
    `KPMClassifier`. Time O(n rank (p + rank)) and that of the loss, memory O(rank^2 + n D).

    Parameters
    ----------
    n_components : int, default=2
        The number of components D, at most the rank of the features.
    rank : int, default=500
        Number of landmarks, at most n.
    loss : {"hinge", "square", "logistic"}, default="hinge"
        As in `KPMClassifier`. "square" takes the least time, "hinge" the most.
    kernel, gamma, degree, coef0 : as in `KPMClassifier`, but not "precomputed"
    rank_tol : float, default=1e-10
        Components whose eigenvalue is at most ``rank_tol`` times the largest count as zero.
    class_weight : as in `KPMClassifier`
    random_state : int, RandomState or None
        For the landmarks.

    Attributes
    ----------
    classes_, n_components_, estimators_, intercept_, objective_path_, duality_gap_, path_
        As in `KPMClassifier`.
    dual_coef_ : ndarray of shape (n_landmarks,)
        f(x) = sum_i dual_coef_[i] k(X_fit_[i], x) + intercept_.
    coef_ : ndarray of shape (p,)
        For the linear kernel.
    X_fit_ : ndarray of shape (n_landmarks, p)
        The landmarks.
    feature_map_ : ndarray of shape (n_landmarks, r)
        z(x) = feature_map_' k(X_fit_, x).

    See Also
    --------
    KPMClassifier : The exact kernel.
    reprolib.methods.mkpm.NystromMKPMClassifier : The square loss for any number of rows.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from reprolib import NystromKPMClassifier
    >>> X, y = make_moons(1000, noise=0.2, random_state=0)
    >>> model = NystromKPMClassifier(10, rank=50, gamma=2.0, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.dual_coef_.shape, model.decision_path(X).shape
    ((50,), (1000, 10))
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_GivenComponents._parameter_constraints,
        **NystromMixin._parameter_constraints,
    }
    del _parameter_constraints["center"]

    if TYPE_CHECKING:
        feature_map_: Array

    center = False

    def __init__(
        self,
        n_components: int = 2,
        *,
        rank: int = 500,
        loss: str = "hinge",
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        rank_tol: float = RANK_TOL,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.rank = rank
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank_tol = rank_tol
        self.class_weight = class_weight
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Draw landmarks, find the components in two passes over the rows, and fit on them.

        Parameters
        ----------
        X : array-like of shape (n, p), also memory-mapped
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            How often every example counts, in the loss and in the components. The landmarks are
            drawn without regard to it, among the rows of positive weight.

        Raises
        ------
        ValueError
            If y has one class, the kernel is zero, or n_components is beyond the numerical rank.
        NotOptimalError
            If a problem could not be solved to a certified optimum.

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
        X, y = self._validate(X, y)
        weights = example_weights(y, sample_weight, self.class_weight)
        X = self._training_rows(X, weights)
        y = self._signs(y[weights.rows])
        self._draw_landmarks(X)
        self._fit_components(self._nystrom_components(X, weights), y, weights)
        values = [
            self._kernel(X[rows], self.X_fit_) @ self.dual_coef_
            for rows in self._blocks(X.shape[0])
        ]
        warn_if_constant(np.concatenate(values) + self.intercept_ > 0.0, self, stacklevel=4)
        return self

    def _nystrom_components(self, X, weights) -> NystromComponents:
        """The first components of the features, with their values at the rows of X."""
        relative = None if weights.values is None else weights.relative
        rank = self.feature_map_.shape[1]
        covariance = np.zeros((rank, rank))
        for rows in self._blocks(X.shape[0]):
            Z = self._kernel(X[rows], self.X_fit_) @ self.feature_map_
            covariance += Z.T @ (Z if relative is None else relative[rows, np.newaxis] * Z)
        eigenvalues, vectors = gram_eigh(covariance, rank_tol=self.rank_tol)
        D = self.n_components
        if len(eigenvalues) < D:
            raise ValueError(
                f"n_components is {D}, but the features of {self.X_fit_.shape[0]} landmarks have "
                f"numerical rank {len(eigenvalues)} (eigenvalues above rank_tol="
                f"{self.rank_tol:g} times the largest). Ask for at most {len(eigenvalues)} "
                "components, raise rank or use a narrower kernel."
            )
        eigenvalues = eigenvalues[:D]
        directions = self.feature_map_ @ (vectors[:, :D] / np.sqrt(eigenvalues))
        values = [
            self._kernel(X[rows], self.X_fit_) @ directions for rows in self._blocks(X.shape[0])
        ]
        first, place = distinct_rows(X, np.zeros(X.shape[0], dtype=np.intp))
        return NystromComponents(
            eigenvalues,
            np.concatenate(values),
            first[place],
            np.zeros(self.X_fit_.shape[0]),
            weights.values,
            directions,
        )
