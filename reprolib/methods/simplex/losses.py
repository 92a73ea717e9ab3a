"""Simplex losses: value and subgradient as functions of f(x) in R^(T-1).

Source: Mroueh, Poggio, Rosasco and Slotine (NIPS 2012), section 3; the exponential loss is
Saberian and Vasconcelos' (NIPS 2011) in the notation of the paper's Remark 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from reprolib.methods.shared.codes import encode, simplex_code


class SimplexLoss(ABC):
    """A loss V(y, f) on vectors f of R^(T-1), one code word c_y per class.

    Parameters
    ----------
    n_classes : int
        T, at least 2.

    Attributes
    ----------
    code : ndarray of shape (T - 1, T)
        Columns are the code words.
    """

    def __init__(self, n_classes: int):
        self.n_classes = n_classes
        self.code = simplex_code(n_classes)

    @abstractmethod
    def value(self, F, y):
        """Losses V(y_i, f_i), shape (n,), for F of shape (n, T-1) and class indices y."""

    @abstractmethod
    def gradient(self, F, y):
        """Gradient with respect to f (a subgradient at kinks), shape (n, T-1)."""


class LeastSquaresLoss(SimplexLoss):
    """S-LS: V(y, f) = ||c_y - f||^2."""

    def value(self, F, y):
        """See `SimplexLoss.value`."""
        return np.sum((encode(self.code, y) - F) ** 2, axis=1)

    def gradient(self, F, y):
        """2 (f - c_y); the paper prints the opposite sign (section 5)."""
        return 2.0 * (F - encode(self.code, y))


class ConeLoss(SimplexLoss):
    """SC-SVM: V(y, f) = sum over q != y of max(0, 1/(T-1) + <c_q, f>)."""

    def _violations(self, F, y):
        violations = 1.0 / (self.n_classes - 1) + F @ self.code
        violations[np.arange(len(violations)), y] = 0.0
        return np.maximum(violations, 0.0)

    def value(self, F, y):
        """See `SimplexLoss.value`."""
        return self._violations(F, y).sum(axis=1)

    def gradient(self, F, y):
        """Sum of the code words of the violated classes."""
        return (self._violations(F, y) > 0).astype(float) @ self.code.T


class HalfspaceLoss(SimplexLoss):
    """SH-SVM: V(y, f) = max(0, 1 - <c_y, f>)."""

    def value(self, F, y):
        """See `SimplexLoss.value`."""
        return np.maximum(0.0, 1.0 - np.sum(F * encode(self.code, y), axis=1))

    def gradient(self, F, y):
        """Minus c_y where <c_y, f> < 1, otherwise 0."""
        words = encode(self.code, y)
        return -words * (np.sum(F * words, axis=1) < 1.0)[:, None]


class ConeHalfspaceLoss(SimplexLoss):
    """SC + SH: V(y, f) = |1 - <c_y, f>|_+ + sum over q != y of |1/(T-1) + <c_q, f>|_+.

    The paper does not have this sum of its two hinge losses. With the scores z_q = <c_q, f> it is
    one hinge a class, as in one-vs-all, but the scores sum to zero because the code words do, and
    the kinks 1 and -1/(T-1) are the scores of a code word.

    It is Fisher consistent on all of R^(T-1). At class probabilities rho the expected loss is
    sum_q g_q(z_q) subject to sum_q z_q = 0, where g_q has the slopes -rho_q below -1/(T-1),
    1 - 2 rho_q between the kinks and 1 - rho_q above 1. The code word of the likeliest class b has
    z_b = 1 and z_q = -1/(T-1), and is a minimiser if one multiplier mu is a slope of all g_q there:
    1 - 2 rho_b <= mu <= 1 - rho_b and -rho_q <= mu <= 1 - 2 rho_q for q != b. As rho_q <= rho_b
    and rho_q <= 1/2, mu = max(1 - 2 rho_b, -min_q rho_q) is one. If 1 > rho_b > rho_q for all
    q != b, some mu is strictly inside of all these intervals, and the minimiser is unique.
    """

    def __init__(self, n_classes: int):
        super().__init__(n_classes)
        self._parts = (ConeLoss(n_classes), HalfspaceLoss(n_classes))

    def value(self, F, y):
        """See `SimplexLoss.value`."""
        return sum(part.value(F, y) for part in self._parts)

    def gradient(self, F, y):
        """Sum of the two gradients."""
        return sum(part.gradient(F, y) for part in self._parts)


class ExponentialLoss(SimplexLoss):
    """MCBoost: V(y, f) = sum over q != y of exp(-<c_y - c_q, f>) (Remark 1 of the paper)."""

    def _terms(self, F, y):
        scores = F @ self.code
        rows = np.arange(len(scores))
        terms = np.exp(scores - scores[rows, y][:, None])
        terms[rows, y] = 0.0
        return terms

    def value(self, F, y):
        """See `SimplexLoss.value`."""
        return self._terms(F, y).sum(axis=1)

    def gradient(self, F, y):
        """Sum over q != y of exp(-<c_y - c_q, f>) (c_q - c_y)."""
        terms = self._terms(F, y)
        return terms @ self.code.T - terms.sum(axis=1)[:, None] * encode(self.code, y)


LOSSES: dict[str, Callable[[int], SimplexLoss]] = {
    "least_squares": LeastSquaresLoss,
    "cone": ConeLoss,
    "halfspace": HalfspaceLoss,
    "cone_halfspace": ConeHalfspaceLoss,
    "exponential": ExponentialLoss,
}


def make_loss(name: str, n_classes: int) -> SimplexLoss:
    """Loss object by name: "least_squares", "cone", "halfspace", "cone_halfspace", "exponential".

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if name not in LOSSES:
        raise ValueError(f"loss is {name!r}; choose one of {sorted(LOSSES)}.")
    return LOSSES[name](n_classes)
