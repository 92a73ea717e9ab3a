"""A constant and nested components as an orthonormal basis, for losses of y (V_D beta + b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular

#: A column closer than this (relative) to the span of the columns before it adds nothing.
DEPENDENT_TOL = 1e-9


@dataclass(frozen=True)
class NestedBasis:
    """Coordinates in which fitting a constant and the first D columns of V is well-conditioned.

    For smooth kernels the constant function lies almost in the span of the leading eigenvectors,
    and the coefficients (beta, b) run off to 1e6 and more. The solvers therefore work with
    coordinates c in the basis q_0 = 1, q_1, q_2, ... that Gram-Schmidt makes of 1, V_1, V_2, ...
    under the inner product <f, g> = sum_i w_i f_i g_i / sum_i w_i. The basis is nested, so that
    one factorisation serves all D, and ||c|| is the root mean square of the function over the
    sample. Columns that depend on earlier ones are left out (their coefficient is zero).

    Parameters
    ----------
    V : ndarray of shape (n, D)
    y : ndarray of shape (n,), of -1 and 1
    weights : ndarray of shape (n,), positive
    signed : ndarray of shape (m, n)
        Row k is y * q_k; the margins of the function with coordinates c are c @ signed.
    triangle : ndarray of shape (m, m)
        Upper triangular R of [1, V][:, kept] = Q R.
    kept : ndarray of shape (m,)
        Indices of the independent columns of [1, V]; 0 is the constant.
    """

    V: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    signed: np.ndarray
    triangle: np.ndarray
    kept: np.ndarray

    @classmethod
    def from_arrays(cls, V, y, weights=None) -> NestedBasis:
        """Check the arrays and orthonormalise the columns.

        Raises
        ------
        ValueError
            If shapes disagree, y holds anything but -1 and 1, weights are not positive, or a
            value is not finite.
        """
        V, y = np.asarray(V, dtype=np.float64), np.asarray(y, dtype=np.float64)
        weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
        _check_arrays(V, y, weights)
        root = np.sqrt(weights / weights.sum())
        columns = np.hstack([np.ones((len(y), 1)), V]) * root[:, np.newaxis]
        kept = np.arange(columns.shape[1])
        Q, R = qr(columns, mode="economic", check_finite=False)
        dependent = _dependent_columns(R, columns)
        if dependent.any():
            kept = kept[~dependent]
            Q, R = qr(columns[:, kept], mode="economic", check_finite=False)
        return cls(V, y, weights, np.ascontiguousarray(Q.T) * (y / root), R, kept)

    @property
    def max_components(self) -> int:
        """Number of columns of V."""
        return self.V.shape[1]

    def size(self, n_components: int) -> int:
        """Count the independent columns among the constant and the first components."""
        return int(np.searchsorted(self.kept, n_components, side="right"))

    def coefficients(self, coordinates):
        """Coefficients (beta, b) of functions given by their coordinates.

        Parameters
        ----------
        coordinates : ndarray of shape (k, m)

        Returns
        -------
        beta : ndarray of shape (k, D)
        intercept : ndarray of shape (k,)
        """
        z = np.zeros((len(coordinates), self.max_components + 1))
        z[:, self.kept] = solve_triangular(self.triangle, coordinates.T, check_finite=False).T
        return z[:, 1:], z[:, 0]

    def margins(self, beta, intercept):
        """Margins y (V beta + b), of shape (k, n), from coefficients."""
        return self.y * (beta @ self.V.T + intercept[:, np.newaxis])


def _dependent_columns(R, columns):
    diagonal = np.zeros(columns.shape[1])
    diagonal[: len(R)] = np.abs(np.diagonal(R))
    return diagonal <= DEPENDENT_TOL * np.linalg.norm(columns, axis=0)


def _check_arrays(V, y, weights):
    n = len(y)
    if V.ndim != 2 or len(V) != n or y.ndim != 1 or weights.shape != (n,):
        raise ValueError(
            f"V has shape {V.shape}, y {y.shape} and weights {weights.shape}; expected (n, D), "
            "(n,) and (n,)."
        )
    if not (np.isfinite(V).all() and np.isfinite(weights).all()):
        raise ValueError("V or weights contain NaN or infinity; clean the data first.")
    if not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError(f"y holds the values {np.unique(y)[:5]}; labels must be -1 and 1.")
    if not (weights > 0).all():
        raise ValueError(
            f"weights has a minimum of {weights.min():g}; leave out points of weight zero."
        )
