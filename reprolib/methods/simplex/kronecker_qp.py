"""The simplex SVMs in the span of a factor of the kernel, by an interior-point method (reference).

With K = L L' of rank r, f(x_i) = W' l_i for W of shape (r, T-1), and the programme is

    minimise   1/2 ||W||^2 + sum over j of u_j xi_j
    subject to sigma_j <c_{q_j}, W' l_{i_j}> + xi_j >= b_j,   xi >= 0,

with one row j = (i, q) for every constraint on an example and a code word; u_j = inf means
xi_j = 0. Its dual, over one multiplier a_j in [0, u_j] a row, is

    maximise   sum_j b_j a_j - 1/2 ||sum_j a_j sigma_j l_{i_j} c_{q_j}'||^2,

the programme over A (n x T) of `kronecker_bcd`, whose Hessian is the Kronecker product of K and the
Gram matrix G = T/(T-1) I - 11'/(T-1) of the code words.

W is a variable of its own here. A point computed from the multipliers, W = L'A, would lose as many
digits as C K has, since A is of the size C where W is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.qp import cvxopt
from reprolib.methods.shared.solution import NotOptimalError


def times_code_gram(Z):
    """Z G for Z of shape (m, T), in O(m T)."""
    n_classes = Z.shape[1]
    return (n_classes * Z - Z.sum(axis=1, keepdims=True)) / (n_classes - 1)


def kronecker_qp_scores(L, A):
    """K A G, shape (n, T), for K = L L'."""
    return times_code_gram(L @ (L.T @ A))


def gram_factor(K):
    """L with K = L L', shape (n, rank), from the eigenvalues of K that are not round-off."""
    eigenvalues, vectors = eigh(K, check_finite=False)
    kept = eigenvalues > len(K) * np.finfo(float).eps * max(eigenvalues[-1], 0.0)
    return vectors[:, kept] * np.sqrt(eigenvalues[kept])


@dataclass(frozen=True)
class ConstraintRows:
    """Constraints sigma <c_q, W' l_i> + xi >= b of the same kind.

    Parameters
    ----------
    mask : ndarray of bool of shape (n, T)
        The pairs (i, q) that have one.
    sign : float
        The sigma of the constraints, 1 or -1.
    offset : float
        The b of the constraints.
    upper : float or ndarray of shape (n, 1)
        Price u of the slack, for all examples or for each; inf for none.
    """

    mask: np.ndarray
    sign: float
    offset: float
    upper: float | np.ndarray

    def prices(self):
        """U of every constraint."""
        return np.broadcast_to(self.upper, self.mask.shape)[self.mask]


@dataclass(frozen=True)
class KroneckerQPAnswer:
    """W (r, T-1), an array (n, T) of multipliers a kind of rows, dual objective, iterations."""

    W: np.ndarray
    multipliers: list[np.ndarray]
    dual_objective: float
    iterations: int


def minimise_cvxopt(
    L, constraints: list[ConstraintRows], *, tol: float = 1e-8, max_iter: int = 100
) -> KroneckerQPAnswer:
    """Solve the programme with cvxopt's cone solver and a KKT solve for its structure.

    Without the slacks and multipliers, a Newton step is a system of the r (T-1) entries of W,
    assembled in O(n r^2 T^2). If there are fewer rows than that, W is a combination of as many
    vectors, and the system is one of the rows.

    Parameters
    ----------
    L : ndarray of shape (n, r)
        K = L L', with rows of length at most about 1.
    constraints : list of ConstraintRows
        With prices of at least 1: a problem with smaller ones is that of a smaller K.
    tol : float
        Relative tolerance handed to cvxopt; the absolute and feasibility ones are below it.
    max_iter : int
        Largest number of interior-point iterations.

    Returns
    -------
    KroneckerQPAnswer
        The multipliers are feasible. Whether the answer is optimal is for the caller's
        certificate to say, which is stricter than cvxopt's own stopping rule.

    Raises
    ------
    NotOptimalError
        If cvxopt has no finite answer.
    """
    features = _make_features(L, constraints)
    offsets = np.concatenate([np.full(rows.mask.sum(), rows.offset) for rows in constraints])
    upper = np.concatenate([rows.prices() for rows in constraints])
    if L.any():
        w, a, iterations = _solve(features, offsets, upper, tol, max_iter)
    else:  # f = 0, where cvxopt would divide by zero: every violated constraint pays its price
        a = np.where(np.isfinite(upper) & (offsets > 0), upper, 0.0)
        w, iterations = np.zeros(features.size), 0
    combined = features.adjoint(a)
    return KroneckerQPAnswer(
        features.weights(w),
        _embed(a, constraints),
        float(offsets @ a - 0.5 * combined @ combined),
        iterations,
    )


def _embed(a, constraints):
    """Multipliers of every kind of rows as an array of shape (n, T)."""
    ends = np.cumsum([rows.mask.sum() for rows in constraints])
    parts = np.split(a, ends[:-1])
    arrays = []
    for rows, part in zip(constraints, parts, strict=True):
        array = np.zeros(rows.mask.shape)
        array[rows.mask] = part
        arrays.append(array)
    return arrays


class _Features(Protocol):
    """The linear map F from a vector w to the left-hand sides of all rows."""

    size: int

    def forward(self, w) -> np.ndarray:
        """F w."""

    def adjoint(self, a) -> np.ndarray:
        """F' a."""

    def weighted_gram(self, e) -> np.ndarray:
        """F' diag(e) F."""

    def weights(self, w) -> np.ndarray:
        """W of shape (r, T-1)."""


def _make_features(L, constraints) -> _Features:
    features = _KroneckerFeatures(L, constraints)
    if len(features.signs) < features.size:
        return _CombinedFeatures(features)
    return features


class _KroneckerFeatures:
    """Rows sigma_j l_{i_j} (x) c_{q_j} of F, never stored; w is W row by row."""

    def __init__(self, L, constraints):
        pairs = [np.nonzero(rows.mask) for rows in constraints]
        self.L, self.words = L, simplex_code(constraints[0].mask.shape[1]).T
        self.examples = np.concatenate([i for i, _ in pairs])
        self.classes = np.concatenate([q for _, q in pairs])
        self.signs = np.repeat(
            [rows.sign for rows in constraints], [rows.mask.sum() for rows in constraints]
        )
        self.size = L.shape[1] * self.words.shape[1]

    def forward(self, w):
        scores = self.L @ self.weights(w) @ self.words.T
        return self.signs * scores[self.examples, self.classes]

    def adjoint(self, a):
        return (self.L.T @ self._gather(self.signs * a) @ self.words).ravel()

    def weighted_gram(self, e):
        rank, length = self.L.shape[1], self.words.shape[1]
        E = self._gather(e)
        E = np.einsum("iq,qs,qt->ist", E, self.words, self.words, optimize=True)
        E = E.reshape(len(self.L), -1)
        blocks = np.stack([(self.L * self.L[:, r, None]).T @ E for r in range(rank)])
        blocks = blocks.reshape(rank, rank, length, length)
        return blocks.transpose(0, 2, 1, 3).reshape(self.size, self.size)

    def weights(self, w):
        return w.reshape(self.L.shape[1], self.words.shape[1])

    def gram(self):
        """F F'."""
        words = self.signs[:, None] * self.words[self.classes]
        rows = self.L[self.examples]
        return (rows @ rows.T) * (words @ words.T)

    def _gather(self, a):
        """Sum the entries of every pair (i, q), shape (n, T)."""
        n_classes = len(self.words)
        flat = self.examples * n_classes + self.classes
        total = np.bincount(flat, weights=a, minlength=len(self.L) * n_classes)
        return total.reshape(len(self.L), n_classes)


class _CombinedFeatures:
    """F of full row rank or less, F F' = M M': then w is a vector of rank(M) coordinates."""

    def __init__(self, features: _KroneckerFeatures):
        self.features = features
        self.M = gram_factor(features.gram())
        self.size = self.M.shape[1]

    def forward(self, w):
        return self.M @ w

    def adjoint(self, a):
        return self.M.T @ a

    def weighted_gram(self, e):
        return (self.M.T * e) @ self.M

    def weights(self, w):
        combination = self.M @ (w / np.sum(self.M**2, axis=0))
        return self.features.weights(self.features.adjoint(combination))


def _solve(features: _Features, offsets, upper, tol, max_iter):
    """Solve for w and the slacks of soft rows by cvxopt; return w, a and iterations."""
    soft = np.flatnonzero(np.isfinite(upper))
    n_rows, size = len(offsets), features.size

    def hessian(x, y, alpha=1.0, beta=0.0):
        product = np.asarray(x).ravel().copy()
        product[size:] = 0.0
        y[:] = cvxopt.matrix(alpha * product + beta * np.asarray(y).ravel())

    def bounds(x, y, alpha=1.0, beta=0.0, trans="N"):
        value, old = np.asarray(x).ravel(), np.asarray(y).ravel()
        if trans == "N":
            margins = -features.forward(value[:size])
            margins[soft] -= value[size:]
            product = np.concatenate([margins, -value[size:]])
        else:
            rows = value[:n_rows]
            product = np.concatenate([-features.adjoint(rows), -rows[soft] - value[n_rows:]])
        y[:] = cvxopt.matrix(alpha * product + beta * old)

    answer = _coneqp(
        hessian,
        cvxopt.matrix(np.concatenate([np.zeros(size), upper[soft]])),
        bounds,
        cvxopt.matrix(np.concatenate([-offsets, np.zeros(len(soft))])),
        kktsolver=_kkt_solver(features, soft, n_rows),
        options={
            "show_progress": False,
            "abstol": 1e-2 * tol,
            "reltol": tol,
            "feastol": 1e-2 * tol,
            "maxiters": max_iter,
            "refinement": 2,
        },
    )
    w, a = np.asarray(answer["x"]).ravel()[:size], np.asarray(answer["z"]).ravel()[:n_rows]
    return w, np.clip(a, 0.0, upper), answer["iterations"]


def _coneqp(*programme, **settings):
    """`cvxopt.solvers.coneqp`, with its breakdowns as one error of ours."""
    try:
        answer = cvxopt.solvers.coneqp(*programme, **settings)
    except (ArithmeticError, ValueError) as error:
        raise NotOptimalError(
            f"cvxopt broke down in its first step: {error}. Scale the kernel, C and sample_weight "
            'to ordinary numbers, or use solver="descent".'
        ) from error
    if not all(np.all(np.isfinite(np.asarray(answer[name]))) for name in "xz"):
        raise NotOptimalError(
            f"cvxopt stopped with status {answer['status']!r} after {answer['iterations']} "
            "iterations without an answer"
        )
    return answer


def _kkt_solver(features: _Features, soft, n_rows):
    """Make the factory of cvxopt's custom KKT solves [P G'; G -W'W] [x; z] = [bx; bz].

    With the slacks and multipliers eliminated, (I + F' diag(e) F) w = right-hand side. Its matrix
    has no eigenvalue below 1, whatever the kernel.
    """

    def factorise(W):
        scaling = np.asarray(W["d"]).ravel()
        rows, slacks = scaling[:n_rows] ** -2.0, scaling[n_rows:] ** -2.0
        share = rows[soft] / (rows[soft] + slacks)
        weights = rows.copy()
        weights[soft] = share * slacks
        matrix = features.weighted_gram(weights)
        matrix.flat[:: features.size + 1] += 1.0
        try:
            lower = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError as error:  # cvxopt ends at its last iterate on an ArithmeticError
            raise ArithmeticError(str(error)) from error

        def solve(x, y, z):
            bx, bz = np.asarray(x).ravel(), np.asarray(z).ravel()
            slack_right = bx[features.size :]
            right = weights * bz[:n_rows]
            right[soft] += share * slack_right - weights[soft] * bz[n_rows:]
            w = cho_solve(lower, bx[: features.size] - features.adjoint(right), check_finite=False)
            row_multipliers = -(weights * features.forward(w) + right)
            slack_multipliers = -slack_right - row_multipliers[soft]
            x[:] = cvxopt.matrix(np.concatenate([w, -slack_multipliers / slacks - bz[n_rows:]]))
            z[:] = cvxopt.matrix(scaling * np.concatenate([row_multipliers, slack_multipliers]))

        return solve

    return factorise
