"""Hinge LP for all D by the dual simplex method of HiGHS, one row added per component."""

from __future__ import annotations

import highspy
import numpy as np

from reprolib.methods.kpm.hinge_lp._certificate import RawAnswer, certify
from reprolib.methods.kpm.nested_basis import NestedBasis

OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "presolve": "off",
    "solver": "simplex",
    "simplex_strategy": 1,
    "threads": 1,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}
#: Ten times the feasibility tolerance; see `canonical_optimum`.
DUAL_TOL = 1e-8


def highs_path(basis: NestedBasis):
    """Solve for D = 1, ..., max_components, each warm-started from the one before.

    The dual LP is: maximise sum_i a_i subject to 0 <= a_i <= w_i and
    sum_i a_i y_i q_k(x_i) = 0 for every coordinate k. Coordinates are minus the row duals.

    Returns
    -------
    list of Solution
        Not yet checked: the caller looks at status and gap.
    """
    lp = _start(basis)
    answers: dict[int, RawAnswer] = {}
    for size in range(1, len(basis.kept) + 1):
        _add_row(lp, basis.signed[size - 1])
        answers[size] = _run(lp)
    n_components = range(1, basis.max_components + 1)
    return certify(
        basis, n_components, [answers[basis.size(d)] for d in n_components], "highs", DUAL_TOL
    )


def highs_single(basis: NestedBasis, n_components: int):
    """Solve for one number of components, from scratch."""
    lp = _start(basis)
    for row in basis.signed[: basis.size(n_components)]:
        _add_row(lp, row)
    return certify(basis, [n_components], [_run(lp)], "highs", DUAL_TOL)[0]


def _start(basis):
    lp = highspy.Highs()
    for option, value in OPTIONS.items():
        lp.setOptionValue(option, value)
    n = len(basis.weights)
    empty = np.array([], dtype=np.int32)
    lp.addCols(n, -np.ones(n), np.zeros(n), basis.weights, 0, empty, empty, np.array([]))
    return lp


def _add_row(lp, row):
    lp.addRow(0.0, 0.0, len(row), np.arange(len(row), dtype=np.int32), row)


def _run(lp) -> RawAnswer:
    before = lp.getInfo().simplex_iteration_count
    lp.run()
    optimal = lp.getModelStatus() == highspy.HighsModelStatus.kOptimal
    solution = lp.getSolution()
    dual, coordinates = np.array(solution.col_value), -np.array(solution.row_dual)
    status = "optimal" if optimal else lp.modelStatusToString(lp.getModelStatus())
    iterations = max(0, lp.getInfo().simplex_iteration_count - max(before, 0))
    if not optimal:
        lp.clearSolver()
    return RawAnswer(coordinates, dual, status, iterations)
