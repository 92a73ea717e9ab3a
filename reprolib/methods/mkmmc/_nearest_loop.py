"""The nearest training point in 1, 2, ..., m coordinates, as a compiled loop."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True)
def nearest_path(columns, test, tolerance):
    """Index of the first nearest training point in the first 1, 2, ..., m coordinates.

    The differences are squared themselves: |a|^2 - 2 a'b + |b|^2 would hide a tie in the digits
    that cancel. Numbers without a sign are in the order of their bits, and a processor finds the
    smallest of many integers several at a time.

    Parameters
    ----------
    columns : ndarray of shape (m, n_train)
        The training points, one a column.
    test : ndarray of shape (n_test, m)
        The points whose neighbours are looked for, one a row.
    tolerance : ndarray of shape (m,)
        Of the distances in the first j + 1 coordinates: those that exceed the smallest by no more
        than this part of the largest are equal to it.

    Returns
    -------
    ndarray of int of shape (m, n_test)
        Row j holds the neighbours in the first j + 1 coordinates.
    """
    m, n = columns.shape
    if n == 0:
        raise ValueError("there is no training point to be near to")
    found = np.empty((m, len(test)), dtype=np.intp)
    squares = np.empty(n)
    bits = squares.view(np.int64)
    ends = np.empty(2, dtype=np.int64)
    extremes = ends.view(np.float64)
    for i in range(len(test)):
        squares[:] = 0.0
        for d in range(m):
            at = test[i, d]
            for j in range(n):
                squares[j] += (columns[d, j] - at) ** 2
            low = high = bits[0]
            for j in range(n):
                low, high = min(low, bits[j]), max(high, bits[j])
            ends[0], ends[1] = low, high
            # As `reprolib.methods.shared.ties.first_within` of the distances, without their roots.
            equal = (np.sqrt(extremes[0]) + tolerance[d] * np.sqrt(extremes[1])) ** 2
            first = 0
            while squares[first] > equal:
                first += 1
            found[d, i] = first
    return found
