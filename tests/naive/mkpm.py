"""MKPM by definition: enumerate allocations, refit every predictor, decode every point."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import linprog, minimize


def best_allocation(objectives, total):
    """Lowest sum of G_l(d_l) with sum d_l = total, and the set of all allocations that reach it."""
    n_bits, n_values = objectives.shape
    costs = {}
    for allocation in itertools.product(range(n_values), repeat=n_bits):
        if sum(allocation) == total:
            costs[allocation] = sum(objectives[bit, d] for bit, d in enumerate(allocation))
    lowest = min(costs.values())
    return lowest, {a for a, cost in costs.items() if cost <= lowest + 1e-12}


def least_squares_risk(design, target):
    """Smallest (1/n) ||design w - target||^2, by a general least-squares routine."""
    if design.shape[1] == 0:
        return np.mean(target**2), np.zeros(0)
    w = np.linalg.lstsq(design, target, rcond=None)[0]
    return np.mean((design @ w - target) ** 2), w


def hinge_risk(design, target):
    """Smallest mean hinge loss of design w + b: the linear programme as it is written."""
    n, d = design.shape
    cost = np.concatenate([np.zeros(d + 1), np.full(n, 1 / n)])
    margins = target[:, None] * np.column_stack([design, np.ones(n)])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    return linprog(cost, A_ub=-np.hstack([margins, np.eye(n)]), b_ub=-np.ones(n), bounds=bounds).fun


def logistic_risk(design, target):
    """Smallest mean of logistic loss + 5e-7 f^2, f = design w + b, by a general minimiser."""
    design = np.column_stack([design, np.ones(len(design))])

    def objective(w):
        f = design @ w
        return np.mean(np.logaddexp(0, -target * f) + 5e-7 * f**2)

    return minimize(objective, np.zeros(design.shape[1]), method="BFGS", options={"gtol": 1e-9}).fun


def kernel_pca_features(K_train, K_cross, dimension):
    """psi_1..psi_d at new points: equations (33)-(35), f = Phi a_d / sqrt(gamma_d)."""
    gamma, A = np.linalg.eigh(K_train)
    gamma, A = gamma[::-1][:dimension], A[:, ::-1][:, :dimension]
    return K_cross @ A / np.sqrt(gamma)


def mkpm_scores(K_train, targets, K_cross, allocation):
    """Scores of every bit: ordinary least squares on its first d_l kernel principal components."""
    scores = np.zeros((len(K_cross), targets.shape[1]))
    for bit, dimension in enumerate(allocation):
        design = kernel_pca_features(K_train, K_train, dimension)
        _, w = least_squares_risk(design, targets[:, bit])
        scores[:, bit] = kernel_pca_features(K_train, K_cross, dimension) @ w
    return scores


def nearest_code_word(scores, code):
    """Equation (8) with the Euclidean distance; equal up to round-off means the first."""
    distances = np.linalg.norm(scores[:, :, None] - code[None], axis=1)
    return np.argmax(distances <= distances.min(axis=1, keepdims=True) + 1e-9, axis=1)
