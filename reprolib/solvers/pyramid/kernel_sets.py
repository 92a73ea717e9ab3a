"""Sets of kernels: what the solvers ask of them, for feature blocks and for Gram matrices."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from reprolib.kernels import check_gram

#: Sums of products below this, relative to the product of the norms, count as zero.
ROUND_OFF = 1e-13


class KernelSet(Protocol):
    """M kernels on n training points, seen through weighted sums and quadratic forms."""

    n_kernels: int

    def gram(self, weights) -> np.ndarray:
        """Effective Gram matrix, sum over m of weights[m] K_m, shape (n, n)."""
        ...

    def dual_norms(self, coef) -> np.ndarray:
        """sqrt(coef' K_m coef) for every kernel, shape (M,)."""
        ...


class LinearBlocks:
    """Linear kernels on blocks of features; no Gram matrix of a single kernel is ever formed.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    blocks : ndarray of int of shape (p,)
        Kernel of every feature, numbered 0..M-1.
    """

    def __init__(self, X, blocks):
        self.X = np.asfortranarray(X)
        self.blocks = blocks
        self.n_kernels = int(blocks.max()) + 1
        self.single_features = len(blocks) == self.n_kernels
        self._size = np.sqrt((self.X**2).sum(axis=0))

    def gram(self, weights):
        """X diag(d) X' with d the weight of every feature's block."""
        scale = np.sqrt(weights[self.blocks])
        alive = np.flatnonzero(scale)
        scaled = self.X[:, alive] * scale[alive]
        return scaled @ scaled.T

    def dual_norms(self, coef):
        """Euclidean norm of X' coef in every block; what is round-off of zero is zero."""
        products = self.products(coef)
        return np.sqrt(np.bincount(self.blocks, products**2, minlength=self.n_kernels))

    def products(self, coef):
        """X' coef, with zero where it is round-off of zero (a constant feature and sum 0)."""
        products = self.X.T @ coef
        products[np.abs(products) <= ROUND_OFF * self._size * np.linalg.norm(coef)] = 0.0
        return products


class KernelStack:
    """Kernels given as Gram matrices.

    Parameters
    ----------
    Ks : ndarray of shape (M, n, n)
    """

    def __init__(self, Ks):
        self.Ks = Ks
        self._trace = np.trace(Ks, axis1=1, axis2=2)
        self.n_kernels = len(Ks)

    def gram(self, weights):
        """Weighted sum of the Gram matrices with nonzero weight."""
        alive = np.flatnonzero(weights)
        return np.tensordot(weights[alive], self.Ks[alive], axes=1)

    def dual_norms(self, coef):
        """Norms from one product with every Gram matrix; what is round-off of zero is zero."""
        squares = (self.Ks @ coef) @ coef
        return np.sqrt(np.where(squares > ROUND_OFF * self._trace * (coef @ coef), squares, 0.0))


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
    used = np.unique(array)
    if not np.array_equal(used, np.arange(len(used))):
        raise ValueError(
            f"blocks must use every number 0..M-1; it uses {len(used)} values between "
            f"{used[0]!r} and {used[-1]!r}. Renumber with numpy.unique(..., return_inverse=True)."
        )
    return array.astype(np.intp)


def check_stack(Ks, n_samples: int):
    """Gram matrices of shape (M, n, n), each symmetric.

    Raises
    ------
    ValueError
        If the shape is another one, or `check_gram` refuses a matrix.
    """
    if Ks.ndim != 3 or Ks.shape[1:] != (n_samples, n_samples) or Ks.size == 0:
        raise ValueError(
            f"X has shape {Ks.shape}; kernel='precomputed' needs Gram matrices of shape "
            f"(n_kernels, {n_samples}, {n_samples}) for the {n_samples} labels in y, none empty."
        )
    return np.stack([check_gram(K, name=f"X[{m}]") for m, K in enumerate(Ks)])
