"""Hinge LP with bounded coordinates: the last resort where round-off makes the LP ill-posed."""

from __future__ import annotations

import numpy as np

from reprolib.methods.kpm.components import MAX_NORM
from reprolib.methods.kpm.hinge_lp._certificate import is_certified
from reprolib.methods.kpm.hinge_lp._highs import FEASIBILITY_TOL, linear_program, status_of
from reprolib.methods.kpm.nested_basis import NestedBasis
from reprolib.methods.shared.solution import Solution

#: Largest coordinate, that is, root mean square of a component of the decision function. A
#: function at the bound is beyond `MAX_NORM`: rounding may change its decisions.
BOUND = 2.0 * MAX_NORM


def bounded_single(basis: NestedBasis, n_components: int) -> Solution:
    """Solve for one number of components with every coordinate within +-2e5.

    With few distinct points and conflicting labels, or a Gram matrix that is almost diagonal, some
    function of the subspace may vanish on the points that matter up to round-off. The LP then
    lowers the loss by huge multiples of that round-off, and no solver can certify such an optimum.
    Within the bound the dual is: maximise sum(a) - bound * ||S a||_1 over 0 <= a <= w, S the signed
    basis. It holds for every a, so that the gap is a certificate for the bounded problem.
    ``info["bound"]`` marks it; ``info["round_off"]`` is what the tolerance of HiGHS may change for
    coordinates of such a size.
    """
    by_interior_points = _solve(basis, n_components, "highs-ipm", presolve=True)
    if is_certified(by_interior_points):
        return by_interior_points
    by_simplex = _solve(basis, n_components, "highs-ds", presolve=False)
    return min(by_interior_points, by_simplex, key=lambda solution: abs(solution.gap))


def _solve(basis, n_components, method, *, presolve) -> Solution:
    signed = basis.signed[: basis.size(n_components)]
    size, n = signed.shape
    result = _solve_bounded_lp(signed, basis.weights, method, presolve)
    coordinates, dual = np.zeros((1, len(basis.kept))), np.zeros(n)
    if result.x is not None:
        scaled = -result.eqlin.marginals
        coordinates[0, :size] = BOUND / max(1.0, np.max(np.abs(scaled))) * scaled
        dual = np.clip(result.x[:n], 0.0, basis.weights)
    beta, intercept = basis.coefficients(coordinates)
    primal = np.maximum(1.0 - basis.margins(beta, intercept)[0], 0.0) @ basis.weights
    size_of_terms = np.abs(coordinates[0, :size]) @ np.abs(signed)
    slack = BOUND * float(np.abs(signed @ dual).sum()) + basis.dropped_slack(dual, n_components)
    unit = basis.weight_unit
    return Solution(
        variables={"beta": beta[0, :n_components], "intercept": intercept[0], "dual": dual * unit},
        primal_objective=float(primal) * unit,
        dual_objective=float(dual.sum() - slack) * unit,
        status=status_of(result),
        iterations=int(result.nit),
        info={
            "solver": "highs",
            "canonical": False,
            "round_off": FEASIBILITY_TOL * float(size_of_terms @ basis.weights) * unit,
            "norm": float(np.linalg.norm(coordinates)),
            "bound": BOUND,
        },
        scale=float(basis.weights.sum()) * unit,
    )


def _solve_bounded_lp(signed, weights, method, presolve):
    """Dual LP with the positive and the negative part of bound * S a as columns.

    In these units HiGHS, which takes entries below 1e-9 for zero, loses nothing that matters.
    """
    size, n = signed.shape
    cost = np.concatenate([-np.ones(n), np.ones(2 * size)])
    upper = np.concatenate([weights, np.full(2 * size, np.inf)])
    matrix = np.hstack([BOUND * signed, np.eye(size), -np.eye(size)])
    return linear_program(cost, matrix, upper, method=method, presolve=presolve)
