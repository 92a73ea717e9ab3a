"""Stochastic subgradient steps for the simplex losses, compiled.

Problem: minimise over W (T-1 x p) the mean loss V(y, W x) + lam/2 ||W||_F^2 by the steps of the
paper's section 5 (after Pegasos): W <- (1 - eta lam) W - eta dV(y, W x) x', then a projection on
the Frobenius ball of radius 1/sqrt(lam), with eta_t = 1 / (lam (t + t0)). The hinge losses are sums
of hinges in the scores z_q = <c_q, W x>, with slopes w_q; then C' dV/df has the components
(T w_q - sum(w)) / (T-1).

The compiled code works on the class weights C'W (T x p): they give the scores <c_q, W x> without a
product with the code, and ||W||_F^2 = (T-1)/T ||C'W||_F^2. They are kept as scale * V, so that
shrinking and projecting cost O(1); the running sum of iterates is S V - U (Xu 2011), which costs a
step no more than V itself and leaves untouched what the step does not touch.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from numba import njit

#: One step shrinks the function to no less than this part.
LEAST_SHRINK = 1e-12
#: With more weights, they are changed once for so many examples.
MANY, BLOCK = 12_000, 64
#: The common factor of the coefficients is multiplied in before it is smaller than this.
LEAST_SCALE = 1e-6

LOSS_KINDS = {"least_squares": 0, "cone": 1, "halfspace": 2, "cone_halfspace": 3}

# Positions in the array of scalars that the compiled loops carry along.
_SCALE, _SUM, _NORM2, _STEPS, _AVERAGED = range(5)


@dataclass
class SGDState:
    """Weights and counters of a run; `run_sgd` changes them in place.

    Parameters
    ----------
    n_classes, n_features : int
        Number T of classes and number p of features; the weights have shape (T - 1, p).
    """

    n_classes: int
    n_features: int
    V: np.ndarray = field(init=False)
    U: np.ndarray = field(init=False)
    scalars: np.ndarray = field(init=False)

    def __post_init__(self):
        self.V = np.zeros((self.n_classes, self.n_features))
        self.U = np.zeros((self.n_classes, self.n_features))
        self.scalars = np.array([1.0, 0.0, 0.0, 0.0, 0.0])

    @property
    def n_steps(self) -> int:
        """Examples seen, repetitions included."""
        return int(self.scalars[_STEPS])

    @property
    def diverged(self) -> bool:
        """Whether the weights, or their mean, have left the range of floating point."""
        weights = (self.class_weights(), self.average_class_weights())
        return not all(np.isfinite(part).all() for part in weights)

    def class_weights(self):
        """C'W of the last iterate, shape (T, p)."""
        return self.scalars[_SCALE] * self.V

    def average_class_weights(self):
        """C'W averaged over the steps since averaging began (the last iterate before that)."""
        if self.scalars[_AVERAGED] == 0:
            return self.class_weights()
        return (self.scalars[_SUM] * self.V - self.U) / self.scalars[_AVERAGED]


@njit(cache=True)
def _class_gradient(kind, scores, y, u):
    """Write C' dV/df, shape (T,), to u; return whether it is nonzero."""
    n_classes = len(scores)
    other = -1.0 / (n_classes - 1)
    if kind == 0:
        for q in range(n_classes):
            u[q] = 2.0 * (scores[q] - (1.0 if q == y else other))
        return True
    total = 0.0
    for q in range(n_classes):
        if q == y:  # the slope of the hinge of the own class, or of another one
            u[q] = -1.0 if kind != 1 and scores[q] < 1.0 else 0.0
        else:
            u[q] = 1.0 if kind != 2 and scores[q] > other else 0.0
        total += u[q]
    moved = False
    for q in range(n_classes):
        moved = moved or u[q] != 0.0
        u[q] = (n_classes * u[q] - total) / (n_classes - 1)
    return moved


@njit(cache=True)
def _advance(kind, settings, scores, y, weight, squared_norm, u, scalars):
    """Shrink and project by scale alone; return the factor of u x' to add to V (0 for none)."""
    lam, t0, projected, _ = settings
    n_classes = len(scores)
    eta = 1.0 / (lam * (scalars[_STEPS] + 1.0 + t0))
    shrink = max(1.0 - eta * lam, LEAST_SHRINK)
    moved = _class_gradient(kind, scores, y, u)
    inner, length = 0.0, 0.0
    if moved:
        for q in range(n_classes):
            u[q] *= weight
            inner += u[q] * scores[q]
            length += u[q] * u[q]
    scalars[_SCALE] *= shrink
    factor = -eta / scalars[_SCALE] if moved else 0.0
    norm2 = shrink**2 * scalars[_NORM2] - 2.0 * shrink * eta * inner
    norm2 = max(norm2 + eta**2 * length * squared_norm, 0.0)
    if not norm2 < np.inf:  # a projection would make zero of it
        scalars[_SCALE] = np.nan
    limit = projected**2 * n_classes / ((n_classes - 1) * lam)
    if projected > 0.0 and norm2 > limit:
        scalars[_SCALE] *= np.sqrt(limit / norm2)
        norm2 = limit
    scalars[_NORM2] = norm2
    scalars[_STEPS] += 1.0
    return factor


@njit(cache=True)
def _count(settings, scalars):
    """Add the new iterate to the average; return whether the scale is to be folded into V."""
    if settings[3] >= 0.0 and scalars[_STEPS] > settings[3]:
        scalars[_SUM] += scalars[_SCALE]
        scalars[_AVERAGED] += 1.0
    return scalars[_SCALE] < LEAST_SCALE


@njit(cache=True)
def _finish(settings, V, U, scalars):
    """Add the new iterate to the average; fold the scale into V before it underflows."""
    if _count(settings, scalars):
        U -= scalars[_SUM] * V
        V *= scalars[_SCALE]
        scalars[_SCALE] = 1.0
        scalars[_SUM] = 0.0


@njit(cache=True, fastmath={"reassoc", "contract"})
def _run_dense(kind, settings, X, y, weights, order, V, U, scalars):
    n_classes, p = V.shape
    scores, u = np.empty(n_classes), np.empty(n_classes)
    for i in order:
        x = X[i]
        squared_norm = 0.0
        for j in range(p):
            value = np.float64(x[j])  # the square of single precision overflows
            squared_norm += value * value
        for q in range(n_classes):
            product = 0.0
            for j in range(p):
                product += V[q, j] * x[j]
            scores[q] = scalars[_SCALE] * product
        factor = _advance(kind, settings, scores, y[i], weights[i], squared_norm, u, scalars)
        for q in range(n_classes):
            step = factor * u[q]
            if step != 0.0:
                for j in range(p):
                    V[q, j] += step * x[j]
        if scalars[_SUM] != 0.0:
            for q in range(n_classes):
                step = scalars[_SUM] * factor * u[q]
                if step != 0.0:
                    for j in range(p):
                        U[q, j] += step * x[j]
        _finish(settings, V, U, scalars)


def takes_rows(state: SGDState, X) -> bool:
    """Whether `run_sgd_in_rows` is the quicker one: many weights, and fewer rows than features."""
    return isinstance(X, np.ndarray) and state.V.size > MANY and len(X) < X.shape[1]


def inner_products(X):
    """Products X X' of the rows, for `run_sgd_in_rows`."""
    X = X.astype(float, copy=False)  # in single precision, the square of its largest overflows
    with np.errstate(over="ignore", invalid="ignore"):
        return X @ X.T


def run_sgd_in_rows(state: SGDState, X, K, y, orders, *, loss, lam, t0, project, average_from):
    """As `run_sgd` from zero, once an order; for fewer rows than features.

    Weights that begin at zero are sums of rows: V = A'X. Steps change A, of which a pass needs
    n T n operations and not n T p, and X is read at the start and at the end only.

    Parameters
    ----------
    state : SGDState
        Of no step yet; changed in place.
    X : ndarray of shape (n, p)
        One example a row.
    K : ndarray of shape (n, n)
        Their `inner_products`, which do not depend on the loss and its lambda.
    y : ndarray of int of shape (n,)
        Class indices.
    orders : iterable of ndarray of int
        Rows to visit in each pass, no row twice.
    loss : {"least_squares", "cone", "halfspace", "cone_halfspace"}
        Loss of one example, as `SimplexSGDClassifier` describes them.
    lam : float
        Of the objective with lam/2 ||W||^2.
    t0 : float
        Offset of the step sizes 1 / (lam (t + t0)).
    project : bool or float
        Project on the Frobenius ball of radius 1/sqrt(lam), or so many times that radius.
    average_from : int or None
        Average the iterates after so many steps.
    """
    settings = _settings(lam, t0, project, average_from)
    with np.errstate(over="ignore", invalid="ignore"):
        A, B = np.zeros((2, len(X), len(state.V)))
        for order in orders:
            for first in range(0, len(order), BLOCK):
                rows = order[first : first + BLOCK]
                near = K[rows]
                of_A, of_B, scale, share = _run_block(
                    LOSS_KINDS[loss],
                    settings,
                    near[:, rows],
                    near @ A,
                    y[rows],
                    np.ones(len(rows)),
                    state.scalars,
                )
                if share != 0.0:
                    B += share * A
                B[rows] += of_B
                if scale != 1.0:
                    A *= scale
                A[rows] += of_A
        state.V[...], state.U[...] = A.T @ X, B.T @ X


def _run_blocks(kind, settings, X, y, weights, order, V, U, scalars):
    """As `_run_dense`, but V and U, too large for the cache, are read and changed once a block."""
    for first in range(0, len(order), BLOCK):
        rows = order[first : first + BLOCK]
        block = X[rows].astype(float)  # in single precision, the square of its largest overflows
        with np.errstate(over="ignore", invalid="ignore"):
            of_V, of_U, scale, share = _run_block(
                kind, settings, block @ block.T, block @ V.T, y[rows], weights[rows], scalars
            )
            if share != 0.0:
                U += share * V
            if of_U.any():
                U += of_U.T @ block
            if scale != 1.0:
                V *= scale
            V += of_V.T @ block


@njit(cache=True)
def _run_block(kind, settings, inner, products, y, weights, scalars):
    """Make the steps of a block, with V and U as they will be in terms of V and the rows X.

    ``inner`` is X X', ``products`` X V'. Returns P, Q, a and b: V becomes a V + P'X, and U becomes
    U + b V + Q'X.
    """
    m, n_classes = products.shape
    P, Q, u = np.zeros((m, n_classes)), np.zeros((m, n_classes)), np.empty(n_classes)
    a, b, scores = 1.0, 0.0, np.empty(n_classes)
    for i in range(m):
        scores[:] = a * products[i]
        for j in range(i):
            for q in range(n_classes):
                scores[q] += inner[i, j] * P[j, q]
        scores *= scalars[_SCALE]
        factor = _advance(kind, settings, scores, y[i], weights[i], inner[i, i], u, scalars)
        if factor != 0.0:
            P[i] = factor * u
            Q[i] = scalars[_SUM] * P[i]
        if _count(settings, scalars):  # as `_finish`
            b -= scalars[_SUM] * a
            Q -= scalars[_SUM] * P
            a *= scalars[_SCALE]
            P *= scalars[_SCALE]
            scalars[_SCALE] = 1.0
            scalars[_SUM] = 0.0
    return P, Q, a, b


@njit(cache=True)
def _run_sparse(kind, settings, data, columns, starts, y, weights, order, V, U, scalars):
    n_classes = len(V)
    scores, u = np.empty(n_classes), np.empty(n_classes)
    for i in order:
        squared_norm = 0.0
        scores[:] = 0.0
        for position in range(starts[i], starts[i + 1]):
            value, j = np.float64(data[position]), columns[position]
            squared_norm += value * value
            for q in range(n_classes):
                scores[q] += scalars[_SCALE] * V[q, j] * value
        factor = _advance(kind, settings, scores, y[i], weights[i], squared_norm, u, scalars)
        if factor != 0.0:
            for position in range(starts[i], starts[i + 1]):
                value, j = data[position], columns[position]
                for q in range(n_classes):
                    V[q, j] += factor * u[q] * value
                    U[q, j] += scalars[_SUM] * factor * u[q] * value
        _finish(settings, V, U, scalars)


def _settings(lam, t0, project, average_from):
    """Numbers that the compiled loops read."""
    begin = -1.0 if average_from is None else float(average_from)
    return float(lam), float(t0), float(project), begin


def run_sgd(
    state: SGDState,
    X,
    y,
    order,
    *,
    loss,
    lam,
    t0=0.0,
    project=True,
    average_from=None,
    weights=None,
):
    """Take one step per entry of ``order``; `SGDState.diverged` says if they led to infinity.

    Parameters
    ----------
    state : SGDState
        Changed in place.
    X : ndarray (also memory-mapped) or csr matrix of shape (n, p)
        One example a row.
    y : ndarray of int of shape (n,)
        Class indices.
    order : ndarray of int
        Rows to visit.
    loss : {"least_squares", "cone", "halfspace", "cone_halfspace"}
        Loss of one example, as `SimplexSGDClassifier` describes them.
    lam : float
        Of the objective with lam/2 ||W||^2.
    t0 : float
        Offset of the step sizes 1 / (lam (t + t0)).
    project : bool or float
        Project on the Frobenius ball of radius 1/sqrt(lam), or so many times that radius.
    average_from : int, optional
        Average the iterates after so many steps.
    weights : ndarray of shape (n,), optional
        Factors of the loss of every row, ones by default.
    """
    settings = _settings(lam, t0, project, average_from)
    # The tracked norm drifts by round-off; start every run from the exact one.
    with np.errstate(over="ignore"):
        state.scalars[_NORM2] = np.sum(state.class_weights() ** 2)
    weights = np.ones(len(y)) if weights is None else weights
    arguments = (y, weights, order, state.V, state.U, state.scalars)
    if isinstance(X, sp.csr_array | sp.csr_matrix):
        _run_sparse(LOSS_KINDS[loss], settings, X.data, X.indices, X.indptr, *arguments)
    else:
        run = _run_blocks if state.V.size > MANY else _run_dense
        run(LOSS_KINDS[loss], settings, X, *arguments)
