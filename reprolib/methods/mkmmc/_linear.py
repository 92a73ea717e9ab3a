"""Maximum margin criterion (Li, Jiang & Zhang 2003), equation (1) of Gu & Zhou."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.mkmmc._constraints import by_scatter
from reprolib.methods.mkmmc._eigenvectors import determined_eigenvectors
from reprolib.methods.mkmmc._graph import Between, Within, margin_scatter
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.sklearn_private import StrOptions
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Array, Data
from reprolib.methods.shared.validation import COUNT, NON_NEGATIVE, validate_data

#: Directions of X that vary by less than this share of the largest variation are round-off.
ROUND_OFF = 1e-9


class _SupervisedProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of a transformer that learns its directions from labels."""

    _parameter_constraints: dict = {  # noqa: RUF012
        "n_components": [COUNT, None],
        "within_weight": [NON_NEGATIVE],
        "within": [StrOptions({"scatter", "covariance"})],
        "between": [StrOptions({"mean", "origin"})],
    }

    def __sklearn_tags__(self):
        """Say that labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def check_n_components(n_components, n_classes: int, rank: int) -> int:
    """Number of directions: as asked, or one less than there are classes.

    Raises
    ------
    ValueError
        If it is more than the data span.
    """
    if n_components is None:
        return min(n_classes - 1, rank)
    if n_components > rank:
        raise ValueError(
            f"n_components is {n_components}, but the training data span {rank} dimensions; "
            f"give an integer from 1 to {rank}, or None for one less than the number of classes."
        )
    return int(n_components)


def _rank(singular) -> int:
    """Number of singular values that count; warn where those that do not are no round-off."""
    sizes = singular / (singular[0] or 1.0)
    rank = int(np.count_nonzero(sizes > np.sqrt(RANK_TOL)))
    if n_left := int(np.count_nonzero(sizes > ROUND_OFF)) - rank:
        warnings.warn(
            f"MMC leaves out {n_left} directions of X in which it varies by less than "
            f"{np.sqrt(RANK_TOL):.0e} of its largest variation. Scale the features, for example "
            "with sklearn.preprocessing.StandardScaler.",
            stacklevel=4,
        )
    return rank


def center_columns(X):
    """Subtract the mean of every column; a column of equal entries becomes exactly zero.

    The mean is corrected once: beside a large offset its round-off is not small against the
    deviations.

    Returns
    -------
    centered : ndarray of shape (n, p)
        X less the mean of its columns.
    mean : ndarray of shape (p,)
        What was subtracted from every row.
    """
    mean = np.where(X.min(axis=0) == X.max(axis=0), X[0], X.mean(axis=0))
    centered = X - mean
    correction = centered.mean(axis=0)
    return centered - correction, mean + correction


class MMC(_SupervisedProjection):
    """Maximum margin criterion: maximise tr(A' (S_b - mu S_w) A) subject to A' A = I.

    The directions are sought in the span of the centred training data. Directions outside it have
    no scatter at all (eigenvalue zero): they shift all training points equally, so they do not
    change the order of the distances from a test point to the training points. At most c - 1
    eigenvalues are positive; further directions have within-class scatter only. Directions of equal
    eigenvalue are ordered by total scatter, largest first (`reprolib.methods.mkmmc._eigenvectors`).

    Parameters
    ----------
    n_components : int, optional
        Number of directions. None means the number of classes less one.
    within_weight : float, default=1.0
        mu, the weight of the scatter inside the classes; the paper has 1.
    within : {"scatter", "covariance"}, default="scatter"
        What S_w sums over the classes, see `margin_weights`.
    between : {"mean", "origin"}, default="mean"
        From what S_b measures the class means: the overall mean, as printed, or the origin, as the
        authors' own numbers do. Then nothing is centred, and a c-th direction has a positive
        eigenvalue: the mean.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal directions, largest eigenvalue first.
    eigenvalues_ : ndarray of shape (n_components,)
        Value of the criterion along every direction, largest first.
    mean_ : ndarray of shape (n_features,)
        What is subtracted before projecting: the mean of the training data, or zeros.

    See Also
    --------
    KernelMMC : The same in the feature space of a kernel.
    sklearn.discriminant_analysis.LinearDiscriminantAnalysis : Divides by S_w instead.

    References
    ----------
    Q. Gu and J. Zhou, Multiple kernel maximum margin criterion, ICIP 2009, equation (1), after
    H. Li, T. Jiang and K. Zhang, Efficient and robust feature extraction by maximum margin
    criterion, NIPS 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib import MMC
    >>> X, y = load_iris(return_X_y=True)
    >>> MMC().fit_transform(X, y).shape
    (150, 2)
    """

    if TYPE_CHECKING:
        components_: Array
        eigenvalues_: Array
        mean_: Array

    def __init__(
        self,
        n_components: int | None = None,
        *,
        within_weight: float = 1.0,
        within: Within = "scatter",
        between: Between = "mean",
    ) -> None:
        self.n_components = n_components
        self.within_weight = within_weight
        self.within = within
        self.between = between

    @all_or_nothing
    def fit(self, X: Data, y: Data) -> Self:
        """Learn the directions.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.
        y : array-like of shape (n,)
            Class labels.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        ValueError
            If there is one class only, or ``n_components`` exceeds the rank of the data.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        centered, mean = center_columns(X)
        if not centered.any():
            raise ValueError(
                "all rows of X are the same, and there is no direction to project on; give "
                "features that differ between the points."
            )
        about_mean = self.between == "mean"
        self.mean_ = mean if about_mean else np.zeros_like(mean)
        U, singular, Vt = np.linalg.svd(centered if about_mean else X, full_matrices=False)
        rank = _rank(singular)
        m = check_n_components(self.n_components, len(np.unique(y)), rank)
        Z = U[:, :rank] * singular[:rank]
        S = margin_scatter(
            Z, y, within_weight=self.within_weight, within=self.within, between=self.between
        )
        B, self.eigenvalues_ = determined_eigenvectors(S, m, U[:, :rank], by_scatter(Z))
        self.components_ = B.T @ Vt[:rank]
        self._n_features_out = m
        return self

    def transform(self, X: Data) -> Array:
        """Project onto the directions.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.

        Returns
        -------
        ndarray of shape (n, n_components)
            Coordinates of the examples along the directions, one example a row.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self.mean_) @ self.components_.T
