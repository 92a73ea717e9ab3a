"""Kernel principal components, and losses minimised on the first D of them for every D."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.sparse import issparse
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.utils.extmath import safe_sparse_dot

from reprolib.methods.shared.kernels import (
    NEGATIVE_TOL,
    center_gram,
    fix_signs,
    gram_eigh,
    weighted_row_mean,
)
from reprolib.methods.shared.solution import NotOptimalError
from reprolib.methods.shared.weights import distinct_rows

#: Below this many rows all eigenvectors take less than a second.
FEWEST_ROWS = 2000
#: Part of the eigenvectors beyond which computing all of them takes no longer.
LARGEST_PART = 1 / 20
#: Distance of neighbouring eigenvalues, relative to the largest, at which their eigenvectors are
#: told apart with seven digits.
SEPARATION_TOL = 1e-8
#: Of residuals and inner products, relative.
RESIDUAL_TOL = 1e-12


def leading_eigh(K, n_components: int | None, *, rank_tol: float, semidefinite: bool = False):
    """At least the first ``n_components`` pairs of `gram_eigh`, by Lanczos' method if they are few.

    The pairs are accepted if their residuals are round-off, no two eigenvalues are close, and two
    Cholesky factorisations show that no other eigenvalue is as large and that K is positive
    semidefinite up to ``NEGATIVE_TOL``. Otherwise, and for small matrices, all pairs are computed.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The Gram matrix.
    n_components : int, optional
        None means all.
    rank_tol : float
        Eigenvalues up to this part of the largest are zero.
    semidefinite : bool
        Whether K is known to be positive semidefinite, as a principal submatrix of a matrix is
        that has been checked. It saves the second factorisation.

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        So many as asked for, or all up to the numerical rank.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal columns, with the signs of `gram_eigh`.

    Raises
    ------
    ValueError
        As `gram_eigh`.

    See Also
    --------
    reprolib.methods.shared.kernels.gram_eigh : All pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.components import leading_eigh
    >>> K = np.diag(np.arange(2000.0, 0.0, -1.0))
    >>> eigenvalues, eigenvectors = leading_eigh(K, 2, rank_tol=1e-10)
    >>> eigenvalues.round(6).tolist(), eigenvectors.shape
    ([2000.0, 1999.0], (2000, 2))
    """
    most = LARGEST_PART * len(K) if len(K) >= FEWEST_ROWS else 0
    if n_components is not None and n_components <= most:
        start = np.random.default_rng(0).standard_normal(len(K))
        try:
            eigenvalues, eigenvectors = eigsh(K, n_components + 1, which="LA", v0=start)
        except ArpackNoConvergence:
            return gram_eigh(K, rank_tol=rank_tol)
        order = np.argsort(-eigenvalues)
        eigenvalues, eigenvectors = eigenvalues[order], eigenvectors[:, order]
        if _are_leading(K, eigenvalues, eigenvectors, rank_tol) and (
            semidefinite or _is_definite(K.copy(), NEGATIVE_TOL * eigenvalues[0])
        ):
            return eigenvalues[:-1], fix_signs(eigenvectors[:, :-1])
    return gram_eigh(K, rank_tol=rank_tol)


def _are_leading(K, eigenvalues, eigenvectors, rank_tol) -> bool:
    """Whether all pairs but the last are the leading ones of K."""
    largest = eigenvalues[0]
    apart = -np.diff(eigenvalues) > SEPARATION_TOL * largest
    if not (largest > 0.0 and apart.all() and eigenvalues[-2] > rank_tol * largest):
        return False
    residuals = K @ eigenvectors - eigenvectors * eigenvalues
    products = eigenvectors.T @ eigenvectors - np.eye(len(eigenvalues))
    if not (
        np.max(np.abs(residuals)) <= RESIDUAL_TOL * largest
        and np.max(np.abs(products)) <= RESIDUAL_TOL
    ):
        return False
    found = eigenvectors[:, :-1]
    rest = (found * eigenvalues[:-1]) @ found.T
    rest -= K
    between = (eigenvalues[-2] + eigenvalues[-1]) / 2.0
    return _is_definite(rest, between)


def _is_definite(matrix, shift) -> bool:
    """Whether the matrix, which is overwritten, plus a multiple of the identity is definite.

    LAPACK takes columns one after the other: those of the transpose, the same matrix.
    """
    matrix.flat[:: len(matrix) + 1] += shift
    try:
        cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


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
        The constant b of each function.
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
    coef : ndarray of shape (p, max_components), optional
        For components that come from features: column D - 1 holds the w of f(x) = <w, x> + b.
    """

    dual_coef: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    duality_gap: np.ndarray
    norm: np.ndarray
    end: str = ""
    uncertified: bool = False
    coef: np.ndarray | None = None

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
        """Keep the first decision functions, and say why.

        Parameters
        ----------
        max_components : int
            How many are kept.
        end : str
            The reason, which becomes ``end`` of the shorter path.

        Returns
        -------
        ProjectionPath
            The shorter path, whose end is certified.
        """
        return ProjectionPath(
            self.dual_coef[:, :max_components],
            self.intercept[:max_components],
            self.objective[:max_components],
            self.duality_gap[:max_components],
            self.norm[:max_components],
            end,
            coef=None if self.coef is None else self.coef[:, :max_components],
        )

    def scores(self, rows):
        """Decision values of all functions of the path.

        Parameters
        ----------
        rows : ndarray of shape (m, n), or (m, p) for components that come from features
            Kernel values between m points and the training data, or the features of the points.

        Returns
        -------
        ndarray of shape (m, max_components)
            Column D - 1 is for D components.
        """
        return rows @ (self.dual_coef if self.coef is None else self.coef) + self.intercept


@dataclass(frozen=True)
class KernelComponents:
    """Unit eigenvectors V_1, V_2, ... of the Gram matrix, of decreasing eigenvalue.

    Parameters
    ----------
    eigenvalues : ndarray of shape (rank,)
        Those of the Gram matrix, largest first, beyond the numerical zero.
    eigenvectors : ndarray of shape (n, rank)
        Values of the components at the training points, a column for each.
    group : ndarray of int of shape (n,)
        Index of the first sample at distance zero in feature space.
    center_row : ndarray of shape (n,), or (p,) with ``directions``
        Mean of the kernel (of the features) over the training data, zero if it is not centred.
    weights : ndarray of shape (n,), optional
        Of the samples. The eigenvectors are then those of the matrix in which every sample is
        repeated so many times, a row for each sample, and orthonormal under the weights divided
        by their mean.
    directions : ndarray of shape (p, rank), optional
        For the linear kernel in its features: V_j(i) = <directions_j, x_i - mean>.
    """

    eigenvalues: np.ndarray
    eigenvectors: np.ndarray
    group: np.ndarray
    center_row: np.ndarray
    weights: np.ndarray | None = None
    directions: np.ndarray | None = None

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
        """Decompose a Gram matrix.

        Parameters
        ----------
        K : ndarray of shape (n, n)
            Kernel between the training points.
        center : bool
            Whether to centre in feature space, on the training data.
        rank_tol : float
            Eigenvalues up to this part of the largest are zero.
        weights : ndarray of shape (n,), optional
            Of the points.
        n_wanted : int, optional
            So many components are enough; see `leading_eigh`.
        semidefinite : bool
            Whether K is known to be positive semidefinite; see `leading_eigh`.

        Returns
        -------
        KernelComponents
            At least ``n_wanted`` of them, or all up to the numerical rank.
        """
        diagonal, group = np.diagonal(K), np.empty(len(K), dtype=np.intp)
        for start in range(0, len(K), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            scale = diagonal[rows, np.newaxis] + diagonal
            group[rows] = np.argmax(scale - 2.0 * K[rows] <= DUPLICATE_TOL * np.abs(scale), axis=1)
        work = center_gram(K, weights=weights) if center else K
        center_row = weighted_row_mean(K, weights) if center else np.zeros(len(K))
        known: Any = {"rank_tol": rank_tol, "semidefinite": semidefinite}
        if weights is None:
            eigenvalues, eigenvectors = leading_eigh(work, n_wanted, **known)
            return cls(eigenvalues, eigenvectors, group, center_row)
        root = np.sqrt(weights / weights.mean())
        eigenvalues, vectors = leading_eigh(root[:, None] * work * root, n_wanted, **known)
        return cls(eigenvalues, vectors / root[:, None], group, center_row, weights)

    @classmethod
    def from_features(
        cls, X, *, center: bool, rank_tol: float, weights=None, n_wanted: int | None = None
    ) -> KernelComponents:
        """Components of the linear kernel from the p x p matrix X'X: the same as from X X'.

        With X'X w = lambda w the eigenvector of X X' is X w / ||X w||. No n x n matrix is formed.
        Equal points are those of equal rows, where a Gram matrix has equal ones up to
        `DUPLICATE_TOL`.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, p)
            The training points.
        center, rank_tol, weights, n_wanted : bool, float, ndarray, int
            What they are in `from_gram`.

        Returns
        -------
        KernelComponents
            The first ``n_wanted``, or all up to the numerical rank, with their ``directions``.
        """
        n = X.shape[0]
        if issparse(X):
            first, place = distinct_rows(X, np.zeros(n, dtype=np.intp))
            group = first[place]
        elif len(np.unique(X[:, 0])) == n:
            group = np.arange(n)
        else:
            seen: dict[bytes, int] = {}
            # A zero may have a sign, which the bytes would tell.
            group = np.array([seen.setdefault((x + 0.0).tobytes(), i) for i, x in enumerate(X)])
        root, rows = np.ones(n), cast(Any, X)
        if weights is not None:
            root = np.sqrt(weights / weights.mean())
            rows = rows.multiply(root[:, None]).tocsr() if issparse(X) else root[:, None] * X
        mean = np.ravel(weighted_row_mean(X, weights)) if center else np.zeros(X.shape[1])
        covariance = safe_sparse_dot(rows.T, rows, dense_output=True)
        if center:
            covariance -= n * np.outer(mean, mean)
        vectors = leading_eigh(covariance, n_wanted, rank_tol=rank_tol, semidefinite=True)[1]
        vectors = vectors[:, :n_wanted]
        V = safe_sparse_dot(rows, vectors, dense_output=True) - np.outer(root, mean @ vectors)
        # These norms are exact where the small eigenvalues of X'X have lost digits.
        norms = np.linalg.norm(V, axis=0)
        V /= norms * root[:, None]
        return cls(norms**2, V, group, mean, weights, vectors / norms)

    @property
    def rank(self) -> int:
        """Numerical rank of the Gram matrix, or the number of components that were wanted."""
        return len(self.eigenvalues)

    def fit_determined_path(self, y, max_components: int, solve: Callable) -> ProjectionPath:
        """`fit_path`, ended where an answer is not certified or rounding may change its decisions.

        It ends before the first number of components that has no certificate, or whose decision
        function has a norm beyond `MAX_NORM`; ``end`` and ``uncertified`` say why.

        Parameters
        ----------
        y : ndarray of shape (n,), of -1 and 1
            Labels of the training points.
        max_components : int
            End of the path, if it comes so far.
        solve : callable
            Path solver of a loss, such as `solve_hinge_lp_path`.

        Returns
        -------
        ProjectionPath
            The functions of 1, 2, ... components, at least one.

        Raises
        ------
        NotOptimalError
            If not even one component can be certified.
        """
        end, path = "", None
        while path is None:
            # A shorter path takes other steps, and may have to end earlier once more.
            try:
                path = self.fit_path(y, max_components, solve)
            except NotOptimalError as error:
                if error.n_certified < 1:
                    raise
                max_components, end = error.n_certified, str(error)
        path = replace(path, end=end, uncertified=bool(end))
        if path.n_determined == path.max_components:
            return path
        return path.truncate(path.n_determined, undetermined_message(path.n_determined + 1))

    def fit_path(self, y, max_components: int, solve: Callable) -> ProjectionPath:
        """Minimise a loss on the first D components and a constant, for every D.

        Equal points of the same label are merged into one of larger weight. The components of a
        centred kernel have coefficients that sum to zero, so that centring the kernel between
        training and new data only shifts the intercept.

        Parameters
        ----------
        y : ndarray of shape (n,), of -1 and 1
            Labels of the training points.
        max_components : int
            End of the path, at most the rank.
        solve : callable
            Path solver of a loss, such as `solve_hinge_lp_path`.

        Returns
        -------
        ProjectionPath
            The functions of 1, ..., ``max_components`` components.
        """
        pairs = np.stack([self.group, y], axis=1)
        _, first, indices, weights = np.unique(
            pairs, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        if self.weights is not None:
            weights = np.bincount(np.ravel(indices), self.weights)
        root = np.sqrt(len(y))
        V = root * self.eigenvectors[:, :max_components]
        solutions = solve(V[self.group[first]], y[first], weights=weights)
        beta = np.zeros((max_components, max_components))
        for d, solution in enumerate(solutions):
            beta[: d + 1, d] = solution.variables["beta"]
        intercept = np.array([solution.variables["intercept"] for solution in solutions])
        scale = root / self.eigenvalues[:max_components]
        dual_coef = (self.eigenvectors[:, :max_components] * scale) @ beta
        if self.weights is not None:
            dual_coef = dual_coef * (self.weights / self.weights.mean())[:, np.newaxis]
        coef = None
        if self.directions is not None:
            coef = root * (self.directions[:, :max_components] @ beta)
        return ProjectionPath(
            dual_coef,
            intercept - self.center_row @ (dual_coef if coef is None else coef),
            np.array([solution.primal_objective for solution in solutions]),
            np.array([solution.relative_gap for solution in solutions]),
            np.sqrt(np.average((V @ beta + intercept) ** 2, axis=0, weights=self.weights)),
            coef=coef,
        )


def undetermined_message(n_components: int) -> str:
    """Say that rounding may change the decisions of a number of components."""
    return (
        f"the decision values of {n_components} components exceed {MAX_NORM:g} times the margin, "
        "so that rounding may change decisions"
    )
