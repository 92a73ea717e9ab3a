"""The simplex SVMs in the span of a factor of the kernel, by an interior-point method (reference).

With K = L L' of rank r, f(x_i) = W' l_i for W of shape (r, T-1), and the programme is

    minimise   1/2 ||W||^2 + sum over j of u_j xi_j
    subject to sigma_j <c_{q_j}, W' l_{i_j}> + xi_j >= b_j,   xi >= 0,

with one row j = (i, q) for every constraint on an example and a code word; u_j = inf means
xi_j = 0. Its dual, over one multiplier a_j in [0, u_j] a row, is

    maximise   sum_j b_j a_j - 1/2 ||sum_j a_j sigma_j l_{i_j} c_{q_j}'||^2,

the programme over A (n x T) of `kronecker_bcd`, whose Hessian is the Kronecker product of K and the
Gram matrix G = T/(T-1) I - 11'/(T-1) of the code words.

W is a variable of its own here. A point computed from the multipliers, W = L'A, would lose as many
digits as C K has, since A is of the size C where W is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.simplex.cvxopt_reference import simplex_svm_qp


def times_code_gram(Z):
    """Z G for Z of shape (m, T), in O(m T)."""
    n_classes = Z.shape[1]
    return (n_classes * Z - Z.sum(axis=1, keepdims=True)) / (n_classes - 1)


def kronecker_qp_scores(L, A):
    """K A G, shape (n, T), for K = L L'."""
    return times_code_gram(L @ (L.T @ A))


def gram_factor(K):
    """L with K = L L', shape (n, rank), from the eigenvalues of K that are not round-off."""
    eigenvalues, vectors = eigh(K, check_finite=False)
    kept = eigenvalues > len(K) * np.finfo(float).eps * max(eigenvalues[-1], 0.0)
    return vectors[:, kept] * np.sqrt(eigenvalues[kept])


@dataclass(frozen=True)
class ConstraintRows:
    """Constraints sigma <c_q, W' l_i> + xi >= b of the same kind.

    Parameters
    ----------
    mask : ndarray of bool of shape (n, T)
        The pairs (i, q) that have one.
    sign : float
        The sigma of the constraints, 1 or -1.
    offset : float
        The b of the constraints.
    upper : float or ndarray of shape (n, 1)
        Price u of the slack, for all examples or for each; inf for none.
    """

    mask: np.ndarray
    sign: float
    offset: float
    upper: float | np.ndarray

    def prices(self):
        """U of every constraint."""
        return np.broadcast_to(self.upper, self.mask.shape)[self.mask]


@dataclass(frozen=True)
class KroneckerQPAnswer:
    """W (r, T-1), an array (n, T) of multipliers a kind of rows, dual objective, iterations."""

    W: np.ndarray
    multipliers: list[np.ndarray]
    dual_objective: float
    iterations: int


def minimise_cvxopt(
    L, constraints: list[ConstraintRows], *, tol: float = 1e-8, max_iter: int = 100
) -> KroneckerQPAnswer:
    """Solve the programme by `simplex_svm_qp`, with one dense row of left-hand sides a constraint.

    Parameters
    ----------
    L : ndarray of shape (n, r)
        K = L L', with rows of length at most about 1.
    constraints : list of ConstraintRows
        With prices of at least 1: a problem with smaller ones is that of a smaller K.
    tol : float
        Relative tolerance handed to cvxopt; the absolute and feasibility ones are below it.
    max_iter : int
        Largest number of interior-point iterations.

    Returns
    -------
    KroneckerQPAnswer
        The multipliers are feasible. Whether the answer is optimal is for the caller's
        certificate to say, which is stricter than cvxopt's own stopping rule.

    Raises
    ------
    NotOptimalError
        If cvxopt has no finite answer.
    """
    n_rows = [rows.mask.sum() for rows in constraints]
    pairs = np.concatenate([np.argwhere(rows.mask) for rows in constraints])
    signs = np.repeat([rows.sign for rows in constraints], n_rows)
    words = signs[:, np.newaxis] * simplex_code(constraints[0].mask.shape[1]).T[pairs[:, 1]]
    offsets = np.repeat([rows.offset for rows in constraints], n_rows)
    prices = np.concatenate([rows.prices() for rows in constraints])
    if L.any():
        W, a, iterations = simplex_svm_qp(
            L, pairs[:, 0], words, offsets, prices, tol=tol, max_iter=max_iter
        )
    else:  # f = 0, where cvxopt would divide by zero: every violated constraint pays its price
        a = np.where(np.isfinite(prices) & (offsets > 0), prices, 0.0)
        W, iterations = np.zeros((L.shape[1], words.shape[1])), 0
    combined = L[pairs[:, 0]].T @ (a[:, np.newaxis] * words)
    dual_objective = float(offsets @ a - 0.5 * np.sum(combined**2))
    multipliers = []
    for rows, part in zip(constraints, np.split(a, np.cumsum(n_rows)[:-1]), strict=True):
        array = np.zeros(rows.mask.shape)
        array[rows.mask] = part
        multipliers.append(array)
    return KroneckerQPAnswer(W, multipliers, dual_objective, iterations)
