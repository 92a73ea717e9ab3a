"""Learning an SVM on a pyramid of kernels, by alternating between the SVM and the weights.

Problem (3) of Szafranski and Grandvalet (ICASSP 2014), reconstructed: with effective weights
d_m = prod over levels h of sigma_h(m)^p_h,

    min over f_1..f_M, b, sigma of
        1/2 sum_m ||f_m||^2 / d_m + C sum_i [1 - y_i (sum_m f_m(x_i) + b)]_+
    subject to  sum of sigma_h over every level h <= 1,  sigma >= 0,

which equals, with N_0 the mixed norm of `reprolib.solvers.pyramid.norms`,

    min over f, b of
        P(f, b) = 1/2 N_0(||f_1||, ..., ||f_M||)^2 + C sum_i [1 - y_i (f(x_i) + b)]_+ .

Where the norm is convex (all gamma_h >= 1, that is p_1 + ... + p_H <= 1), weak duality gives

    P(f, b) >= sum_i alpha_i - 1/2 N_0*(g_1, ..., g_M)^2,   g_m = sqrt((y alpha)' K_m (y alpha)),

for every alpha in the dual's box with y'alpha = 0: the certificate of the outer problem.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from reprolib.solvers._solution import NotOptimalWarning, Solution
from reprolib.solvers.pyramid.kernel_sets import KernelSet
from reprolib.solvers.pyramid.norms import (
    dual_norm,
    effective_weights,
    node_norms,
    norm_exponents,
    pyramid_weights,
    uniform_weights,
)
from reprolib.solvers.pyramid.tree import KernelTree
from reprolib.solvers.svm import solve_svm


@dataclass(frozen=True)
class _Problem:
    """One instance of problem (3), and what can be computed from a dual point of its SVM."""

    kernels: KernelSet
    y: np.ndarray
    tree: KernelTree
    p: np.ndarray
    C: float

    @property
    def gammas(self):
        return norm_exponents(self.p)

    @property
    def convex(self) -> bool:
        return bool(np.all(self.gammas >= 1.0 - 1e-12))

    def solve_inner(self, effective, alpha):
        """SVM on the effective kernel; returns its solution, ||f_m|| and g_m of every kernel."""
        svm = solve_svm(self.kernels.gram(effective), self.y, self.C, alpha=alpha)
        dual_norms = self.kernels.dual_norms(self.y * svm.variables["alpha"])
        return svm, effective * dual_norms, dual_norms

    def penalty(self, kernel_norms) -> float:
        """Half the squared mixed norm."""
        return 0.5 * float(node_norms(self.tree, self.gammas, kernel_norms)[0][0]) ** 2

    def loss(self, svm) -> float:
        """C times the hinge losses at the solution of an inner problem."""
        hinge = np.maximum(
            0.0, 1.0 - self.y * (svm.variables["scores"] + svm.variables["intercept"])
        )
        return self.C * float(hinge.sum())

    def bound(self, svm, dual_norms) -> float:
        """Lower bound of P by weak duality; minus infinity where the norm is not convex."""
        if not self.convex:
            return -np.inf
        total = float(svm.variables["alpha"].sum())
        return total - 0.5 * dual_norm(self.tree, np.maximum(self.gammas, 1.0), dual_norms) ** 2


def solve_pyramid_alternating(
    kernels: KernelSet,
    y,
    tree: KernelTree,
    p,
    C: float,
    *,
    start=None,
    gap_tol: float = 1e-3,
    decrease_tol: float = 1e-6,
    prune_tol: float = 1e-6,
    max_iter: int = 3000,
) -> Solution:
    """Algorithm 1 (KEOPS): SVM for fixed weights, closed-form weights for fixed f, repeated.

    Every step lowers P up to the gap of the inner solver. Kernels whose norm ||f_m|| is at most
    ``prune_tol`` times the largest one get weight exactly zero, and never come back.

    Parameters
    ----------
    kernels : KernelSet
    y : ndarray of shape (n,), values -1 and 1
    tree : KernelTree
    p : ndarray of shape (H,)
    C : float
    start : list of ndarray, optional
        Weights of every level at the start; uniform by default. Where the penalty is not convex
        the answer depends on it.
    gap_tol : float
        Where the penalty is convex: stop when the duality gap is at most this fraction of the
        penalty 1/2 N_0^2. (The objective itself is mostly loss where C is small, and a gap relative
        to it would stop at once.)
    decrease_tol : float
        Elsewhere: stop when one step lowers the objective by at most this fraction of it.
    prune_tol : float
    max_iter : int
        Outer steps.

    Returns
    -------
    Solution
        Variables ``weights`` (list by level), ``effective`` (M,), ``kernel_norms`` (M,), ``alpha``
        (n,), ``intercept``, ``objective_path``. The dual objective is -inf where the penalty is not
        convex. Status "optimal" (gap), "stationary" (decrease) or "max_iter".
    """
    problem = _Problem(kernels, y, tree, np.asarray(p, dtype=np.float64), float(C))
    weights = uniform_weights(tree) if start is None else start
    effective = effective_weights(tree, problem.p, weights)
    path: list[float] = []
    alpha, lower, status = None, -np.inf, "max_iter"
    for _ in range(max_iter):
        svm, kernel_norms, dual_norms = problem.solve_inner(effective, alpha)
        alpha = svm.variables["alpha"]
        penalty = problem.penalty(kernel_norms)
        path.append(penalty + problem.loss(svm))
        lower = max(lower, problem.bound(svm, dual_norms))
        if path[-1] - lower <= gap_tol * penalty:
            status = "optimal"
            break
        if not problem.convex and len(path) > 2 and path[-2] - path[-1] <= decrease_tol * path[-1]:
            status = "stationary"
            break
        kept = np.where(kernel_norms > prune_tol * kernel_norms.max(), kernel_norms, 0.0)
        weights = pyramid_weights(tree, problem.gammas, kept)
        effective = effective_weights(tree, problem.p, weights)
    if status == "max_iter":
        _warn_not_converged(path, lower, max_iter)
    return Solution(
        variables={
            "weights": weights,
            "effective": effective,
            "kernel_norms": kernel_norms,
            "alpha": alpha,
            "intercept": svm.variables["intercept"],
            "objective_path": np.array(path),
        },
        primal_objective=path[-1],
        dual_objective=lower,
        status=status,
        iterations=len(path),
    )


def _warn_not_converged(path, lower, max_iter):
    gap = (path[-1] - lower) / max(1.0, path[-1])
    step = (path[-2] - path[-1]) / path[-1] if len(path) > 1 else np.inf
    warnings.warn(
        f"The weights have not settled after {max_iter} outer steps: relative duality gap {gap:.3g}"
        f", last relative decrease {step:.3g}. Raise max_iter or loosen the tolerance.",
        NotOptimalWarning,
        stacklevel=3,
    )
