"""The nearest neighbour classifier for every dimension of a projection at once.

Training points are equally near if their distances differ by at most `ARITHMETIC` times the
distance to the farthest one. Round-off in projected coordinates is some 1e-14 of it. Not much more
than that: a narrow Gaussian kernel puts all images at nearly the same distance, and differences of
1e-11 then decide, rightly (in all dimensions every bandwidth ranks as the images themselves do).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from reprolib.methods.shared.ties import ARITHMETIC, first_largest


def nearest_neighbor_path(train, y_train, test):
    """1-nearest-neighbour labels of test points in the first 1, 2, ..., m coordinates.

    Distances grow by one coordinate at a time: O(n_test n_train m) in all. Among equally near
    neighbours the first training point wins.

    Parameters
    ----------
    train : ndarray of shape (n_train, m)
        Training points, one a row.
    y_train : ndarray of shape (n_train,)
        Class labels of the training points.
    test : ndarray of shape (n_test, m)
        Test points, one a row.

    Returns
    -------
    ndarray of shape (m, n_test)
        Row j holds the labels that are found in the first j + 1 coordinates.

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
    columns = np.ascontiguousarray(train.T, dtype=np.float64)
    rows = np.ascontiguousarray(test, dtype=np.float64)
    return np.asarray(y_train)[_nearest_path(columns, rows, np.full(len(columns), ARITHMETIC))]


def nearest_neighbor(train, y_train, test):
    """1-nearest-neighbour labels in all coordinates: the last row of `nearest_neighbor_path`.

    Parameters
    ----------
    train : ndarray of shape (n_train, m)
        Training points, one a row.
    y_train : ndarray of shape (n_train,)
        Class labels of the training points.
    test : ndarray of shape (n_test, m)
        Test points, one a row.

    Returns
    -------
    ndarray of shape (n_test,)
        Label of the nearest training point of every test point.

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
    distances = cdist(test, train)
    tolerance = ARITHMETIC * distances.max(axis=1)
    return np.asarray(y_train)[first_largest(-distances, tolerance)]


def nearest_other_path(points, y, tol=ARITHMETIC):
    """`nearest_neighbor_path` of every point among the others of the same projection.

    This is leave-one-out of the classifier behind a projection that uses no labels and has seen
    all points.

    Parameters
    ----------
    points : ndarray of shape (n, m)
        The projected points, one a row.
    y : ndarray of shape (n,)
        Class label of every example.
    tol : float or array-like of shape (m,), default=1e-12
        Part of the largest distance up to which distances are equal, in the first j + 1
        coordinates. Coordinates along eigenvectors whose eigenvalues nearly tie are known to some
        1e-6 only, and need more than the round-off of sums.

    Returns
    -------
    ndarray of shape (m, n)
        Row j holds the labels that are found in the first j + 1 coordinates.

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
    rows = np.ascontiguousarray(points, dtype=np.float64)
    others = np.array(rows.T[:, 1:], order="C")
    tolerance = np.broadcast_to(np.asarray(tol, dtype=np.float64), len(others))
    nearest = np.empty(rows.T.shape, dtype=np.intp)
    for i in range(len(rows)):
        others[:, i - 1 : i] = rows[i - 1 : i].T  # the point before is one of the others again
        found = _nearest_path(others, rows[i : i + 1], tolerance)[:, 0]
        nearest[:, i] = found + (found >= i)
    return np.asarray(y)[nearest]


def _nearest_path(columns, rows, tolerance):
    """`_nearest_loop.nearest_path`; numba, which takes long to import, waits for its first call."""
    from reprolib.methods.mkmmc._nearest_loop import nearest_path

    return nearest_path(columns, rows, np.ascontiguousarray(tolerance))
