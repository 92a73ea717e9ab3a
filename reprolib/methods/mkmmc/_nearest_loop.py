"""The nearest training point in 1, 2, ..., m coordinates, as a compiled loop."""

from __future__ import annotations

import numba
import numpy as np

from reprolib.methods.shared.ties import ARITHMETIC


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
    squares = np.empty(n)
    for i in range(len(test)):
        squares[:] = 0.0
        for d in range(m):
            at = test[i, d]
            for j in range(n):
                squares[j] += (columns[d, j] - at) ** 2
            found[d, i] = _first_least(squares)
    return found


# Without NaN, which would leave no least, the first loop takes several numbers at a time.
@numba.njit(cache=True, fastmath={"nnan", "nsz"})
def _first_least(squares):
    """Index of the first squared distance whose root ties with the smallest."""
    least, largest = np.inf, 0.0
    for j in range(len(squares)):
        least, largest = min(least, squares[j]), max(largest, squares[j])
    bound = np.sqrt(least) + ARITHMETIC * np.sqrt(largest)
    for j in range(len(squares)):
        if squares[j] <= bound * bound:
            return j
    return 0
