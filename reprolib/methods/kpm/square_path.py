"""Square loss over nested subspaces: every number of components in closed form.

`solve_square_path` fits a constant as well and takes any columns and weights (the KPM);
`solve_square_path_orthonormal` is for orthonormal columns, no constant and several targets (the
bits of MKPM).
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.kpm.nested_basis import NestedBasis, require_certified_path
from reprolib.methods.shared.solution import Solution
from reprolib.methods.shared.tolerances import GAP_TOL


def solve_square_path(V, y, max_components=None, weights=None) -> list[Solution]:
    """Least squares on the first D columns of V and a constant, for all D at once.

    The problem is: minimise sum_i w_i (y_i - (V_D beta + b)_i)^2. In the orthonormal basis of
    `NestedBasis` the coordinates of y do not depend on D. With residuals r that are orthogonal to
    the subspace the dual objective is sum_i w_i (2 r_i y_i - r_i^2); it is lowered by the most that
    round-off in that orthogonality can change it (`NestedBasis.slack`).

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

    Returns
    -------
    list of Solution
        Entry D - 1 has the variables ``beta`` (D,), ``intercept`` and ``dual`` (n,), the
        residuals.

    Raises
    ------
    NotOptimalError
        If a duality gap is not closed, because the coefficients are too large to be exact.

    See Also
    --------
    solve_square_path_orthonormal : Orthonormal columns, several targets, no constant.
    reprolib.methods.kpm.hinge_lp.solve_hinge_lp_path : The hinge loss.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.square_path import solve_square_path
    >>> (solution,) = solve_square_path(np.array([[0.0], [1.0], [2.0]]), np.array([-1, -1, 1]))
    >>> solution.variables["beta"].round(6).tolist()
    [1.0]
    """
    basis = NestedBasis.from_arrays(np.asarray(V)[:, :max_components], y, weights)
    w, y = basis.weights, basis.y
    projection = basis.signed @ w / w.sum()
    n_components = range(1, basis.max_components + 1)
    used = np.arange(len(projection)) < np.array([[basis.size(d)] for d in n_components])
    coordinates = np.where(used, projection, 0.0)
    beta, intercept = basis.coefficients(coordinates)
    margins = coordinates @ basis.signed
    primal = (1.0 - basis.margins(beta, intercept)) ** 2 @ w
    slack = [basis.slack(w * (1.0 - m), d) for m, d in zip(margins, n_components, strict=True)]
    dual = (1.0 - margins**2) @ w - 2.0 * np.array(slack)
    solutions = [
        Solution(
            {"beta": beta[i, :d], "intercept": intercept[i], "dual": y * (1.0 - margins[i])},
            primal_objective=float(primal[i]) * basis.weight_unit,
            dual_objective=float(dual[i]) * basis.weight_unit,
            status="optimal",
            info={"solver": "closed form", "canonical": True},
            scale=float(w.sum()) * basis.weight_unit,
        )
        for i, d in enumerate(n_components)
    ]
    return require_certified_path(solutions, GAP_TOL)


def solve_square_path_orthonormal(features, targets) -> Solution:
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
        What is fitted, one target a column.

    Returns
    -------
    Solution
        ``variables["coef"]`` of shape (r, L), ``variables["objectives"]`` of shape (L, r + 1).
        The certificate is for d = r, summed over the targets: the residual rho is feasible for
        the dual, maximise (2 rho' y - ||rho||^2) / n subject to U' rho = 0.

    See Also
    --------
    solve_square_path : With a constant, for any columns and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.square_path import solve_square_path_orthonormal
    >>> solution = solve_square_path_orthonormal(np.eye(2), np.array([[3.0], [4.0]]))
    >>> solution.variables["objectives"].tolist()
    [[12.5, 8.0, 0.0]]
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
