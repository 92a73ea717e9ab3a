"""Problem (3) of the KEOPS paper by definition: nested loops, generic minimisers."""

from __future__ import annotations

import cvxopt
import numpy as np
from scipy.optimize import minimize


def mixed_norm(nested, gammas, kernel_norms):
    """N_0 of a tree of nested lists, from the definition of the mixed norm."""
    total = 0.0
    for child in nested:
        if isinstance(child, list):
            total += mixed_norm(child, gammas[1:], kernel_norms) ** gammas[0]
        else:
            total += kernel_norms[child] ** gammas[0]
    return total ** (1 / gammas[0])


def penalty(nested_paths, p, log_weights, kernel_norms):
    """sum_m a_m^2 / prod_h sigma_h^p_h with softmax weights (one simplex for a level)."""
    sigmas = [np.exp(v - np.logaddexp.reduce(v)) for v in log_weights]
    total = 0.0
    for m, path in enumerate(nested_paths):
        product = 1.0
        for h, node in enumerate(path):
            product *= sigmas[h][node] ** p[h]
        total += kernel_norms[m] ** 2 / product
    return total


def minimal_penalty(nested_paths, p, kernel_norms):
    """Numerical minimum of `penalty` over the weights of all levels."""
    sizes = [max(path[h] for path in nested_paths) + 1 for h in range(len(p))]
    cuts = np.cumsum(sizes)[:-1]

    def objective(flat):
        return np.log(penalty(nested_paths, p, np.split(flat, cuts), kernel_norms))

    answer = minimize(objective, np.zeros(sum(sizes)), method="BFGS", options={"gtol": 1e-9})
    return np.exp(answer.fun)


def l1_svm_objective(X, y, C):
    """min 1/2 (sum |w|)^2 + C sum hinge, as a QP in (w+, w-, b, xi) by CVXOPT."""
    n, M = X.shape
    size = 2 * M + 1 + n
    P = np.zeros((size, size))
    P[: 2 * M, : 2 * M] = 1.0
    q = np.r_[np.zeros(2 * M + 1), np.full(n, C)]
    margin = np.hstack([y[:, None] * X, -y[:, None] * X, y[:, None], np.eye(n)])
    positive = np.eye(size)[np.r_[: 2 * M, 2 * M + 1 : size]]
    G, h = -np.vstack([margin, positive]), np.r_[-np.ones(n), np.zeros(2 * M + n)]
    answer = cvxopt.solvers.qp(
        *map(cvxopt.matrix, (P, q, G, h)),
        options={"show_progress": False, "abstol": 1e-11, "reltol": 1e-11, "feastol": 1e-11},
    )
    return answer["primal objective"]


def pyramid_objective(X, y, nested, gammas, C, w, b):
    """1/2 N_0(|w|)^2 + C sum of hinge losses, for one feature for each kernel."""
    hinge = sum(max(0.0, 1.0 - yi * (xi @ w + b)) for xi, yi in zip(X, y, strict=True))
    return 0.5 * mixed_norm(nested, gammas, np.abs(w)) ** 2 + C * hinge


def dense_svm(K, y, C):
    """Dual coefficients of the SVM by a dense QP of CVXOPT."""
    n = len(y)
    answer = cvxopt.solvers.qp(
        cvxopt.matrix(y[:, None] * K * y),
        cvxopt.matrix(-np.ones(n)),
        cvxopt.matrix(np.vstack([-np.eye(n), np.eye(n)])),
        cvxopt.matrix(np.r_[np.zeros(n), np.full(n, float(C))]),
        cvxopt.matrix(y[None, :].astype(float)),
        cvxopt.matrix(0.0),
        options={"show_progress": False, "abstol": 1e-10, "reltol": 1e-10},
    )
    return y * np.array(answer["x"]).ravel(), -answer["primal objective"]


def straightforward_keops(X, y, region, channel, p, C, n_steps):
    """Algorithm 1 for three levels with the printed weights; every Gram matrix formed anew.

    ``region`` and ``channel`` number the node of every feature. Returns the values J(sigma) of the
    inner problem and the last weights.
    """
    M = X.shape[1]
    region_of_channel = dict(zip(channel, region, strict=True))
    sigma1 = np.full(max(region) + 1, 1 / (max(region) + 1))
    sigma2 = np.full(max(channel) + 1, 1 / (max(channel) + 1))
    sigma3 = np.full(M, 1 / M)
    g1, g2, g3 = 2 / (1 + p[0] + p[1] + p[2]), 2 / (1 + p[1] + p[2]), 2 / (1 + p[2])
    values = []
    for _ in range(n_steps):
        d = [sigma1[region[m]] ** p[0] * sigma2[channel[m]] ** p[1] * sigma3[m] ** p[2]
             for m in range(M)]  # fmt: skip
        K = sum(d[m] * np.outer(X[:, m], X[:, m]) for m in range(M))
        coef, value = dense_svm(K, y, C)
        values.append(value)
        norms = np.array([d[m] * abs(X[:, m] @ coef) for m in range(M)])
        s2 = np.zeros(len(sigma2))
        for m in range(M):
            s2[channel[m]] += norms[m] ** g3
        s1 = np.zeros(len(sigma1))
        for k in range(len(sigma2)):
            s1[region_of_channel[k]] += s2[k] ** (g2 / g3)
        c = 1 / sum(s1 ** (g1 / g2))
        up1 = [region_of_channel[k] for k in range(len(sigma2))]
        sigma1 = c * s1 ** (g1 / g2)
        sigma2 = c * s1[up1] ** (-p[0] * g1 / 2) * s2 ** (g2 / g3)
        sigma3 = c * s1[region] ** (-p[0] * g1 / 2) * s2[channel] ** (-p[1] * g2 / 2) * norms**g3
    return values, (sigma1, sigma2, sigma3)


def block_norm_svm_objective(X, y, blocks, C):
    """min 1/2 (sum of ||w_g||)^2 + C sum of hinge losses over w, b, by a cone programme.

    Variables w, b, slacks xi, block norms t, and their sum s.
    """
    n, p = X.shape
    k = max(blocks) + 1
    size = p + 1 + n + k + 1
    P, q = np.zeros((size, size)), np.zeros(size)
    P[-1, -1] = 1.0
    q[p + 1 : p + 1 + n] = C
    margins = np.hstack([-y[:, None] * X, -y[:, None], -np.eye(n), np.zeros((n, k + 1))])
    slacks = np.hstack([np.zeros((n, p + 1)), -np.eye(n), np.zeros((n, k + 1))])
    total = np.r_[np.zeros(p + 1 + n), np.ones(k), -1.0][None, :]
    rows, right, cones = [margins, slacks, total], np.r_[-np.ones(n), np.zeros(n + 1)], []
    for g in range(k):
        members = np.flatnonzero(np.asarray(blocks) == g)
        cone = np.zeros((len(members) + 1, size))
        cone[0, p + 1 + n + g] = -1.0
        cone[np.arange(1, len(members) + 1), members] = -1.0
        rows.append(cone)
        cones.append(len(members) + 1)
        right = np.r_[right, np.zeros(len(members) + 1)]
    answer = cvxopt.solvers.coneqp(
        cvxopt.matrix(P),
        cvxopt.matrix(q),
        cvxopt.matrix(np.vstack(rows)),
        cvxopt.matrix(right),
        {"l": 2 * n + 1, "q": cones, "s": []},
        options={"show_progress": False, "abstol": 1e-9, "reltol": 1e-9, "feastol": 1e-9},
    )
    return answer["primal objective"]
