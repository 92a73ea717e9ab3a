"""Scores of every bit in every dimension, and the class predicted for every total dimension."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import njit
from numba.extending import register_jitable
from scipy.spatial.distance import pdist

from reprolib.methods.shared.codes import decoding_weights, nearness
from reprolib.methods.shared.ties import DIVIDED, first_largest, first_within

_first_within = njit(cache=True)(first_within)


@dataclass(frozen=True)
class TieRule:
    """When the code words of a code are equally near.

    They are where the lead of one of them is no larger than the part `DIVIDED` of the lead that the
    right one has when the scores are exact. At new points a function of eigenvalue ratio r is known
    to round-off divided by r, some 1e-6 at the default ``rank_tol``. A bit that interpolates equal
    points with both labels equally often is zero there but for that.

    Parameters
    ----------
    lead : float
        Squared distance of the two nearest words: by so much the right one leads at least.
    largest : float
        Largest nearness in size, at the words themselves. Where the nearness of the nearest word is
        beyond it, the tolerance grows with it.
    """

    lead: float
    largest: float

    @classmethod
    def of(cls, code) -> TieRule:
        """Rule of a code matrix of shape (L, T)."""
        at_words = np.abs(nearness(code, code.T)).max()
        return cls(float(pdist(code.T, "sqeuclidean").min()), float(at_words))

    def tolerance(self, values):
        """Difference up to which nearness (..., T) is equal, shape (...)."""
        return _tolerance(values.max(axis=-1), self.lead, self.largest)


@register_jitable
def _tolerance(nearest, lead, largest):
    """`TieRule.tolerance` where the nearest words have this nearness."""
    return DIVIDED * lead * np.maximum(1.0, np.abs(nearest) / largest)


class BitPaths(Protocol):
    """Predictors f_l in S_d for all bits l and dimensions d, with their empirical risks G_l(d)."""

    @property
    def objectives(self) -> np.ndarray:
        """G_l(d), shape (L, r + 1)."""

    def truncate(self, dimension: int) -> BitPaths:
        """Keep the dimensions up to this one."""

    def coefficients(self, bit: int, dimension: int) -> np.ndarray:
        """Coefficients of one predictor, shape (dimension,)."""

    def intercepts(self, allocation) -> np.ndarray:
        """Intercepts of the predictors of all bits, shape (L,)."""

    def scores(self, features) -> np.ndarray:
        """Values of all predictors, shape (n, L, r + 1)."""


@dataclass(frozen=True)
class NestedPaths:
    """One vector of coefficients per bit serves all dimensions (square loss)."""

    coef: np.ndarray  # (r, L)
    objectives: np.ndarray

    def truncate(self, dimension):
        """Drop the later coefficients."""
        return NestedPaths(self.coef[:dimension], self.objectives[:, : dimension + 1])

    def coefficients(self, bit, dimension):
        """First entries of the bit's vector."""
        return self.coef[:dimension, bit]

    def intercepts(self, allocation):
        """There are none."""
        return np.zeros(self.coef.shape[1])

    def scores(self, features):
        """Cumulative sums over the dimensions."""
        n_samples, rank = features.shape
        scores = np.zeros((n_samples, self.coef.shape[1], rank + 1))
        products = features[:, None, :] * self.coef.T
        np.cumsum(products, axis=2, out=scores[:, :, 1:])
        return scores


@dataclass(frozen=True)
class TabulatedPaths:
    """Coefficients of their own for every bit and dimension (hinge and logistic loss)."""

    coef: np.ndarray  # (L, r + 1, r)
    intercept: np.ndarray  # (L, r + 1)
    objectives: np.ndarray

    def truncate(self, dimension):
        """Drop the larger models."""
        end = dimension + 1
        return TabulatedPaths(
            self.coef[:, :end, :dimension], self.intercept[:, :end], self.objectives[:, :end]
        )

    def coefficients(self, bit, dimension):
        """One row of the table."""
        return self.coef[bit, dimension, :dimension]

    def intercepts(self, allocation):
        """One entry of the table per bit."""
        return self.intercept[np.arange(len(allocation)), allocation]

    def scores(self, features):
        """One matrix product per bit."""
        return np.stack([features @ table.T for table in self.coef], axis=1) + self.intercept


def predict_blocks(
    paths: BitPaths, features, allocation, code, *, min_block: int = 16
) -> Iterator[tuple[slice, np.ndarray]]:
    """Class indices (block, n_totals) along the path, for blocks of rows of ``features``.

    The nearest code word wins, the first of those equally near by `TieRule`. The block's length is
    chosen so that its scores in every dimension take O(n L) memory.
    """
    ties = TieRule.of(code)
    n_samples, rank = features.shape
    block = max(min_block, n_samples // (rank + 1))
    weights, offsets = decoding_weights(code)
    for start in range(0, n_samples, block):
        rows = slice(start, min(start + block, n_samples))
        scores = paths.scores(features[rows])
        yield rows, _decode_path(scores, allocation, weights, offsets, ties.lead, ties.largest)


@njit(cache=True)
def _decode_path(bit_scores, allocation, weights, offsets, lead, largest):
    """Nearest code word (Euclidean) at every row of ``allocation``, the first of tied ones.

    From one row to the next only the bits whose dimension changes are added anew.
    """
    n_samples, n_bits, _ = bit_scores.shape
    n_totals, n_classes = len(allocation), weights.shape[1]
    predicted = np.empty((n_samples, n_totals), dtype=np.int32)
    values = np.empty(n_classes)
    before = np.empty(n_bits)
    for i in range(n_samples):
        before[:] = 0.0
        for q in range(n_classes):  # one row at once would compile its error message for 1.3 s
            values[q] = -offsets[q]
        for d in range(n_totals):
            for bit in range(n_bits):
                if d == 0 or allocation[d, bit] != allocation[d - 1, bit]:
                    score = bit_scores[i, bit, allocation[d, bit]]
                    for q in range(n_classes):
                        values[q] += (score - before[bit]) * weights[bit, q]
                    before[bit] = score
            predicted[i, d] = _first_within(values, _tolerance(values.max(), lead, largest))
    return predicted


def decode_first(code, scores):
    """Index of the nearest code word for scores (n, L), ties as in `predict_blocks`."""
    values = nearness(code, scores)
    return first_largest(values, TieRule.of(code).tolerance(values))
