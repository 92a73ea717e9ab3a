"""The simplex support vector machines as one dual programme (Mroueh et al. 2012, section 5).

Primal problem: minimise over f in the RKHS 1/2 ||f||^2 + C sum_i V(y_i, f(x_i)), which is the
paper's eq. (1) for C = 1 / (2 n lambda), its C_0. With scores s_iq = <c_q, f(x_i)> the duals are
instances of `kronecker_qp` (A of shape (n, T), 0 <= A <= U, linear term B):

- SC-SVM: f = - sum_i k(x_i, .) sum_q A_iq c_q, B = 1/(T-1), U_iq = C for q != y_i and 0 for
  q = y_i. (The paper's eq. (4) prints the bound as C_0 delta_{y, y_i}, the other way round.)
- SH-SVM without the hull constraint: f = sum_i A_{i,y_i} k(x_i, .) c_{y_i}, B = 1,
  U_iq = C for q = y_i and 0 otherwise.
- SH-SVM with f(x_i) in the convex hull of the code words: the T constraints
  s_iq >= -1/(T-1) per example say that the barycentric coordinates are nonnegative. There the
  loss is 1 - s_{i,y_i} (SC-SVM's too), f = sum_i k(x_i, .) (C c_{y_i} + sum_q A_iq c_q), U = inf
  and B = -1/(T-1) - C (K Y G), Y the one-hot labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from reprolib.codes import simplex_code
from reprolib.solvers._solution import Solution
from reprolib.solvers.kronecker_bcd import (
    solve_kronecker_qp_bcd,
    solve_kronecker_qp_decomposition,
)
from reprolib.solvers.kronecker_qp import kronecker_qp_scores, solve_kronecker_qp_cvxopt


class SimplexSVMDual(ABC):
    """One of the three dual programmes.

    Parameters
    ----------
    indicators : ndarray of shape (n, T)
        One-hot labels Y.
    C : float

    Attributes
    ----------
    B, U : ndarray of shape (n, T)
    """

    B: np.ndarray
    U: np.ndarray

    def __init__(self, indicators, C: float):
        self.indicators = indicators
        self.C = C
        self.n_classes = indicators.shape[1]

    @abstractmethod
    def objectives(self, A, product):
        """Primal and dual objective at feasible points, given ``product`` = K A G."""

    @abstractmethod
    def coefficients(self, A, product):
        """Rows a_i in R^(T-1) of the primal point f = sum_i k(x_i, .) a_i."""

    def gap(self, A, product):
        """Duality gap and the primal objective that it is relative to."""
        primal, dual = self.objectives(A, product)
        return primal - dual, abs(primal)


class ConeDual(SimplexSVMDual):
    """SC-SVM."""

    def __init__(self, indicators, C):
        super().__init__(indicators, C)
        self.B = np.full(indicators.shape, 1.0 / (self.n_classes - 1))
        self.U = C * (1.0 - indicators)

    def objectives(self, A, product):
        """See `SimplexSVMDual.objectives`."""
        half_norm = 0.5 * np.sum(A * product)
        loss = np.sum(np.maximum(self.B - product, 0.0) * (self.indicators == 0))
        return half_norm + self.C * loss, np.sum(self.B * A) - half_norm

    def coefficients(self, A, product):
        """See `SimplexSVMDual.coefficients`."""
        return -A @ simplex_code(self.n_classes).T


class HalfspaceDual(SimplexSVMDual):
    """SH-SVM without the convex-hull constraint (not Fisher consistent)."""

    def __init__(self, indicators, C):
        super().__init__(indicators, C)
        self.B = indicators
        self.U = C * indicators

    def objectives(self, A, product):
        """See `SimplexSVMDual.objectives`."""
        half_norm = 0.5 * np.sum(A * product)
        loss = np.sum(np.maximum(1.0 - product, 0.0) * self.indicators)
        return half_norm + self.C * loss, A.sum() - half_norm

    def coefficients(self, A, product):
        """See `SimplexSVMDual.coefficients`."""
        return A @ simplex_code(self.n_classes).T


class HullDual(SimplexSVMDual):
    """SH-SVM with the convex-hull constraint on the training points.

    The primal point of the certificate is the model scaled back into the hull, which does not
    change its decisions.

    Parameters
    ----------
    label_scores : ndarray of shape (n, T)
        K Y G.
    """

    def __init__(self, indicators, C, label_scores):
        super().__init__(indicators, C)
        self.offset = C * label_scores
        self.B = -1.0 / (self.n_classes - 1) - self.offset
        self.U = np.full(indicators.shape, np.inf)

    def _norm_and_scale(self, A, scores):
        """Squared norm of f, and the best factor t in [0, 1] for which t f is feasible."""
        M = A + self.C * self.indicators
        squared_norm = np.sum(M * scores)
        if squared_norm <= 0.0:
            return squared_norm, 0.0
        feasible = 1.0 / max(1.0, -(self.n_classes - 1) * np.min(scores))
        margins = self.C * np.sum(scores * self.indicators)
        return squared_norm, float(np.clip(margins, 0.0, feasible * squared_norm) / squared_norm)

    def objectives(self, A, product):
        """See `SimplexSVMDual.objectives`."""
        scores = product + self.offset
        squared_norm, scale = self._norm_and_scale(A, scores)
        margins = np.sum(scores * self.indicators)
        total = self.C * len(A)
        primal = 0.5 * scale**2 * squared_norm + total - self.C * scale * margins
        dual = total - A.sum() / (self.n_classes - 1) - 0.5 * squared_norm
        return primal, dual

    def coefficients(self, A, product):
        """See `SimplexSVMDual.coefficients`."""
        _, scale = self._norm_and_scale(A, product + self.offset)
        return scale * (A + self.C * self.indicators) @ simplex_code(self.n_classes).T


def solve_simplex_svm_cvxopt(dual: SimplexSVMDual, L, *, tol=1e-6, max_iter=100) -> Solution:
    """Solve the reference way for K = L L', by `kronecker_qp.solve_kronecker_qp_cvxopt`.

    Returns
    -------
    Solution
        Variables ``A`` (n, T) and ``coefficients`` (n, T - 1), the rows a_i of
        f = sum_i k(x_i, .) a_i; status "optimal" if the duality gap is at most ``tol`` times the
        primal objective, else "iteration limit".
    """
    A, iterations = solve_kronecker_qp_cvxopt(L, dual.B, dual.U, tol=1e-2 * tol, max_iter=max_iter)
    return _solution(dual, A, kronecker_qp_scores(L, A), iterations, tol)


def solve_simplex_svm_bcd(
    dual: SimplexSVMDual, X, *, tol=1e-4, max_iter=10_000, seed=0
) -> Solution:
    """Solve for K = X X' by `kronecker_bcd.solve_kronecker_qp_bcd`.

    The answer is that of `solve_simplex_svm_cvxopt`.
    """
    A, iterations = solve_kronecker_qp_bcd(
        X, dual.B, dual.U, gap=dual.gap, tol=tol, max_iter=max_iter, seed=seed
    )
    return _solution(dual, A, kronecker_qp_scores(X, A), iterations, tol)


def solve_simplex_svm_decomposition(
    dual: SimplexSVMDual, gram_rows, diagonal, *, tol=1e-4, max_iter=10_000, seed=0
) -> Solution:
    """Solve for any kernel, rows on demand, by `kronecker_bcd.solve_kronecker_qp_decomposition`.

    The answer is that of `solve_simplex_svm_cvxopt`.
    """
    A, product, iterations = solve_kronecker_qp_decomposition(
        gram_rows, diagonal, dual.B, dual.U, gap=dual.gap, tol=tol, max_iter=max_iter, seed=seed
    )
    return _solution(dual, A, product, iterations, tol)


def _solution(dual, A, product, iterations, tol):
    """Certificate at A; optimal when the gap is at most tol times the primal objective."""
    primal, dual_objective = dual.objectives(A, product)
    optimal = primal - dual_objective <= 1.01 * tol * abs(primal)
    return Solution(
        {"A": A, "coefficients": dual.coefficients(A, product)},
        float(primal),
        float(dual_objective),
        "optimal" if optimal else "iteration limit",
        iterations,
    )
