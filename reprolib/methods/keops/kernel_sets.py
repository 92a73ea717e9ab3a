"""Sets of kernels: what the solvers ask of them, for feature blocks and for Gram matrices."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import norm
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from reprolib.methods.keops.svm import solve_svm
from reprolib.methods.keops.svm_certificate import EPSILON
from reprolib.methods.keops.svm_features import WeightedFeatures, solve_svm_features
from reprolib.methods.shared.kernels import check_gram, without_offsets
from reprolib.methods.shared.solution import Solution
from reprolib.methods.shared.validation import require_positive_semidefinite

#: Kernels whose weight is below this part of the largest are dropped on the way to the answer.
PRUNE_TOL = 1e-6


class KernelSet(Protocol):
    """M kernels on n training points, seen through weighted sums and quadratic forms."""

    n_kernels: int

    def gram(self, weights) -> np.ndarray:
        """Effective Gram matrix, sum over m of weights[m] K_m, shape (n, n)."""
        ...

    def solve_svm(self, weights, y, C, *, costs, alpha, gap_tol) -> Solution:
        """Answer of the SVM on the effective kernel, as `reprolib.methods.keops.svm.solve_svm`."""
        ...

    def dual_norms(self, coef) -> np.ndarray:
        """sqrt(coef' K_m coef) for every kernel, shape (M,)."""
        ...

    def round_off(self, coef, norms) -> np.ndarray:
        """By how much round-off may change each of the dual norms ``norms``, shape (M,)."""
        ...


class LinearBlocks:
    """Linear kernels on blocks of features; no Gram matrix of a single kernel is ever formed.

    Offsets far beyond the spread of a feature are taken out first: with an intercept they change no
    solution, and beside them the spread would be lost in the round-off of the sums.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        One example a row.
    blocks : ndarray of int of shape (p,)
        Kernel of every feature, numbered 0..M-1.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The features less ``origin``.
    origin : ndarray of shape (p,)
        See `without_offsets`.
    """

    def __init__(self, X, blocks):
        moved, self.origin = without_offsets(X)
        self.X = np.asfortranarray(moved)
        self.blocks = blocks
        self.n_kernels = int(blocks.max()) + 1
        self.single_features = len(blocks) == self.n_kernels
        self._squares = self.X**2
        self._size = np.sqrt(self._squares.sum(axis=0))
        self._alive = np.arange(len(blocks))
        self._of_alive = (self.X, self._squares)

    def gram(self, weights):
        """X diag(d) X' with d the weight of every feature's block."""
        return self.weighted(weights).gram()

    def weighted(self, weights) -> WeightedFeatures:
        """The features whose blocks have a weight; they are copied only where others have."""
        scale = weights[self.blocks]
        alive = np.flatnonzero(scale)
        if not np.array_equal(alive, self._alive):
            self._alive = alive
            self._of_alive = (
                np.asfortranarray(self.X[:, alive]),
                np.asfortranarray(self._squares[:, alive]),
            )
        return WeightedFeatures(*self._of_alive, scale[alive])

    def solve_svm(self, weights, y, C, *, costs, alpha, gap_tol):
        """By `solve_svm` on the Gram matrix, or mostly without it from a start."""
        kernel = self.weighted(weights)
        if alpha is None:
            return solve_svm(kernel.gram(), y, C, costs=costs, gap_tol=gap_tol)
        return solve_svm_features(kernel, y, C, alpha, costs=costs, gap_tol=gap_tol)

    def dual_norms(self, coef):
        """Euclidean norm of X' coef in every block."""
        return self._by_block(self.X.T @ coef)

    def round_off(self, coef, norms):
        """Machine epsilon times the norms of the features and of the coefficients."""
        return EPSILON * self._by_block(self._size) * norm(coef)

    def _by_block(self, values):
        return np.sqrt(np.bincount(self.blocks, values**2, minlength=self.n_kernels))


class KernelStack:
    """Kernels given as Gram matrices.

    Parameters
    ----------
    Ks : ndarray of shape (M, n, n)
        One Gram matrix for each kernel.
    X : ndarray of shape (n, p), optional
        The training points behind them.
    """

    def __init__(self, Ks, X=None):
        self.Ks = Ks
        self.X = X
        self._trace = np.trace(Ks, axis1=1, axis2=2)
        self.n_kernels = len(Ks)

    def gram(self, weights):
        """Weighted sum of the Gram matrices with nonzero weight."""
        alive = np.flatnonzero(weights)
        return np.tensordot(weights[alive], self.Ks[alive], axes=1)

    def solve_svm(self, weights, y, C, *, costs, alpha, gap_tol):
        """By `solve_svm` on the Gram matrix."""
        return solve_svm(self.gram(weights), y, C, costs=costs, alpha=alpha, gap_tol=gap_tol)

    def dual_norms(self, coef):
        """Norms from one product with every Gram matrix."""
        size = norm(coef) or 1.0
        squares = (self.Ks @ (coef / size)) @ (coef / size)
        return size * np.sqrt(np.maximum(squares, 0.0))

    def round_off(self, coef, norms):
        """That of the squares is the machine epsilon times the trace times the squared coef."""
        root = np.sqrt(EPSILON * self._trace) * norm(coef)
        return np.divide(root**2, norms + root, out=np.zeros(len(root)), where=root > 0)


def check_blocks(blocks, n_features: int):
    """Kernel of every feature as integers 0..M-1, each used.

    Raises
    ------
    ValueError
        If there is not one number for each feature, or a number is left out.
    """
    if blocks is None:
        return np.arange(n_features)
    array = np.asarray(blocks)
    if array.shape != (n_features,):
        raise ValueError(
            f"blocks has shape {array.shape}; give the number of the kernel of each of the "
            f"{n_features} features."
        )
    if array.dtype == bool:
        raise ValueError(
            "blocks is a mask of True and False; give the number of the kernel of each feature, or "
            "leave out the features before the fit: X[:, mask]."
        )
    used = np.unique(array)
    if not np.array_equal(used, np.arange(len(used))):
        raise ValueError(
            f"blocks must use every number 0..M-1; it uses {len(used)} values between "
            f"{used[0]} and {used[-1]}. Renumber with numpy.unique(..., return_inverse=True)."
        )
    return array.astype(np.intp)


def kernel_values(kernels, X, Y):
    """Values of several kernels between the rows of X and those of Y, shape (M, n, m).

    Parameters
    ----------
    kernels : list of str or callable
        As the parameter ``kernel`` of `reprolib.MKLClassifier`.
    X : ndarray of shape (n, p)
        Points, one a row.
    Y : ndarray of shape (m, p)
        Points, one a row.

    Returns
    -------
    ndarray of shape (M, n, m)
        One matrix a kernel.

    Raises
    ------
    ValueError
        If a kernel is neither known nor a function, or gives another shape or values that are not
        finite.
    """
    Ks = np.empty((len(kernels), len(X), len(Y)))
    for m, kernel in enumerate(kernels):
        if not callable(kernel) and kernel not in PAIRWISE_KERNEL_FUNCTIONS:
            raise ValueError(
                f"kernel[{m}] is {kernel!r}; give a function of two arrays of rows, or one of "
                f"{', '.join(sorted(PAIRWISE_KERNEL_FUNCTIONS))}."
            )
        function = kernel if callable(kernel) else PAIRWISE_KERNEL_FUNCTIONS[kernel]
        K = np.asarray(function(X, Y), dtype=np.float64)
        if K.shape != Ks.shape[1:]:
            raise ValueError(
                f"kernel[{m}] gives values of shape {K.shape} for {len(X)} and {len(Y)} rows; it "
                f"must be a function of two arrays of rows that returns shape {Ks.shape[1:]}."
            )
        if not np.all(np.isfinite(K)):
            raise ValueError(f"kernel[{m}] gives values that are not finite; check its parameters.")
        Ks[m] = K
    return Ks


def check_stack(Ks, n_samples: int, name: str = "X"):
    """Gram matrices of shape (M, n, n), each symmetric and positive semidefinite.

    Raises
    ------
    ValueError
        If the shape is another one, or `check_gram` or `require_positive_semidefinite` refuses a
        matrix. The second costs one Cholesky factorisation a kernel.
    """
    if Ks.ndim != 3 or Ks.shape[1:] != (n_samples, n_samples) or Ks.size == 0:
        raise ValueError(
            f"X has shape {Ks.shape}; kernel='precomputed' needs Gram matrices of shape "
            f"(n_kernels, {n_samples}, {n_samples}) for the {n_samples} labels in y, none empty."
        )
    checked = [
        require_positive_semidefinite(check_gram(K, name=f"{name}[{m}]"), name=f"{name}[{m}]")
        for m, K in enumerate(Ks)
    ]
    return np.stack(checked)
