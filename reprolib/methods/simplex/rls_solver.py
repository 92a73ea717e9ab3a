"""Regularised least squares: direct solutions, and leave-one-out along a whole path of alphas.

Problem: minimise over f in the (vector-valued) RKHS (1/n) sum_i ||y_i - f(x_i)||^2 + alpha ||f||^2.
With f(x) = sum_i a_i k(x_i, x) the optimum is A = (K + n alpha I)^-1 Y.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.utils.extmath import safe_sparse_dot

from reprolib.methods.shared.kernels import NEGATIVE_TOL
from reprolib.methods.shared.validation import refuse_negative

#: Numbers of a row that are computed by one product in leave-one-out.
WIDTH = 256


def rls_dual_coefficients_cholesky(matrix, Y, shift: float):
    """Solve (matrix + shift I) Z = Y for a symmetric positive semidefinite matrix.

    Raises
    ------
    ValueError
        If the shifted matrix is not positive definite (a kernel that is not PSD).
    """
    shifted = matrix.copy()
    shifted.flat[:: len(matrix) + 1] += shift
    try:
        factor = cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError(
            f"K + n alpha I is not positive definite (n alpha = {shift:.3g}): the kernel is not "
            "positive semidefinite, or alpha is too small for it. Clip the negative eigenvalues "
            "of K or increase alpha."
        ) from error
    return cho_solve(factor, Y, check_finite=False)


@dataclass(frozen=True)
class Spectrum:
    """Part of the eigendecomposition K = U diag(s) U' with s > 0.

    Parameters
    ----------
    eigenvalues : ndarray of shape (r,)
        In increasing order.
    eigenvectors : ndarray of shape (n, r)
        Orthonormal columns. r < n when K has low rank: linear kernels with p < n, Nystrom.
    feature_map : ndarray of shape (p, r), optional
        V with U = X V diag(s)^(-1/2), where the spectrum comes from X'X.
    """

    eigenvalues: np.ndarray
    eigenvectors: np.ndarray
    feature_map: np.ndarray | None = None

    @property
    def full_rank(self) -> bool:
        """Whether the eigenvectors span the whole of R^n."""
        return self.eigenvectors.shape[1] == len(self.eigenvectors)


def gram_spectrum(
    K, *, tol: float = NEGATIVE_TOL, name: str = "The Gram matrix", overwrite: bool = False
) -> Spectrum:
    """All n eigenpairs of a Gram matrix by divide and conquer; round-off below zero becomes zero.

    Memory: the n x n eigenvectors and a workspace of twice that size, 24 n^2 bytes at the peak
    when ``overwrite`` is given (K is destroyed), 32 n^2 otherwise.

    Raises
    ------
    ValueError
        If K is indefinite beyond ``tol`` times its largest eigenvalue; ``name`` is its name there.
    """
    eigenvalues, eigenvectors = eigh(K.T, driver="evd", overwrite_a=overwrite, check_finite=False)
    refuse_negative(eigenvalues[0], eigenvalues[-1], tol, name)
    return Spectrum(np.maximum(eigenvalues, 0.0), eigenvectors)


def feature_spectrum(X, *, rank_tol: float | None = None) -> Spectrum:
    """Positive eigenpairs of K = X X' from the p x p matrix X'X (for p < n), X dense or sparse.

    Eigenvalues at most ``rank_tol`` (default max(n, p) times the machine epsilon) times the
    largest are taken as zero. X'X has the squares of the singular values, so that the eigenvectors
    of K are orthonormal up to the machine epsilon times the ratio of the largest to the smallest
    singular value that is kept.
    """
    covariance = safe_sparse_dot(X.T, X, dense_output=True)
    eigenvalues, vectors = eigh(covariance, driver="evd", overwrite_a=True, check_finite=False)
    if rank_tol is None:
        rank_tol = max(X.shape) * np.finfo(float).eps
    kept = eigenvalues > rank_tol * max(eigenvalues[-1], 0.0)
    vectors = vectors[:, kept]
    U = safe_sparse_dot(X, vectors, dense_output=True)
    # Their norms are exact where the small eigenvalues of X'X have lost digits.
    norms = np.linalg.norm(U, axis=0)
    return Spectrum(norms**2, U / norms, vectors)


def leave_one_out_path(
    spectrum: Spectrum, indicators: sp.csr_array, shifts, *, shares=None, block_rows: int = 2048
) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """Leave-one-out predictions of class indicators for every alpha from one decomposition.

    F_loo = Y - C o M with C = (K + n alpha I)^-1 Y and M_iq = 1 / [(K + n alpha I)^-1]_ii
    (section 5 of the simplex paper): the prediction at x_i of the model trained without x_i
    when n alpha keeps its value. O(n r T) per alpha, and O(n r) once for M. Rows come in blocks so
    that no second n x r array is needed. If only the share rho of the weight of x_i is taken away,
    1 / M_i = rho [(K + n alpha I)^-1]_ii + (1 - rho) / (n alpha).

    Parameters
    ----------
    spectrum : Spectrum
        Decomposition of K.
    indicators : sparse array of shape (n, T)
        One-hot labels. Simplex scores are an affine function of the predictions of these:
        <c_q, f(x)> = T/(T-1) f_q(x) - sum_k f_k(x) / (T-1), so that both decode alike.
    shifts : ndarray of shape (L,)
        The values n alpha.
    shares : ndarray of shape (n,), optional
        The rho of every example, in (0, 1]; 1 by default.
    block_rows : int
        Rows of a block.

    Yields
    ------
    rows, columns : slice
        Of the examples and of ``shifts``.
    scores : ndarray of shape (rows, columns, T)
        Predictions of the class indicators of these examples at these values, each without the
        example.
    """
    U = spectrum.eigenvectors
    projected = (indicators.T @ U).T
    shifts = np.asarray(shifts)
    inverses = 1.0 / (spectrum.eigenvalues[:, None] + shifts)
    rank, n_classes = projected.shape
    n_columns = max(1, WIDTH // n_classes)
    for start in range(0, len(U), block_rows):
        rows = slice(start, min(start + block_rows, len(U)))
        targets = indicators[rows].toarray()
        diagonals = U[rows] ** 2 @ inverses
        if not spectrum.full_rank:
            outside = np.maximum(1.0 - np.sum(U[rows] ** 2, axis=1), 0.0)
            diagonals += outside[:, None] / shifts
            residual = (targets - U[rows] @ projected)[:, None, :]
        if shares is not None:
            rho = shares[rows, None]
            diagonals = rho * diagonals + (1.0 - rho) / shifts
        for first in range(0, len(shifts), n_columns):
            columns = slice(first, first + n_columns)
            # U diag(inverses[:, l]) projected for every l of the columns, by one product.
            weighted = inverses[:, columns, None] * projected[:, None, :]
            n_shifts = weighted.shape[1]
            products = U[rows] @ weighted.reshape(rank, n_shifts * n_classes)
            coefficients = products.reshape(len(products), n_shifts, n_classes)
            if not spectrum.full_rank:
                coefficients += residual / shifts[columns, None]
            scores = np.divide(coefficients, -diagonals[:, columns, None], out=coefficients)
            scores += targets[:, None, :]
            yield rows, columns, scores


def rls_dual_coefficients(spectrum: Spectrum, Y, shift: float):
    """Compute A = (K + shift I)^-1 Y from the spectrum of K, shape of Y."""
    projected = spectrum.eigenvectors.T @ Y
    A = spectrum.eigenvectors @ (projected / (spectrum.eigenvalues + shift)[:, None])
    if not spectrum.full_rank:
        A += (Y - spectrum.eigenvectors @ projected) / shift
    return A
