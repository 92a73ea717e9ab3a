"""The rule for ties: of equally good answers the first, where equal is up to a tolerance.

Values that tie by the problem (repeated points, symmetric classes, equal counts of hits) differ in
their last digits, and differently on each processor. An answer that must not depend on it takes the
first of those that are as good as the best, and says how near is equal. A tolerance has to lie
between the round-off of the values and the smallest difference that means something. Three do,
each for values that were made in another way:

=============== ===== ============================================================ ==============
tolerance             values                                                       round-off
=============== ===== ============================================================ ==============
`ARITHMETIC`    1e-12 sums and products of given numbers: distances, objectives    1e-16 to 1e-14
`SOLVED`        1e-9  solutions of equations or of an optimisation problem, their  1e-14 to 1e-10
                      scores, eigenvalues
`DIVIDED`       1e-5  what is divided by the gap of two eigenvalues or by a small  up to 1e-6
                      one: eigenvectors, functions behind kernel components
=============== ===== ============================================================ ==============

A tolerance is a part of a size: of the largest value in size, unless the problem has a size of its
own (the lead of the right code word, the objective of no dimension, the farthest distance). Where
it is such a part, a change of units changes no answer.

Not ties in this sense: records are rounded when they are written, and words about them start from
the rounding (`reprolib.rerun.verdicts`). A step of an algorithm whose result is certified by a gap
takes any of the largest.
"""

from __future__ import annotations

import numpy as np

#: Part up to which sums and products of given numbers are equal.
ARITHMETIC = 1e-12
#: Part up to which numbers that were solved for, and scores, are equal.
SOLVED = 1e-9
#: Part up to which numbers are equal that were divided by a small eigenvalue, or by a gap of two.
DIVIDED = 1e-5


def tied(values, tolerance=None):
    """Which values are the largest along the last axis, up to a tolerance.

    Parameters
    ----------
    values : array-like of shape (..., k)
        Numbers that are compared within the last axis.
    tolerance : array-like of shape (...), optional
        Values of a row that differ from its largest by no more are equal to it; by default `SOLVED`
        times the largest finite value in size of the row.

    Returns
    -------
    ndarray of bool of shape (..., k)
        True for the largest and those that tie with it.

    See Also
    --------
    first_largest, last_largest : One of them.

    Examples
    --------
    >>> from reprolib.methods.shared.ties import tied
    >>> tied([1.0, 3.0, 3.0 + 1e-12]).tolist()
    [False, True, True]
    """
    values = np.asarray(values, dtype=np.float64)
    if tolerance is None:
        tolerance = SOLVED * np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=-1)
    return values >= (values.max(axis=-1) - tolerance)[..., np.newaxis]


def first_largest(values, tolerance=None):
    """Index of the largest value along the last axis, the first of those that are `tied`.

    Parameters
    ----------
    values : array-like of shape (..., k)
        Numbers that are compared within the last axis.
    tolerance : array-like of shape (...), optional
        Difference to the largest up to which values are equal to it; see `tied`.

    Returns
    -------
    ndarray of int of shape (...)
        An index for every row of the other axes.

    See Also
    --------
    tied : What the tolerance says.

    Examples
    --------
    >>> from reprolib.methods.shared.ties import first_largest
    >>> first_largest([[1.0, 3.0, 3.0 + 1e-15], [5.0, 2.0, 1.0]]).tolist()
    [1, 0]
    """
    return np.argmax(tied(values, tolerance), axis=-1)


def last_largest(values, tolerance=None):
    """Index of the largest value along the last axis, the last of those that are `tied`.

    Parameters
    ----------
    values : array-like of shape (..., k)
        Numbers that are compared within the last axis.
    tolerance : array-like of shape (...), optional
        Difference to the largest up to which values are equal to it; see `tied`.

    Returns
    -------
    ndarray of int of shape (...)
        An index for every row of the other axes.

    See Also
    --------
    first_largest : The first of them.

    Examples
    --------
    >>> from reprolib.methods.shared.ties import last_largest
    >>> int(last_largest([3.0, 1.0, 3.0]))
    2
    """
    equal = tied(values, tolerance)
    return equal.shape[-1] - 1 - np.argmax(equal[..., ::-1], axis=-1)


def first_within(values, tolerance):
    """`first_largest` of one row, as a loop that numba compiles: ``njit(first_within)``.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Numbers that are compared.
    tolerance : float
        Difference to the largest up to which values are equal to it.

    Returns
    -------
    int
        Index of the first that is equal to the largest.

    See Also
    --------
    first_largest : The same for arrays of any shape.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.ties import first_within
    >>> first_within(np.array([1.0, 2.5, 3.0]), 0.5)
    1
    """
    largest = values[0]
    for value in values:
        largest = max(largest, value)
    first = 0
    while values[first] < largest - tolerance:
        first += 1
    return first


def stretches(ascending, tolerance):
    """Number of the stretch that each of ascending values lies in; ties are one stretch.

    Neighbours that differ by no more than the tolerance tie. Its ends may differ by more.

    Parameters
    ----------
    ascending : ndarray of shape (..., k)
        Numbers that do not fall along the last axis.
    tolerance : array-like of shape (...)
        Difference of neighbours up to which they tie.

    Returns
    -------
    ndarray of int of shape (..., k)
        0 for the first stretch, 1 for the next, and so on.

    See Also
    --------
    in_order : An order of values that are not sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.ties import stretches
    >>> stretches(np.array([1.0, 1.5, 2.0, 4.0]), 0.5).tolist()
    [0, 0, 0, 1]
    """
    steps = np.diff(ascending, axis=-1, prepend=ascending[..., :1])
    return np.cumsum(steps > np.asarray(tolerance)[..., np.newaxis], axis=-1)


def in_order(values, tolerance):
    """Indices that sort values, smallest first; those of one of the `stretches` by their indices.

    Parameters
    ----------
    values : ndarray of shape (..., k)
        Numbers that are sorted along the last axis.
    tolerance : array-like of shape (...)
        Difference of neighbours, when sorted, up to which they tie.

    Returns
    -------
    ndarray of int of shape (..., k)
        Indices into the last axis.

    See Also
    --------
    stretches : Which values tie.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.ties import in_order
    >>> in_order(np.array([2.0, 1.0 + 1e-15, 1.0]), 1e-12).tolist()
    [1, 2, 0]
    """
    order = np.argsort(values, axis=-1)
    number = stretches(np.take_along_axis(values, order, axis=-1), tolerance)
    k = values.shape[-1]
    return np.sort(number * k + order, axis=-1) % k
