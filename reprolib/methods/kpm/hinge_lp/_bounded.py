"""Hinge LP with bounded coordinates: the last resort where round-off makes the LP ill-posed."""

from __future__ import annotations

import highspy
import numpy as np

from reprolib.methods.kpm.hinge_lp._highs import OPTIONS
from reprolib.methods.kpm.nested_basis import NestedBasis
from reprolib.methods.shared.solution import Solution

#: Largest coordinate, that is, root mean square of a component of the decision function.
BOUND = 1e7


def bounded_single(basis: NestedBasis, n_components: int) -> Solution:
    """Solve for one number of components with every coordinate within +-1e7.

    With few distinct points and conflicting labels some function of the subspace may vanish on
    the points that matter up to round-off, and the LP then lowers the loss by multiples of 1e6 and
    more of that round-off; no solver can certify such an optimum. Within the bound the dual is:
    maximise sum(a) - bound * ||S a||_1 over 0 <= a <= w, S the signed basis. It holds for every
    a, so that the gap is a certificate for the bounded problem. ``info["bound"]`` marks it.
    """
    signed = basis.signed[: basis.size(n_components)]
    lp, (size, n) = _bounded_lp(signed, basis.weights), signed.shape
    lp.run()
    answer = lp.getSolution()
    coordinates = np.zeros((1, len(basis.kept)))
    coordinates[0, :size] = np.clip(-np.array(answer.row_dual), -BOUND, BOUND)
    dual = np.clip(np.array(answer.col_value)[:n], 0.0, basis.weights)
    beta, intercept = basis.coefficients(coordinates)
    primal = np.maximum(1.0 - basis.margins(beta, intercept)[0], 0.0) @ basis.weights
    slack = BOUND * float(np.abs(signed @ dual).sum()) + basis.dropped_slack(dual, n_components)
    unit = basis.weight_unit
    optimal = lp.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return Solution(
        variables={"beta": beta[0, :n_components], "intercept": intercept[0], "dual": dual * unit},
        primal_objective=float(primal) * unit,
        dual_objective=float(dual.sum() - slack) * unit,
        status="optimal" if optimal else lp.modelStatusToString(lp.getModelStatus()),
        iterations=int(lp.getInfo().simplex_iteration_count),
        info={
            "solver": "highs",
            "canonical": False,
            "round_off": 0.0,
            "norm": float(np.linalg.norm(coordinates)),
            "bound": BOUND,
        },
        scale=float(basis.weights.sum()) * unit,
    )


def _bounded_lp(signed, weights):
    """The bounded dual LP, the positive and negative part of S a as columns in units of 1/bound."""
    size, n = signed.shape
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n + 2 * size, size
    model.col_cost_ = np.concatenate([-np.ones(n), np.ones(2 * size)])
    model.col_lower_ = np.zeros(n + 2 * size)
    model.col_upper_ = np.concatenate([weights, np.full(2 * size, highspy.kHighsInf)])
    model.row_lower_ = model.row_upper_ = np.zeros(size)
    parts = np.eye(size) / BOUND
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = (n + 2 * size) * np.arange(size + 1)
    model.a_matrix_.index_ = np.tile(np.arange(n + 2 * size), size)
    model.a_matrix_.value_ = np.hstack([signed, parts, -parts]).ravel()
    lp = highspy.Highs()
    for option, value in OPTIONS.items():
        lp.setOptionValue(option, value)
    lp.passModel(model)
    return lp
