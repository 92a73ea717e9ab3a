"""The simplex support vector machines as one dual programme (Mroueh et al. 2012, section 5).

Primal problem: minimise over f in the RKHS 1/2 ||f||^2 + C sum_i V(y_i, f(x_i)), which is the
paper's eq. (1) for C = 1 / (2 n lambda), its C_0. The descent solves the dual: with scores
s_iq = <c_q, f(x_i)>, minimise 1/2 trace(A' K A G) - sum(B * A) over 0 <= A <= U (`kronecker_bcd`):

- SC-SVM: f = - sum_i k(x_i, .) sum_q A_iq c_q, B = 1/(T-1), U_iq = C for q != y_i and 0 for
  q = y_i. (The paper's eq. (4) prints the bound as C_0 delta_{y, y_i}, the other way round.)
- SH-SVM without the hull constraint: f = sum_i A_{i,y_i} k(x_i, .) c_{y_i}, B = 1,
  U_iq = C for q = y_i and 0 otherwise.
- SH-SVM with f(x_i) in the convex hull of the code words: the T constraints
  s_iq >= -1/(T-1) per example say that the barycentric coordinates are nonnegative. There the
  loss is 1 - s_{i,y_i} (SC-SVM's too), f = sum_i k(x_i, .) (C c_{y_i} + sum_q A_iq c_q), U = inf
  and B = -1/(T-1) - C (K Y G), Y the one-hot labels.

The interior-point method solves the primal problem in the span of a factor of K (`kronecker_qp`).
There SH-SVM on the hull is SC-SVM with the constraints of the hull.

With a weight w_i for every example, C is C w_i in all of this.

Gaps are divided by the primal objective, the problem's own size: neither changes when the data
are multiplied by s and C by 1 / s^2. It is smaller than the objective C n of the zero function, by
far where C is large, so that this is the stricter rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import lstsq

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.solution import Solution
from reprolib.methods.shared.weights import power_of_two
from reprolib.methods.simplex.kronecker_qp import (
    ConstraintRows,
    KroneckerQPAnswer,
    minimise_cvxopt,
)

#: Relative duality gap at which the solvers stop.
GAP_TOL = 1e-4


class SimplexSVMDual(ABC):
    """One of the three dual programmes.

    Parameters
    ----------
    indicators : ndarray of shape (n, T)
        One-hot labels Y.
    C : float
        Price of the losses; a larger one fits the training data more closely.
    weights : ndarray of shape (n,), optional
        Positive weights of the examples; ones by default.

    Attributes
    ----------
    B, U : ndarray of shape (n, T)
        Linear term and upper bounds of the programme.
    """

    B: np.ndarray
    U: np.ndarray

    def __init__(self, indicators, C: float, weights=None):
        self.indicators = indicators
        self.C = C
        self.weights = np.ones(len(indicators)) if weights is None else weights
        self.n_classes = indicators.shape[1]

    @property
    def weight_column(self):
        """The weights as a column."""
        return self.weights[:, np.newaxis]

    def cone_loss(self, scores):
        """Weighted sum of SC-SVM's losses; on the hull, of SH-SVM's too."""
        bound = 1.0 / (self.n_classes - 1)
        violations = np.maximum(bound + scores, 0.0) * (self.indicators == 0)
        return np.sum(violations * self.weight_column)

    @abstractmethod
    def point(self, A, product):
        """Squared norm and scores of f at the multipliers A, given ``product`` = K A G."""

    @abstractmethod
    def primal_objective(self, squared_norm, scores):
        """Objective of f, or of the model that is `feasible_factor` times f."""

    @abstractmethod
    def dual_objective(self, A, squared_norm):
        """Dual objective at A, where f has this squared norm."""

    @abstractmethod
    def expansion(self, A):
        """Rows a_i in R^(T-1) of f = sum_i k(x_i, .) a_i."""

    @abstractmethod
    def constraints(self, C: float) -> list[ConstraintRows]:
        """The primal problem for `minimise_cvxopt`, at this C."""

    @abstractmethod
    def multipliers(self, arrays):
        """A of the multipliers of `constraints`."""

    def feasible_factor(self, squared_norm, scores) -> float:
        """Multiple of f that is the primal point of the certificate."""
        return 1.0

    def needed_examples(self, A, product):
        """Examples whose multipliers are not zero at A, or are not to stay zero, as a mask."""
        return np.any((A > 0.0) | ((product < self.B) & (self.U > 0.0)), axis=1)

    def restricted(self, rows) -> SimplexSVMDual:
        """The programme in which all examples but these have multipliers of zero."""
        return type(self)(self.indicators[rows], self.C, self.weights[rows])

    def objectives(self, A, product):
        """Primal and dual objective at feasible points, given ``product`` = K A G."""
        squared_norm, scores = self.point(A, product)
        return self.primal_objective(squared_norm, scores), self.dual_objective(A, squared_norm)

    def coefficients(self, A, product):
        """Rows a_i in R^(T-1) of the primal point f = sum_i k(x_i, .) a_i."""
        return self.feasible_factor(*self.point(A, product)) * self.expansion(A)

    def gap(self, A, product):
        """Duality gap and the primal objective that it is relative to."""
        primal, dual = self.objectives(A, product)
        return primal - dual, abs(primal)


class ConeDual(SimplexSVMDual):
    """SC-SVM."""

    def __init__(self, indicators, C, weights=None):
        super().__init__(indicators, C, weights)
        self.B = np.full(indicators.shape, 1.0 / (self.n_classes - 1))
        self.U = C * (1.0 - indicators) * self.weight_column

    def point(self, A, product):
        """See `SimplexSVMDual.point`."""
        return np.sum(A * product), -product

    def primal_objective(self, squared_norm, scores):
        """See `SimplexSVMDual.primal_objective`."""
        return 0.5 * squared_norm + self.C * self.cone_loss(scores)

    def dual_objective(self, A, squared_norm):
        """See `SimplexSVMDual.dual_objective`."""
        return np.sum(self.B * A) - 0.5 * squared_norm

    def expansion(self, A):
        """See `SimplexSVMDual.expansion`."""
        return -A @ simplex_code(self.n_classes).T

    def constraints(self, C):
        """See `SimplexSVMDual.constraints`."""
        bound, upper = 1.0 / (self.n_classes - 1), C * self.weight_column
        return [ConstraintRows(self.indicators == 0, -1.0, bound, upper)]

    def multipliers(self, arrays):
        """See `SimplexSVMDual.multipliers`."""
        return arrays[0]


class HalfspaceDual(SimplexSVMDual):
    """SH-SVM without the convex-hull constraint (not Fisher consistent)."""

    def __init__(self, indicators, C, weights=None):
        super().__init__(indicators, C, weights)
        self.B = indicators
        self.U = C * indicators * self.weight_column

    def point(self, A, product):
        """See `SimplexSVMDual.point`."""
        return np.sum(A * product), product

    def primal_objective(self, squared_norm, scores):
        """See `SimplexSVMDual.primal_objective`."""
        loss = np.sum(np.maximum(1.0 - scores, 0.0) * self.indicators * self.weight_column)
        return 0.5 * squared_norm + self.C * loss

    def dual_objective(self, A, squared_norm):
        """See `SimplexSVMDual.dual_objective`."""
        return A.sum() - 0.5 * squared_norm

    def expansion(self, A):
        """See `SimplexSVMDual.expansion`."""
        return A @ simplex_code(self.n_classes).T

    def constraints(self, C):
        """See `SimplexSVMDual.constraints`."""
        return [ConstraintRows(self.indicators > 0, 1.0, 1.0, C * self.weight_column)]

    def multipliers(self, arrays):
        """See `SimplexSVMDual.multipliers`."""
        return arrays[0]


class HullDual(SimplexSVMDual):
    """SH-SVM with the convex-hull constraint on the training points.

    The primal point of the certificate is the model scaled back into the hull, which does not
    change its decisions.

    Parameters
    ----------
    indicators : ndarray of shape (n, T)
        One-hot labels Y.
    C : float
        Price of the losses; a larger one fits the training data more closely.
    label_scores : ndarray of shape (n, T)
        K diag(w) Y G.
    weights : ndarray of shape (n,), optional
        Positive weights w of the examples; ones by default.
    """

    def __init__(self, indicators, C, label_scores, weights=None):
        super().__init__(indicators, C, weights)
        self.labels = indicators * self.weight_column
        self.offset = C * label_scores
        self.B = -1.0 / (self.n_classes - 1) - self.offset
        self.U = np.full(indicators.shape, np.inf)

    def needed_examples(self, A, product):
        """All: zero multipliers do not make an example's part in f vanish."""
        return np.ones(len(A), dtype=bool)

    def restricted(self, rows):
        """See `SimplexSVMDual.restricted`; here for all examples only."""
        return self

    def feasible_factor(self, squared_norm, scores):
        """Return the best factor t in [0, 1] for which t f is in the hull."""
        if squared_norm <= 0.0:
            return 0.0
        feasible = 1.0 / max(1.0, -(self.n_classes - 1) * np.min(scores))
        margins = self.C * np.sum(scores * self.labels)
        return float(np.clip(margins / squared_norm, 0.0, feasible))

    def point(self, A, product):
        """See `SimplexSVMDual.point`."""
        scores = product + self.offset
        return np.sum((A + self.C * self.labels) * scores), scores

    def primal_objective(self, squared_norm, scores):
        """See `SimplexSVMDual.primal_objective`."""
        factor = self.feasible_factor(squared_norm, scores)
        loss = self.cone_loss(factor * scores)
        return 0.5 * factor**2 * squared_norm + self.C * loss

    def dual_objective(self, A, squared_norm):
        """See `SimplexSVMDual.dual_objective`."""
        total = self.C * self.weights.sum()
        return total - A.sum() / (self.n_classes - 1) - 0.5 * squared_norm

    def expansion(self, A):
        """See `SimplexSVMDual.expansion`."""
        return (A + self.C * self.labels) @ simplex_code(self.n_classes).T

    def constraints(self, C):
        """See `SimplexSVMDual.constraints`."""
        bound, everywhere = 1.0 / (self.n_classes - 1), np.ones(self.indicators.shape, dtype=bool)
        return [
            ConstraintRows(self.indicators == 0, -1.0, bound, C * self.weight_column),
            ConstraintRows(everywhere, 1.0, -bound, np.inf),
        ]

    def multipliers(self, arrays):
        """See `SimplexSVMDual.multipliers`."""
        return self.C * (1.0 - self.indicators) * self.weight_column - arrays[0] + arrays[1]


def solve_simplex_svm_cvxopt(dual: SimplexSVMDual, L, *, tol=1e-6, max_iter=100) -> Solution:
    """Solve the programme as the paper states it for K = L L', by cvxopt.

    See `reprolib.methods.simplex.cvxopt_reference`.

    cvxopt ends at its last iterate, which is not its best where round-off has spoilt a step. So
    the tolerance asked of it is raised a hundredfold, twice, as long as the certificate fails.

    Returns
    -------
    Solution
        Variables ``A`` (n, T) and ``coefficients`` (n, T - 1), the rows a_i of
        f = sum_i k(x_i, .) a_i; status "optimal" if the duality gap is at most ``tol`` times the
        primal objective, else "iteration limit".

    Raises
    ------
    NotOptimalError
        If cvxopt has no finite answer.
    """
    square = _unit_square(L, dual.C * dual.weights.min())
    constraints, scaled = dual.constraints(dual.C / square), L * np.sqrt(square)
    tried = []
    for asked in (1e-2 * tol, tol, 1e2 * tol):
        answer = minimise_cvxopt(scaled, constraints, tol=asked, max_iter=max_iter)
        tried.append(_certified(dual, L, answer, square, tol))
        if tried[-1].status == "optimal":
            break
    return min(tried, key=lambda solution: abs(solution.relative_gap))


def _unit_square(L, C: float) -> float:
    """Factor t^2 such that t L has rows of length about 1 at most, and C / t^2 is at least 1."""
    longest = power_of_two(np.abs(L).max(initial=0.0))
    squares = np.sum((L / longest) ** 2, axis=1).max(initial=0.0)
    K = power_of_two(np.sqrt(squares)) ** 2 * longest**2
    return min(1.0, C * K) / K


def _certified(dual, L, answer: KroneckerQPAnswer, square: float, tol: float) -> Solution:
    """Certificate of an interior-point answer to the problem with sqrt(square) times L.

    The primal point is the expansion of smallest coefficients, and not that of the multipliers.
    """
    factor = np.sqrt(square)
    scaled = factor * L
    expansion = np.zeros((len(L), answer.W.shape[1]))
    if scaled.any():  # rows a_i with scaled'A = W of least size
        expansion = lstsq(scaled.T, answer.W, lapack_driver="gelsy", check_finite=False)[0]
    W = scaled.T @ expansion
    scores = scaled @ W @ simplex_code(dual.n_classes)
    squared_norm = square * np.sum(W**2)
    primal = dual.primal_objective(squared_norm, scores)
    A = dual.multipliers([square * array for array in answer.multipliers])
    coefficients = dual.feasible_factor(squared_norm, scores) * square * expansion
    return _with_status(
        {"A": A, "coefficients": coefficients},
        primal,
        square * answer.dual_objective,
        answer.iterations,
        tol,
    )


def certify_multipliers(dual: SimplexSVMDual, A, product, iterations, tol) -> Solution:
    """Certificate of the multipliers A, given ``product`` = K A G."""
    variables = {"A": A, "coefficients": dual.coefficients(A, product)}
    primal, dual_objective = dual.objectives(A, product)
    return _with_status(variables, primal, dual_objective, iterations, tol)


def _with_status(variables, primal, dual_objective, iterations, tol):
    """Optimal when the gap is at most tol times the primal objective.

    No dual objective exceeds a primal one but by round-off, which then is of that size at least:
    the gap is stated as so much, and not as negative.
    """
    dual_objective = min(dual_objective, primal - (dual_objective - primal))
    optimal = primal - dual_objective <= 1.01 * tol * abs(primal)
    return Solution(
        variables,
        float(primal),
        float(dual_objective),
        "optimal" if optimal else "iteration limit",
        iterations,
        scale=abs(float(primal)),
    )
