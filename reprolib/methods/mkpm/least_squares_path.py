"""Least squares in nested subspaces, for all their dimensions at once."""

from __future__ import annotations

import numpy as np

from reprolib.methods.shared.solution import Solution


def solve_least_squares_path_orthonormal(features, targets) -> Solution:
    """Fit targets by least squares in the span of the first d features, for every d.

    The problem, for each target y_l and each d = 0, ..., r, is::

        minimise over a in R^d   (1 / n) || U_d a - y_l ||^2

    with U_d the first d columns of ``features``, which are orthonormal. Its solution is the first
    d entries of U' y_l: one set of coefficients serves all d, and every further feature lowers
    the objective by (u_d' y_l)^2 / n.

    Takerkart & Ralaivola (CVPR 2011), equations (41) and (42), with the factor 1/N of (13) that
    (36)-(42) drop. The coefficients here are in units of the orthonormal features; (41) divides
    them by the square root of the eigenvalue.

    Parameters
    ----------
    features : ndarray of shape (n, r)
        Orthonormal columns.
    targets : ndarray of shape (n, L)

    Returns
    -------
    Solution
        ``variables["coef"]`` of shape (r, L), ``variables["objectives"]`` of shape (L, r + 1).
        The certificate is for d = r, summed over the targets: the residual rho is feasible for
        the dual, maximise (2 rho' y - ||rho||^2) / n subject to U' rho = 0.
    """
    n_samples = len(features)
    coef = features.T @ targets
    energy = np.sum(targets**2, axis=0)
    explained = np.vstack([np.zeros(targets.shape[1]), np.cumsum(coef**2, axis=0)])
    objectives = np.maximum(energy - explained, 0.0).T / n_samples
    residual = targets - features @ coef
    residual -= features @ (features.T @ residual)
    return Solution(
        variables={"coef": coef, "objectives": objectives},
        primal_objective=float(np.sum((targets - features @ coef) ** 2) / n_samples),
        dual_objective=float(np.sum(residual * (2.0 * targets - residual)) / n_samples),
        status="optimal",
        scale=float(np.sum(energy) / n_samples),
    )
