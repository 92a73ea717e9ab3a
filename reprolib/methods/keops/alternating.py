"""Learning an SVM on a pyramid of kernels, by alternating between the SVM and the weights.

Problem (3) of Szafranski and Grandvalet (ICASSP 2014), reconstructed: with effective weights
d_m = prod over levels h of sigma_h(m)^p_h,

    min over f_1..f_M, b, sigma of
        1/2 sum_m ||f_m||^2 / d_m + C sum_i [1 - y_i (sum_m f_m(x_i) + b)]_+
    subject to  sum of sigma_h over every level h <= 1,  sigma >= 0,

which equals, with N_0 the mixed norm of `reprolib.methods.keops.norms`,

    min over f, b of
        P(f, b) = 1/2 N_0(||f_1||, ..., ||f_M||)^2 + C sum_i [1 - y_i (f(x_i) + b)]_+ .

Where the norm is convex (all gamma_h >= 1, that is p_1 + ... + p_H <= 1), weak duality gives

    P(f, b) >= sum_i alpha_i - 1/2 N_0*(g_1, ..., g_M)^2,   g_m = sqrt((y alpha)' K_m (y alpha)),

for every alpha in the dual's box with y'alpha = 0: the certificate of the outer problem.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from reprolib.methods.keops.cvxopt_reference import solve_svm_cvxopt
from reprolib.methods.keops.kernel_sets import PRUNE_TOL, KernelSet
from reprolib.methods.keops.norms import (
    dual_norm,
    effective_weights,
    node_norms,
    norm_exponents,
    pyramid_weights,
    uniform_weights,
)
from reprolib.methods.keops.svm_certificate import OPTIMAL_GAP, SIGNIFICANT, size_of_gap
from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.shared.solution import NotOptimalWarning, Solution

#: Number of uncertified inner SVMs that ends the alternation: each took the time of all solvers.
MOST_UNCERTIFIED = 100
#: Changes of the objective below this fraction of it are round-off, and of an exponent from one.
ROUND_OFF = 1e-12
#: The alternation ends where a step lowers the objective by less than this part of it.
DECREASE_TOL = 1e-6


@dataclass(frozen=True)
class _Problem:
    """One instance of problem (3), and what can be computed from a dual point of its SVM."""

    kernels: KernelSet
    y: np.ndarray
    tree: KernelTree
    p: np.ndarray
    C: float
    costs: np.ndarray | None = None
    solver: str = "auto"
    uncertified: list[float] = field(default_factory=list)

    @property
    def gammas(self):
        return norm_exponents(self.p)

    @property
    def convex(self) -> bool:
        return bool(np.all(self.gammas >= 1.0 - ROUND_OFF))

    def solve_inner(self, effective, alpha, gap_tol):
        """SVM on the effective kernel; returns its solution, g_m of every kernel and its round-off.

        The gap of an answer that is not certified is kept in ``uncertified``.
        """
        if self.solver == "cvxopt":
            svm = solve_svm_cvxopt(self.kernels.gram(effective), self.y, self.C, costs=self.costs)
        else:
            svm = self.kernels.solve_svm(
                effective, self.y, self.C, costs=self.costs, alpha=alpha, gap_tol=gap_tol
            )
        if size_of_gap(svm) > OPTIMAL_GAP:
            self.uncertified.append(size_of_gap(svm))
        coef = self.y * svm.variables["alpha"]
        norms = self.kernels.dual_norms(coef)
        return svm, norms, self.kernels.round_off(coef, norms)

    def penalty(self, kernel_norms) -> float:
        """Half the squared mixed norm."""
        return 0.5 * float(node_norms(self.tree, self.gammas, kernel_norms)[0][0]) ** 2

    def bound(self, svm, dual_norms) -> float:
        """Lower bound of P by weak duality; minus infinity where the norm is not convex."""
        if not self.convex:
            return -np.inf
        total = float(svm.variables["alpha"].sum())
        return total - 0.5 * dual_norm(self.tree, np.maximum(self.gammas, 1.0), dual_norms) ** 2

    def ending(self, path, gap, penalty, gap_tol, decrease_tol) -> str:
        """Status with which the alternation ends after the last step of ``path``; empty: go on."""
        objective, round_off = path[-1], ROUND_OFF * path[-1]
        decrease = path[-2] - objective if len(path) > 2 else np.inf
        stuck = decrease <= 1e-2 * round_off and gap <= OPTIMAL_GAP * objective
        if gap <= max(gap_tol * penalty, round_off) or stuck:
            return "optimal" if -gap <= OPTIMAL_GAP * objective else "inaccurate"
        if len(self.uncertified) >= MOST_UNCERTIFIED:
            return "inaccurate"
        if not self.convex and decrease <= decrease_tol * objective:
            return "stationary"
        return ""


def solve_pyramid_alternating(
    kernels: KernelSet,
    y,
    tree: KernelTree,
    p,
    C: float,
    *,
    costs=None,
    start=None,
    gap_tol: float = 1e-3,
    decrease_tol: float = DECREASE_TOL,
    prune_tol: float = PRUNE_TOL,
    max_iter: int = 3000,
    solver: str = "auto",
) -> Solution:
    """Algorithm 1 (KEOPS): SVM for fixed weights, closed-form weights for fixed f, repeated.

    Every step lowers P up to the gap of the inner solver. Kernels whose norm ||f_m|| is at most
    ``prune_tol`` times the largest one get weight exactly zero, and never come back.

    Parameters
    ----------
    kernels : KernelSet
        The kernels on the training points.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    tree : KernelTree
        Tree of groups over the kernels (or features).
    p : ndarray of shape (H,)
        Exponents of the levels, coarsest first: a larger one makes its level sparser.
    C : float
        Weight of the hinge loss; a larger one fits the training data more closely.
    costs : ndarray of shape (n,), optional
        Positive factors of C for every example, ones by default.
    start : list of ndarray, optional
        Weights of every level at the start; uniform by default. Where the penalty is not convex
        the answer depends on it.
    gap_tol : float
        Where the penalty is convex: stop when the duality gap is at most this fraction of the
        penalty 1/2 N_0^2, or the objective no longer falls and the gap is at most 1e-6 of it.
        (The objective itself is mostly loss where C is small, and a gap relative to it would stop
        at once.)
    decrease_tol : float
        Elsewhere: stop when one step lowers the objective by at most this fraction of it.
    prune_tol : float
        Kernels whose norm is at most this part of the largest are dropped: a larger one drops more.
    max_iter : int
        Outer steps.
    solver : {"auto", "cvxopt"}
        Of every SVM: the warm-started active-set method, or cvxopt, from scratch each time.

    Returns
    -------
    Solution
        Variables ``weights`` (list by level), ``effective`` (M,), ``kernel_norms`` (M,), ``alpha``
        (n,), ``intercept``, ``scores`` (n,), ``objective_path``. The dual objective is the best of
        all steps, attained at ``info["dual_alpha"]``, and -inf where the penalty is not convex.
        ``info["reach"]`` bounds the scores by the diagonal of the effective kernel.
        Status "optimal" (gap), "stationary" (decrease), "inaccurate" (round-off makes the gap
        negative, or a hundred inner SVMs were not certified) or "max_iter".

    Warns
    -----
    NotOptimalWarning
        Once: if the weights have not settled after ``max_iter`` steps, or the answer is not
        certified by its own gap and rests on SVMs with a relative gap beyond 1e-6; it says on how
        many of them, and the worst gap.

    See Also
    --------
    reprolib.methods.keops.mkl_features.solve_mkl_features : Flat tree, single features, exact.
    reprolib.methods.keops.KEOPSClassifier : The classifier on this solution.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.alternating import solve_pyramid_alternating
    >>> from reprolib.methods.keops.kernel_sets import LinearBlocks
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([1.0, -1.0])
    >>> features = LinearBlocks(X, np.arange(2))
    >>> solution = solve_pyramid_alternating(features, y, KernelTree.flat(2), [1.0], 10.0)
    >>> solution.variables["effective"].round(3).tolist()
    [1.0, 0.0]
    """
    problem = _Problem(kernels, y, tree, np.asarray(p, dtype=np.float64), float(C), costs, solver)
    weights = uniform_weights(tree) if start is None else start
    effective = effective_weights(tree, problem.p, weights)
    path: list[float] = []
    alpha, lower, status, inner_tol = None, -np.inf, "", OPTIMAL_GAP
    for _ in range(max_iter):
        svm, dual_norms, noise = problem.solve_inner(effective, alpha, inner_tol)
        alpha = svm.variables["alpha"]
        penalty = problem.penalty(effective * dual_norms)
        path.append(penalty + svm.info["loss"])
        bound = problem.bound(svm, dual_norms + noise)
        if bound >= lower:
            lower, of_bound = bound, alpha
        kernel_norms = np.where(dual_norms > SIGNIFICANT * noise, effective * dual_norms, 0.0)
        status = problem.ending(path, path[-1] - lower, penalty, gap_tol, decrease_tol)
        if status:
            break
        inner_tol = max(ROUND_OFF, min(OPTIMAL_GAP, 0.1 * gap_tol * penalty / path[-1]))
        kept = np.where(kernel_norms > prune_tol * kernel_norms.max(), kernel_norms, 0.0)
        weights = pyramid_weights(tree, problem.gammas, kept)
        effective = effective_weights(tree, problem.p, weights)
    solution = Solution(
        variables={
            "weights": weights,
            "effective": effective,
            "kernel_norms": kernel_norms,
            "alpha": alpha,
            "intercept": svm.variables["intercept"],
            "scores": svm.variables["scores"],
            "objective_path": np.array(path),
        },
        primal_objective=path[-1],
        dual_objective=lower,
        status=status or "max_iter",
        iterations=len(path),
        info={"dual_alpha": of_bound, "reach": svm.info["reach"]},
        scale=path[-1],
    )
    _warn_unless_certified(solution, problem.uncertified)
    return solution


def _warn_unless_certified(solution, uncertified):
    """One warning for whatever is not certified, and none if the gap of the answer is small."""
    reasons = []
    if solution.status == "max_iter":
        path = solution.variables["objective_path"]
        step = (path[-2] - path[-1]) / path[-1] if len(path) > 1 else np.inf
        reasons.append(
            f"The weights have not settled after {solution.iterations} outer steps: relative "
            f"duality gap {solution.relative_gap:.3g}, last relative decrease {step:.3g}. Raise "
            "max_iter or loosen the tolerance."
        )
    if solution.gap < 0.0 and solution.status == "inaccurate":
        reasons.append(
            f"Round-off makes the relative duality gap negative, {solution.relative_gap:.3g}: the "
            "answer is not certified. Scale the features or kernels to a common size, or lower C."
        )
    if solution.status != "optimal" and uncertified:
        reasons.append(
            f"{len(uncertified)} of {solution.iterations} inner SVMs stopped with a relative "
            f"duality gap beyond {OPTIMAL_GAP:g}, the worst {max(uncertified):.3g}. Scale the "
            "kernels, or lower C."
        )
    if reasons:
        warnings.warn(" ".join(reasons), NotOptimalWarning, stacklevel=3)
