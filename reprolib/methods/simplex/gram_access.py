"""The Gram matrix as the solvers of the simplex SVMs ask for it: rows, blocks, products.

All give K divided by ``unit``, a power of two, so that its diagonal is at most about 1. The
multipliers of the divided matrix are ``unit`` times those of K.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reprolib.methods.shared.weights import power_of_two

#: Numbers in the rows of K that a working set may ask for, but for 256 rows in any case.
LARGEST_ROWS = 16_000_000
#: Columns of wide data, and rows, beyond which X X' is not made for the interior-point method.
LARGEST_WIDTH, LARGEST_WIDE = 1_000, 10_000


class StoredGram:
    """K as a matrix.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric and positive semidefinite.
    """

    def __init__(self, K):
        self.unit = power_of_two(np.max(np.diagonal(K), initial=0.0))
        self.K = K if self.unit == 1.0 else K / self.unit
        self.diagonal = np.diagonal(self.K).copy()
        self.most_rows = len(K)

    def rows(self, chosen):
        """K[chosen]."""
        return self.K if len(chosen) == len(self.K) else self.K[chosen]

    def block(self, chosen):
        """K[chosen][:, chosen]."""
        return self.K if len(chosen) == len(self.K) else self.K[np.ix_(chosen, chosen)]

    def times(self, Z):
        """K Z."""
        return self.K @ Z

    def fits(self, n_rows: int) -> bool:
        """Whether a block of so many rows has room."""
        return True


class KernelGram:
    """K in parts, made when they are asked for.

    Parameters
    ----------
    part : callable
        (indices, indices) -> K[indices][:, indices].
    diagonal : ndarray of shape (n,)
        Diagonal of K.
    most_rows : int
        Largest block that has room.
    """

    def __init__(self, part: Callable, diagonal, most_rows: int):
        self.unit = power_of_two(np.max(diagonal, initial=0.0))
        self.diagonal = diagonal / self.unit
        self.most_rows = max(256, LARGEST_ROWS // max(len(diagonal), 1))
        self._part, self._largest = part, most_rows

    def rows(self, chosen):
        """See `StoredGram.rows`."""
        return self._part(chosen, slice(None)) / self.unit

    def block(self, chosen):
        """See `StoredGram.block`."""
        return self._part(chosen, chosen) / self.unit

    def times(self, Z):
        """See `StoredGram.times`; zero rows of Z are left out."""
        support = np.nonzero(Z.any(axis=1))[0]
        product = np.zeros(Z.shape)
        for part in np.array_split(support, 1 + len(support) // 1000):
            product += self.rows(part).T @ Z[part]
        return product

    def fits(self, n_rows: int) -> bool:
        """See `StoredGram.fits`."""
        return n_rows <= self._largest


class FeatureGram:
    """K = X X'.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        One example a row.
    """

    def __init__(self, X):
        largest = power_of_two(np.abs(X).max(initial=0.0))
        self.unit, self.X = largest**2, np.ascontiguousarray(X / largest)
        self.diagonal = np.einsum("ij,ij->i", self.X, self.X)
        self.is_thin = X.shape[1] <= LARGEST_WIDTH

    def block(self, chosen):
        """See `StoredGram.block`."""
        return self.X[chosen] @ self.X[chosen].T

    def times(self, Z):
        """See `StoredGram.times`."""
        return self.X @ (self.X.T @ Z)

    def fits(self, n_rows: int) -> bool:
        """See `StoredGram.fits`; thin data are a factor of K themselves."""
        return self.is_thin or n_rows <= LARGEST_WIDE


Gram = StoredGram | KernelGram | FeatureGram
