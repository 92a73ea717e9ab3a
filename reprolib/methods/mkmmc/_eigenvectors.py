"""One answer on every machine where the problem leaves several: tied eigenvalues and distances.

Eigenvectors of equal eigenvalues are known up to a rotation only, and a processor's last digits
choose it. The span of the first m directions then depends on the machine as soon as m ends inside
such a group. The rule here leaves every group with one basis:

1. Eigenvalues that differ by at most `SOLVED` of the largest in size are tied: round-off moves them
   by some 1e-14, and a direction whose eigenvalue is so far from all others is known to some 1e-6.
2. Inside a group the directions are those of a second criterion, best first: the total scatter for
   the squared length in feature space (`_constraints` says how for each constraint).
3. Directions that tie there, too, are rotated by the samples: the first is that on which the sample
   of largest projection on the group lies, and so on with what is left. Of equally large ones (up
   to `DIVIDED`) the first sample counts. This also fixes every sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from reprolib.methods.shared.ties import DIVIDED, SOLVED, first_largest, stretches

#: (orthonormal directions, one a column) -> (rotation, values of the second criterion, best first,
#: at most about 1).
SecondCriterion = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def tied_groups(values) -> list[slice]:
    """Divide decreasing values of size at most 1 where neighbours are more than a tie apart."""
    cuts = np.flatnonzero(np.diff(stretches(-values, SOLVED))) + 1
    edges = [0, *cuts.tolist(), len(values)]
    return [slice(a, b) for a, b in pairwise(edges) if b > a]


def determined_eigenvectors(S, n_components: int, rows, second: SecondCriterion):
    """Leading eigenpairs of a symmetric matrix, tied ones by the rule of this module.

    Parameters
    ----------
    S : ndarray of shape (r, r)
        The symmetric matrix.
    n_components : int
        How many eigenvectors are wanted.
    rows : ndarray of shape (n, r)
        The samples, in the coordinates of S, of rank r.
    second : callable
        From vectors that tie to their rotation and to the values that order them, best first.

    Returns
    -------
    eigenvectors : ndarray of shape (r, at most n_components)
        Orthonormal eigenvectors, one a column, largest eigenvalue first.
    eigenvalues : ndarray
        Their eigenvalues, in decreasing order.
    """
    eigenvalues, vectors = np.linalg.eigh((S + S.T) / 2)
    eigenvalues, vectors = eigenvalues[::-1].copy(), vectors[:, ::-1].copy()
    size = np.max(np.abs(eigenvalues), initial=0.0) or 1.0
    groups: list[slice] = []
    for group in tied_groups(eigenvalues / size):
        if group.start >= n_components:
            break
        if group.stop - group.start == 1:
            groups.append(group)
            continue
        rotation, values = second(vectors[:, group])
        vectors[:, group] = vectors[:, group] @ rotation
        first = group.start
        groups += [slice(first + tied.start, first + tied.stop) for tied in tied_groups(values)]
    end = groups[-1].stop if groups else 0
    vectors = fix_basis(vectors[:, :end], groups, rows)
    return vectors[:, :n_components], eigenvalues[:n_components]


def fix_basis(vectors, groups: Sequence[slice], rows):
    """Rotate the vectors inside every group to the basis that the samples determine.

    Parameters
    ----------
    vectors : ndarray of shape (r, m)
        Orthonormal vectors, one a column; a copy is rotated.
    groups : sequence of slice
        Of the m vectors.
    rows : ndarray of shape (n, r)
        The samples.
    """
    projected = rows @ vectors
    columns = np.arange(vectors.shape[1])
    sizes = np.abs(projected.T)
    signs = np.sign(projected[first_largest(sizes, DIVIDED * sizes.max(axis=1)), columns])
    fixed = vectors * np.where(signs == 0.0, 1.0, signs)
    for group in groups:
        if group.stop - group.start > 1:
            fixed[:, group] = vectors[:, group] @ _rotation_by_samples(projected[:, group])
    return fixed


def _rotation_by_samples(projected):
    """Rotation after which one sample has a first coordinate only, the next two, and so on.

    Directions on which no sample lies come last, as they are: they move no sample.
    """
    left = projected.copy()
    floor = DIVIDED * np.linalg.norm(projected)
    rotation = np.zeros((left.shape[1], left.shape[1]))
    for j in range(len(rotation)):
        squares = np.einsum("ij,ij->i", left, left)
        pivot = int(first_largest(squares, DIVIDED * squares.max()))
        direction = left[pivot] - rotation[:, :j] @ (rotation[:, :j].T @ left[pivot])
        length = np.linalg.norm(direction)
        if length <= floor:
            rotation[:, j:] = np.linalg.qr(rotation[:, :j], mode="complete")[0][:, j:]
            break
        rotation[:, j] = direction / length
        left -= np.outer(left @ rotation[:, j], rotation[:, j])
    return rotation
