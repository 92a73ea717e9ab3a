"""Hinge LP with bounded coordinates: the last resort where round-off makes the LP ill-posed."""

from __future__ import annotations

import numpy as np

from reprolib.methods.kpm.hinge_lp._highs import linear_program, status_of
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
    size, n = signed.shape
    result = _solve_bounded_lp(signed, basis.weights)
    coordinates, dual = np.zeros((1, len(basis.kept))), np.zeros(n)
    if result.x is not None:
        coordinates[0, :size] = np.clip(-result.eqlin.marginals, -BOUND, BOUND)
        dual = np.clip(result.x[:n], 0.0, basis.weights)
    beta, intercept = basis.coefficients(coordinates)
    primal = np.maximum(1.0 - basis.margins(beta, intercept)[0], 0.0) @ basis.weights
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
            "round_off": 0.0,
            "norm": float(np.linalg.norm(coordinates)),
            "bound": BOUND,
        },
        scale=float(basis.weights.sum()) * unit,
    )


def _solve_bounded_lp(signed, weights):
    """Dual LP with the positive and the negative part of S a as columns, in units of 1/bound."""
    size, n = signed.shape
    parts = np.eye(size) / BOUND
    cost = np.concatenate([-np.ones(n), np.ones(2 * size)])
    upper = np.concatenate([weights, np.full(2 * size, np.inf)])
    return linear_program(cost, np.hstack([signed, parts, -parts]), upper)
