"""Hinge LP with bounded coordinates: the last resort where round-off makes the LP ill-posed."""

from __future__ import annotations

from itertools import product

import numpy as np

from reprolib.methods.kpm.components import MAX_NORM
from reprolib.methods.kpm.hinge_lp._certificate import is_certified
from reprolib.methods.kpm.hinge_lp._highs import FEASIBILITY_TOL, linear_program, status_of
from reprolib.methods.kpm.nested_basis import NestedBasis
from reprolib.methods.shared.solution import Solution

#: Largest coordinate, that is, root mean square of a component of the decision function. A
#: function at the bound is beyond `MAX_NORM`: rounding may change its decisions.
BOUND = 2.0 * MAX_NORM
#: Of the coordinates in the programmes for HiGHS, in the order in which they are tried. It takes
#: entries below 1e-9 for zero: in the first unit no entry that matters. In the others they lie
#: closer together, where the first makes it stop with an error.
UNITS = (BOUND, 1e3, 10.0)
#: Algorithm of HiGHS, and whether with presolve.
WAYS = (("highs-ipm", True), ("highs-ds", False))


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
    answers = []
    for unit, (method, presolve) in product(UNITS, WAYS):
        answers.append(_solve(basis, n_components, unit, method, presolve))
        if is_certified(answers[-1]):
            return answers[-1]
    return min(answers, key=lambda solution: abs(solution.gap))


def _solve(basis, n_components, unit, method, presolve) -> Solution:
    signed = basis.signed[: basis.size(n_components)]
    size, n = signed.shape
    result = _solve_bounded_lp(signed, basis.weights, unit, method, presolve)
    coordinates, dual = np.zeros((1, len(basis.kept))), np.zeros(n)
    if result.x is not None:
        scaled = -result.eqlin.marginals * (unit / BOUND)
        coordinates[0, :size] = BOUND / max(1.0, np.max(np.abs(scaled))) * scaled
        dual = np.clip(result.x[:n], 0.0, basis.weights)
    beta, intercept = basis.coefficients(coordinates)
    primal = np.maximum(1.0 - basis.margins(beta, intercept)[0], 0.0) @ basis.weights
    size_of_terms = np.abs(coordinates[0, :size]) @ np.abs(signed)
    slack = BOUND * float(np.abs(signed @ dual).sum()) + basis.dropped_slack(dual, n_components)
    weight = basis.weight_unit
    return Solution(
        variables={
            "beta": beta[0, :n_components],
            "intercept": intercept[0],
            "dual": dual * weight,
        },
        primal_objective=float(primal) * weight,
        dual_objective=float(dual.sum() - slack) * weight,
        status=status_of(result),
        iterations=int(result.nit),
        info={
            "solver": "highs",
            "canonical": False,
            "round_off": FEASIBILITY_TOL * float(size_of_terms @ basis.weights) * weight,
            "norm": float(np.linalg.norm(coordinates)),
            "bound": BOUND,
        },
        scale=float(basis.weights.sum()) * weight,
    )


def _solve_bounded_lp(signed, weights, unit, method, presolve):
    """Dual LP with the positive and the negative part of unit * S a as columns."""
    size, n = signed.shape
    cost = np.concatenate([-np.ones(n), np.full(2 * size, BOUND / unit)])
    upper = np.concatenate([weights, np.full(2 * size, np.inf)])
    matrix = np.hstack([unit * signed, np.eye(size), -np.eye(size)])
    return linear_program(cost, matrix, upper, method=method, presolve=presolve)
