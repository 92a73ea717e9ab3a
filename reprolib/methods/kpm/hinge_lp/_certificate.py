"""From a solver's raw answer to certified solutions of the hinge LP."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reprolib.methods.kpm.hinge_lp._canonical import (
    NO_GUESS,
    SNAP_TOLS,
    canonical_optimum,
    hinge_loss,
)
from reprolib.methods.kpm.nested_basis import ROUND_OFF, NestedBasis
from reprolib.methods.shared.solution import NotOptimalError, Solution
from reprolib.methods.shared.tolerances import GAP_TOL

#: Largest part of a relative gap that may be put down to round-off.
MAX_ROUND_OFF = 1e-4
#: Residual of the dual equality constraints, relative to sum w, that is left as it is.
RESIDUAL_TOL = 1e-14
#: Distance of a margin from one up to which its dual variable is free.
MARGIN_TOL = 1e-6
#: Singular values below this part of the largest do not take up what is left of the equations.
SINGULAR_TOL = 1e-13


@dataclass(frozen=True)
class RawAnswer:
    """What a solver reports for one number of components, before it is checked.

    Parameters
    ----------
    coordinates : ndarray of shape (m,)
        Coordinates in the orthonormal basis.
    dual : ndarray of shape (n,)
        The a_i, which need not be feasible yet.
    status : str
        "optimal", or what the solver says.
    iterations : int
        Of the solver.
    support : ndarray of int
        Points to start the search for the canonical optimum from; if there are none, those of the
        answer before.
    """

    coordinates: np.ndarray
    dual: np.ndarray
    status: str
    iterations: int
    support: np.ndarray = field(default_factory=NO_GUESS.copy)


def certify(basis: NestedBasis, n_components, answers, solver: str, dual_tol: float):
    """Make each answer canonical and recompute both objectives.

    The dual point satisfies its equality constraints to round-off only, so that sum(a) is lowered
    by the most that this can change it, for all columns of V; see `NestedBasis.slack`.

    Parameters
    ----------
    basis : NestedBasis
        The problem in orthonormal coordinates.
    n_components : sequence of int
        The D of each answer.
    answers : sequence of RawAnswer
        What a solver found, one for each D.
    solver : str
        Goes to ``info["solver"]``.
    dual_tol : float
        Tolerance of the solver on the bounds of a; see `canonical_optimum`.

    Returns
    -------
    list of Solution
        One for each answer; their gaps are not judged yet.
    """
    k = len(n_components)
    coordinates = np.zeros((k, len(basis.kept)))
    duals = np.clip([answer.dual for answer in answers], 0.0, basis.weights)
    slack, found, active = np.zeros(k), np.zeros(k, dtype=bool), NO_GUESS
    for i, answer in enumerate(answers):
        size = len(answer.coordinates)
        signed = basis.signed[:size]
        guess = answer.support if len(answer.support) else active
        c, dual = answer.coordinates, duals[i]
        gap = abs(hinge_loss(signed, basis.weights, c) - dual.sum())
        # A dual point whose gap is open describes no optimal face: an optimum that was found by it
        # need not be the shortest one, and is looked for once more by the mended dual point.
        for _ in range(1 if gap <= GAP_TOL * basis.weights.sum() else 2):
            c, found[i], active = canonical_optimum(signed, basis.weights, c, dual, dual_tol, guess)
            dual = nearly_feasible(signed, basis.weights, dual, c, dual_tol)
        duals[i] = dual
        coordinates[i, :size] = c
        slack[i] = basis.slack(duals[i], n_components[i], float(np.linalg.norm(c)))
    beta, intercept = basis.coefficients(coordinates)
    unit = basis.weight_unit
    primal = np.maximum(1.0 - basis.margins(beta, intercept), 0.0) @ basis.weights
    dual_objective = duals.sum(axis=1) - slack
    size_of_terms = np.abs(beta) @ np.abs(basis.V).T + np.abs(intercept)[:, np.newaxis]
    round_off = ROUND_OFF * (size_of_terms @ basis.weights)
    return [
        Solution(
            variables={"beta": beta[i, :d], "intercept": intercept[i], "dual": duals[i] * unit},
            primal_objective=float(primal[i]) * unit,
            dual_objective=float(dual_objective[i]) * unit,
            status=answers[i].status,
            iterations=answers[i].iterations,
            info={
                "solver": solver,
                "canonical": bool(found[i]),
                "round_off": float(round_off[i]) * unit,
                "norm": float(np.linalg.norm(coordinates[i])),
                "residual": basis.residual(duals[i], d) * unit,
            },
            scale=float(basis.weights.sum()) * unit,
        )
        for i, d in enumerate(n_components)
    ]


def nearly_feasible(signed, weights, dual, coordinates, dual_tol):
    """Dual point of least residual: as it is, or with the free variables solved for.

    Variables are put at zero or at their weight, and the others take up the residual. Which are
    free is read from the dual point itself, or from the margins of the primal one: an interior
    point method may know the one well and not the other. How close to a bound counts as at it
    depends on the conditioning of the vertex, so that several tolerances are tried.
    """
    best, residual = dual, np.linalg.norm(signed @ dual)
    for tol in (dual_tol, *SNAP_TOLS, None):
        if residual <= RESIDUAL_TOL * weights.sum():
            break
        if tol is None:
            margins = coordinates @ signed
            lower, upper = margins > 1.0 + MARGIN_TOL, margins < 1.0 - MARGIN_TOL
        else:
            lower, upper = dual <= tol * weights, dual >= (1.0 - tol) * weights
        inside = ~(lower | upper)
        point = np.where(lower, 0.0, np.where(upper, weights, dual))
        point[inside] -= np.linalg.lstsq(signed[:, inside], signed @ point, rcond=SINGULAR_TOL)[0]
        point = np.clip(point, 0.0, weights)
        if np.linalg.norm(signed @ point) < residual:
            best, residual = point, np.linalg.norm(signed @ point)
    return best


def is_certified(solution: Solution) -> bool:
    """Whether the status is optimal and the duality gap closed, as far as arithmetic can tell.

    Just before the classes become separable, decision values reach 1e7, and the loss is then
    known to no better than the round-off of V beta + b.
    """
    scale = solution.scale or 0.0
    allowed = GAP_TOL * scale + min(solution.info["round_off"], MAX_ROUND_OFF * scale)
    return solution.status == "optimal" and abs(solution.gap) <= allowed


def require_path(solutions):
    """Return the path if every solution is certified and the objective never increases.

    Parameters
    ----------
    solutions : list of Solution
        Entry D - 1 is for D components.

    Returns
    -------
    list of Solution
        The same list.

    Raises
    ------
    NotOptimalError
        With the number of components at which the path breaks.
    """
    for i, solution in enumerate(solutions):
        if not is_certified(solution):
            raise NotOptimalError(
                f"the hinge LP of {i + 1} components has no certified answer: status "
                f"{solution.status!r}, relative duality gap {solution.relative_gap:.3g} (wanted at "
                f"most {GAP_TOL:g}); use fewer components or a larger rank_tol",
                n_certified=i,
            )
        if i and rises(solutions[i - 1], solution):
            before, after = solutions[i - 1].primal_objective, solution.primal_objective
            raise NotOptimalError(
                f"the hinge loss rises from {before:g} to {after:g} at {i + 1} components, "
                "which a nested model cannot do; use fewer components or a larger rank_tol",
                n_certified=i,
            )
    return solutions


def rises(fewer: Solution, more: Solution) -> bool:
    """Whether the loss of one component more is higher, beyond what both gaps allow."""
    allowed = 2 * GAP_TOL * (more.scale or 0.0) + more.info["round_off"]
    return more.primal_objective > fewer.primal_objective + allowed
