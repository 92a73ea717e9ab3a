"""Logistic loss over nested subspaces: Newton's method, each D started from the one before."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import entr, expit

from reprolib.methods.kpm.nested_basis import NestedBasis, require_certified_path
from reprolib.methods.shared.solution import Solution
from reprolib.methods.shared.tolerances import GAP_TOL, ROUND_OFF

MAX_ITERATIONS = 200
#: Squared length of the last Newton step, in the metric of the Hessian and relative to sum w. The
#: ridge makes that a bound on the error of the decision values: 1e-8 in root mean square.
DECREMENT_TOL = 1e-22
#: Least part of the descent that its slope promises, for a step to be taken.
SUFFICIENT = 1e-4
#: A shorter part of the Newton step is none.
SHORTEST_STEP = 1e-10


def solve_logistic_path(V, y, max_components=None, weights=None, ridge=1e-6) -> list[Solution]:
    """Logistic regression on the first D columns of V and a constant, for D = 1, 2, ...

    The problem is, with f = V_D beta + b and the sums over points weighted by w::

        minimise   sum_i w_i log(1 + exp(-y_i f_i)) + ridge / 2 * sum_i w_i f_i^2

    The ridge keeps the optimum finite and unique where the classes are separable, and is too
    small to matter elsewhere. The dual is: maximise sum_i w_i H(p_i) - |u|^2 / (2 ridge sum w)
    over 0 <= p <= 1, with H the entropy and u = sum_i w_i p_i y_i q(x_i). Newton's method goes on
    until its step, not only the duality gap, is at the level of round-off: with a ridge this small
    a gap of 1e-9 still leaves several digits of the decision values open.

    Parameters
    ----------
    V : array-like of shape (n, n_columns)
        Nested components, one a column; D uses the first D.
    y : array-like of shape (n,), of -1 and 1
        Labels of the points.
    max_components : int, optional
        End of the path, the largest D; all columns by default.
    weights : array-like of shape (n,), optional
        How often every point counts; ones by default.
    ridge : float
        Weight of the penalty, relative to the sum of the weights. A larger one draws decision
        values towards zero.

    Returns
    -------
    list of Solution
        Entry D - 1 has the variables ``beta`` (D,), ``intercept`` and ``dual`` (n,), the p.

    Raises
    ------
    NotOptimalError
        If Newton's method does not close the duality gap.

    See Also
    --------
    reprolib.methods.kpm.hinge_lp.solve_hinge_lp_path : The hinge loss.
    reprolib.methods.kpm.square_path.solve_square_path : The square loss.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.logistic_path import solve_logistic_path
    >>> x, y = np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.array([1, -1, -1, -1])
    >>> (solution,) = solve_logistic_path(x, y)
    >>> abs(solution.relative_gap) < 1e-7
    True
    """
    basis = NestedBasis.from_arrays(np.asarray(V)[:, :max_components], y, weights)
    c = np.zeros(0)
    solutions = []
    for d in range(1, basis.max_components + 1):
        size = basis.size(d)
        c = np.concatenate([c, np.zeros(size - len(c))])
        problem = _Logistic(basis.signed[:size], basis.weights, ridge * basis.weights.sum())
        c, iterations = problem.newton(c)
        solutions.append(_solution(basis, problem, d, c, iterations))
    return require_certified_path(solutions, GAP_TOL)


def _solution(basis: NestedBasis, problem: _Logistic, d: int, c, iterations: int) -> Solution:
    padded = np.concatenate([c, np.zeros(len(basis.kept) - len(c))])
    beta, intercept = basis.coefficients(padded[np.newaxis])
    margins = basis.margins(beta, intercept)[0]
    primal = basis.weights @ np.logaddexp(0.0, -margins) + problem.penalty / 2 * c @ c
    dual, p = problem.dual(c)
    slack = basis.dropped_slack(basis.weights * p, d)
    return Solution(
        {"beta": beta[0, :d], "intercept": intercept[0], "dual": p},
        primal_objective=float(primal) * basis.weight_unit,
        dual_objective=(dual - slack) * basis.weight_unit,
        status="optimal",
        iterations=iterations,
        info={"solver": "newton", "canonical": True},
        scale=float(np.log(2.0) * basis.weights.sum()) * basis.weight_unit,
    )


class _Logistic:
    """The problem for one D, in orthonormal coordinates."""

    def __init__(self, signed, weights, penalty):
        self.signed, self.weights, self.penalty = signed, weights, penalty

    def loss(self, c):
        """Primal objective."""
        return float(self.weights @ np.logaddexp(0.0, -c @ self.signed) + self.penalty / 2 * c @ c)

    def dual(self, c):
        """Dual objective at the dual point p = 1 / (1 + exp(margin)), and p."""
        p = expit(-c @ self.signed)
        u = self.signed @ (self.weights * p)
        entropy = self.weights @ (entr(p) + entr(1.0 - p))
        return float(entropy - u @ u / (2 * self.penalty)), p

    def newton(self, c):
        """Damped Newton's method; returns the minimiser and the number of iterations."""
        for iteration in range(MAX_ITERATIONS):
            step, descent = self._newton_step(c)
            length = self._step_length(c, step, descent)
            c = c + length * step
            if length == 0.0 or -descent <= DECREMENT_TOL * self.weights.sum():
                return c, iteration
        return c, MAX_ITERATIONS

    def _newton_step(self, c):
        """Newton's step, and the slope of the objective along it."""
        p = expit(-c @ self.signed)
        gradient = self.penalty * c - self.signed @ (self.weights * p)
        hessian = (self.signed * (self.weights * p * (1.0 - p))) @ self.signed.T
        hessian[np.diag_indices_from(hessian)] += self.penalty
        step = cho_solve(cho_factor(hessian), -gradient)
        return step, float(gradient @ step)

    def _step_length(self, c, step, descent):
        """Length of sufficient decrease by halving; 0 if there is none."""
        bar, promised, length = self.loss(c) * (1.0 + ROUND_OFF), SUFFICIENT * descent, 1.0
        while self.loss(c + length * step) > bar + promised * length:
            length /= 2
            if length < SHORTEST_STEP:
                return 0.0
        return length
