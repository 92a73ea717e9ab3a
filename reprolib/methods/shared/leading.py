"""The leading part of a Gram matrix's spectrum, with a certificate that nothing is missing."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from reprolib.methods.shared.kernels import NEGATIVE_TOL, fix_signs, gram_eigh

#: Below this many rows all eigenvectors take less than a second.
FEWEST_ROWS = 2000
#: Part of the eigenvectors beyond which computing all of them takes no longer.
LARGEST_PART = 1 / 20
#: Distance of neighbouring eigenvalues, relative to the largest, at which their eigenvectors are
#: told apart with seven digits.
SEPARATION_TOL = 1e-8
#: Of residuals and inner products, relative.
RESIDUAL_TOL = 1e-12


def leading_eigh(K, n_components: int | None, *, rank_tol: float, semidefinite: bool = False):
    """At least the first ``n_components`` pairs of `gram_eigh`, by Lanczos' method if they are few.

    The pairs are accepted if their residuals are round-off, no two eigenvalues are close, and two
    Cholesky factorisations show that no other eigenvalue is as large and that K is positive
    semidefinite up to ``NEGATIVE_TOL``. Otherwise, and for small matrices, all pairs are computed.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The Gram matrix.
    n_components : int, optional
        None means all.
    rank_tol : float
        Eigenvalues up to this part of the largest are zero.
    semidefinite : bool
        Whether K is known to be positive semidefinite, as a principal submatrix of a matrix is
        that has been checked. It saves the second factorisation.

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        So many as asked for, or all up to the numerical rank.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal columns, with the signs of `gram_eigh`.

    Raises
    ------
    ValueError
        As `gram_eigh`.

    See Also
    --------
    reprolib.methods.shared.kernels.gram_eigh : All pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.leading import leading_eigh
    >>> K = np.diag(np.arange(2000.0, 0.0, -1.0))
    >>> eigenvalues, eigenvectors = leading_eigh(K, 2, rank_tol=1e-10)
    >>> eigenvalues.round(6).tolist(), eigenvectors.shape
    ([2000.0, 1999.0], (2000, 2))
    """
    most = LARGEST_PART * len(K) if len(K) >= FEWEST_ROWS else 0
    if n_components is not None and n_components <= most:
        start = np.random.default_rng(0).standard_normal(len(K))
        try:
            eigenvalues, eigenvectors = eigsh(K, n_components + 1, which="LA", v0=start)
        except ArpackNoConvergence:
            return gram_eigh(K, rank_tol=rank_tol)
        order = np.argsort(-eigenvalues)
        eigenvalues, eigenvectors = eigenvalues[order], eigenvectors[:, order]
        if _are_leading(K, eigenvalues, eigenvectors, rank_tol) and (
            semidefinite or _is_definite(K.copy(), NEGATIVE_TOL * eigenvalues[0])
        ):
            return eigenvalues[:-1], fix_signs(eigenvectors[:, :-1])
    return gram_eigh(K, rank_tol=rank_tol)


def _are_leading(K, eigenvalues, eigenvectors, rank_tol) -> bool:
    """Whether all pairs but the last are the leading ones of K."""
    largest = eigenvalues[0]
    apart = -np.diff(eigenvalues) > SEPARATION_TOL * largest
    if not (largest > 0.0 and apart.all() and eigenvalues[-2] > rank_tol * largest):
        return False
    residuals = K @ eigenvectors - eigenvectors * eigenvalues
    products = eigenvectors.T @ eigenvectors - np.eye(len(eigenvalues))
    if not (
        np.max(np.abs(residuals)) <= RESIDUAL_TOL * largest
        and np.max(np.abs(products)) <= RESIDUAL_TOL
    ):
        return False
    found = eigenvectors[:, :-1]
    rest = (found * eigenvalues[:-1]) @ found.T
    rest -= K
    between = (eigenvalues[-2] + eigenvalues[-1]) / 2.0
    return _is_definite(rest, between)


def _is_definite(matrix, shift) -> bool:
    """Whether the matrix, which is overwritten, plus a multiple of the identity is definite.

    LAPACK takes columns one after the other: those of the transpose, the same matrix.
    """
    matrix.flat[:: len(matrix) + 1] += shift
    try:
        cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True
