"""A constant and nested components as an orthonormal basis, for losses of y (V_D beta + b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dtrtrs

from reprolib.methods.shared.solution import NotOptimalError, Solution
from reprolib.methods.shared.weights import power_of_two

#: A column adds nothing if its distance from the span of the columns before it is below this,
#: relative to its length, or below the round-off of its projection on that span.
DEPENDENT_TOL = 1e-9
#: Relative round-off of a sum of multiples of columns.
ROUND_OFF = 8 * np.finfo(float).eps
#: Dual bounds hold for functions of root mean square up to twice this at least.
RADIUS = 1e3
#: Root mean square of what a column that is left out may contribute, within those bounds. Times
#: `DEPENDENT_TOL` it is far below the gaps that solvers accept.
LEFT_OUT_RADIUS = 10.0


@dataclass(frozen=True)
class NestedBasis:
    """Coordinates in which fitting a constant and the first D columns of V is well-conditioned.

    For smooth kernels the constant function lies almost in the span of the leading eigenvectors,
    and the coefficients (beta, b) grow to 1e6 and more. The solvers therefore work with
    coordinates c in the basis q_0 = 1, q_1, q_2, ... that Gram-Schmidt makes of 1, V_1, V_2, ...
    under the inner product <f, g> = sum_i w_i f_i g_i / sum_i w_i. The basis is nested, so that
    one factorisation serves all D, and ||c|| is the root mean square of the function over the
    sample. A column that depends on the columns before it is left out (its coefficient is zero);
    those after it stay, so that every prefix of the kept columns spans what the prefix of V does.

    Columns and weights are taken in units that are powers of two, so that their size does not
    matter; ``weights`` is in such units, and ``weight_unit`` leads back.

    Equal rows of V, such as points that have both labels, go into the factorisation as one row of
    their weights together. So their margins differ in nothing but the sign: the round-off of
    almost dependent columns, up to 1e-9 here, would let functions of size 1e8 tell them apart.

    Parameters
    ----------
    V : ndarray of shape (n, D)
        As given.
    y : ndarray of shape (n,), of -1 and 1
        Labels of the points.
    weights : ndarray of shape (n,)
        Positive weights of the points, of mean between 1 and 2.
    weight_unit : float
        The weights as given are ``weight_unit * weights``.
    signed : ndarray of shape (m, n)
        Row k is y * q_k; the margins of the function with coordinates c are c @ signed.
    triangle : ndarray of shape (m, m)
        Upper triangular R of [1, V / 2^column_exponents][:, kept] = Q R.
    kept : ndarray of shape (m,)
        Indices of the independent columns of [1, V]; 0 is the constant.
    column_exponents : ndarray of int of shape (D,)
        V / 2^column_exponents has entries of size at most one.
    dropped : ndarray of shape (k,)
        Indices of the other columns of [1, V].
    dropped_signed : ndarray of shape (k, n)
        y times what of those columns, scaled to root mean square one, lies outside of the span of
        the kept columns before: round-off.
    """

    V: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    weight_unit: float
    signed: np.ndarray
    triangle: np.ndarray
    kept: np.ndarray
    column_exponents: np.ndarray
    dropped: np.ndarray
    dropped_signed: np.ndarray

    @classmethod
    def from_arrays(cls, V, y, weights=None) -> NestedBasis:
        """Check the arrays and orthonormalise the columns.

        Parameters
        ----------
        V : array-like of shape (n, D)
            Nested components, one a column.
        y : array-like of shape (n,), of -1 and 1
            Labels of the points.
        weights : array-like of shape (n,), optional
            How often every point counts; ones by default.

        Returns
        -------
        NestedBasis
            The basis of the constant and the columns of V.

        Raises
        ------
        ValueError
            If shapes disagree, y holds anything but -1 and 1, weights are not positive, or a
            value is not finite.
        """
        V, y = np.asarray(V, dtype=np.float64), np.asarray(y, dtype=np.float64)
        weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
        n = len(y)
        if V.ndim != 2 or len(V) != n or y.ndim != 1 or weights.shape != (n,):
            raise ValueError(
                f"V has shape {V.shape}, y {y.shape} and weights {weights.shape}; expected (n, D), "
                "(n,) and (n,)."
            )
        if not (np.isfinite(V).all() and np.isfinite(weights).all()):
            raise ValueError("V or weights contain NaN or infinity; clean the data first.")
        if not np.isin(y, (-1.0, 1.0)).all():
            raise ValueError(f"y holds the values {np.unique(y)[:5]}; labels must be -1 and 1.")
        if not (weights > 0).all():
            raise ValueError(
                f"weights has a minimum of {weights.min():g}; leave out points of weight zero."
            )
        unit = power_of_two(weights.max())
        unit *= power_of_two((weights / unit).mean())
        weights = weights / unit
        # First of each set of equal rows, and for every row the place of its set among these.
        _, first, inverse = np.unique(V, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        first, row = first[order], np.argsort(order)[np.ravel(inverse)]
        root = np.sqrt(np.bincount(row, weights) / weights.sum())
        _, exponents = np.frexp(np.max(np.abs(V), axis=0, initial=0.0))
        scaled = np.ldexp(V[first], -exponents)
        columns = np.hstack([np.ones((len(first), 1)), scaled]) * root[:, np.newaxis]
        Q, triangle, kept = independent_columns(columns)
        dropped = np.setdiff1d(np.arange(columns.shape[1]), kept)
        outside = np.zeros((len(dropped), len(first)))
        for part, j in zip(outside, dropped, strict=True):
            part[:] = columns[:, j] / max(np.linalg.norm(columns[:, j]), np.finfo(float).tiny)
            before = Q[:, : np.searchsorted(kept, j)]
            for _ in range(2):
                part -= before @ (before.T @ part)
        return cls(
            V=V,
            y=y,
            weights=weights,
            weight_unit=unit,
            signed=np.ascontiguousarray(Q.T[:, row]) * (y / root[row]),
            triangle=triangle,
            kept=kept,
            column_exponents=exponents,
            dropped=dropped,
            dropped_signed=outside[:, row] * (y / root[row]),
        )

    @property
    def max_components(self) -> int:
        """Number of columns of V."""
        return self.V.shape[1]

    def size(self, n_components: int) -> int:
        """Count the independent columns among the constant and the first components."""
        return int(np.searchsorted(self.kept, n_components, side="right"))

    def coefficients(self, coordinates):
        """Coefficients (beta, b) of functions given by their coordinates.

        Parameters
        ----------
        coordinates : ndarray of shape (k, m)
            One function a row, in the orthonormal basis.

        Returns
        -------
        beta : ndarray of shape (k, D)
            Coefficients of the columns of V; zero for those that are left out.
        intercept : ndarray of shape (k,)
            The constants.
        """
        z = np.zeros((len(coordinates), self.max_components + 1))
        z[:, self.kept] = solve_triangular(self.triangle, coordinates.T, check_finite=False).T
        return np.ldexp(z[:, 1:], -self.column_exponents), z[:, 0]

    def margins(self, beta, intercept):
        """Margins y (V beta + b), of shape (k, n), from coefficients."""
        return self.y * (beta @ self.V.T + intercept[:, np.newaxis])

    def slack(self, dual, n_components: int, norm: float = 0.0) -> float:
        """Bound of abs(sum_i a_i y_i f(x_i)) over functions f of the first components.

        It is zero for a dual point that is exactly feasible, and bounds by how much infeasibility
        can change the dual objective: for all f of root mean square at most twice
        ``max(norm, RADIUS)``, each column of V that was left out contributing no more than
        ``LEFT_OUT_RADIUS``. All columns of V take part: a column that was left out by mistake makes
        the bound large.

        Twice, because a function may be the best of those up to its own size and far from the
        optimum. If no function of twice its size is better, then none is: the loss is convex.

        Parameters
        ----------
        dual : ndarray of shape (n,)
            The a_i, in the units of ``weights``.
        n_components : int
            How many components the functions have.
        norm : float
            Root mean square of the function whose optimality is in question.

        Returns
        -------
        float
            The bound, by which the dual objective has to be lowered.
        """
        residual = self.residual(dual, n_components)
        return 2.0 * max(RADIUS, norm) * residual + self.dropped_slack(dual, n_components)

    def residual(self, dual, n_components: int) -> float:
        """Norm of what a dual point leaves of its equality constraints."""
        return float(np.linalg.norm(self.signed[: self.size(n_components)] @ dual))

    def dropped_slack(self, dual, n_components: int) -> float:
        """Part of `slack` that the columns contribute that were left out."""
        others = self.dropped_signed[: np.searchsorted(self.dropped, n_components, side="right")]
        return LEFT_OUT_RADIUS * float(np.abs(others @ dual).sum())


def independent_columns(columns):
    """Gram-Schmidt in the order of the columns, each orthogonalised twice.

    A column within `DEPENDENT_TOL` (relative) of the span of those before it is passed over; so is
    one whose distance is only the round-off of large multiples of them that cancel. An unpivoted
    QR factorisation cannot find these columns: after a dependent one, its Q is not a basis of the
    span of the columns so far.

    Parameters
    ----------
    columns : ndarray of shape (n, m)
        What is orthonormalised, from the first column on.

    Returns
    -------
    Q : ndarray of shape (n, k)
        The orthonormal columns.
    R : ndarray of shape (k, k)
        Upper triangular, with columns[:, kept] = Q R.
    kept : ndarray of int of shape (k,)
        The first independent columns: of any first columns, those kept have the same span.
    """
    n, m = columns.shape
    Q, R = np.zeros((n, min(n, m))), np.zeros((min(n, m), min(n, m)))
    sizes, kept = np.linalg.norm(columns, axis=0), list[int]()
    for j in range(m):
        k, residual = len(kept), columns[:, j]
        for _ in range(2 if k < n else 0):
            projection = Q[:, :k].T @ residual
            residual = residual - Q[:, :k] @ projection
            R[:k, k] += projection
        length, round_off = np.linalg.norm(residual), 0.0
        if 0 < k < n:
            # Of the sum of multiples of the columns before, in the last column of R.
            multiples = dtrtrs(R[:k, :k], R[:k, k])[0]
            round_off = ROUND_OFF * float(np.abs(multiples) @ sizes[kept])
        if k < n and length > max(DEPENDENT_TOL * sizes[j], round_off):
            Q[:, k], R[k, k] = residual / length, length
            kept.append(j)
        elif k < n:
            R[:k, k] = 0.0
    k = len(kept)
    return Q[:, :k], R[:k, :k], np.array(kept, dtype=np.intp)


def require_certified_path(solutions: list[Solution], tol: float) -> list[Solution]:
    """Return the path if the relative duality gap of every solution is at most ``tol``.

    Parameters
    ----------
    solutions : list of Solution
        Entry D - 1 is for D components.
    tol : float
        Largest gap that is accepted, as a part of the problem's scale.

    Returns
    -------
    list of Solution
        The same list.

    Raises
    ------
    NotOptimalError
        With the number of components before which the path ends.
    """
    for i, solution in enumerate(solutions):
        try:
            solution.require_optimal(tol)
        except NotOptimalError as error:
            raise NotOptimalError(f"{i + 1} components: {error}", n_certified=i) from error
    return solutions
