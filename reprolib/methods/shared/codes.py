"""Output codes: one column per class, encode labels, decode scores."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

#: Values that differ by less, relative to the largest in size of their row, are equal.
TIE = 1e-10


def first_largest(values, tol: float = TIE):
    """Index of the largest value along the last axis, the first of those equal up to ``tol``.

    Scores that tie by the problem (repeated points, symmetric classes) differ in the last digits,
    and otherwise from one processor to the next.
    """
    values = np.asarray(values)
    size = np.abs(values).max(axis=-1, keepdims=True)
    return np.argmax(values >= values.max(axis=-1, keepdims=True) - tol * size, axis=-1)


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


def random_code(n_classes: int, length: int, random_state=None, *, n_draws: int = 100):
    """Dense random code in {-1, 1}, shape (length, T), with well separated code words.

    Of ``n_draws`` random matrices, the one whose nearest two code words differ in most bits is
    taken (the first such one). Constant rows are replaced before that.

    Raises
    ------
    ValueError
        If no draw tells all classes apart: ``length`` is too small.
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
    """Code words of the labels: shape (n, L) for class indices of shape (n,)."""
    return code.T[class_indices]


def decoding_weights(code):
    """Weights and offsets such that the nearest code word is argmax of scores @ weights - offsets.

    ||f - c_q||^2 = ||f||^2 - 2 <f, c_q> + ||c_q||^2. What does not depend on q is left out:
    ||f||^2, a constant in every row of the code, a constant in the norms. For the one-vs-all code
    the weights are 4 times the identity, so that equal scores tie exactly.

    Returns
    -------
    weights : ndarray of shape (L, T)
    offsets : ndarray of shape (T,)
    """
    norms = np.sum(code**2, axis=0)
    return 2.0 * (code - code.min(axis=1, keepdims=True)), norms - norms.min()


def nearness(code, scores):
    """Nearness of scores (n, L) to every code word, shape (n, T); the nearest has the largest."""
    weights, offsets = decoding_weights(code)
    return scores @ weights - offsets


def decision_values(code, scores):
    """`nearness` of scores (..., L); for two classes the second's less the first's, shape (...)."""
    values = nearness(code, scores)
    return values[..., 1] - values[..., 0] if values.shape[-1] == 2 else values


def decode(code, scores):
    """Index of the nearest code word (Euclidean; the first of equally near ones, see `TIE`).

    Parameters
    ----------
    code : ndarray of shape (L, T)
    scores : ndarray of shape (n, L)

    Returns
    -------
    ndarray of int of shape (n,)
    """
    return first_largest(nearness(code, scores))
