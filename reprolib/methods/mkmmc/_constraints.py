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

**Ties.** Directions of equal eigenvalue are ordered by total scatter for the squared length in
feature space, largest first; see `_eigenvectors` for why a rule is needed and for what ties
again. Under "function", where the length is 1, and under "coefficient", where it is left alone as
printed, this is the total scatter a' K H K a; under "whitened", where the scatter is 1, the
reciprocal of the squared length, that is, the widest margin between collapsed classes. Under
"whitened" without ridge the rule is always needed: with S_b + S_w = I there, the eigenvalues are
(1 + mu) b - mu, b in [0, 1], and as S_b has rank c - 1 at most, all directions beyond the first
c - 1 have b = 0. They separate no classes, and the criterion says nothing about their order; the
rule takes those of largest variance in feature space first.

**Idle directions.** The features of n points that are not centred have a direction along which all
points coincide, of eigenvalue 0. It follows the c - 1 directions of positive eigenvalue, and leads
where the classes overlap so much that there are none. Differences along it are nothing but
round-off. Estimators therefore set its coefficients to zero (`idle_to_zero`): it counts as a
direction, but changes no distance. While weights of kernels are learned it stays as it is, because
along it the points do differ under other weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from reprolib.methods.mkmmc._eigenvectors import SecondCriterion, determined_eigenvectors
from reprolib.methods.shared.kernels import center_gram, gram_eigh
from reprolib.methods.shared.tolerances import RANK_TOL

#: Directions along which the samples spread by less than this part of their size are idle.
SCATTER_TOL = 1e-10

#: (K, L, number of directions) -> (coefficients, eigenvalues), largest eigenvalue first.
Maximiser = Callable[[np.ndarray, np.ndarray, int], tuple[np.ndarray, np.ndarray]]


def by_scatter(features) -> SecondCriterion:
    """Order directions by the total scatter of the projected features, largest first."""

    def second(Q):
        centered = features - features.mean(axis=0)
        size = np.linalg.norm(features) or 1.0
        _, singular, Vt = np.linalg.svd((centered / size) @ Q, full_matrices=False)
        return Vt.T, singular**2

    return second


def by_length(variances) -> SecondCriterion:
    """Order whitened directions by their length in feature space, shortest first."""
    scale = np.sqrt(np.min(variances, initial=np.inf) / variances)

    def second(Q):
        _, singular, Vt = np.linalg.svd(scale[:, None] * Q, full_matrices=False)
        return Vt.T[:, ::-1], (singular[-1] / singular[::-1]) ** 2

    return second


def maximise_coefficient_orthonormal(K, L, n_components: int):
    """Leading eigenvectors of K L K."""
    size = np.abs(K).max() or 1.0
    unit = K / size
    A, values = determined_eigenvectors(
        unit @ L @ unit, n_components, np.eye(len(K)), by_scatter(unit)
    )
    return A, values * size**2


def maximise_function_orthonormal(K, L, n_components: int):
    """MMC on explicit features of K, mapped back to coefficients."""
    eigenvalues, U = gram_eigh(K, rank_tol=RANK_TOL)
    F = U * np.sqrt(eigenvalues)
    B, values = determined_eigenvectors(F.T @ L @ F, n_components, U, by_scatter(F))
    return (U / np.sqrt(eigenvalues)) @ B, values


def maximise_whitened(K, L, n_components: int, *, ridge: float = 0.0):
    """Discriminant analysis: unit total scatter plus ``ridge`` times its mean eigenvalue."""
    centered = center_gram(K)
    eigenvalues, U = gram_eigh(centered, rank_tol=RANK_TOL)
    shifted = eigenvalues + ridge * np.trace(centered) / max(len(K) - 1, 1)
    UD = U * np.sqrt(eigenvalues / shifted)
    B, values = determined_eigenvectors(UD.T @ L @ UD, n_components, U, by_length(shifted))
    A = (U / (np.sqrt(eigenvalues) * np.sqrt(shifted))) @ B
    return A - A.mean(axis=0), values


CONSTRAINTS: dict[str, Maximiser] = {
    "coefficient": maximise_coefficient_orthonormal,
    "function": maximise_function_orthonormal,
    "whitened": maximise_whitened,
}


def idle_to_zero(directions, features, size: float):
    """Set directions to zero along which the samples do not differ.

    Parameters
    ----------
    directions : ndarray of shape (r, m)
        The directions, one a column; a copy is changed.
    features : ndarray of shape (n, r)
        The Gram matrix, if the directions are coefficients.
    size : float
        Norm of all projections on an orthonormal basis, see `projected_size`.
    """
    return directions * is_moving(features @ directions, size)


def is_moving(projected, size: float):
    """Whether projected samples differ in each of the directions, see `idle_to_zero`."""
    scatter = np.linalg.norm(projected - projected.mean(axis=0), axis=0)
    return scatter > SCATTER_TOL * size


def projected_size(K, constraint: str) -> float:
    """Root of the sum of the squares of all projections, in all directions of the constraint."""
    if constraint == "coefficient":
        return float(np.linalg.norm(K))
    if constraint == "function":
        return float(np.sqrt(np.trace(K)))
    return float(np.sqrt(len(K)))


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
