"""The nearest neighbour classifier for every dimension of a projection at once."""

from __future__ import annotations

import numpy as np


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
    """
    return _path(train, np.asarray(y_train), test, np.zeros((len(test), len(train))))


def nearest_other_path(points, y):
    """`nearest_neighbor_path` of every point among the others of the same projection.

    This is leave-one-out of the classifier behind a projection that uses no labels and has seen
    all points.
    """
    distances = np.zeros((len(points), len(points)))
    np.fill_diagonal(distances, np.inf)
    return _path(points, np.asarray(y), points, distances)


def _path(train, y_train, test, distances):
    labels = np.empty((train.shape[1], len(test)), dtype=y_train.dtype)
    for m in range(train.shape[1]):
        distances += np.square(test[:, m, None] - train[:, m])
        labels[m] = y_train[np.argmin(distances, axis=1)]
    return labels
