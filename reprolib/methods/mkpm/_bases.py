"""Nested families of functions in the kernel's feature space, orthonormal on the training data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr, solve_triangular, svd

from reprolib.methods.kpm.components import leading_eigh
from reprolib.methods.shared.kernels import (
    cholesky_map,
    fix_signs,
    nystrom_landmarks,
    nystrom_map,
    pivoted_cholesky,
)


@dataclass(frozen=True)
class Basis:
    """Functions psi_1, psi_2, ... with orthonormal values at the training points.

    Parameters
    ----------
    features : ndarray of shape (n, r)
        Values at the training points; orthonormal columns, so that S_d is spanned by the first d.
    support : ndarray of shape (m,)
        The training points whose kernel functions psi is written in.
    projection : ndarray of shape (m, r)
        Values at new points are kernel(X_new, X_train[support]) @ projection.
    roots : ndarray of shape (n,), optional
        Square roots of the weights of the training points, divided by their mean. With them,
        ``features`` are the values times the roots: psi is orthonormal under the weights.
    """

    features: np.ndarray
    support: np.ndarray
    projection: np.ndarray
    roots: np.ndarray | None = None

    @property
    def values(self):
        """Values of psi at the training points, shape (n, r)."""
        return self.features if self.roots is None else self.features / self.roots[:, np.newaxis]

    def truncate(self, dimension: int | None) -> Basis:
        """Keep the first ``dimension`` functions (all of them if None)."""
        return replace(
            self,
            features=self.features[:, :dimension],
            projection=self.projection[:, :dimension],
        )

    def merge(self, first, place) -> Basis:
        """One point, of their weight together, for each set of equal points of equal label.

        ``first`` and ``place`` are those of `shared.weights.distinct_rows`.
        """
        weights = None if self.roots is None else self.roots**2
        roots = np.sqrt(np.bincount(place, weights))
        return replace(self, features=_times_roots(self.values[first], roots), roots=roots)


def _times_roots(values, roots):
    """Rows times the roots of their weights, if there are any."""
    return values if roots is None else roots[:, np.newaxis] * values


def kernel_pca_basis(K, *, rank_tol: float, roots=None, n_wanted: int | None = None) -> Basis:
    """Kernel principal components of the training data, neither centred nor shifted.

    Takerkart & Ralaivola (CVPR 2011), section 2.3: psi_d = Phi a_d / sqrt(gamma_d), equation (34),
    here divided once more by sqrt(gamma_d), the length of its values at the training points.
    ``n_wanted`` components may be enough; see `leading_eigh`.
    """
    work = K if roots is None else _times_roots(K, roots) * roots
    eigenvalues, eigenvectors = leading_eigh(work, n_wanted, rank_tol=rank_tol)
    projection = _times_roots(eigenvectors / eigenvalues, roots)
    return Basis(eigenvectors, np.arange(len(K)), projection, roots)


def linear_basis(X, *, rank_tol: float) -> Basis:
    """`kernel_pca_basis` of the linear kernel: for few features their matrix is the smaller one."""
    features, singular_values, _ = svd(X, full_matrices=False, check_finite=False)
    eigenvalues = singular_values**2
    kept = eigenvalues > rank_tol * np.max(eigenvalues, initial=0.0)
    features = fix_signs(features[:, kept])
    return Basis(features, np.arange(len(X)), features / eigenvalues[kept])


def nystrom_basis(
    columns: Callable,
    n_samples: int,
    rank: int,
    *,
    rank_tol: float,
    random_state=None,
    roots=None,
) -> Basis:
    """Principal components of the Nystrom approximation from ``rank`` random landmarks.

    Parameters
    ----------
    columns : callable
        ``columns(indices)`` gives those columns of the Gram matrix, shape (n, len(indices)).
    n_samples : int
        Number of training points n.
    rank : int
        Number of landmarks, at most n.
    rank_tol : float
        Approximate eigenvalues at most this fraction of the largest are taken as zero.
    random_state : int, RandomState or None
        For the landmarks.
    roots : ndarray of shape (n,), optional
        Roots of the weights; see `Basis`. The landmarks are drawn without regard to weights.

    Returns
    -------
    Basis
        The components of the approximate kernel beyond its numerical zero.
    """
    support = nystrom_landmarks(n_samples, min(rank, n_samples), random_state)
    K_cross = columns(support)
    landmark_map = nystrom_map(K_cross[support])
    features, singular_values, rotation = svd(
        _times_roots(K_cross @ landmark_map, roots),
        full_matrices=False,
        overwrite_a=True,
        check_finite=False,
    )
    kept = singular_values**2 > rank_tol * np.max(singular_values**2, initial=0.0)
    projection = landmark_map @ (rotation[kept].T / singular_values[kept])
    return Basis(features[:, kept], support, projection, roots)


def cholesky_basis(
    diagonal, column: Callable[[int], np.ndarray], rank: int, *, roots=None
) -> Basis:
    """Gram-Schmidt family of the points that pivoted incomplete Cholesky picks, in that order.

    The choice of points does not look at weights: a repeated point adds nothing to the factor.
    """
    factor, pivots, _ = pivoted_cholesky(diagonal, column, rank)
    features, triangle = qr(_times_roots(factor, roots), mode="economic", check_finite=False)
    signs = np.sign(np.diag(triangle))
    pivot_map = cholesky_map(factor[pivots])
    projection = solve_triangular(triangle, pivot_map.T, trans="T", lower=False).T
    return Basis(features * signs, pivots, projection * signs, roots)
