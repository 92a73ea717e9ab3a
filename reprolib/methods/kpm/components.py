"""Kernel principal components, and losses minimised on the first D of them for every D."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reprolib.methods.shared.kernels import center_gram, weighted_row_mean
from reprolib.methods.shared.leading import leading_eigh
from reprolib.methods.shared.solution import NotOptimalError

#: Squared distance in feature space, relative to squared norms, at which points are equal.
DUPLICATE_TOL = 1e-14
#: So few rows of a Gram matrix stay in the processor's cache.
ROWS_AT_ONCE = 32

#: Root mean square of the decision values, the margin being one, up to which they are determined.
#: Their relative error from one processor to the next is up to 1e-5 on the flare_solar benchmark,
#: so that beyond this rounding may change a decision.
MAX_NORM = 1e5


@dataclass(frozen=True)
class ProjectionPath:
    """Decision functions f_D(x) = sum_i alpha_i k(x_i, x) + b for D = 1, ..., max_components.

    Parameters
    ----------
    dual_coef : ndarray of shape (n, max_components)
        Column D - 1 holds alpha = sum_{j <= D} (beta_j / lambda_j) V_j, eq. (9).
    intercept : ndarray of shape (max_components,)
    objective : ndarray of shape (max_components,)
        Loss on the training data.
    duality_gap : ndarray of shape (max_components,)
        Relative duality gap.
    norm : ndarray of shape (max_components,)
        Root mean square of the decision values on the training data.
    end : str
        Why the path ends before the number of components that was asked for; empty if it does not.
    uncertified : bool
        Whether it ends so because the next answer has no certificate.
    """

    dual_coef: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    duality_gap: np.ndarray
    norm: np.ndarray
    end: str = ""
    uncertified: bool = False

    @property
    def max_components(self) -> int:
        """The largest number of components on the path."""
        return len(self.intercept)

    @property
    def n_determined(self) -> int:
        """Components before the first decision function of norm beyond `MAX_NORM`, at least one."""
        beyond = np.flatnonzero(self.norm > MAX_NORM)
        return max(1, int(beyond[0])) if len(beyond) else self.max_components

    def truncate(self, max_components: int, end: str) -> ProjectionPath:
        """Keep the first decision functions, and say why."""
        return ProjectionPath(
            self.dual_coef[:, :max_components],
            self.intercept[:max_components],
            self.objective[:max_components],
            self.duality_gap[:max_components],
            self.norm[:max_components],
            end,
        )

    def scores(self, K_cross):
        """Decision values of shape (m, max_components) from kernel values of shape (m, n)."""
        return K_cross @ self.dual_coef + self.intercept


@dataclass(frozen=True)
class KernelComponents:
    """Unit eigenvectors V_1, V_2, ... of the Gram matrix, of decreasing eigenvalue.

    Parameters
    ----------
    eigenvalues : ndarray of shape (rank,)
    eigenvectors : ndarray of shape (n, rank)
    group : ndarray of int of shape (n,)
        Index of the first sample at distance zero in feature space.
    center_row : ndarray of shape (n,)
        Mean of the kernel over the training data, zero if the kernel is not centred.
    weights : ndarray of shape (n,), optional
        Of the samples. The eigenvectors are then those of the matrix in which every sample is
        repeated so many times, a row for each sample, and orthonormal under the weights divided
        by their mean.
    """

    eigenvalues: np.ndarray
    eigenvectors: np.ndarray
    group: np.ndarray
    center_row: np.ndarray
    weights: np.ndarray | None = None

    @classmethod
    def from_gram(
        cls,
        K,
        *,
        center: bool,
        rank_tol: float,
        weights=None,
        n_wanted: int | None = None,
        semidefinite: bool = False,
    ) -> KernelComponents:
        """Decompose a Gram matrix; centring is in feature space, on the training data.

        ``n_wanted`` components may be enough, and K may be known to be positive semidefinite; see
        `leading_eigh`.
        """
        group = _first_equal(K)
        work = center_gram(K, weights=weights) if center else K
        center_row = weighted_row_mean(K, weights) if center else np.zeros(len(K))
        known: Any = {"rank_tol": rank_tol, "semidefinite": semidefinite}
        if weights is None:
            eigenvalues, eigenvectors = leading_eigh(work, n_wanted, **known)
            return cls(eigenvalues, eigenvectors, group, center_row)
        root = np.sqrt(weights / weights.mean())
        eigenvalues, vectors = leading_eigh(root[:, None] * work * root, n_wanted, **known)
        return cls(eigenvalues, vectors / root[:, None], group, center_row, weights)

    @property
    def rank(self) -> int:
        """Numerical rank of the Gram matrix, or the number of components that were wanted."""
        return len(self.eigenvalues)

    def fit_determined_path(self, y, max_components: int, solve: Callable) -> ProjectionPath:
        """`fit_path`, ended where an answer is not certified or rounding may change its decisions.

        It ends before the first number of components that has no certificate, or whose decision
        function has a norm beyond `MAX_NORM`; ``end`` and ``uncertified`` say why.

        Raises
        ------
        NotOptimalError
            If not even one component can be certified.
        """
        path = self._fit_certified_path(y, max_components, solve)
        if path.n_determined == path.max_components:
            return path
        return path.truncate(path.n_determined, undetermined_message(path.n_determined + 1))

    def _fit_certified_path(self, y, max_components: int, solve: Callable) -> ProjectionPath:
        """`fit_path`, ended before the first answer without certificate.

        A shorter path takes other steps, and may have to end earlier once more.
        """
        end = ""
        while True:
            try:
                path = self.fit_path(y, max_components, solve)
            except NotOptimalError as error:
                if error.n_certified < 1:
                    raise
                max_components, end = error.n_certified, str(error)
            else:
                return replace(path, end=end, uncertified=bool(end))

    def fit_path(self, y, max_components: int, solve: Callable) -> ProjectionPath:
        """Minimise a loss on the first D components and a constant, for every D.

        Equal points of the same label are merged into one of larger weight. The components of a
        centred kernel have coefficients that sum to zero, so that centring the kernel between
        training and new data only shifts the intercept.

        Parameters
        ----------
        y : ndarray of shape (n,), of -1 and 1
        max_components : int
        solve : callable
            Path solver of a loss, such as `solve_hinge_lp_path`.
        """
        first, weights = self._merged(y)
        V = np.sqrt(len(y)) * self.eigenvectors[:, :max_components]
        solutions = solve(V[self.group[first]], y[first], weights=weights)
        beta = np.zeros((max_components, max_components))
        for d, solution in enumerate(solutions):
            beta[: d + 1, d] = solution.variables["beta"]
        intercept = np.array([solution.variables["intercept"] for solution in solutions])
        dual_coef = self._expansion(beta)
        return ProjectionPath(
            dual_coef,
            intercept - self.center_row @ dual_coef,
            np.array([solution.primal_objective for solution in solutions]),
            np.array([solution.relative_gap for solution in solutions]),
            np.sqrt(np.average((V @ beta + intercept) ** 2, axis=0, weights=self.weights)),
        )

    def _expansion(self, beta):
        """Dual coefficients of functions whose coefficients are the columns of ``beta``."""
        scale = np.sqrt(len(self.eigenvectors)) / self.eigenvalues[: len(beta)]
        dual_coef = (self.eigenvectors[:, : len(beta)] * scale) @ beta
        if self.weights is None:
            return dual_coef
        return dual_coef * (self.weights / self.weights.mean())[:, np.newaxis]

    def _merged(self, y):
        """First of the equal points of the same label, and their weight together."""
        pairs = np.stack([self.group, y], axis=1)
        _, first, indices, counts = np.unique(
            pairs, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        if self.weights is None:
            return first, counts
        return first, np.bincount(np.ravel(indices), self.weights)


def _first_equal(K):
    """Index of the first sample at distance zero in feature space, for each."""
    diagonal, first = np.diagonal(K), np.empty(len(K), dtype=np.intp)
    for start in range(0, len(K), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        scale = diagonal[rows, np.newaxis] + diagonal
        first[rows] = np.argmax(scale - 2.0 * K[rows] <= DUPLICATE_TOL * np.abs(scale), axis=1)
    return first


def undetermined_message(n_components: int) -> str:
    """Say that rounding may change the decisions of a number of components."""
    return (
        f"the decision values of {n_components} components exceed {MAX_NORM:g} times the margin, "
        "so that rounding may change decisions"
    )
