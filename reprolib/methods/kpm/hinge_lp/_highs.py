"""Hinge LP for one D by HiGHS, where the path has no certificate; at last within bounds.

The coordinates are bounded where round-off makes the LP ill-posed.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linprog

from reprolib.methods.kpm.components import MAX_NORM
from reprolib.methods.kpm.hinge_lp._certificate import RawAnswer, certify, is_certified
from reprolib.methods.kpm.nested_basis import NestedBasis
from reprolib.methods.shared.solution import Solution

#: Of HiGHS, absolute; its own default is 1e-7.
FEASIBILITY_TOL = 1e-9
OPTIONS: Any = {
    "primal_feasibility_tolerance": FEASIBILITY_TOL,
    "dual_feasibility_tolerance": FEASIBILITY_TOL,
}
#: For each variable; ill-posed problems make HiGHS go round in circles.
MAX_ITERATIONS_PER_VARIABLE = 20
#: Ten times the feasibility tolerance; see `canonical_optimum`.
DUAL_TOL = 10 * FEASIBILITY_TOL
#: Largest coordinate, that is, root mean square of a component of the decision function. A
#: function at the bound is beyond `MAX_NORM`: rounding may change its decisions.
BOUND = 2.0 * MAX_NORM
#: Of the coordinates in the programmes for HiGHS, in the order in which they are tried. It takes
#: entries below 1e-9 for zero: in the first unit no entry that matters. In the others they lie
#: closer together, where the first makes it stop with an error.
UNITS = (BOUND, 1e3, 10.0)
#: Algorithm of HiGHS, and whether with presolve.
WAYS = (("highs-ipm", True), ("highs-ds", False))


def highs_single(basis: NestedBasis, n_components: int) -> Solution:
    """Solve for one number of components, from scratch.

    The dual LP is: maximise sum_i a_i subject to 0 <= a_i <= w_i and
    sum_i a_i y_i q_k(x_i) = 0 for every coordinate k. Coordinates are minus the row duals.

    Parameters
    ----------
    basis : NestedBasis
        The problem in orthonormal coordinates.
    n_components : int
        The D that is solved for.

    Returns
    -------
    Solution
        Not yet checked: the caller looks at status and gap.
    """
    signed = basis.signed[: basis.size(n_components)]
    result = _linear_program(-np.ones(len(basis.weights)), signed, basis.weights)
    if result.x is None:
        duals, coordinates = np.zeros(signed.shape[1]), np.zeros(len(signed))
    else:
        duals, coordinates = result.x, -result.eqlin.marginals
    answer = RawAnswer(coordinates, duals, _status_of(result), int(result.nit))
    return certify(basis, [n_components], [answer], "highs", DUAL_TOL)[0]


def _linear_program(cost, matrix, upper, *, method="highs-ds", presolve=False) -> Any:
    """Minimise cost'x subject to matrix x = 0 and 0 <= x <= upper."""
    bounds: Any = np.column_stack([np.zeros(len(upper)), upper])
    right = np.zeros(len(matrix))
    limit = MAX_ITERATIONS_PER_VARIABLE * len(upper)
    options: Any = {**OPTIONS, "presolve": presolve, "maxiter": limit}
    return linprog(cost, A_eq=matrix, b_eq=right, bounds=bounds, method=method, options=options)


def _status_of(result) -> str:
    """Return "optimal", or what HiGHS says."""
    return "optimal" if result.status == 0 else result.message


def bounded_single(basis: NestedBasis, n_components: int) -> Solution:
    """Solve for one number of components with every coordinate within +-2e5.

    With few distinct points and conflicting labels, or a Gram matrix that is almost diagonal, some
    function of the subspace may vanish on the points that matter up to round-off. The LP then
    lowers the loss by huge multiples of that round-off, and no solver can certify such an optimum.
    Within the bound the dual is: maximise sum(a) - bound * ||S a||_1 over 0 <= a <= w, S the signed
    basis. It holds for every a, so that the gap is a certificate for the bounded problem. By
    convexity an answer well inside of the bound is the best of all; ``info["bound"]`` marks one
    that is not. ``info["holds_within"]`` is the bound in either case, and ``info["round_off"]``
    what the tolerance of HiGHS may change for coordinates of such a size.

    Parameters
    ----------
    basis : NestedBasis
        The problem in orthonormal coordinates.
    n_components : int
        The D that is solved for.

    Returns
    -------
    Solution
        The first that is certified, of several units and algorithms; else that of least gap.
    """
    answers = []
    for unit, (method, presolve) in product(UNITS, WAYS):
        answers.append(_solve_bounded(basis, n_components, unit, method, presolve))
        if is_certified(answers[-1]):
            return answers[-1]
    return min(answers, key=lambda solution: abs(solution.gap))


def _solve_bounded(basis, n_components, unit, method, presolve) -> Solution:
    signed = basis.signed[: basis.size(n_components)]
    size, n = signed.shape
    # The positive and the negative part of unit * S a are columns of their own.
    cost = np.concatenate([-np.ones(n), np.full(2 * size, BOUND / unit)])
    upper = np.concatenate([basis.weights, np.full(2 * size, np.inf)])
    matrix = np.hstack([unit * signed, np.eye(size), -np.eye(size)])
    result = _linear_program(cost, matrix, upper, method=method, presolve=presolve)
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
        status=_status_of(result),
        iterations=int(result.nit),
        info={
            "solver": "highs",
            "canonical": False,
            "round_off": FEASIBILITY_TOL * float(size_of_terms @ basis.weights) * weight,
            "norm": float(np.linalg.norm(coordinates)),
            "holds_within": BOUND,
            **({"bound": BOUND} if np.max(np.abs(coordinates)) > 0.5 * BOUND else {}),
        },
        scale=float(basis.weights.sum()) * weight,
    )
