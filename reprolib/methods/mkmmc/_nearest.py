"""The nearest neighbour classifier for every dimension of a projection at once.

Training points are equally near if their distances differ by at most `ARITHMETIC` times the
distance to the farthest one. Round-off in projected coordinates is some 1e-14 of it. Not much more
than that: a narrow Gaussian kernel puts all images at nearly the same distance, and differences of
1e-11 then decide, rightly (in all dimensions every bandwidth ranks as the images themselves do).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from reprolib.methods.shared.ties import ARITHMETIC, first_largest, in_order


def nearest_neighbor_path(train, y_train, test):
    """1-nearest-neighbour labels of test points in the first 1, 2, ..., m coordinates.

    Distances grow by one coordinate at a time: O(n_test n_train m) in all. Among equally near
    neighbours the first training point wins.

    Parameters
    ----------
    train : ndarray of shape (n_train, m)
    y_train : ndarray of shape (n_train,)
    test : ndarray of shape (n_test, m)

    Returns
    -------
    ndarray of shape (m, n_test)

    See Also
    --------
    nearest_neighbor : All coordinates only.
    nearest_other_path : Every point among the others.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import nearest_neighbor_path
    >>> train, test = np.array([[0.0, 9.0], [1.0, 0.0]]), np.array([[0.1, 0.0]])
    >>> nearest_neighbor_path(train, ["a", "b"], test).tolist()
    [['a'], ['b']]
    """
    y_train = np.asarray(y_train)
    labels = np.empty((train.shape[1], len(test)), dtype=y_train.dtype)
    for i, point in enumerate(test):
        labels[:, i] = y_train[_nearest_path(train, point)]
    return labels


def nearest_neighbor(train, y_train, test):
    """1-nearest-neighbour labels in all coordinates: the last row of `nearest_neighbor_path`.

    Parameters
    ----------
    train : ndarray of shape (n_train, m)
    y_train : ndarray of shape (n_train,)
    test : ndarray of shape (n_test, m)

    Returns
    -------
    ndarray of shape (n_test,)

    See Also
    --------
    nearest_neighbor_path : The first 1, 2, ... coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import nearest_neighbor
    >>> nearest_neighbor(np.array([[0.0], [4.0]]), ["a", "b"], np.array([[1.0]])).tolist()
    ['a']
    """
    return np.asarray(y_train)[_nearest(cdist(test, train, "sqeuclidean"))]


def nearest_in_order(train, test, k: int, tol: float = ARITHMETIC):
    """Indices of the k nearest training points of every test point, nearest first.

    Distances that differ from the next smaller one by at most ``tol`` times the largest are equal;
    equally near points are in the order of their indices. Duplicates in the data make this matter:
    the k-th neighbour is often one of many, with different labels.

    Parameters
    ----------
    train : ndarray of shape (n_train, m)
    test : ndarray of shape (n_test, m)
    k : int
    tol : float

    Returns
    -------
    ndarray of int of shape (n_test, k)

    See Also
    --------
    nearest_neighbor : One neighbour.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import nearest_in_order
    >>> nearest_in_order(np.array([[3.0], [1.0], [-1.0]]), np.array([[0.0]]), 2).tolist()
    [[1, 2]]
    """
    distances = cdist(test, train)
    return in_order(distances, tol * distances.max(axis=1))[:, :k]


def nearest_other_path(points, y):
    """`nearest_neighbor_path` of every point among the others of the same projection.

    This is leave-one-out of the classifier behind a projection that uses no labels and has seen
    all points.

    Parameters
    ----------
    points : ndarray of shape (n, m)
    y : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (m, n)

    See Also
    --------
    nearest_neighbor_path : New points.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import nearest_other_path
    >>> nearest_other_path(np.array([[0.0], [1.0], [5.0]]), ["a", "b", "c"]).tolist()
    [['b', 'a', 'b']]
    """
    y = np.asarray(y)
    labels = np.empty((points.shape[1], len(points)), dtype=y.dtype)
    for i, point in enumerate(points):
        others = np.delete(points, i, axis=0)
        labels[:, i] = np.delete(y, i)[_nearest_path(others, point)]
    return labels


def _nearest_path(train, point):
    """Index of the first nearest training point in 1, 2, ..., m coordinates.

    The differences are squared themselves: |a|^2 - 2 a'b + |b|^2 would hide a tie in the digits
    that cancel.
    """
    return _nearest(np.cumsum(np.square(train.T - point[:, None]), axis=0))


def _nearest(squares):
    """Index, in every row of squared distances, of the first that ties with the smallest."""
    distances = np.sqrt(squares)
    return first_largest(-distances, ARITHMETIC * distances.max(axis=1))
