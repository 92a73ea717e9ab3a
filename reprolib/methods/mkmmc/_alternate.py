"""Section 2.4: alternate between the coefficients and the kernel weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reprolib.methods.mkmmc._constraints import Maximiser
from reprolib.methods.mkmmc.stqp import solve_stqp_global, solve_stqp_local
from reprolib.methods.shared.ties import first_largest

#: A step that raises the objective by no more than this part of its size ends the alternation.
GAIN_TOL = 1e-8

#: (matrix of the quadratic form, current weights) -> new weights
WeightStep = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Alternation:
    """Where an alternation ended: weights, coefficients, and how the objective rose."""

    weights: np.ndarray
    coefficients: np.ndarray
    eigenvalues: np.ndarray
    objective_path: np.ndarray
    n_iter: int
    converged: bool


#: How the quadratic programme of the weights is solved, see `MultipleKernelMMC`.
WEIGHT_STEPS: dict[str, WeightStep] = {
    "local": lambda M, theta: solve_stqp_local(M, theta).variables["weights"],
    "global": lambda M, theta: solve_stqp_global(M).require_optimal().variables["weights"],
    "none": lambda M, theta: theta,
}
#: How often a step that loses is halved before the alternation ends.
HALVINGS = 10


def weight_matrix(grams, L, A):
    """M_st = tr(A' K_s L K_t A): half of L_A in equation (23), at O(p n^2 m + p^2 n m).

    Parameters
    ----------
    grams : ndarray of shape (p, n, n)
        Gram matrix of every kernel on the training points.
    L : ndarray of shape (n, n)
        Laplacian of the criterion.
    A : ndarray of shape (n, m)
        Coefficients of the m directions over the training points.

    Returns
    -------
    ndarray of shape (p, p)
        M, symmetric: the criterion is theta' M theta at the weights theta.
    """
    projections = grams @ A
    flat = projections.reshape(len(grams), -1)
    M = flat @ (L @ projections).reshape(len(grams), -1).T
    return (M + M.T) / 2


def alternate(
    grams,
    L,
    n_components: int,
    maximise: Maximiser,
    weight_step: WeightStep,
    start,
    max_iter: int = 1000,
    tol: float = GAIN_TOL,
) -> Alternation:
    """Alternate between equations (22) and (23) from a start, never losing objective.

    The weight step fixes the coefficients. Under the printed constraint A' A = I, which does not
    involve the weights, it can only gain. Under the other two constraints the coefficients have
    to be rescaled to the new kernel, and the printed step may lose; it is then halved, and given
    up after ten halvings.

    Parameters
    ----------
    grams : ndarray of shape (p, n, n)
        Gram matrix of every kernel on the training points.
    L : ndarray of shape (n, n)
        Laplacian of the criterion.
    n_components : int
        Number of directions.
    maximise : callable
        Solves (22), one of `CONSTRAINTS`.
    weight_step : callable
        Solves (23), one of `WEIGHT_STEPS`.
    start : ndarray of shape (p,)
        Weights on the simplex.
    max_iter : int
        Largest number of steps.
    tol : float
        The alternation ends where a step gains at most this part of the objective's size.

    Returns
    -------
    Alternation
        Where it ended.
    """
    theta = np.asarray(start, dtype=np.float64)
    A, eigenvalues = maximise(np.tensordot(theta, grams, axes=1), L, n_components)
    path = [float(eigenvalues.sum())]
    for n_iter in range(1, max_iter + 1):
        target = weight_step(weight_matrix(grams, L, A), theta)
        floor = path[-1] + tol * float(np.abs(eigenvalues).sum())
        steps = [] if np.array_equal(theta, target) else [0.5**k for k in range(HALVINGS + 1)]
        for step in steps:
            candidate = theta + step * (target - theta)
            better = maximise(np.tensordot(candidate, grams, axes=1), L, n_components)
            if better[1].sum() > floor:
                break
        else:
            return Alternation(theta, A, eigenvalues, np.array(path), n_iter, True)
        theta, (A, eigenvalues) = candidate, better
        path.append(float(eigenvalues.sum()))
    return Alternation(theta, A, eigenvalues, np.array(path), max_iter, False)


def first_run(runs: Sequence[Alternation], tol: float) -> Alternation:
    """First run whose objective is within ``tol`` times the largest size of the largest."""
    size = max(float(np.abs(run.eigenvalues).sum()) for run in runs)
    return runs[first_largest([run.objective_path[-1] for run in runs], tol * size)]
