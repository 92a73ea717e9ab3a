"""Output codes: one column per class, encode labels, decode scores."""

from __future__ import annotations

import numpy as np


def one_vs_all_code(n_classes: int):
    """One-vs-all code in {-1, 1}: column t is 1 in row t and -1 elsewhere, shape (T, T)."""
    return 2.0 * np.eye(n_classes) - 1.0


def simplex_code(n_classes: int):
    """Simplex code: T unit vectors in R^(T-1) with inner products -1/(T-1), shape (T-1, T).

    The recursion is that of Mroueh, Poggio, Rosasco and Slotine (NIPS 2012, section 3):
    C[2] = [1, -1] and C[i+1] = [[1, u'], [0, C[i] sqrt(1 - 1/i^2)]] with u = (-1/i, ..., -1/i).

    Raises
    ------
    ValueError
        If ``n_classes`` is below 2.
    """
    if n_classes < 2:
        raise ValueError(f"n_classes is {n_classes}; a simplex code needs at least 2 classes.")
    code = np.array([[1.0, -1.0]])
    for i in range(2, n_classes):
        top = np.concatenate([[1.0], np.full(i, -1.0 / i)])
        bottom = np.hstack([np.zeros((i - 1, 1)), code * np.sqrt(1.0 - 1.0 / i**2)])
        code = np.vstack([top, bottom])
    return code


def encode(code, class_indices):
    """Code words of the labels: shape (n, L) for class indices of shape (n,)."""
    return code.T[class_indices]


def decode(code, scores):
    """Index of the nearest code word (Euclidean; the first of equally near ones).

    ||f - c_q||^2 = ||f||^2 - 2 <f, c_q> + ||c_q||^2, and ||f||^2 does not depend on q.

    Parameters
    ----------
    code : ndarray of shape (L, T)
    scores : ndarray of shape (n, L)

    Returns
    -------
    ndarray of int of shape (n,)
    """
    return np.argmax(2.0 * scores @ code - np.sum(code**2, axis=0), axis=1)
