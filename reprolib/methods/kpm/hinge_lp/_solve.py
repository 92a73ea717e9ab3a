"""The solver of the hinge LP, with what it falls back on where round-off spoils an answer."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from reprolib.methods.kpm.hinge_lp._certificate import (
    NO_GUESS,
    RawAnswer,
    certify,
    is_certified,
    require_path,
    rises,
)
from reprolib.methods.kpm.hinge_lp._highs import BOUND, bounded_single, highs_single
from reprolib.methods.kpm.hinge_lp._simplex import perturbed_targets, simplex_path
from reprolib.methods.kpm.nested_basis import RADIUS, NestedBasis
from reprolib.methods.shared.solution import Solution

#: Relative gap above which the simplex path goes on with the targets 1; see `simplex_path`.
EXACT_GAP = 1e-12
#: The simplex method's own tolerance on the bounds of a; see `canonical_optimum`.
DUAL_TOL = 1e-9


def solve_hinge_lp_path(V, y, max_components=None, weights=None) -> list[Solution]:
    """Hinge LP for D = 1, ..., max_components by a simplex method made for the nested problem.

    Problem and dual are printed in the package docstring. One vertex per D is found from that of
    D - 1; see `simplex_path`. Where its duality gap is not closed, HiGHS solves that D from
    scratch. If it cannot certify an optimum, the problem is solved with bounded coordinates (see
    `bounded_single`): ``info["bound"]`` says that the answer is the best within the bound, and that
    a larger function may have a lower loss.

    Parameters
    ----------
    V : array-like of shape (n, n_columns)
        Components by column; any scale.
    y : array-like of shape (n,), of -1 and 1
        Labels of the points.
    max_components : int, optional
        End of the path, the largest D; all columns by default.
    weights : array-like of shape (n,), optional
        Positive; ones by default. A point of weight 2 is the same as two equal points.

    Returns
    -------
    list of Solution
        Entry D - 1 has the variables ``beta`` (D,), ``intercept`` and ``dual`` (n,), and in
        ``info`` the ``solver`` that certified it and whether the optimum is the ``canonical`` one.

    Raises
    ------
    ValueError
        If the arrays do not fit together or are not finite, or max_components is out of range.
    NotOptimalError
        If no solver certifies some D, or the objective increases with D.

    See Also
    --------
    reprolib.methods.kpm.square_path.solve_square_path : The square loss.
    reprolib.methods.kpm.logistic_path.solve_logistic_path : The logistic loss.
    reprolib.methods.kpm.KPMClassifier : The classifier on these solutions.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
    >>> V = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> one, two = solve_hinge_lp_path(V, [1, 1, -1, -1])
    >>> round(one.primal_objective, 6), round(two.primal_objective, 6)
    (2.0, 0.0)
    >>> two.require_optimal().variables["beta"].round(6).tolist()
    [1.0, 1.0]
    """
    V = np.asarray(V)
    if max_components is not None and V.ndim == 2:
        columns = V.shape[1]
        if not 1 <= max_components <= columns:
            raise ValueError(
                f"max_components is {max_components}; V has {columns} columns, so that it must "
                f"lie between 1 and {columns}."
            )
        V = V[:, :max_components]
    basis = NestedBasis.from_arrays(V, y, weights)
    n_components = range(1, basis.max_components + 1)
    try:
        coordinates, duals, pivots, support = simplex_path(
            basis.signed, basis.weights, perturbed_targets(len(basis.y)), EXACT_GAP
        )
        separable = int(np.argmin(duals.any(axis=1))) + 1
        answers = [
            RawAnswer(
                coordinates[m - 1, :m],
                duals[m - 1],
                "optimal",
                int(pivots[m - 1]),
                support if m == separable else NO_GUESS,
            )
            for m in map(basis.size, n_components)
        ]
        solutions = certify(basis, n_components, answers, "simplex", DUAL_TOL)
    except np.linalg.LinAlgError:
        solutions = [highs_single(basis, d) for d in n_components]
    # Should the loss rise with D, because an answer within the bound follows a larger function,
    # then all are held to the bound, so that they are of one nested problem.
    for is_accepted in (is_certified, _is_optimal_within_bound):
        path = [
            _first_certified(basis, d, solution, (highs_single, bounded_single), is_accepted)
            for d, solution in zip(n_components, solutions, strict=True)
        ]
        if not any(rises(fewer, more) for fewer, more in pairwise(path)):
            break
    return require_path(path)


def _first_certified(basis, n_components, solution, fallbacks, is_accepted):
    """Try the fallbacks in turn; if none is accepted, a certified answer of least gap is returned.

    The gap alone does not decide: an answer that its solver does not call optimal is not certified.
    """
    best = solution
    for solve in fallbacks:
        if is_accepted(best):
            break
        answers = (best, solve(basis, n_components))
        best = min(answers, key=lambda s: (not is_accepted(s), not is_certified(s), abs(s.gap)))
    return best


def _is_optimal_within_bound(solution):
    """Certified against every function within the bound.

    A dual point that proves an optimum among small functions only may miss a lower loss that
    fewer components reach within the bound: then the loss rises with D.
    """
    if "holds_within" in solution.info:  # of `bounded_single`, whether the bound is reached or not
        return is_certified(solution)
    radius = 2.0 * max(RADIUS, solution.info["norm"])
    more = max(0.0, BOUND - radius) * solution.info["residual"]
    within_bound = replace(solution, dual_objective=solution.dual_objective - more)
    return solution.info["norm"] <= BOUND and is_certified(within_bound)
