"""Kernel Projection Machine by definition: slow, dense, obvious."""

from __future__ import annotations

from itertools import combinations

import cvxopt
import numpy as np
from cvxopt import solvers
from scipy.optimize import linprog, nnls


def hinge_loss(V, y, weights, beta, intercept):
    return sum(
        w * max(0.0, 1.0 - label * (row @ beta + intercept))
        for row, label, w in zip(V, y, weights, strict=True)
    )


def hinge_lp_arrays(V, y, weights):
    """Objective, G and h of: minimise w'xi, xi >= 0, y (V beta + b) >= 1 - xi."""
    n, D = V.shape
    objective = np.concatenate([np.zeros(D + 1), weights])
    margins = y[:, np.newaxis] * np.hstack([V, np.ones((n, 1))])
    G = np.block([[-margins, -np.eye(n)], [np.zeros((n, D + 1)), -np.eye(n)]])
    return objective, G, np.concatenate([-np.ones(n), np.zeros(n)])


def hinge_lp_linprog(V, y, weights):
    """Optimal value by scipy."""
    objective, G, h = hinge_lp_arrays(V, y, weights)
    answer = linprog(objective, G, h, bounds=(None, None), method="highs-ds")
    assert answer.status == 0, answer.message
    return answer.fun


def hinge_lp_glpk(V, y, weights):
    """Optimal value by GLPK, which the paper used."""
    objective, G, h = hinge_lp_arrays(V, y, weights)
    quiet = {"msg_lev": "GLP_MSG_OFF"}
    answer = solvers.lp(
        cvxopt.matrix(objective),
        cvxopt.matrix(G),
        cvxopt.matrix(h),
        solver="glpk",
        options={"glpk": quiet},
    )
    assert answer["status"] == "optimal"
    return answer["primal objective"]


def hinge_lp_brute_force(V, y, weights):
    """Optimal value as the least loss over all vertices: D + 1 points of margin one."""
    n, D = V.shape
    A = np.hstack([V, np.ones((n, 1))])
    best = np.inf
    for points in map(list, combinations(range(n), D + 1)):
        if abs(np.linalg.det(A[points])) > 1e-9:
            z = np.linalg.solve(A[points], y[points])
            best = min(best, hinge_loss(V, y, weights, z[:D], z[D]))
    return best


def least_square_optimum(V, y, weights):
    """Decision values on the sample: least sum w f^2 among functions of minimal hinge loss."""
    n, D = V.shape
    A = np.hstack([V, np.ones((n, 1))])
    objective, G, h = hinge_lp_arrays(V, y, weights)
    P = np.zeros((D + 1 + n, D + 1 + n))
    P[: D + 1, : D + 1] = A.T @ (weights[:, np.newaxis] * A)
    best = hinge_lp_linprog(V, y, weights)
    G, h = np.vstack([G, objective]), np.append(h, best + 1e-9)
    answer = solvers.qp(
        cvxopt.matrix(P),
        cvxopt.matrix(np.zeros(D + 1 + n)),
        cvxopt.matrix(G),
        cvxopt.matrix(h),
        options={"show_progress": False},
    )
    return A @ np.array(answer["x"]).ravel()[: D + 1]


def decision_values(K, K_cross, beta, intercept):
    """Eq. (9): f(x) = sum_i alpha_i k(x_i, x) + b, alpha = sum_j (beta_j / lambda_j) V_j."""
    eigenvalues, eigenvectors = np.linalg.eigh(K)
    alpha = np.zeros(len(K))
    for j, coefficient in enumerate(beta, start=1):
        alpha += coefficient / eigenvalues[-j] * eigenvectors[:, -j]
    return K_cross @ alpha + intercept


def least_norm_point(H, h):
    """Shortest t with H t >= h, by nonnegative least squares (Lawson and Hanson, chapter 23)."""
    target = np.append(np.zeros(H.shape[1]), 1.0)
    multipliers, _ = nnls(np.column_stack([H, h]).T, target, maxiter=20 * sum(H.shape))
    active = multipliers > 0
    return np.linalg.lstsq(H[active], h[active], rcond=None)[0] if active.any() else target[:-1]


def svm_on_components(K, K_cross, y, D, C):
    """Decision values of an SVM whose kernel is cut after D components, by its dual.

    maximise sum_i a_i - 1/2 a' Y K_D Y a  subject to  0 <= a_i <= C, y'a = 0,
    K_D = sum_{j <= D} lambda_j V_j V_j'.
    """
    eigenvalues, V = np.linalg.eigh(K)
    eigenvalues, V = eigenvalues[::-1][:D], V[:, ::-1][:, :D]
    K_D = (V * eigenvalues) @ V.T
    n = len(y)
    answer = solvers.qp(
        cvxopt.matrix(y[:, np.newaxis] * K_D * y),
        cvxopt.matrix(-np.ones(n)),
        cvxopt.matrix(np.vstack([-np.eye(n), np.eye(n)])),
        cvxopt.matrix(np.concatenate([np.zeros(n), np.full(n, C)])),
        cvxopt.matrix(y[np.newaxis, :]),
        cvxopt.matrix(0.0),
        options={"show_progress": False, "abstol": 1e-10, "reltol": 1e-10, "feastol": 1e-10},
    )
    assert answer["status"] == "optimal"
    coefficients = y * np.array(answer["x"]).ravel()
    intercept = float(answer["y"][0])
    return K_cross @ V @ (V.T @ coefficients) + intercept
