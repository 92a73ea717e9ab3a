"""The simplex SVMs by descent, and by an interior-point method on the examples that matter.

Block coordinate descent soon knows most of the examples that f leaves out (their multipliers are
zero), but where C is large it takes very long to find the other multipliers. So a short descent is
followed by an interior-point method on the examples that it did not leave out; those among the
others that violate their constraints are added until the certificate holds for all. On the hull
all examples matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from reprolib.methods.shared.solution import Solution
from reprolib.methods.simplex.kronecker_ipm import LARGEST_RANK, FactoredGram
from reprolib.methods.simplex.kronecker_qp import times_code_gram
from reprolib.methods.simplex.svm_solver import (
    GAP_TOL,
    SimplexSVMDual,
    certify_multipliers,
    solve_simplex_svm_bcd,
    solve_simplex_svm_decomposition,
    solve_simplex_svm_interior_point,
)

#: Visits of every example by the descent.
DESCENT_VISITS = 10
WORKING_SET = 256


class GramAccess(Protocol):
    """What the solver asks of K."""

    def descend(self, dual, *, tol, max_iter, seed) -> Solution:
        """Solve by descent."""

    def patience(self) -> int:
        """Iterations of the descent that may pay."""

    def times(self, A) -> np.ndarray:
        """K A."""

    def factored(self, rows) -> FactoredGram:
        """K[rows][:, rows]."""

    def fits(self, n_rows: int) -> bool:
        """Whether there is memory for ``factored``."""


@dataclass(frozen=True)
class FeatureAccess:
    """K = X X'.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        One example a row.
    """

    X: np.ndarray

    def descend(self, dual, *, tol, max_iter, seed):
        """See `GramAccess.descend`; an iteration is an epoch."""
        return solve_simplex_svm_bcd(dual, self.X, tol=tol, max_iter=max_iter, seed=seed)

    def patience(self):
        """See `GramAccess.patience`."""
        return DESCENT_VISITS

    def times(self, A):
        """See `GramAccess.times`."""
        return self.X @ (self.X.T @ A)

    def factored(self, rows):
        """See `GramAccess.factored`."""
        X = self.X[rows]
        return FactoredGram.of_features(X) if self._thin() else FactoredGram.of_matrix(X @ X.T)

    def fits(self, n_rows):
        """See `GramAccess.fits`."""
        return self._thin() or n_rows <= 10 * LARGEST_RANK

    def _thin(self):
        return self.X.shape[1] <= LARGEST_RANK


@dataclass(frozen=True)
class KernelAccess:
    """Any kernel.

    Parameters
    ----------
    rows : callable
        indices -> K[indices], shape (m, n).
    block : callable
        indices -> K[indices][:, indices].
    diagonal : ndarray of shape (n,)
        Diagonal of K.
    most_rows : int
        Largest size of a block.
    """

    rows: Callable[[np.ndarray], np.ndarray]
    block: Callable[[np.ndarray], np.ndarray]
    diagonal: np.ndarray
    most_rows: int

    def descend(self, dual, *, tol, max_iter, seed):
        """See `GramAccess.descend`; an iteration is a working set of `WORKING_SET` examples."""
        return solve_simplex_svm_decomposition(
            dual, self.rows, self.diagonal, tol=tol, max_iter=max_iter, seed=seed
        )

    def patience(self):
        """See `GramAccess.patience`."""
        return DESCENT_VISITS * (1 + len(self.diagonal) // WORKING_SET)

    def times(self, A):
        """See `GramAccess.times`; zero rows of A are left out."""
        support = np.nonzero(A.any(axis=1))[0]
        product = np.zeros(A.shape)
        for part in np.array_split(support, 1 + len(support) // 1000):
            product += self.rows(part).T @ A[part]
        return product

    def factored(self, rows):
        """See `GramAccess.factored`."""
        return FactoredGram.of_matrix(self.block(rows))

    def fits(self, n_rows):
        """See `GramAccess.fits`."""
        return n_rows <= self.most_rows


def solve_simplex_svm_working_set(
    dual: SimplexSVMDual, access: GramAccess, *, tol=GAP_TOL, max_iter=2000, seed=0
) -> Solution:
    """Solve by descent, then by interior point on the examples that are not left out.

    Parameters
    ----------
    dual : SimplexSVMDual
        The programme to solve, with its certificate.
    access : FeatureAccess or KernelAccess
        How rows and blocks of the Gram matrix are had.
    tol : float
        Duality gap relative to the primal objective.
    max_iter : int
        Iterations of both methods together.
    seed : int
        Order of the examples in the descent.

    Returns
    -------
    Solution
        As of `svm_solver.solve_simplex_svm_cvxopt`, the certificate being that of all examples.
    """
    settings = {"tol": tol, "seed": seed}
    best = access.descend(dual, max_iter=min(max_iter, access.patience()), **settings)
    used, inner_tol, rows, product = best.iterations, 0.5 * tol, np.empty(0, dtype=int), None
    latest = best
    while latest.status != "optimal" and used < max_iter:
        A = latest.variables["A"]
        product = times_code_gram(access.times(A))
        rows = np.union1d(rows, np.nonzero(dual.needed_examples(A, product))[0])
        if not access.fits(len(rows)):
            return access.descend(dual, max_iter=max_iter, **settings)
        part = solve_simplex_svm_interior_point(
            dual.restricted(rows), access.factored(rows), tol=inner_tol, max_iter=max_iter - used
        )
        A = np.zeros(A.shape)
        A[rows] = part.variables["A"]
        used += part.iterations
        latest = certify_multipliers(dual, A, times_code_gram(access.times(A)), used, tol)
        best = min(best, latest, key=lambda solution: abs(solution.relative_gap))
        if part.status != "optimal":
            break
        inner_tol *= 0.5
    return replace(best, iterations=used)
