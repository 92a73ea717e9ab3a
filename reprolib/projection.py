"""Kernel principal components, and losses minimised on the first D of them for every D."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reprolib.kernels import center_gram, gram_eigh
from reprolib.solvers import NotOptimalError, NotOptimalWarning

#: Squared distance in feature space, relative to squared norms, at which points are equal.
DUPLICATE_TOL = 1e-14


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
    """

    dual_coef: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    duality_gap: np.ndarray

    @property
    def max_components(self) -> int:
        """The largest number of components on the path."""
        return len(self.intercept)

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
    """

    eigenvalues: np.ndarray
    eigenvectors: np.ndarray
    group: np.ndarray
    center_row: np.ndarray

    @classmethod
    def from_gram(cls, K, *, center: bool, rank_tol: float) -> KernelComponents:
        """Decompose a Gram matrix; centring is in feature space, on the training data."""
        diagonal = np.diagonal(K)
        scale = diagonal[:, np.newaxis] + diagonal
        group = np.argmax(scale - 2.0 * K <= DUPLICATE_TOL * scale, axis=1)
        eigenvalues, eigenvectors = gram_eigh(center_gram(K) if center else K, rank_tol=rank_tol)
        center_row = K.mean(axis=0) if center else np.zeros(len(K))
        return cls(eigenvalues, eigenvectors, group, center_row)

    @property
    def rank(self) -> int:
        """Numerical rank of the Gram matrix."""
        return len(self.eigenvalues)

    def fit_certified_path(self, y, max_components: int, solve: Callable) -> ProjectionPath:
        """`fit_path`, ended before the first number of components that cannot be certified.

        Raises
        ------
        NotOptimalError
            If not even one component can be certified.

        Warns
        -----
        NotOptimalWarning
            With the number of components at which the path ends, if that is early.
        """
        try:
            return self.fit_path(y, max_components, solve)
        except NotOptimalError as error:
            if error.n_certified < 1:
                raise
            warnings.warn(
                f"the path ends at {error.n_certified} of {max_components} components: {error}",
                NotOptimalWarning,
                stacklevel=2,
            )
            return self.fit_certified_path(y, error.n_certified, solve)

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
        _, first, weights = np.unique(
            np.stack([self.group, y], axis=1), axis=0, return_index=True, return_counts=True
        )
        V = np.sqrt(len(y)) * self.eigenvectors[:, :max_components]
        solutions = solve(V[self.group[first]], y[first], weights=weights)
        beta = np.zeros((max_components, max_components))
        for d, solution in enumerate(solutions):
            beta[: d + 1, d] = solution.variables["beta"]
        dual_coef = (V / self.eigenvalues[:max_components]) @ beta
        intercept = np.array([solution.variables["intercept"] for solution in solutions])
        return ProjectionPath(
            dual_coef,
            intercept - self.center_row @ dual_coef,
            np.array([solution.primal_objective for solution in solutions]),
            np.array([solution.relative_gap for solution in solutions]),
        )
