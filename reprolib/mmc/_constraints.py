"""Maximise tr(A' K L K A) over coefficient matrices A, under three scale constraints.

With A = Phi alpha (equation (12)) every direction a_j is a combination of the training points,
and the projections of the training data are K alpha. What the paper leaves open is the constraint
that fixes the scale of alpha:

"coefficient"
    alpha' alpha = I, as printed in equations (13), (21) and (22): the leading eigenvectors of
    K L K. The directions a_j = Phi alpha_j are in general neither orthogonal nor of equal length.
"function"
    alpha' K alpha = I, which says a_i' a_j = delta_ij: equation (1) in feature space, and what
    "equivalent to [2]" asks for. With K = F F' (F = U S^(1/2) over the numerical rank) and
    alpha = U S^(-1/2) B, the problem is max tr(B' F' L F B), B' B = I. For the linear kernel it
    is MMC itself.
"whitened"
    alpha' (K H K + ridge K) alpha = I with H = I - 11'/n: unit total scatter, as in discriminant
    analysis. With the centred H K H = U S U' and alpha = H U (S^2 + ridge S)^(-1/2) B, it is
    max tr(B' D U' L U D B), D = (S / (S + ridge))^(1/2). When n distinct points give a centred
    Gram matrix of rank n - 1 and ridge = 0, every class collapses to a point, the leading c - 1
    eigenvalues are all 1, and the objective says nothing about the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import eigh

from reprolib.kernels import center_gram, gram_eigh

#: Eigenvalues of a Gram matrix below this fraction of the largest count as zero.
RANK_TOL = 1e-10

#: Whitened eigenvalues, at most 1, that differ by less than this are tied.
TIE_TOL = 1e-9

#: (K, L, number of directions) -> (coefficients, eigenvalues), largest eigenvalue first.
Maximiser = Callable[[np.ndarray, np.ndarray, int], tuple[np.ndarray, np.ndarray]]


def leading_eigenvectors(S, n_components: int):
    """Eigenpairs of a symmetric matrix, largest first; the largest entry of a vector is positive.

    Returns
    -------
    eigenvectors : ndarray of shape (len(S), at most n_components)
    eigenvalues : ndarray
    """
    eigenvalues, vectors = eigh((S + S.T) / 2, check_finite=False, driver="evd")
    eigenvalues = eigenvalues[::-1][:n_components].copy()
    vectors = vectors[:, ::-1][:, :n_components]
    largest = np.argmax(np.abs(vectors), axis=0)
    return vectors * np.sign(vectors[largest, np.arange(vectors.shape[1])]), eigenvalues


def maximise_coefficient_orthonormal(K, L, n_components: int):
    """Leading eigenvectors of K L K."""
    return leading_eigenvectors(K @ L @ K, n_components)


def maximise_function_orthonormal(K, L, n_components: int):
    """MMC on explicit features of K, mapped back to coefficients."""
    eigenvalues, U = gram_eigh(K, rank_tol=RANK_TOL)
    F = U * np.sqrt(eigenvalues)
    B, values = leading_eigenvectors(F.T @ L @ F, n_components)
    return (U / np.sqrt(eigenvalues)) @ B, values


def maximise_whitened(K, L, n_components: int, *, ridge: float = 0.0):
    """Discriminant analysis: unit total scatter plus ``ridge`` times its mean eigenvalue.

    Directions that tie with the first (all c - 1 of them, without ridge) are ordered by their
    length in feature space, shortest first: the widest margin between the collapsed classes.
    """
    centered = center_gram(K)
    eigenvalues, U = gram_eigh(centered, rank_tol=RANK_TOL)
    shifted = eigenvalues + ridge * np.trace(centered) / max(len(K) - 1, 1)
    D = np.sqrt(eigenvalues / shifted)
    B, values = leading_eigenvectors((U * D).T @ L @ (U * D), len(eigenvalues))
    tied = int(np.count_nonzero(values >= values[0] - TIE_TOL))
    order, _ = leading_eigenvectors(-(B[:, :tied].T / shifted) @ B[:, :tied], tied)
    B = np.column_stack([B[:, :tied] @ order, B[:, tied:]])[:, :n_components]
    A = (U / np.sqrt(eigenvalues * shifted)) @ B
    return A - A.mean(axis=0), values[:n_components]


CONSTRAINTS: dict[str, Maximiser] = {
    "coefficient": maximise_coefficient_orthonormal,
    "function": maximise_function_orthonormal,
    "whitened": maximise_whitened,
}


def get_maximiser(constraint: str, ridge: float = 0.0) -> Maximiser:
    """Look a constraint up by name.

    Raises
    ------
    ValueError
        If a ridge is given to a constraint that has none.
    """
    if constraint == "whitened":
        return partial(maximise_whitened, ridge=ridge)
    if ridge:
        raise ValueError(
            f"ridge is {ridge!r} with constraint {constraint!r}; only 'whitened' divides by a "
            "scatter that a ridge could regularise. Leave ridge at 0."
        )
    return CONSTRAINTS[constraint]
