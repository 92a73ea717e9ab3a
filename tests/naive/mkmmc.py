"""Slow references for Gu & Zhou (ICIP 2009): the formulas as printed, and brute force."""

from itertools import combinations

import numpy as np
from cvxopt import matrix, solvers
from scipy.linalg import eigh, qr


def stqp_maximum(M):
    """Largest theta' M theta on the simplex: the stationary point of every face."""
    best = -np.inf
    for size in range(1, len(M) + 1):
        for face in combinations(range(len(M)), size):
            form = M[np.ix_(face, face)]
            kkt = np.block([[2 * form, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
            rhs = np.append(np.zeros(size), 1.0)
            theta = np.linalg.lstsq(kkt, rhs, rcond=None)[0][:size]
            if theta.min() >= -1e-12 and abs(theta.sum() - 1) < 1e-8:
                best = max(best, float(theta @ form @ theta))
    return best


def concave_stqp_maximiser(M):
    """Maximiser of theta' M theta on the simplex for M concave there: one convex QP (cvxopt)."""
    p = len(M)
    answer = solvers.qp(
        matrix(-2.0 * np.asarray(M)),
        matrix(np.zeros(p)),
        matrix(-np.eye(p)),
        matrix(np.zeros(p)),
        matrix(np.ones((1, p))),
        matrix(1.0),
        options={"show_progress": False, "abstol": 1e-13, "reltol": 1e-13, "feastol": 1e-13},
    )
    return np.array(answer["x"]).ravel()


def graph_weights(y):
    """Equation (7), entry by entry."""
    n = len(y)
    W = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            W[i, j] = 1 / n - 2 / np.sum(y == y[i]) if y[i] == y[j] else 1 / n
    return W


def between_scatter(X, y):
    """S_b of equation (1)."""
    mean = X.mean(axis=0)
    parts = [X[y == k] for k in np.unique(y)]
    return sum(len(P) * np.outer(P.mean(0) - mean, P.mean(0) - mean) for P in parts)


def within_scatter(X, y):
    """S_w as the sum of the class scatter matrices."""
    parts = [X[y == k] for k in np.unique(y)]
    return sum((P - P.mean(0)).T @ (P - P.mean(0)) for P in parts)


def within_covariance(X, y):
    """S_w as the sum of the class covariance matrices."""
    parts = [X[y == k] for k in np.unique(y)]
    return sum((P - P.mean(0)).T @ (P - P.mean(0)) / len(P) for P in parts)


def pairwise_objective(features, W):
    """sum_ij W_ij ||f_i - f_j||^2: equations (8), (10), (13), (17)."""
    n = len(features)
    return sum(
        W[i, j] * np.sum((features[i] - features[j]) ** 2) for i in range(n) for j in range(n)
    )


def leave_one_out_predictions(fit, K, y, n_components):
    """1-nearest-neighbour label of every point, its projection learned without it.

    ``fit(K, y)`` gives the coefficients, one column a direction. Returns one row for every number
    of directions.
    """
    n = len(y)
    labels = np.empty((n_components, n), dtype=y.dtype)
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        A = fit(K[np.ix_(rest, rest)], y[rest])
        train, test = K[np.ix_(rest, rest)] @ A, K[i, rest] @ A
        for m in range(1, n_components + 1):
            distances = np.sum((train[:, :m] - test[:m]) ** 2, axis=1)
            labels[m - 1, i] = y[rest][np.argmin(distances)]
    return labels


def span(X, tol=1e-9):
    """Orthonormal basis of the row space, by QR with pivoting."""
    Q, R, _ = qr(X.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    return Q[:, sizes > tol * sizes.max(initial=0.0)]


def linear_eigenvalues(X, y, constraint, mu=1.0):
    """Eigenvalues of kernel MMC with the linear kernel, from scatter matrices, largest first."""
    S_b, S_w = between_scatter(X, y), within_scatter(X, y)
    if constraint == "coefficient":
        return eigh(X @ (S_b - mu * S_w) @ X.T, eigvals_only=True)[::-1]
    if constraint == "function":
        Q = span(X)
        return eigh(Q.T @ (S_b - mu * S_w) @ Q, eigvals_only=True)[::-1]
    Q = span(X - X.mean(axis=0))
    form, total = Q.T @ (S_b - mu * S_w) @ Q, Q.T @ (S_b + S_w) @ Q
    return eigh(form, total, eigvals_only=True)[::-1]
