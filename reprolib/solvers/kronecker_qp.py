"""The dual quadratic programme of the simplex SVMs, by an interior-point method (reference).

Problem: over A of shape (n, T), one coefficient per example and class,

    minimise   1/2 trace(A' K A G) - sum(B * A)   subject to   0 <= A <= U,

with K the n x n Gram matrix and G = T/(T-1) I - 11'/(T-1) the inner products of the T simplex
code words, so that the Hessian is the Kronecker product K (x) G. SC-SVM and SH-SVM (with and
without the convex-hull constraint) are this problem with different B and U (`simplex_svm`). An
entry with U = 0 is fixed at zero.
"""

from __future__ import annotations

import cvxopt
import numpy as np
from cvxopt import solvers as cvxopt_solvers
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from reprolib.codes import simplex_code
from reprolib.solvers._solution import NotOptimalError


def times_code_gram(Z):
    """Z G for Z of shape (m, T), in O(m T)."""
    n_classes = Z.shape[1]
    return (n_classes * Z - Z.sum(axis=1, keepdims=True)) / (n_classes - 1)


def kronecker_qp_scores(L, A):
    """K A G, shape (n, T), for K = L L'."""
    return times_code_gram(L @ (L.T @ A))


def solve_kronecker_qp_cvxopt(L, B, U, *, tol: float = 1e-8, max_iter: int = 100):
    """Solve the programme with cvxopt's cone solver and a KKT solve for its structure.

    The bounds contribute a diagonal D to the KKT matrix K (x) G + D. With K = L L' of rank r and N
    free variables, the Woodbury formula factorises a matrix of r (T-1) rows, assembled in
    O(n r^2 T^2), if r (T-1) < N; otherwise K (x) G + D itself is factorised. The 2 N bounds
    never enter a factorisation.

    Parameters
    ----------
    L : ndarray of shape (n, r)
        K = L L': the data matrix for the linear kernel, a Cholesky factor for others.
    B : ndarray of shape (n, T)
    U : ndarray of shape (n, T)
        Upper bounds; inf is allowed, 0 fixes the entry.
    tol : float
        Relative tolerance handed to cvxopt; the absolute and feasibility ones are below it.
    max_iter : int

    Returns
    -------
    A : ndarray of shape (n, T)
    iterations : int

    Raises
    ------
    NotOptimalError
        If cvxopt has no finite answer. Whether the answer is optimal is for the caller's
        certificate to say, which is stricter than cvxopt's own stopping rule.
    """
    free = np.nonzero(U > 0)
    bounded = np.nonzero(np.isfinite(U[free]))[0]
    n_free = len(free[0])

    def embed(x):
        A = np.zeros(U.shape)
        A[free] = np.asarray(x).ravel()
        return A

    def hessian(x, y, alpha=1.0, beta=0.0):
        product = kronecker_qp_scores(L, embed(x))[free]
        y[:] = cvxopt.matrix(alpha * product + beta * np.asarray(y).ravel())

    def bounds(x, y, alpha=1.0, beta=0.0, trans="N"):
        value, old = np.asarray(x).ravel(), np.asarray(y).ravel()
        if trans == "N":
            product = np.concatenate([-value, value[bounded]])
        else:
            product = -value[:n_free]
            product[bounded] += value[n_free:]
        y[:] = cvxopt.matrix(alpha * product + beta * old)

    limits = np.concatenate([np.zeros(n_free), U[free][bounded]])
    answer = cvxopt_solvers.coneqp(
        hessian,
        cvxopt.matrix(-B[free]),
        bounds,
        cvxopt.matrix(limits),
        kktsolver=_kkt_solver(L, free, bounded, U.shape[1]),
        options={
            "show_progress": False,
            "abstol": 1e-4 * tol,
            "reltol": tol,
            "feastol": 1e-2 * tol,
            "maxiters": max_iter,
        },
    )
    if not np.all(np.isfinite(np.asarray(answer["x"]))):
        raise NotOptimalError(
            f"cvxopt stopped with status {answer['status']!r} after {answer['iterations']} "
            "iterations without an answer; rescale the data or use the descent solver"
        )
    return np.clip(embed(answer["x"]), 0.0, U), answer["iterations"]


def _kkt_solver(L, free, bounded, n_classes):
    """Make the factory of cvxopt's custom KKT solves [H G'; G -W'W] [x; z] = [bx; bz]."""
    n_free = len(free[0])
    low_rank = L.shape[1] * (n_classes - 1) < n_free
    shifted_solver = _woodbury_solver if low_rank else _cholesky_solver

    def factorise(W):
        weights = np.asarray(W["d"]).ravel() ** -2.0
        diagonal = weights[:n_free].copy()
        diagonal[bounded] += weights[n_free:]
        try:
            solve_hessian = shifted_solver(L, free, n_classes, diagonal)
        except LinAlgError as error:  # cvxopt ends at its last iterate on an ArithmeticError
            raise ArithmeticError(str(error)) from error
        scaling = np.asarray(W["di"]).ravel()

        def solve(x, y, z):
            bx, bz = np.asarray(x).ravel(), np.asarray(z).ravel()
            scaled = weights * bz
            right = bx - scaled[:n_free]
            right[bounded] += scaled[n_free:]
            ux = solve_hessian(right)
            x[:] = cvxopt.matrix(ux)
            z[:] = cvxopt.matrix(scaling * (np.concatenate([-ux, ux[bounded]]) - bz))

        return solve

    return factorise


def _cholesky_solver(L, free, n_classes, diagonal):
    """Solver of (K (x) G + diag) x = b on the free entries, by their own N x N matrix."""
    rows, classes = free
    G = times_code_gram(np.eye(n_classes))
    H = (L @ L.T)[np.ix_(rows, rows)] * G[np.ix_(classes, classes)]
    H.flat[:: len(H) + 1] += diagonal
    lower = cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
    return lambda b: cho_solve(lower, b, check_finite=False)


def _woodbury_solver(L, free, n_classes, diagonal):
    """Solver of (K (x) G + diag) x = b by a matrix of r (T-1) rows.

    K (x) G = F F' with F = L (x) C' on the free entries. The capacitance matrix
    I + F' diag^-1 F = I + sum_i (l_i l_i') (x) E_i with E_i = C diag_i^-1 C'.
    """
    shape, rank, words = (len(L), n_classes), L.shape[1], simplex_code(n_classes).T
    inverse = np.zeros(shape)
    inverse[free] = 1.0 / diagonal
    E = np.einsum("iq,qs,qt->ist", inverse, words, words, optimize=True).reshape(len(L), -1)
    blocks = np.stack([(L * L[:, r, None]).T @ E for r in range(rank)])
    blocks = blocks.reshape(rank, rank, n_classes - 1, n_classes - 1)
    capacitance = blocks.transpose(0, 2, 1, 3).reshape(rank * (n_classes - 1), -1)
    capacitance.flat[:: len(capacitance) + 1] += 1.0
    lower = cho_factor(capacitance, lower=True, overwrite_a=True, check_finite=False)

    def solve(b):
        scaled = np.zeros(shape)
        scaled[free] = b / diagonal
        inner = cho_solve(lower, (L.T @ scaled @ words).ravel(), check_finite=False)
        outer = L @ inner.reshape(rank, -1) @ words.T
        return scaled[free] - outer[free] / diagonal

    return solve
