"""Logistic loss over nested subspaces: Newton's method, each D started from the one before."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import entr, expit

from reprolib.solvers._nested_basis import NestedBasis
from reprolib.solvers._solution import Solution

MAX_ITERATIONS = 200
#: Relative duality gap at which Newton's method stops; a hundred times it is accepted.
GAP_TOL = 1e-9


def solve_logistic_path(V, y, max_components=None, weights=None, ridge=1e-6) -> list[Solution]:
    """Logistic regression on the first D columns of V and a constant, for D = 1, 2, ...

    The problem is, with f = V_D beta + b and the sums over points weighted by w::

        minimise   sum_i w_i log(1 + exp(-y_i f_i)) + ridge / 2 * sum_i w_i f_i^2

    The ridge keeps the optimum finite and unique where the classes are separable, and is too
    small to matter elsewhere. The dual is: maximise sum_i w_i H(p_i) - |u|^2 / (2 ridge sum w)
    over 0 <= p <= 1, with H the entropy and u = sum_i w_i p_i y_i q(x_i).

    Parameters
    ----------
    V : array-like of shape (n, n_columns)
    y : array-like of shape (n,), of -1 and 1
    max_components : int, optional
    weights : array-like of shape (n,), optional
    ridge : float

    Returns
    -------
    list of Solution
        Entry D - 1 has the variables ``beta`` (D,), ``intercept`` and ``dual`` (n,), the p.

    Raises
    ------
    NotOptimalError
        If Newton's method does not close the duality gap.
    """
    basis = NestedBasis.from_arrays(V[:, :max_components], y, weights)
    c = np.zeros(0)
    solutions = []
    for d in range(1, basis.max_components + 1):
        size = basis.size(d)
        c = np.concatenate([c, np.zeros(size - len(c))])
        problem = _Logistic(basis.signed[:size], basis.weights, ridge * basis.weights.sum())
        c, iterations = problem.newton(c)
        padded = np.concatenate([c, np.zeros(len(basis.kept) - size)])
        beta, intercept = basis.coefficients(padded[np.newaxis])
        primal, dual, p = problem.objectives(c)
        answer = Solution(
            {"beta": beta[0, :d], "intercept": intercept[0], "dual": p},
            primal_objective=primal,
            dual_objective=dual,
            status="optimal",
            iterations=iterations,
            info={"solver": "newton", "canonical": True},
        )
        solutions.append(answer.require_optimal(100 * GAP_TOL))
    return solutions


class _Logistic:
    """The problem for one D, in orthonormal coordinates."""

    def __init__(self, signed, weights, penalty):
        self.signed, self.weights, self.penalty = signed, weights, penalty

    def loss(self, c):
        """Primal objective."""
        return float(self.weights @ np.logaddexp(0.0, -c @ self.signed) + self.penalty / 2 * c @ c)

    def objectives(self, c):
        """Primal and dual objective at c and the dual point p = 1 / (1 + exp(margin))."""
        p = expit(-c @ self.signed)
        u = self.signed @ (self.weights * p)
        entropy = self.weights @ (entr(p) + entr(1.0 - p))
        return self.loss(c), float(entropy - u @ u / (2 * self.penalty)), p

    def newton(self, c):
        """Damped Newton's method; returns the minimiser and the number of iterations."""
        for iteration in range(MAX_ITERATIONS):
            primal, dual, p = self.objectives(c)
            if primal - dual <= GAP_TOL * max(1.0, primal):
                return c, iteration
            gradient = self.penalty * c - self.signed @ (self.weights * p)
            hessian = (self.signed * (self.weights * p * (1.0 - p))) @ self.signed.T
            hessian[np.diag_indices_from(hessian)] += self.penalty
            step = cho_solve(cho_factor(hessian), -gradient)
            length, descent = 1.0, gradient @ step
            while self.loss(c + length * step) > primal + 1e-4 * length * descent:
                length /= 2
                if length < 1e-10:
                    return c, iteration
            c = c + length * step
        return c, MAX_ITERATIONS
