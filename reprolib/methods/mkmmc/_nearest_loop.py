"""The nearest training point in 1, 2, ..., m coordinates, as a compiled loop."""

from __future__ import annotations

import numba
import numpy as np

from reprolib.methods.shared.ties import ARITHMETIC, first_within

_first_within = numba.njit(cache=True)(first_within)


@numba.njit(cache=True)
def nearest_path(columns, test):
    """Index of the first nearest training point in the first 1, 2, ..., m coordinates.

    The differences are squared themselves: |a|^2 - 2 a'b + |b|^2 would hide a tie in the digits
    that cancel.

    Parameters
    ----------
    columns : ndarray of shape (m, n_train)
        The training points, one a column.
    test : ndarray of shape (n_test, m)

    Returns
    -------
    ndarray of int of shape (m, n_test)
    """
    m, n = columns.shape
    found = np.empty((m, len(test)), dtype=np.intp)
    squares, nearness = np.empty(n), np.empty(n)
    for i in range(len(test)):
        squares[:] = 0.0
        for d in range(m):
            at = test[i, d]
            for j in range(n):
                squares[j] += (columns[d, j] - at) ** 2
                nearness[j] = -np.sqrt(squares[j])
            found[d, i] = _first_within(nearness, -ARITHMETIC * nearness.min())
    return found
