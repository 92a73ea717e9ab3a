"""Exact leave-one-out accuracy of the nearest neighbour behind a projection; its best kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee

import numpy as np

from reprolib.methods.mkmmc._constraints import (
    by_scatter,
    get_maximiser,
    is_moving,
    projected_size,
)
from reprolib.methods.mkmmc._eigenvectors import determined_eigenvectors, fix_basis, tied_groups
from reprolib.methods.mkmmc._graph import Between, margin_laplacian, margin_without_point
from reprolib.methods.mkmmc._nearest import nearest_neighbor_path
from reprolib.methods.shared.kernels import center_gram, gram_eigh
from reprolib.methods.shared.ties import last_largest
from reprolib.methods.shared.tolerances import RANK_TOL

#: (Gram matrix, points in their order) -> hits of each in 1, 2, ..., m directions.
Hits = Callable[[np.ndarray, Iterable[int]], Iterator[np.ndarray]]


def leave_one_out_path(K, y, n_components: int, *, constraint: str, within_weight: float = 1.0):
    """Leave-one-out 1-NN accuracy for 1, 2, ..., n_components directions.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix; its bandwidth stays as it is when a point is left out.
    y : ndarray of shape (n,)
        Class label of every example.
    n_components : int
        Where fewer directions exist, the accuracy stays at its last value.
    constraint : {"coefficient", "function", "whitened"}
        See `leave_one_out_hits`.
    within_weight : float, default=1.0
        mu of the criterion S_b - mu S_w.

    Returns
    -------
    ndarray of shape (n_components,)
        Share of points, left out one at a time, whose class is found.

    See Also
    --------
    leave_one_out_hits : One point after the other.
    leave_one_out_collapsed_path : Faster, for "whitened" and a Gram matrix of full rank.
    nearest_other_path : For a projection that uses no labels.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import leave_one_out_path
    >>> X, y = np.array([0.0, 0.2, 0.4, 5.0, 5.2, 5.4])[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> leave_one_out_path(X @ X.T, y, 1, constraint="function").tolist()
    [1.0]
    """
    everyone = range(len(y))
    hits = leave_one_out_hits(
        K, y, n_components, everyone, constraint=constraint, within_weight=within_weight
    )
    return np.sum(list(hits), axis=0) / len(y)


def leave_one_out_hits(
    K,
    y,
    n_components: int,
    order: Iterable[int],
    *,
    constraint: str,
    within_weight: float = 1.0,
    between: Between = "mean",
) -> Iterator[np.ndarray]:
    """Whether 1-NN is right about a point left out, in 1, 2, ..., n_components directions.

    Every point is classified in a projection learned without it: its class mean, the overall
    mean and the expansion all lack it. One eigendecomposition a point; where the coordinates of
    the others need not be found anew, the criterion changes by a matrix of rank two.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix; its bandwidth stays as it is when a point is left out.
    y : ndarray of shape (n,)
        Class label of every example.
    n_components : int
        Where fewer directions exist, it stays as in the last one.
    order : iterable of int
        The points, one after the other.
    constraint : {"coefficient", "function", "whitened"}
        What fixes the scale of the directions, as in `reprolib.KernelMMC`.
    within_weight : float, default=1.0
        mu of the criterion S_b - mu S_w.
    between : {"mean", "origin"}, default="mean"
        From what S_b measures the class means.

    Yields
    ------
    ndarray of bool of shape (n_components,)
        Of one point. A point that is all that parts two classes is never right: without it there
        is no projection.

    See Also
    --------
    leave_one_out_path : The mean over all points.
    last_best_left_out : Compares Gram matrices without all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import leave_one_out_hits
    >>> X, y = np.array([0.0, 0.2, 0.4, 5.0, 5.2, 5.4])[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> hits = leave_one_out_hits(X @ X.T, y, 1, [4, 2], constraint="function")
    >>> [point.tolist() for point in hits]
    [[True], [True]]
    """
    y = np.asarray(y)
    project = _projection(K, y, constraint, within_weight, between)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    for i in order:
        if len(classes) == 2 and counts[codes[i]] == 1:
            yield np.zeros(n_components, dtype=bool)
            continue
        rest = np.delete(np.arange(len(y)), i)
        train, test = project(i, rest, n_components)
        hits = nearest_neighbor_path(train, y[rest], test[None])[:, 0] == y[i]
        yield _extended(hits, n_components)


def _extended(hits, length: int):
    """Hits up to a number of directions; without any direction there is no hit."""
    return np.pad(hits, (0, length - len(hits)), mode="edge" if len(hits) else "constant")


def leave_one_out_collapsed_path(K, y):
    """`leave_one_out_path` of the whitened constraint for a Gram matrix of full rank.

    When the centred Gram matrix of n points has rank n - 1, the whitened projection (no ridge)
    sends every class to one point. With P the pseudo-inverse of the centred Gram matrix and
    V = Y N^(-1/2) the scaled class indicators, the directions are P V R, R the eigenvectors of
    V' P V with positive eigenvalues, smallest first; class k sits at row k of N^(-1/2) R. Leaving
    out point i changes P by a rank-one term, and the point itself goes to -P_i V R / P_ii
    (Dubrule's update for interpolation, 1983). So one inverse serves all points, and each costs
    an eigendecomposition of size c instead of n.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix of the training points.
    y : ndarray of shape (n,)
        Class label of every example.

    Returns
    -------
    ndarray of shape (c - 1,)
        Share of points whose class is found in 1, 2, ..., c - 1 directions, for c classes.

    Raises
    ------
    ValueError
        If the centred Gram matrix is rank-deficient (duplicate points, for example): use
        `leave_one_out_path`.

    See Also
    --------
    leave_one_out_path : Any constraint and rank.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import leave_one_out_collapsed_path
    >>> from reprolib.methods.shared.kernels import gram
    >>> X, y = np.array([0.0, 0.2, 0.4, 5.0, 5.2, 5.4])[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> leave_one_out_collapsed_path(gram(X, gamma=1.0), y).tolist()
    [1.0]
    """
    return np.sum(list(leave_one_out_collapsed_hits(K, y, range(len(y)))), axis=0) / len(y)


def leave_one_out_collapsed_hits(K, y, order: Iterable[int]) -> Iterator[np.ndarray]:
    """Like `leave_one_out_hits`, by the formula of `leave_one_out_collapsed_path`.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix of the training points.
    y : ndarray of shape (n,)
        Class label of every example.
    order : iterable of int
        The points, one after the other.

    Yields
    ------
    ndarray of bool of shape (c - 1,)
        Of one point: whether its class is found in 1, 2, ..., c - 1 directions.

    See Also
    --------
    last_best_left_out : Compares Gram matrices without all points.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import leave_one_out_collapsed_hits
    >>> from reprolib.methods.shared.kernels import gram
    >>> X, y = np.array([0.0, 0.2, 0.4, 5.0, 5.2, 5.4])[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> next(leave_one_out_collapsed_hits(gram(X, gamma=1.0), y, [3])).tolist()
    [True]
    """
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    c = len(classes)
    n = len(K)
    rank = len(gram_eigh(center_gram(K), rank_tol=RANK_TOL)[0])
    if rank < n - 1:
        raise ValueError(
            f"the centred Gram matrix of {n} points has rank {rank}, and the classes do not "
            "collapse; use leave_one_out_path with constraint 'whitened'."
        )
    # The pseudo-inverse of H K H is the leading block of the inverse of [[K, 1], [1', 0]].
    bordered = np.block([[K, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    P = np.linalg.inv(bordered)[:n, :n]
    Y = np.eye(c)[codes]
    group_sums = Y.T @ P @ Y
    for i in order:
        k = codes[i]
        away = np.zeros(c)
        away[k] = 1.0
        others = Y.T @ P[:, i] - P[i, i] * away
        reduced = group_sums - np.outer(away, others) - np.outer(others, away)
        reduced[k, k] -= P[i, i]
        reduced -= np.outer(others, others) / P[i, i]
        kept = np.flatnonzero(counts - away > 0)
        scale = 1 / np.sqrt((counts - away)[kept])
        # Eigenvectors of positive eigenvalue, ascending; ties as in the whitened constraint.
        squares, R = np.linalg.eigh(reduced[np.ix_(kept, kept)] * np.outer(scale, scale))
        squares, R = squares[1:], R[:, 1:]
        ties = tied_groups(np.min(squares, initial=np.inf) / squares)
        R = fix_basis(R, ties, np.diag(scale))
        point = -(others[kept] * scale / P[i, i]) @ R
        hits = nearest_neighbor_path(R * scale[:, None], kept, point[None])[:, 0] == k
        yield _extended(hits, c - 1)


#: (point, the others, number of directions) -> projections of the others, and of the point.
_Projection = Callable[[int, np.ndarray, int], tuple[np.ndarray, np.ndarray]]


def _projection(K, y, constraint: str, within_weight: float, between: Between) -> _Projection:
    """Way to learn without a point; that of all points costs least where it is known."""
    if constraint == "coefficient":
        return _of_coefficients(K, margin_without_point(K / _size(K), y, within_weight, between))
    if constraint == "function":
        about_mean = between == "mean"
        eigenvalues, U = gram_eigh(center_gram(K) if about_mean else K, rank_tol=RANK_TOL)
        if len(eigenvalues) == len(y) - about_mean:
            F = U * np.sqrt(eigenvalues)
            return _of_features(U, F, margin_without_point(F, y, within_weight, between))
    maximise = get_maximiser(constraint)

    def refit(i, rest, n_components):
        K_rest = K[np.ix_(rest, rest)]
        L = margin_laplacian(y[rest], within_weight=within_weight, between=between)
        A, _ = maximise(K_rest, L, n_components)
        return _without_idle(K_rest @ A, K[i, rest] @ A, projected_size(K_rest, constraint))

    return refit


def _size(K) -> float:
    """Size of the entries of a Gram matrix."""
    return float(np.abs(K).max()) or 1.0


def _of_coefficients(K, margin) -> _Projection:
    """Orthonormal coefficients of the others: K L K without the point, its row and column."""
    unit = K / _size(K)

    def project(i, rest, n_components):
        K_rest = _without(unit, i)
        S = _without(margin(i), i)
        A, _ = determined_eigenvectors(S, n_components, np.eye(len(rest)), by_scatter(K_rest))
        size = projected_size(K_rest, "coefficient")
        return _without_idle(K_rest @ A, unit[i, rest] @ A, size)

    return project


def _of_features(U, F, margin) -> _Projection:
    """Orthonormal directions among the features of all points, learned on the others' graph.

    With points in general position the features span one direction that the other points do not
    use: no scatter, no effect on the ranks of distances, like the constant function among the
    uncentred features. Repeated or dependent points leave no such direction.
    """

    def project(i, rest, n_components):
        F_rest = F[rest]
        B, _ = determined_eigenvectors(margin(i), n_components, U[rest], by_scatter(F_rest))
        return _without_idle(F_rest @ B, F[i] @ B, float(np.linalg.norm(F_rest)))

    return project


def _without(matrix, i: int):
    """Matrix without row and column i."""
    return np.delete(np.delete(matrix, i, axis=0), i, axis=1)


def _without_idle(train, test, size: float):
    """Projections, of zero in directions along which the training points do not differ."""
    moving = is_moving(train, size)
    return train * moving, test * moving


def last_best_left_out(grams: Sequence[np.ndarray], hits: Hits):
    """Gram matrix of largest leave-one-out accuracy, each in its best number of directions.

    Of equally good ones the last. The matrix with the fewest errors so far leaves out its next
    point; the first that has left out all has won, as no other can end with fewer. Every matrix
    first leaves out points on which others erred, so that losers are soon behind.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n, n)
        The Gram matrices to choose from.
    hits : callable
        (Gram matrix, order of the points) -> iterator, such as `leave_one_out_hits`.

    Returns
    -------
    index : int
        Which of ``grams`` is chosen.
    path : ndarray of shape (m,)
        Its accuracy in every number of directions.

    See Also
    --------
    leave_one_out_path : The accuracies of one Gram matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import last_best_left_out, leave_one_out_collapsed_hits
    >>> from reprolib.methods.shared.kernels import gram
    >>> X, y = np.array([0.0, 0.2, 0.4, 5.0, 5.2, 5.4])[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> grams = [gram(X, gamma=0.1), gram(X, gamma=1.0)]
    >>> t, path = last_best_left_out(grams, lambda K, i: leave_one_out_collapsed_hits(K, y, i))
    >>> t, path.tolist()
    (1, [1.0])
    """
    n = len(grams[0])
    errors_on, least = np.zeros(n, dtype=int), np.zeros(len(grams), dtype=int)
    errors: list[np.ndarray | int] = [0] * len(grams)
    runs = [_run(K, hits, errors_on) for K in grams]
    while True:
        t = int(last_largest(-least))
        step = next(runs[t], None)
        if step is None:
            return t, (n - errors[t]) / n
        i, right = step
        errors_on[i] += np.count_nonzero(~right)
        errors[t] = errors[t] + ~right
        least[t] = np.min(errors[t])


def _run(K, hits: Hits, errors_on) -> Iterator[tuple[int, np.ndarray]]:
    """Points that are left out one after the other, and where they were hit."""
    points, same = tee(_hardest_first(errors_on))
    return zip(points, hits(K, same), strict=True)


def _hardest_first(errors_on) -> Iterator[int]:
    """Every point once: of those left always one with most errors, as they are counted by then."""
    left = np.ones(len(errors_on), dtype=bool)
    for _ in errors_on:
        i = int(np.argmax(np.where(left, errors_on, -1)))
        left[i] = False
        yield i
