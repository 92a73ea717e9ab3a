"""Square loss over nested subspaces: every number of components in closed form."""

from __future__ import annotations

import numpy as np

from reprolib.solvers._nested_basis import NestedBasis
from reprolib.solvers._solution import Solution


def solve_square_path(V, y, max_components=None, weights=None) -> list[Solution]:
    """Least squares on the first D columns of V and a constant, for all D at once.

    The problem is: minimise sum_i w_i (y_i - (V_D beta + b)_i)^2. In the orthonormal basis of
    `NestedBasis` the coordinates of y do not depend on D. With residuals r that are orthogonal to
    the subspace the dual objective is sum_i w_i (2 r_i y_i - r_i^2).

    Parameters
    ----------
    V : array-like of shape (n, n_columns)
    y : array-like of shape (n,), of -1 and 1
    max_components : int, optional
    weights : array-like of shape (n,), optional

    Returns
    -------
    list of Solution
        Entry D - 1 has the variables ``beta`` (D,), ``intercept`` and ``dual`` (n,), the
        residuals.
    """
    basis = NestedBasis.from_arrays(V[:, :max_components], y, weights)
    w, y = basis.weights, basis.y
    projection = basis.signed @ w / w.sum()
    n_components = range(1, basis.max_components + 1)
    used = np.arange(len(projection)) < np.array([[basis.size(d)] for d in n_components])
    coordinates = np.where(used, projection, 0.0)
    beta, intercept = basis.coefficients(coordinates)
    residuals = y * (1.0 - coordinates @ basis.signed)
    primal = (1.0 - basis.margins(beta, intercept)) ** 2 @ w
    dual = (2.0 * residuals * y - residuals**2) @ w
    return [
        Solution(
            {"beta": beta[i, :d], "intercept": intercept[i], "dual": residuals[i]},
            primal_objective=float(primal[i]),
            dual_objective=float(dual[i]),
            status="optimal",
            info={"solver": "closed form", "canonical": True},
        )
        for i, d in enumerate(n_components)
    ]
