"""Section 2.1: scatter matrices as graphs over the training points.

A graph with weights W has the Laplacian L = diag(W 1) - W, and for any features f

    sum_ij W_ij ||f_i - f_j||^2 = 2 tr(F' L F),    F = [f_1 ... f_n]'.

The sums of equations (2), (4) and (6) are therefore twice the traces of the scatter matrices,
which changes no maximiser. A Laplacian costs n^2 numbers, the sum over pairs n^2 vectors.

What the authors ran is another matrix, as the digits of their Tables 1 and 2 show: 2B - I, with
B_ij = 1/n_k inside class k and 0 elsewhere. It is L + 11'/n: S_b measures the class means from the
origin, sum_k n_k m_k m_k', and not from the overall mean. Its rows do not sum to zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

Within = Literal["scatter", "covariance"]
#: From what the class means of S_b are measured.
Between = Literal["mean", "origin"]


def margin_weights(y, *, within_weight: float = 1.0, within: Within = "scatter"):
    """Edge weights of S_b - mu S_w: equation (7), which has mu = 1.

    W_ij = 1/n - (1 + mu v_k) / n_k inside class k, and 1/n between classes. ``within`` says what
    S_w sums over the classes: their scatter matrices (v_k = 1, equation (5)) or their covariance
    matrices (v_k = 1/n_k, the text below equation (1)).

    Parameters
    ----------
    y : array-like of shape (n,)
        Class labels.
    within_weight : float
        mu, the weight of the scatter inside the classes: a larger one draws each class together
        more.
    within : {"scatter", "covariance"}
        What S_w sums over the classes: their scatter matrices, or their covariance matrices.

    Returns
    -------
    ndarray of shape (n, n)
        W, symmetric: the weight of every pair of points.

    Raises
    ------
    ValueError
        If there is one class only, or an argument is out of range.

    See Also
    --------
    margin_laplacian : The Laplacian of these weights.

    Examples
    --------
    >>> from reprolib.methods.mkmmc import margin_weights
    >>> margin_weights([0, 0, 1, 1]).tolist()[0]
    [-0.75, -0.75, 0.25, 0.25]
    """
    codes, inside = _inside(y, within_weight, within)
    return 1.0 / len(codes) - np.where(codes[:, None] == codes, inside, 0.0)


def _inside(y, within_weight, within):
    """Class of every example, and (1 + mu v_k) / n_k of that class."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has {len(classes)} class, {classes.tolist()}; the margin between classes needs two."
        )
    if not within_weight >= 0:
        raise ValueError(f"within_weight is {within_weight!r}; give a number >= 0 (the paper: 1).")
    if within not in ("scatter", "covariance"):
        raise ValueError(f"within is {within!r}; give 'scatter' or 'covariance'.")
    factor = 1.0 if within == "scatter" else 1.0 / counts[codes]
    return codes, (1.0 + within_weight * factor) / counts[codes]


def margin_laplacian(
    y, *, within_weight: float = 1.0, within: Within = "scatter", between: Between = "mean"
):
    """L with X' L X = S_b - mu S_w: the Laplacian of `margin_weights`.

    Parameters
    ----------
    y : array-like of shape (n,)
        Class label of every example.
    within_weight : float
        mu, the weight of the scatter inside the classes: a larger one draws each class together
        more.
    within : {"scatter", "covariance"}
        What S_w sums over the classes: their scatter matrices, or their covariance matrices.
    between : {"mean", "origin"}
        From what S_b measures the class means: the overall mean, as below equation (1), or the
        origin, which adds 1/n to every entry of L.

    Returns
    -------
    ndarray of shape (n, n)
        L, symmetric; its rows sum to zero, from the origin to one.

    See Also
    --------
    total_laplacian : Of the total scatter.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import margin_laplacian
    >>> X = np.array([[0.0], [2.0], [5.0], [7.0]])
    >>> (X.T @ margin_laplacian([0, 0, 1, 1]) @ X).round(6).tolist()
    [[21.0]]
    """
    W = margin_weights(y, within_weight=within_weight, within=within)
    return np.diag(W.sum(axis=1)) - W + (1.0 / len(W) if between == "origin" else 0.0)


def margin_scatter(Z, y, *, within_weight: float, within: Within, between: Between):
    """Z' L Z for L of `margin_laplacian`, without its n x n entries: by sums over the classes."""
    codes, inside = _inside(y, within_weight, within)
    sums = np.zeros((codes.max() + 1, Z.shape[1]))
    np.add.at(sums, codes, Z)
    of_rows = 1.0 - np.bincount(codes)[codes] * inside
    start = Z.mean(axis=0) if between == "mean" else 0.0
    return Z.T @ (of_rows[:, np.newaxis] * Z - start + inside[:, np.newaxis] * sums[codes])


def total_laplacian(n_samples: int):
    """L with X' L X = S_t, the total scatter: PCA as a graph (all weights 1/n).

    Parameters
    ----------
    n_samples : int
        Number n of points.

    Returns
    -------
    ndarray of shape (n, n)
        L, the matrix that centres n points.

    See Also
    --------
    margin_laplacian : Of the scatter between less that inside the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import total_laplacian
    >>> X = np.array([[0.0], [2.0]])
    >>> (X.T @ total_laplacian(2) @ X).tolist()
    [[2.0]]
    """
    return np.eye(n_samples) - 1.0 / n_samples


def margin_without_point(
    features, y, within_weight: float, between: Between = "mean"
) -> Callable[[int], np.ndarray]:
    """S_b - mu S_w of all points but one, from that of all: it differs by a matrix of rank two.

    Without a point at a distance d from the mean of n points, their total scatter is less by
    n / (n - 1) d d'; so is that of its class. And S_b - mu S_w = S_t - (1 + mu) S_w. From the
    origin the total scatter is X'X, which is less by x x'.

    Parameters
    ----------
    features : ndarray of shape (n, r)
        Coordinates of the points, one a row.
    y : ndarray of shape (n,)
        Class label of every example.
    within_weight : float
        mu, the weight of the scatter inside the classes.
    between : {"mean", "origin"}
        From what S_b measures the class means.

    Returns
    -------
    callable
        Index of the point that is left out -> ndarray of shape (r, r).
    """
    L = margin_laplacian(y, within_weight=within_weight, between=between)
    S = features.T @ L @ features
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    means = np.array([features[codes == k].mean(axis=0) for k in range(len(counts))])
    from_start, share = features, 1.0
    if between == "mean":
        from_start, share = features - features.mean(axis=0), len(y) / (len(y) - 1)
    from_class_mean, sizes = features - means[codes], counts[codes]

    def without(i: int):
        n_k = max(sizes[i], 2)  # a point alone is no distance from itself
        changes = np.array([from_start[i], from_class_mean[i]])
        weights = np.array([-share, (1 + within_weight) * n_k / (n_k - 1)])
        return S + (changes.T * weights) @ changes

    return without
