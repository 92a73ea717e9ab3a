"""The single-bit problems of Algorithm 1 for each loss: predictors in all dimensions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.kpm.logistic_path import solve_logistic_path
from reprolib.methods.kpm.square_path import solve_square_path_orthonormal
from reprolib.methods.mkpm._bases import Basis
from reprolib.methods.mkpm._paths import BitPaths, NestedPaths, TabulatedPaths


def square_paths(basis: Basis, targets) -> tuple[BitPaths, float]:
    """Square loss in closed form; targets (n, L) may be any reals. No intercept, as printed."""
    if basis.roots is not None:
        targets = basis.roots[:, np.newaxis] * targets
    solution = solve_square_path_orthonormal(basis.features, targets).require_optimal()
    paths = NestedPaths(solution.variables["coef"], solution.variables["objectives"])
    return paths, solution.relative_gap


def hinge_paths(basis: Basis, targets) -> tuple[BitPaths, float]:
    """Hinge loss; every bit is the KPM of Blanchard et al. (NIPS 2004), with its intercept."""
    return solved_paths(basis, targets, solve_hinge_lp_path)


def logistic_paths(basis: Basis, targets) -> tuple[BitPaths, float]:
    """Logistic loss, with an intercept and the solver's tiny ridge."""
    return solved_paths(basis, targets, solve_logistic_path)


LOSSES = {"square": square_paths, "hinge": hinge_paths, "logistic": logistic_paths}


def solved_paths(basis: Basis, targets, solve: Callable) -> tuple[BitPaths, float]:
    """Tabulate the predictors of every bit.

    The solvers begin at one component. A column of zeros put in front of the basis adds nothing,
    so that their answer for d + 1 components is ours for d, the intercept alone included.
    """
    n_rows, rank = basis.features.shape
    weights = None if basis.roots is None else basis.roots**2
    total = n_rows if weights is None else weights.sum()
    scale = np.sqrt(total)
    V = np.hstack([np.zeros((n_rows, 1)), scale * basis.values])
    coef = np.zeros((targets.shape[1], rank + 1, rank))
    intercept = np.zeros((targets.shape[1], rank + 1))
    objectives = np.zeros((targets.shape[1], rank + 1))
    gap = 0.0
    for bit, target in enumerate(targets.T):
        for d, solution in enumerate(solve(V, target, weights=weights)):
            coef[bit, d, :d] = scale * solution.variables["beta"][1:]
            intercept[bit, d] = solution.variables["intercept"]
            objectives[bit, d] = solution.primal_objective / total
            # Within a bound on the functions nothing is proved of larger ones but a loss of zero.
            bounded = "bound" in solution.info
            gap = max(gap, objectives[bit, d] if bounded else abs(solution.relative_gap))
    return TabulatedPaths(coef, intercept, np.minimum.accumulate(objectives, axis=1)), gap
