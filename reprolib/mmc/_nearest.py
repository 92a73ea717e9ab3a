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
    y_train = np.asarray(y_train)
    distances = np.zeros((len(test), len(train)))
    labels = np.empty((train.shape[1], len(test)), dtype=y_train.dtype)
    for m in range(train.shape[1]):
        distances += np.square(test[:, m, None] - train[:, m])
        labels[m] = y_train[np.argmin(distances, axis=1)]
    return labels
