"""Kernel maximum margin criterion, section 2.2 of Gu & Zhou (ICIP 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.mkmmc._constraints import (
    CONSTRAINTS,
    get_maximiser,
    idle_to_zero,
    projected_size,
)
from reprolib.methods.mkmmc._graph import Between, Within, margin_laplacian
from reprolib.methods.mkmmc._linear import _SupervisedProjection, check_n_components
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel, KernelMixin, center_gram
from reprolib.methods.shared.sklearn_private import StrOptions
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, Data
from reprolib.methods.shared.validation import NON_NEGATIVE, require_positive_semidefinite
from reprolib.methods.shared.weights import ExampleWeights


def numerical_rank(K) -> int:
    """Dimensions in which the training points differ: the rank of the centred Gram matrix.

    Raises
    ------
    ValueError
        If the kernel does not tell the training points apart at all.
    """
    eigenvalues = np.linalg.eigvalsh(center_gram(K))
    floor = len(K) * np.finfo(float).eps * np.abs(K).max()
    rank = int(np.count_nonzero(eigenvalues > max(RANK_TOL * eigenvalues[-1], floor)))
    if rank == 0:
        raise ValueError(
            "the Gram matrix is constant: in feature space all training points coincide and there "
            "is nothing to project; look for a zero kernel, or for a bandwidth far too wide."
        )
    return rank


def largest_rank(grams, enough: int) -> int:
    """Largest `numerical_rank` of several Gram matrices, or the first that is enough.

    An eigenvalue is at least the mean of all: where that is no round-off, a kernel tells points
    apart, and its rank is not found for the sake of this alone.

    Raises
    ------
    ValueError
        If a kernel does not tell the training points apart at all.
    """
    largest = 0
    for K in grams:
        n = len(K)
        mean_scatter = (np.trace(K) - K.sum() / n) / n
        is_apart = mean_scatter > n * np.finfo(float).eps * np.abs(K).max()
        if largest < enough or not is_apart:
            largest = max(largest, numerical_rank(K))
    return largest


class KernelMMC(KernelMixin, _SupervisedProjection):
    """Kernel MMC: maximise tr(A' K L K A), L the Laplacian of S_b - mu S_w, equation (13).

    Parameters
    ----------
    n_components : int, optional
        Number of directions. None means the number of classes less one.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Similarity k(x, x') of two points. The named ones take sparse X, too. "precomputed":
        ``fit`` takes the Gram matrix of the training data in place of X. A callable takes two
        rows and returns a number; it has to be symmetric.
    gamma : float, optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features.
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    constraint : {"coefficient", "function", "whitened"}, default="coefficient"
        What fixes the scale of the coefficients: A' A = I as printed in equation (13),
        orthonormal directions A' K A = I, or unit total scatter. Each is derived in
        `reprolib.methods.mkmmc._constraints`. With the linear kernel, "function" is `MMC`.
    within_weight : float, default=1.0
        mu, the weight of the scatter inside the classes; the paper has 1.
    within : {"scatter", "covariance"}, default="scatter"
        What S_w sums over the classes, see `margin_weights`.
    between : {"mean", "origin"}, default="mean"
        From what S_b measures the class means, see `MMC`.
    ridge : float, default=0.0
        "whitened" only: multiple of the mean eigenvalue of the total scatter that is added to
        it, which makes regularised kernel discriminant analysis.
    center : bool, default=False
        Centre the Gram matrix. The paper does not. Of the leading c - 1 directions (c classes),
        only those of "coefficient" change.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n)
        Coefficients of the directions over the training points.
    eigenvalues_ : ndarray of shape (n_components,)
        Value of the criterion along every direction, largest first.
    objective_ : float
        tr(A' K L K A), half the sum over pairs of equation (13).
    X_fit_ : ndarray of shape (n, p)
        Training data (not with a precomputed kernel).

    See Also
    --------
    MMC : The linear case.
    MultipleKernelMMC : Learns a combination of Gaussian kernels.
    leave_one_out_path : Accuracy of the nearest neighbour behind the projection.

    Notes
    -----
    Q. Gu and J. Zhou, Multiple kernel maximum margin criterion, ICIP 2009, section 2.2. The paper
    prints A' A = I and calls the problem equivalent to MMC in feature space, where the directions
    are orthonormal; that would be A' K A = I.

    Directions of equal eigenvalue are ordered by a second criterion and rotated by the samples, so
    that components and projections do not depend on the processor (`_eigenvectors`). Under
    "whitened" without ridge these are all directions beyond the first c - 1. A direction along
    which the training points coincide is given as zero (see `reprolib.methods.mkmmc._constraints`).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib import KernelMMC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelMMC(gamma=0.5, constraint="function").fit(X, y)
    >>> model.transform(X).shape
    (150, 2)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **KernelMixin._parameter_constraints,
        **_SupervisedProjection._parameter_constraints,
        "constraint": [StrOptions(set(CONSTRAINTS))],
        "ridge": [NON_NEGATIVE],
        "center": ["boolean"],
    }

    _takes_sparse = True

    if TYPE_CHECKING:
        components_: Array
        eigenvalues_: Array
        objective_: float
        X_fit_: Array

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        constraint: str = "coefficient",
        within_weight: float = 1.0,
        within: Within = "scatter",
        between: Between = "mean",
        ridge: float = 0.0,
        center: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.constraint = constraint
        self.within_weight = within_weight
        self.within = within
        self.between = between
        self.ridge = ridge
        self.center = center

    @all_or_nothing
    def fit(self, X: Data, y: Data) -> Self:
        """Learn the coefficients.

        Parameters
        ----------
        X : array-like of shape (n, p), or Gram matrix of shape (n, n)
            One example a row; with kernel="precomputed" its kernel values with all training
            examples.
        y : array-like of shape (n,)
            Class labels.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        ValueError
            If there is one class only, the kernel does not tell the points apart,
            ``n_components`` exceeds the rank of the Gram matrix, an offset of the kernel hides
            directions (centre the data), or a kernel other than "linear" and "rbf" is not positive
            semidefinite.
        """
        self._validate_params()
        maximise = get_maximiser(self.constraint, self.ridge)
        X, y = self._training_data(X, y)
        K = self._training_gram(self._training_rows(X, ExampleWeights(len(y), slice(None))))
        check_classification_targets(y)
        if self.kernel not in ("linear", "rbf"):
            # In an indefinite one a direction could have a negative length.
            require_positive_semidefinite(K, name=f"the Gram matrix of the kernel {self.kernel!r}")
        L = margin_laplacian(
            y, within_weight=self.within_weight, within=self.within, between=self.between
        )
        m = check_n_components(self.n_components, len(np.unique(y)), numerical_rank(K))
        work = center_gram(K) if self.center else K
        A, self.eigenvalues_ = maximise(work, L, m)
        if A.shape[1] < m:
            raise ValueError(
                f"the kernel values have so large an offset that "
                f"constraint={self.constraint!r} finds only {A.shape[1]} of {m} "
                "directions; subtract the mean from the features, or give center=True."
            )
        A = idle_to_zero(A, work, projected_size(work, self.constraint))
        self.components_, self._offset = uncentered(A, K, self.center)
        self.objective_ = float(self.eigenvalues_.sum())
        self._n_features_out = m
        return self

    def transform(self, X: Data) -> Array:
        """Project onto the directions.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row, or its kernel values with the training examples.

        Returns
        -------
        ndarray of shape (n, n_components)
            Coordinates of the examples along the directions, one example a row.
        """
        check_is_fitted(self)
        return self._cross_gram(X) @ self.components_.T - self._offset


def uncentered(A, K, center: bool):
    """Coefficients over the given kernel instead of the centred one, and the offset to subtract."""
    if not center:
        return A.T, np.zeros(A.shape[1])
    A = A - A.mean(axis=0)
    return A.T, K.mean(axis=0) @ A
