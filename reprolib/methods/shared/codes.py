"""Output codes: one column per class, encode labels, decode scores."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from reprolib.methods.shared.ties import first_largest


def one_vs_all_code(n_classes: int):
    """One-vs-all code in {-1, 1}: column t is 1 in row t and -1 elsewhere, shape (T, T).

    Parameters
    ----------
    n_classes : int
        Number of classes T.

    Returns
    -------
    ndarray of shape (T, T)
        The code word of class t is column t.

    See Also
    --------
    simplex_code : One row less, all classes equally far from each other.

    Examples
    --------
    >>> from reprolib.methods.shared.codes import one_vs_all_code
    >>> one_vs_all_code(2).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return 2.0 * np.eye(n_classes) - 1.0


def simplex_code(n_classes: int):
    """Simplex code: T unit vectors in R^(T-1) with inner products -1/(T-1), shape (T-1, T).

    The recursion is that of Mroueh, Poggio, Rosasco and Slotine (NIPS 2012, section 3):
    C[2] = [1, -1] and C[i+1] = [[1, u'], [0, C[i] sqrt(1 - 1/i^2)]] with u = (-1/i, ..., -1/i).

    Parameters
    ----------
    n_classes : int
        Number of classes T, at least 2.

    Returns
    -------
    ndarray of shape (T - 1, T)
        The code word of class t is column t.

    Raises
    ------
    ValueError
        If ``n_classes`` is below 2.

    See Also
    --------
    one_vs_all_code : One row for each class.

    Examples
    --------
    >>> from reprolib.methods.shared.codes import simplex_code
    >>> code = simplex_code(3)
    >>> (code.T @ code).round(3).tolist()
    [[1.0, -0.5, -0.5], [-0.5, 1.0, -0.5], [-0.5, -0.5, 1.0]]
    """
    if n_classes < 2:
        raise ValueError(f"n_classes is {n_classes}; a simplex code needs at least 2 classes.")
    code = np.array([[1.0, -1.0]])
    for i in range(2, n_classes):
        top = np.concatenate([[1.0], np.full(i, -1.0 / i)])
        bottom = np.hstack([np.zeros((i - 1, 1)), code * np.sqrt(1.0 - 1.0 / i**2)])
        code = np.vstack([top, bottom])
    return code


def random_code(n_classes: int, length: int, random_state=None, *, n_draws: int = 100):
    """Dense random code in {-1, 1}, shape (length, T), with well separated code words.

    Of ``n_draws`` random matrices, the one whose nearest two code words differ in most bits is
    taken (the first such one). Constant rows are replaced before that.

    Parameters
    ----------
    n_classes : int
        Number of classes T.
    length : int
        Number of bits L; longer codes separate the classes better.
    random_state : int, RandomState or None
        Seed of the draws.
    n_draws : int
        How many codes are drawn.

    Returns
    -------
    ndarray of shape (length, T)
        The code word of class t is column t.

    Raises
    ------
    ValueError
        If no draw tells all classes apart: ``length`` is too small.

    See Also
    --------
    one_vs_all_code, simplex_code : Codes without a seed.

    Examples
    --------
    >>> from reprolib.methods.shared.codes import random_code
    >>> random_code(4, 20, random_state=0).shape
    (20, 4)
    """
    rng = check_random_state(random_state)
    best, best_distance = None, 0
    for _ in range(n_draws):
        code = rng.choice([-1.0, 1.0], size=(length, n_classes))
        constant = np.abs(code.sum(axis=1)) == n_classes
        code[constant, rng.randint(n_classes)] *= -1.0
        different = ~np.eye(n_classes, dtype=bool)
        distance = (length - (code.T @ code)[different].max()) / 2
        if distance > best_distance:
            best, best_distance = code, distance
    if best is None:
        raise ValueError(
            f"length is {length}; no random code of that length told {n_classes} classes apart "
            f"in {n_draws} draws. Use at least 10 log2(n_classes) bits."
        )
    return best


def encode(code, class_indices):
    """Code words of the labels: shape (n, L) for class indices of shape (n,).

    Parameters
    ----------
    code : ndarray of shape (L, T)
        One code word a column.
    class_indices : ndarray of int of shape (n,)
        Class of each example, from 0 to T - 1.

    Returns
    -------
    ndarray of shape (n, L)
        The code word of each example, one a row.

    See Also
    --------
    decode : The way back.

    Examples
    --------
    >>> from reprolib.methods.shared.codes import encode, one_vs_all_code
    >>> encode(one_vs_all_code(3), [2, 0]).tolist()
    [[-1.0, -1.0, 1.0], [1.0, -1.0, -1.0]]
    """
    return code.T[class_indices]


def decoding_weights(code):
    """Weights and offsets such that the nearest code word is argmax of scores @ weights - offsets.

    ||f - c_q||^2 = ||f||^2 - 2 <f, c_q> + ||c_q||^2. What does not depend on q is left out:
    ||f||^2, a constant in every row of the code, a constant in the norms. For the one-vs-all code
    the weights are 4 times the identity, so that equal scores tie exactly.

    Parameters
    ----------
    code : ndarray of shape (L, T)
        One code word a column.

    Returns
    -------
    weights : ndarray of shape (L, T)
        Twice the code words, less what is constant in a row.
    offsets : ndarray of shape (T,)
        Squared lengths of the code words, less the least of them.
    """
    norms = np.sum(code**2, axis=0)
    return 2.0 * (code - code.min(axis=1, keepdims=True)), norms - norms.min()


def nearness(code, scores):
    """Nearness of scores (n, L) to every code word, shape (n, T); the nearest has the largest.

    Parameters
    ----------
    code : ndarray of shape (L, T)
        One code word a column.
    scores : ndarray of shape (n, L)
        Values of the L bits, one example a row.

    Returns
    -------
    ndarray of shape (n, T)
        Minus the squared distance to each code word, up to a constant of the row.

    See Also
    --------
    decoding_weights : What it is computed from.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.codes import nearness, one_vs_all_code
    >>> nearness(one_vs_all_code(3), np.array([[0.5, 0.1, -0.2]])).round(3).tolist()
    [[2.0, 0.4, -0.8]]
    """
    weights, offsets = decoding_weights(code)
    return scores @ weights - offsets


def decision_values(code, scores):
    """`nearness` of scores (..., L); for two classes the second's less the first's, shape (...).

    Parameters
    ----------
    code : ndarray of shape (L, T)
        One code word a column.
    scores : ndarray of shape (..., L)
        Values of the L bits.

    Returns
    -------
    ndarray of shape (..., T), or (...) for two classes
        The largest value stands for the predicted class; of two classes a positive one for the
        second.

    See Also
    --------
    nearness : The values before two classes become one number.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.codes import decision_values, simplex_code
    >>> decision_values(simplex_code(2), np.array([[-0.5]])).tolist()
    [2.0]
    """
    values = nearness(code, scores)
    return values[..., 1] - values[..., 0] if values.shape[-1] == 2 else values


def decode(code, scores):
    """Index of the nearest code word (Euclidean; the first of equally near ones).

    Parameters
    ----------
    code : ndarray of shape (L, T)
        One code word a column.
    scores : ndarray of shape (n, L)
        Values of the L bits, one example a row.

    Returns
    -------
    ndarray of int of shape (n,)
        Class of each example, from 0 to T - 1.

    See Also
    --------
    encode : The way from classes to code words.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.codes import decode, one_vs_all_code
    >>> decode(one_vs_all_code(3), np.array([[0.5, 0.1, -0.2], [0.1, 0.7, 0.7]])).tolist()
    [0, 1]
    """
    return first_largest(nearness(code, scores))
