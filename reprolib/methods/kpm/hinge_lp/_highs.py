"""Hinge LP for one D by the dual simplex method of HiGHS, where the path has no certificate."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog

from reprolib.methods.kpm.hinge_lp._certificate import RawAnswer, certify
from reprolib.methods.kpm.nested_basis import NestedBasis

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


def highs_single(basis: NestedBasis, n_components: int):
    """Solve for one number of components, from scratch.

    The dual LP is: maximise sum_i a_i subject to 0 <= a_i <= w_i and
    sum_i a_i y_i q_k(x_i) = 0 for every coordinate k. Coordinates are minus the row duals.

    Returns
    -------
    Solution
        Not yet checked: the caller looks at status and gap.
    """
    signed = basis.signed[: basis.size(n_components)]
    result = linear_program(-np.ones(len(basis.weights)), signed, basis.weights)
    if result.x is None:
        duals, coordinates = np.zeros(signed.shape[1]), np.zeros(len(signed))
    else:
        duals, coordinates = result.x, -result.eqlin.marginals
    answer = RawAnswer(coordinates, duals, status_of(result), int(result.nit))
    return certify(basis, [n_components], [answer], "highs", DUAL_TOL)[0]


def linear_program(cost, matrix, upper, *, method="highs-ds", presolve=False) -> Any:
    """Minimise cost'x subject to matrix x = 0 and 0 <= x <= upper."""
    bounds: Any = np.column_stack([np.zeros(len(upper)), upper])
    right = np.zeros(len(matrix))
    limit = MAX_ITERATIONS_PER_VARIABLE * len(upper)
    options: Any = {**OPTIONS, "presolve": presolve, "maxiter": limit}
    return linprog(cost, A_eq=matrix, b_eq=right, bounds=bounds, method=method, options=options)


def status_of(result) -> str:
    """Return "optimal", or what HiGHS says."""
    return "optimal" if result.status == 0 else result.message
