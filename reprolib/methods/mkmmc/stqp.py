"""The standard quadratic program: a quadratic form over the simplex, with any symmetric matrix.

    maximise    theta' M theta
    subject to  theta_1 + ... + theta_p = 1,  theta >= 0.

Equation (23) of Gu & Zhou (ICIP 2009), the weight step of multiple kernel MMC, is this problem. M
is seldom concave there, so that the problem has several local maxima; the general problem is
NP-hard, and a quadratic programming routine answers with one of the local ones.

What is convex here goes to cvxopt: `solve_stqp_local` climbs by a sequence of convex quadratic
programmes, each of them in `_maximise_concave`.

Objectives follow the convention of `Solution`, which minimises: ``primal_objective`` is
-theta' M theta and ``-dual_objective`` is an upper bound on the maximum. ``variables["weights"]``
is theta. Gaps are relative to the largest entry of M in size; of maxima that are equal up to
round-off, the first one found stays.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, eigvalsh, helmert

from reprolib.methods.shared.kernels import SYMMETRY_TOL
from reprolib.methods.shared.qp import cvxopt
from reprolib.methods.shared.solution import Solution
from reprolib.methods.shared.ties import ARITHMETIC, first_largest

#: Weights up to each of these are taken as zero in turn when an answer is polished on its support.
SUPPORT_TOLS = (1e-7, 1e-5, 1e-3)
#: Curvature, relative to the largest entry, up to which a form counts as concave.
CURVATURE_TOL = 1e-12
#: Weights that sum to one up to this do.
SUM_TOL = 1e-8
#: Of cvxopt, absolute, relative, and for feasibility.
QP_TOL = 1e-12


def solve_stqp_local(M, start, *, max_iter: int = 200, tol: float = ARITHMETIC) -> Solution:
    """Climb from a start to a stationary point, by a sequence of convex QPs (cvxopt).

    M is split into its concave and its convex part on the simplex. Every step linearises the
    convex part at the current point, which bounds the form from below and touches it there, and
    maximises the rest exactly; the objective never decreases. This is what a QP routine started
    at ``start`` does, made reproducible.

    Parameters
    ----------
    M : array-like of shape (p, p)
        Any symmetric matrix.
    start : array-like of shape (p,)
        A point of the simplex.
    max_iter : int
        Largest number of convex programmes that are solved.
    tol : float
        Stop when a step gains at most ``tol`` times the largest entry of M.

    Returns
    -------
    Solution
        ``status`` is "stationary" ("stopped" if ``max_iter`` was reached), never "optimal": the
        upper bound is the largest entry of M, which need not be near. ``info["residual"]`` is the
        first-order residual max_i (M theta)_i - theta' M theta.

    Raises
    ------
    ValueError
        If M is not symmetric and finite, or ``start`` is not on the simplex.

    See Also
    --------
    solve_stqp_global : The certified maximum.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc.stqp import solve_stqp_local
    >>> solution = solve_stqp_local(np.diag([1.0, 2.0]), [0.9, 0.1])
    >>> solution.variables["weights"].round(6).tolist(), solution.status
    ([1.0, 0.0], 'stationary')
    """
    M = _check_form(M)
    theta = np.asarray(start, dtype=np.float64)
    if theta.shape != (len(M),) or theta.min() < 0 or abs(theta.sum() - 1) > SUM_TOL:
        raise ValueError(
            f"start is {start!r}; give {len(M)} nonnegative weights that sum to one, "
            "for example np.full(p, 1 / p)."
        )
    theta = theta / theta.sum()
    scale = _scale(M)
    concave, convex = _split(M / scale)
    status, iterations = "stopped", 0
    while status == "stopped" and iterations < max_iter:
        iterations += 1
        candidate = _maximise_concave(concave, 2 * convex @ theta)
        gain = candidate @ M @ candidate - theta @ M @ theta
        if gain <= tol * scale:
            status = "stationary"
        else:
            theta = candidate
    residual = float(np.max(M @ theta) - theta @ M @ theta)
    return _solution(M, theta, float(M.max()), status, iterations, residual=residual)


def solve_stqp_global(M, *, max_nodes: int = 100_000, tol: float = 1e-9) -> Solution:
    """Maximise any quadratic form over the simplex, by branch and bound on the faces.

    A maximiser of least support lies inside a face on which M is strictly concave (along any
    other direction one can walk to a smaller face without loss). So:

    - a face on which M is concave is one convex QP, bounded by its linearisation at the answer;
    - on any other face no least-support maximiser is inside. Where M is convex along an edge
      (i, j), it lacks i or j: two children. Otherwise it lacks at least one index: one child an
      index, the earlier ones being kept;
    - a face whose kept indices alone are not strictly concave is empty of them;
    - a face is bounded by its largest entry, and by the convex QP after subtracting the largest
      curvature from the diagonal.

    Parameters
    ----------
    M : array-like of shape (p, p)
        Any symmetric matrix. Eleven kernels take some ten milliseconds, twenty up to a second.
    max_nodes : int
        Faces to look at before giving up; the answer then has status "stopped" and a true bound.
    tol : float
        A face is given up when its bound is within ``tol`` times the largest entry of M.

    Raises
    ------
    ValueError
        If M is not symmetric and finite.

    See Also
    --------
    solve_stqp_local : A stationary point near a start.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc.stqp import solve_stqp_global
    >>> solution = solve_stqp_global(np.diag([1.0, 2.0]))
    >>> solution.variables["weights"].round(6).tolist(), solution.status
    ([0.0, 1.0], 'optimal')
    """
    M = _check_form(M)
    scale = _scale(M)
    search = _FaceSearch(M / scale, tol)
    stack: list[tuple[list[int], list[int]]] = [(list(range(len(M))), [])]
    nodes = 0
    while stack and nodes < max_nodes:
        nodes += 1
        stack.extend(search.visit(*stack.pop()))
    bound = max([search.bound, search.best, *(search.entry_bound(face) for face, _ in stack)])
    status = "stopped" if stack else "optimal"
    return _solution(M, search.theta, bound * scale, status, nodes)


class _FaceSearch:
    """State of the branch and bound: the best point, and the largest bound given up so far."""

    def __init__(self, M, tol: float):
        self.M, self.tol = M, tol
        vertex = first_largest(np.diag(M), ARITHMETIC)
        self.theta = np.eye(len(M))[vertex]
        self.best = float(M[vertex, vertex])
        self.bound = -np.inf

    def entry_bound(self, face) -> float:
        return float(self.M[np.ix_(face, face)].max())

    def visit(self, face, kept):
        """Settle a face, or return the (face, kept) pairs into which it is divided."""
        if len(kept) > 1 and _largest_curvature(self.M[np.ix_(kept, kept)]) > CURVATURE_TOL:
            return []
        form = self.M[np.ix_(face, face)]
        if self._give_up(self.entry_bound(face)):
            return []
        curvature = _largest_curvature(form)
        if curvature > CURVATURE_TOL:
            # Divided at the edge along which the form curves up most, if it does along any.
            diagonal = np.diag(form)
            along_edges = diagonal[:, None] + diagonal - 2 * form
            np.fill_diagonal(along_edges, -np.inf)
            edge = np.unravel_index(first_largest(along_edges.ravel(), ARITHMETIC), form.shape)
            if along_edges[edge] >= 0.0:
                i, j = (face[end] for end in edge)
                children = [(_without(face, j), kept), (_without(face, i), [*kept, j])]
                return [(f, k) for f, k in children if set(k) <= set(f)]
        shift = curvature if curvature > CURVATURE_TOL else 0.0
        shifted = form - shift * np.eye(len(face))
        theta = _maximise_concave(shifted, np.zeros(len(face)))
        value = float(theta @ form @ theta)
        if value > self.best + ARITHMETIC:
            self.best = value
            self.theta = np.zeros(len(self.M))
            self.theta[face] = theta
        slope = shifted @ theta
        bound = shift + float(2 * slope.max() - theta @ slope)  # of the linearisation at theta
        if shift == 0.0 or self._give_up(bound):
            self.bound = max(self.bound, min(bound, self.entry_bound(face)))
            return []
        free = [i for i in face if i not in kept]
        return [(_without(face, i), kept + free[:k]) for k, i in enumerate(free)]

    def _give_up(self, bound: float) -> bool:
        if bound <= self.best + self.tol:
            self.bound = max(self.bound, bound)
            return True
        return False


def _check_form(M):
    M = np.asarray(M, dtype=np.float64)
    if M.ndim != 2 or M.shape[0] != M.shape[1] or len(M) == 0:
        raise ValueError(f"M has shape {M.shape}; give the square symmetric matrix of the form.")
    if not np.all(np.isfinite(M)):
        raise ValueError("M has entries that are not finite; look at the kernels behind them.")
    asymmetry = np.abs(M - M.T).max()
    if asymmetry > SYMMETRY_TOL * _scale(M):
        raise ValueError(
            f"M is not symmetric: it differs from its transpose by up to {asymmetry:.3g}. "
            "Pass (M + M.T) / 2, which has the same quadratic form."
        )
    return (M + M.T) / 2


def _scale(M) -> float:
    """Size of the largest entry, or one for a zero matrix."""
    return float(np.abs(M).max()) or 1.0


def _tangent(p: int):
    """Orthonormal basis (p, p - 1) of the vectors whose entries sum to zero."""
    return helmert(p).T


def _largest_curvature(M) -> float:
    """Largest eigenvalue of M on the vectors whose entries sum to zero."""
    Z = _tangent(len(M))
    return float(eigvalsh(Z.T @ M @ Z)[-1])


def _split(M):
    """M as a sum of a part concave and a part convex on the simplex, up to a linear term."""
    p = len(M)
    Z = _tangent(p)
    eigenvalues, vectors = eigh(Z.T @ M @ Z)
    directions = Z @ vectors
    convex = (directions * np.maximum(eigenvalues, 0.0)) @ directions.T
    return M - convex, convex


def _maximise_concave(M, linear):
    """Maximise theta' M theta + linear' theta over the simplex, for M concave there.

    By cvxopt, then by the stationarity equations on the support of its answer, where these give a
    better point.
    """
    p = len(M)
    if p == 1:
        return np.ones(1)
    Z, center = _tangent(p), np.full(p, 1.0 / p)
    options = {"show_progress": False, "abstol": QP_TOL, "reltol": QP_TOL, "feastol": QP_TOL}
    answer = cvxopt.solvers.qp(
        cvxopt.matrix(-2 * Z.T @ M @ Z),
        cvxopt.matrix(-(Z.T @ (2 * M @ center + linear))),
        cvxopt.matrix(-Z),
        cvxopt.matrix(center),
        options=options,
    )
    theta = np.maximum(center + Z @ np.array(answer["x"]).ravel(), 0.0)
    theta /= theta.sum()
    best = theta
    for threshold in SUPPORT_TOLS:
        support = np.flatnonzero(theta > threshold)
        k = len(support)
        kkt = np.zeros((k + 1, k + 1))
        kkt[:k, :k] = 2 * M[np.ix_(support, support)]
        kkt[:k, k] = kkt[k, :k] = 1.0
        on_support = np.linalg.lstsq(kkt, np.append(-linear[support], 1.0), rcond=None)[0][:k]
        if on_support.min() < 0 or abs(on_support.sum() - 1) > SUM_TOL:
            continue
        candidate = np.zeros(p)
        candidate[support] = on_support / on_support.sum()
        if _value(M, linear, candidate) >= _value(M, linear, best):
            best = candidate
    return best


def _value(M, linear, theta) -> float:
    return float(theta @ M @ theta + linear @ theta)


def _without(face, index):
    return [i for i in face if i != index]


def _solution(M, theta, bound: float, status: str, iterations: int, **info) -> Solution:
    return Solution(
        variables={"weights": theta},
        primal_objective=-float(theta @ M @ theta),
        dual_objective=-bound,
        status=status,
        iterations=iterations,
        info=info,
        scale=_scale(M),
    )
