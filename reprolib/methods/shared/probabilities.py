"""Class probabilities from the values that a loss leads to, where its minimiser tells them."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit, softmax


def nearest_distributions(values):
    """The distribution nearest to every row: Euclidean projection on the probability simplex.

    It keeps the order of a row's values. Every value is lowered by the same amount and cut at zero,
    so that the rest sums to one.

    Parameters
    ----------
    values : ndarray of shape (n, T)
        One point a row, which need not lie in the simplex.

    Returns
    -------
    ndarray of shape (n, T)
        Nearest points of the simplex: every row is nonnegative and sums to one.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.probabilities import nearest_distributions
    >>> nearest_distributions(np.array([[0.2, 0.3, 0.5], [1.5, 0.7, -3.0]])).round(3).tolist()
    [[0.2, 0.3, 0.5], [0.9, 0.1, 0.0]]
    """
    # Differences to the largest value: the sums of large ones would lose the digits of one.
    values = values - values.max(axis=1, keepdims=True)
    descending = -np.sort(-values, axis=1)
    counts = np.arange(1, values.shape[1] + 1)
    lowered = (np.cumsum(descending, axis=1) - 1.0) / counts
    kept = np.count_nonzero(descending > lowered, axis=1)
    shares = np.maximum(values - lowered[np.arange(len(values)), kept - 1, np.newaxis], 0.0)
    return shares / shares.sum(axis=1, keepdims=True)


def simplex_probabilities(scores):
    """Probabilities from the scores <c_q, f(x)> of least squares in the simplex code.

    The square loss is least, over all functions, for the conditional mean
    f(x) = sum_q P(q | x) c_q. Since <c_q, c_r> is -1 / (T - 1) for different classes,

        <c_q, f(x)> = (T P(q | x) - 1) / (T - 1),    P(q | x) = (1 + (T - 1) <c_q, f(x)>) / T,

    which sums to one for any f, but may leave [0, 1]: the nearest distribution is taken. It belongs
    to the point of the convex hull of the code words that is nearest to f(x).

    Parameters
    ----------
    scores : ndarray of shape (n, T)
        The inner products, one example a row and one class a column.

    Returns
    -------
    ndarray of shape (n, T)
        Probabilities of the classes; every row sums to one.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.codes import simplex_code
    >>> from reprolib.methods.shared.probabilities import simplex_probabilities
    >>> code, P = simplex_code(3), np.array([[0.2, 0.3, 0.5]])
    >>> simplex_probabilities(P @ code.T @ code).round(3).tolist()
    [[0.2, 0.3, 0.5]]
    """
    n_classes = scores.shape[1]
    return nearest_distributions((1.0 + (n_classes - 1) * scores) / n_classes)


def square_probabilities(scores):
    """Probabilities from values of least squares on labels -1 and 1: f(x) = 2 P(1 | x) - 1.

    Parameters
    ----------
    scores : ndarray of shape (n,), or (n, T) for one function a class against the others
        (1 + f) / 2 of T functions need not sum to one; the nearest distribution is taken.

    Returns
    -------
    ndarray of shape (n, 2) or (n, T)
        Probabilities of the classes; every row sums to one.
    """
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return nearest_distributions(0.5 * (1.0 + scores))


def logistic_probabilities(scores):
    """Probabilities from values of the logistic loss: P(1 | x) = 1 / (1 + exp(-f(x))).

    Parameters
    ----------
    scores : ndarray of shape (n,), or (n, T) for one function a class against the others
        The T probabilities are divided by their sum, as in
        `sklearn.multiclass.OneVsRestClassifier`.

    Returns
    -------
    ndarray of shape (n, 2) or (n, T)
        Probabilities of the classes; every row sums to one.
    """
    if scores.ndim == 1:
        return np.column_stack([expit(-scores), expit(scores)])
    return softmax(log_expit(scores), axis=1)


def pairwise_exponential_probabilities(scores):
    """Probabilities from the scores of the loss sum over q != y of exp(-(s_y - s_q)).

    Of classes y and q the expected loss has P(y) exp(s_q - s_y) + P(q) exp(s_y - s_q), which is
    least at s_y - s_q = log(P(y) / P(q)) / 2: P(q | x) is proportional to exp(2 s_q).

    Parameters
    ----------
    scores : ndarray of shape (n, T)
        Values s_q, one example a row and one class a column.

    Returns
    -------
    ndarray of shape (n, T)
        Probabilities of the classes; every row sums to one.
    """
    return softmax(2.0 * scores, axis=1)
