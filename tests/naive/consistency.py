"""Theorem 1 and Table 1 of the simplex paper, term by term: what a loss at one input point implies.

At a point x with class probabilities rho, the expected loss of the vector f is
E(f) = sum_y rho_y V(y, f), and the misclassification risk of decoding f is 1 - rho_D(f).
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.shared.codes import decode
from reprolib.methods.simplex.losses import (
    ConeLoss,
    HalfspaceLoss,
    LeastSquaresLoss,
    SimplexLoss,
)


def expected_loss(loss: SimplexLoss, probabilities, F):
    """E(f) for every row f of F, shape (n,)."""
    F = np.atleast_2d(F)
    values = [loss.value(F, np.full(len(F), y)) for y in range(loss.n_classes)]
    return np.asarray(probabilities) @ np.array(values)


def excess_risk(loss: SimplexLoss, probabilities, F):
    """Misclassification risk of the decoded rows of F minus the Bayes risk, shape (n,)."""
    probabilities = np.asarray(probabilities)
    return probabilities.max() - probabilities[decode(loss.code, np.atleast_2d(F))]


def target_vector(loss: SimplexLoss, probabilities):
    """f_rho of the paper's Table 1: sum_y rho_y c_y for S-LS, the Bayes code word for the SVMs."""
    if isinstance(loss, LeastSquaresLoss):
        return loss.code @ np.asarray(probabilities)
    return loss.code[:, int(np.argmax(probabilities))]


def comparison_constants(loss: SimplexLoss):
    """(C_T, alpha) of Theorem 1: excess risk <= C_T (excess expected loss)^alpha.

    Raises
    ------
    TypeError
        For a loss that Table 1 does not cover.
    """
    n_classes = loss.n_classes
    if isinstance(loss, LeastSquaresLoss):
        return float(np.sqrt(2.0 * (n_classes - 1) / n_classes)), 0.5
    if isinstance(loss, ConeLoss | HalfspaceLoss):
        return float(n_classes - 1), 1.0
    raise TypeError(f"Table 1 of the paper has no constants for {type(loss).__name__}.")


def comparison_ratio(loss: SimplexLoss, probabilities, F):
    """Largest excess risk / (C_T (excess expected loss)^alpha) over the rows of F.

    At most 1 where Theorem 1 holds; rows that decode to the Bayes class do not count.
    """
    constant, exponent = comparison_constants(loss)
    risk = excess_risk(loss, probabilities, F)
    best = expected_loss(loss, probabilities, target_vector(loss, probabilities))
    excess = expected_loss(loss, probabilities, F) - best
    wrong = risk > 0
    if not wrong.any():
        return 0.0
    bound = constant * np.maximum(excess[wrong], np.finfo(float).tiny) ** exponent
    return float(np.max(risk[wrong] / bound))
