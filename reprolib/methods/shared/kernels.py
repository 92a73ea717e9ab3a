"""Gram matrices: kernels, bandwidth rules, centring, spectra, low-rank factors."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.sparse import issparse
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state, gen_batches

from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.validation import (
    LARGEST_KERNEL_VALUE,
    LARGEST_PARAMETER,
    NON_NEGATIVE,
    POSITIVE,
    check_magnitude,
    refuse_negative,
    validate_data,
)
from reprolib.methods.shared.weights import ExampleWeights

Kernel = str | Callable[..., Any]

#: Offset of the data, relative to their spread, beyond which distances are computed without it.
LARGE_OFFSET = 1e3

#: Round-off of a number that a few operations have led to, relative to its size.
ROUND_OFF_OF_NUMBERS = 4 * float(np.finfo(np.float64).eps)

#: Size of a negative eigenvalue, relative to the largest, up to which it is taken as zero.
NEGATIVE_TOL = 1e-6

#: Asymmetry of a Gram matrix, relative to its largest entry, that passes for round-off.
SYMMETRY_TOL = 1e-8

#: Rows of X that gamma="scale" looks at together.
ROWS_OF_A_BLOCK = 10_000

#: Rows on each side of the check whether a kernel function is symmetric.
ROWS_OF_SYMMETRY_CHECK = 16


class KernelMixin:
    """Kernel parameters in scikit-learn's convention, for estimators with a Gram matrix.

    The estimator has the hyperparameters ``kernel`` ("linear", "poly", "rbf", "sigmoid",
    "precomputed" or a callable), ``gamma`` (exp(-gamma d^2); None means 1 / n_features, "scale"
    means 1 / (n_features X.var()) of the training data, as in `sklearn.svm.SVC`), ``degree`` and
    ``coef0``.
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid", "precomputed"}), callable],
        "gamma": [POSITIVE, StrOptions({"scale"}), None],
        "degree": [NON_NEGATIVE],
        "coef0": [Interval(Real, -LARGEST_PARAMETER, LARGEST_PARAMETER, closed="neither")],
    }

    kernel: Kernel
    gamma: float | str | None
    degree: float
    coef0: float
    #: Rows of a precomputed kernel matrix that were not of weight zero.
    _rows: slice | np.ndarray = slice(None)
    _gamma_of_scale = 1.0
    #: Whether the estimator uses rows of X in nothing but kernel values.
    _takes_sparse = False

    def __sklearn_tags__(self):
        """Mark the input as pairwise when the Gram matrix is given, else maybe as sparse."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = bool(self._sparse_format())
        return tags

    def _sparse_format(self) -> str | bool:
        """What scikit-learn's validation takes as ``accept_sparse``."""
        of_vectors = isinstance(self.kernel, str) and self.kernel != "precomputed"
        return "csr" if self._takes_sparse and of_vectors else False

    def _training_data(self, X, y):
        """Validate the training data, and return (X, y)."""
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse=self._sparse_format())
        return (check_gram(X) if self.kernel == "precomputed" else X), y

    def _training_rows(self, X, weights: ExampleWeights):
        """Leave out rows of weight zero, of a precomputed matrix their columns too."""
        self._rows = weights.rows
        X = weights.select(X)
        if self.kernel == "precomputed":
            return weights.select(X.T).T
        self._set_scale(X, weights)
        return X

    def _training_gram(self, X):
        """Remember the training data and return their Gram matrix; X of `_training_rows`."""
        if self.kernel != "precomputed":
            self.X_fit_ = X
            self._check_symmetric(X)
        return self._kernel(X, X)

    def _set_scale(self, X, weights: ExampleWeights):
        """Keep what gamma="scale" stands for, from mean squares of rows in double precision."""
        if self.gamma == "scale" and self.kernel != "linear":
            batches = gen_batches(X.shape[0], ROWS_OF_A_BLOCK, min_batch_size=2)
            blocks: list[Any] = [X[rows] for rows in batches]
            means = [np.ravel(block.mean(axis=1, dtype=np.float64)) for block in blocks]
            center = np.average(np.concatenate(means), weights=weights.values)
            squares = list[Any]()
            for block in blocks:
                if isinstance(block, np.ndarray):
                    changes = np.subtract(block, center, dtype=np.float64)
                    squares.append(np.mean(changes**2, axis=1))
                else:
                    changes = block.copy()
                    changes.data = (changes.data - center) ** 2 - center**2
                    squares.append(np.ravel(changes.mean(axis=1)) + center**2)
            variance = float(np.average(np.concatenate(squares), weights=weights.values))
            self._gamma_of_scale = 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0

    def _new_data(self, X):
        """Validate new data."""
        return validate_data(
            self, X, dtype=np.float64, accept_sparse=self._sparse_format(), reset=False
        )

    def _cross_gram(self, X):
        """Validate new data and return the kernel between it and the training data."""
        X = self._new_data(X)
        return X[:, self._rows] if self.kernel == "precomputed" else self._kernel(X, self.X_fit_)

    def _check_symmetric(self, X):
        """Refuse a kernel function for which k(x, y) and k(y, x) differ on some training points.

        The Gram matrix does not tell: scikit-learn computes one half of it and mirrors that.
        """
        if not callable(self.kernel):
            return
        first, last = X[:ROWS_OF_SYMMETRY_CHECK], X[-ROWS_OF_SYMMETRY_CHECK:]
        K, reverse = self._kernel(first, last), self._kernel(last, first).T
        asymmetry = np.max(np.abs(K - reverse))
        if asymmetry > SYMMETRY_TOL * np.max(np.abs(K)):
            raise ValueError(
                f"kernel={self.kernel!r} is not symmetric: k(x, y) and k(y, x) differ by up to "
                f"{asymmetry:.3g} on the training data. Give a symmetric kernel function, for "
                "example (k(x, y) + k(y, x)) / 2."
            )

    def _kernel(self, X, Y):
        if self.kernel == "precomputed":
            return X
        gamma = self._gamma_of_scale if isinstance(self.gamma, str) else self.gamma
        with np.errstate(over="ignore", invalid="ignore"):
            K = gram(X, Y, self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0)
        return check_magnitude(K, f"the kernel {self.kernel!r} of X", LARGEST_KERNEL_VALUE)


def gram(
    X, Y=None, kernel: Kernel = "rbf", *, gamma: float | None = None, degree=3, coef0: float = 1
):
    """Kernel values between the rows of X and the rows of Y (X itself by default).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        Points, one a row.
    Y : array-like or sparse matrix of shape (m, p), optional
        Other points; X itself by default.
    kernel : {"linear", "poly", "rbf", "sigmoid"} or callable
        Name of the kernel, or a function of two rows that returns a number.
    gamma : float, optional
        rbf: exp(-gamma d^2); poly: (gamma <x, y> + coef0)^degree. None means 1 / p.
    degree, coef0 : float
        Of "poly"; coef0 also of "sigmoid", tanh(gamma <x, y> + coef0).

    Returns
    -------
    ndarray of shape (n, m)
        Entry (i, j) is k(x_i, y_j).

    See Also
    --------
    center_gram : The same kernel in centred feature space.
    gram_eigh : Spectrum of a Gram matrix.

    Examples
    --------
    >>> from reprolib.methods.shared.kernels import gram
    >>> gram([[0.0], [2.0]], kernel="rbf", gamma=0.25).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    """
    if callable(kernel):
        return pairwise_kernels(X, Y, metric=kernel)
    if kernel == "rbf" and not (issparse(X) or issparse(Y)):
        # Distances do not change when the origin moves, but are computed from squared norms, in
        # which a large offset would leave no digit of the spread. Other data stay bit by bit.
        origin = np.mean(X if Y is None else Y, axis=0)
        moved = X - origin
        spread = np.max(np.abs(moved), initial=0.0)
        if np.max(np.abs(origin), initial=0.0) > LARGE_OFFSET * spread:
            X, Y = moved, None if Y is None else Y - origin
    return pairwise_kernels(
        X, Y, metric=kernel, filter_params=True, gamma=gamma, degree=degree, coef0=coef0
    )


def without_offsets(X):
    """Move every column whose offset is far larger than its spread to the origin.

    Other columns stay bit by bit as they are. What is left of a moved column is exact, since
    numbers so near to each other are subtracted without round-off. A column is constant, and
    becomes zero, if it varies by no more than the round-off of its own numbers.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Points, one a row.

    Returns
    -------
    moved : ndarray of shape (n, p)
        X - origin.
    origin : ndarray of shape (p,)
        Means of the columns that are moved, zero for the others.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import without_offsets
    >>> moved, origin = without_offsets(np.array([[1e11 - 1, 5.0], [1e11 + 1, 3.0]]))
    >>> moved.tolist(), origin.tolist()
    ([[-1.0, 5.0], [1.0, 3.0]], [100000000000.0, 0.0])
    """
    origin = np.mean(X, axis=0)
    spread = np.max(np.abs(X - origin), axis=0)
    origin = np.where(np.abs(origin) > LARGE_OFFSET * spread, origin, 0.0)
    moved = X - origin
    constant = (origin != 0.0) & (np.ptp(X, axis=0) <= ROUND_OFF_OF_NUMBERS * np.abs(origin))
    moved[:, constant] = 0.0
    return moved, origin


def check_gram(K, *, name: str = "X", tol: float = SYMMETRY_TOL):
    """Check that a precomputed Gram matrix is square and symmetric; return it symmetrised.

    Parameters
    ----------
    K : ndarray
        The matrix.
    name : str
        What the message calls it.
    tol : float
        Asymmetry, as a part of the largest entry, that passes for round-off.

    Returns
    -------
    ndarray of shape (n, n)
        (K + K') / 2.

    Raises
    ------
    ValueError
        If K is not square, or differs from its transpose by more than ``tol`` times its
        largest entry.

    See Also
    --------
    reprolib.methods.shared.validation.require_positive_semidefinite : The other property.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import check_gram
    >>> check_gram(np.array([[2.0, 1.0], [1.0, 3.0]])).tolist()
    [[2.0, 1.0], [1.0, 3.0]]
    """
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(
            f"Precomputed kernel matrix {name} has shape {K.shape}; a Gram matrix of the training "
            "data is square. Pass kernel(X_train, X_train) to fit and "
            "kernel(X_test, X_train) to predict."
        )
    asymmetry = np.max(np.abs(K - K.T), initial=0.0)
    if asymmetry > tol * max(np.max(np.abs(K), initial=0.0), np.finfo(float).tiny):
        raise ValueError(
            f"Precomputed kernel matrix {name} is not symmetric: it differs from its transpose by "
            f"up to {asymmetry:.3g}. Symmetrise it with (K + K.T) / 2 if that is round-off."
        )
    return (K + K.T) / 2


def gram_eigh(K, *, rank_tol: float | None = None):
    """Spectrum of a Gram matrix, largest eigenvalue first, cut at the numerical rank.

    The sign of every eigenvector is fixed so that its entry of largest size (the first such one)
    is positive; the same matrix gives the same vectors.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric matrix.
    rank_tol : float, optional
        Eigenvalues at most ``rank_tol`` times the largest are taken as zero. The default is
        n times the machine epsilon, as in `numpy.linalg.matrix_rank`.

    Returns
    -------
    eigenvalues : ndarray of shape (rank,)
        Largest first, all of them positive.
    eigenvectors : ndarray of shape (n, rank)
        Orthonormal columns, in the same order.

    Raises
    ------
    ValueError
        If an eigenvalue is negative beyond ``NEGATIVE_TOL`` times the largest.

    See Also
    --------
    center_gram : Centring before the decomposition makes kernel PCA.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import gram_eigh
    >>> eigenvalues, eigenvectors = gram_eigh(np.array([[2.0, 2.0], [2.0, 2.0]]))
    >>> eigenvalues.round(6).tolist(), eigenvectors.shape
    ([4.0], (2, 1))
    """
    eigenvalues, eigenvectors = eigh(K, driver="evd", check_finite=False)
    largest = eigenvalues[-1]
    refuse_negative(eigenvalues[0], largest, NEGATIVE_TOL, "The Gram matrix")
    if rank_tol is None:
        rank_tol = len(K) * np.finfo(float).eps
    rank = int(np.count_nonzero(eigenvalues > rank_tol * max(largest, 0.0)))
    eigenvalues = eigenvalues[::-1][:rank]
    return eigenvalues.copy(), fix_signs(eigenvectors[:, ::-1][:, :rank])


def fix_signs(vectors):
    """Columns with such signs that the entry of largest size, the first such one, is positive.

    Parameters
    ----------
    vectors : ndarray of shape (n, k)
        Eigenvectors, whose signs are arbitrary, one a column.

    Returns
    -------
    ndarray of shape (n, k)
        The columns times 1 or -1.
    """
    largest_entry = np.argmax(np.abs(vectors), axis=0)
    return vectors * np.sign(vectors[largest_entry, np.arange(vectors.shape[1])])


def center_gram(K_train, K_cross=None, *, weights=None):
    """Centre Gram matrices in feature space, on the mean of the training data.

    Parameters
    ----------
    K_train : ndarray of shape (n, n)
        Kernel between the training points.
    K_cross : ndarray of shape (m, n), optional
        Kernel between other points and the training data; centred instead of K_train if given.
    weights : ndarray of shape (n,), optional
        Of the training data in their mean.

    Returns
    -------
    ndarray of the shape of the matrix that is centred
        Inner products of the points less the mean of the training data.

    See Also
    --------
    gram : Kernel values.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import center_gram
    >>> center_gram(np.array([[2.0, 0.0], [0.0, 2.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    K = K_train if K_cross is None else K_cross
    if weights is not None:
        row_mean, share = weighted_row_mean(K_train, weights), weights / weights.sum()
        return K - row_mean - (K @ share)[:, np.newaxis] + row_mean @ share
    row_mean = K_train.mean(axis=0)
    return K - row_mean - K.mean(axis=1, keepdims=True) + row_mean.mean()


def weighted_row_mean(K, weights=None):
    """Mean of the rows of a matrix.

    Parameters
    ----------
    K : ndarray of shape (n, m)
        The matrix.
    weights : ndarray of shape (n,), optional
        How often each row counts; once by default.

    Returns
    -------
    ndarray of shape (m,)
        The mean.
    """
    return K.mean(axis=0) if weights is None else (weights / weights.sum()) @ K


#: With so many features, percentiles of distances are found by a product of matrices.
WIDE = 500


def distance_percentile(X, percentile: float, *, max_samples=4000, random_state=0) -> float:
    """Percentile of the Euclidean distances over distinct pairs of rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Points, one a row.
    percentile : float
        Between 0 and 100, of distances (not of squared distances).
    max_samples : int
        Beyond this many rows, a random subset of so many rows is used.
    random_state : int, RandomState or None
        Seed of the subset.

    Returns
    -------
    float
        The distance that so many percent of the pairs do not exceed.

    See Also
    --------
    mean_distance : The mean in place of a percentile.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import distance_percentile
    >>> distance_percentile(np.array([[0.0], [1.0], [3.0]]), 50)
    2.0
    """
    if len(X) > max_samples:
        X = X[check_random_state(random_state).choice(len(X), max_samples, replace=False)]
    distances = pdist(X) if X.shape[1] < WIDE else _near_percentile(X, percentile)
    return float(np.percentile(distances, percentile))


def _near_percentile(X, percentile: float):
    """`pdist` whose values are exact near a percentile and on their own side of it elsewhere.

    Of wide data, squared distances from one product of matrices take a tenth of the time.
    """
    i, j = np.triu_indices(len(X), 1)
    moved = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->i", moved, moved)
    guessed = (squares[:, None] + squares - 2 * (moved @ moved.T))[i, j]
    error = 4 * X.shape[1] * np.finfo(float).eps * squares.max(initial=0.0)
    low, high = (np.percentile(guessed, percentile, method=m) for m in ("lower", "higher"))
    unsure = np.nonzero((guessed >= low - error) & (guessed <= high + error))[0]
    distances = np.sqrt(np.maximum(guessed, 0.0))
    distances[unsure] = [pdist(X[[i[k], j[k]]])[0] for k in unsure]
    return distances


def mean_distance(X) -> float:
    """Mean Euclidean distance over distinct pairs of rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Points, one a row.

    Returns
    -------
    float
        The mean over all n (n - 1) / 2 pairs.

    See Also
    --------
    distance_percentile : A percentile in place of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import mean_distance
    >>> mean_distance(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    return float(pdist(X).mean())


def nystrom_landmarks(n_samples: int, n_landmarks: int, random_state=None):
    """Draw the indices of landmarks uniformly without replacement, in increasing order.

    Parameters
    ----------
    n_samples, n_landmarks : int
        Number of points, and how many of them are drawn.
    random_state : int, RandomState or None
        Seed of the draw.

    Returns
    -------
    ndarray of int of shape (n_landmarks,)
        Their indices, each at most once.

    See Also
    --------
    nystrom_map : Features from the landmarks.

    Examples
    --------
    >>> from reprolib.methods.shared.kernels import nystrom_landmarks
    >>> len(nystrom_landmarks(100, 10, random_state=0))
    10
    """
    rng = check_random_state(random_state)
    return np.sort(rng.choice(n_samples, n_landmarks, replace=False))


def pivoted_cholesky(diagonal, column: Callable[[int], np.ndarray], max_rank: int, tol=1e-10):
    """Incomplete Cholesky factor of a Gram matrix with diagonal pivoting (Fine & Scheinberg 2001).

    Only ``max_rank`` columns of the matrix are ever evaluated. The residual K - L L' is positive
    semidefinite and its trace is returned.

    Parameters
    ----------
    diagonal : ndarray of shape (n,)
        Diagonal of K.
    column : callable
        ``column(i)`` gives column i of K.
    max_rank : int
        Number of columns after which it stops; more come closer to K.
    tol : float
        Stop when the trace of the residual is at most ``tol`` times the trace of K.

    Returns
    -------
    L : ndarray of shape (n, rank)
        The factor: L L' is close to K, and equal to it in the rows of the pivots.
    pivots : ndarray of int of shape (rank,)
        The points whose columns were taken, in that order.
    residual_trace : float
        Trace of K - L L'.

    See Also
    --------
    cholesky_map : Features of new points.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import gram, pivoted_cholesky
    >>> K = gram(np.arange(6.0)[:, None])
    >>> L, pivots, residual_trace = pivoted_cholesky(np.diag(K), lambda i: K[:, i], 6)
    >>> np.allclose(L @ L.T, K)
    True
    """
    residual = np.array(diagonal, dtype=np.float64)
    n_samples, total = len(residual), residual.sum()
    rank = min(max_rank, n_samples)
    L = np.zeros((n_samples, rank))
    pivots = np.zeros(rank, dtype=np.intp)
    for k in range(rank):
        if residual.sum() <= tol * total:
            return L[:, :k], pivots[:k], float(residual.sum())
        pivot = int(np.argmax(residual))
        pivots[k] = pivot
        L[:, k] = (column(pivot) - L[:, :k] @ L[pivot, :k]) / np.sqrt(residual[pivot])
        # Zero and the root in exact arithmetic: with them L[pivots] is triangular and regular.
        L[pivots[:k], k], L[pivot, k] = 0.0, np.sqrt(residual[pivot])
        residual -= L[:, k] ** 2
        residual[pivots[: k + 1]] = 0.0
        np.maximum(residual, 0.0, out=residual)
    return L, pivots, float(residual.sum())


def nystrom_map(K_landmarks, rank_tol: float = 1e-12):
    """Matrix M such that K_cross @ M are the Nystrom features of the points of K_cross.

    With K_mm = U diag(s) U', M = U diag(s)^(-1/2) over the numerical rank, so that
    (K_nm M)(K_nm M)' = K_nm K_mm^+ K_mn.

    Parameters
    ----------
    K_landmarks : ndarray of shape (m, m)
        Kernel between the landmarks.
    rank_tol : float
        Eigenvalues up to this part of the largest are zero; a larger value gives fewer features.

    Returns
    -------
    ndarray of shape (m, rank)
        The map M, one feature a column.

    See Also
    --------
    cholesky_map : The same for pivots of an incomplete Cholesky factor.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import gram, nystrom_map
    >>> X = np.arange(6.0)[:, None]
    >>> features = gram(X, X[:3]) @ nystrom_map(gram(X[:3]))
    >>> np.allclose(features[:3] @ features[:3].T, gram(X[:3]))
    True
    """
    eigenvalues, eigenvectors = gram_eigh(K_landmarks, rank_tol=rank_tol)
    return eigenvectors / np.sqrt(eigenvalues)


def cholesky_map(L_pivots):
    """Matrix M such that K_cross[:, pivots] @ M are incomplete Cholesky features of new points.

    ``L_pivots`` is the square lower-triangular block L[pivots] of `pivoted_cholesky`.

    Parameters
    ----------
    L_pivots : ndarray of shape (rank, rank)
        Rows of the factor that belong to the pivots.

    Returns
    -------
    ndarray of shape (rank, rank)
        The map M, one feature a column.

    See Also
    --------
    nystrom_map : The same for random landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.kernels import cholesky_map
    >>> cholesky_map(np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return solve_triangular(L_pivots, np.eye(len(L_pivots)), lower=True).T
