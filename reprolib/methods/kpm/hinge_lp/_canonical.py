"""The one optimum of the hinge LP that is reported: the one of least mean square."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy.linalg import qr, qr_delete
from scipy.linalg.lapack import dtrtrs

from reprolib.methods.shared.tolerances import ROUND_OFF

#: Rise of the loss, relative to sum w, up to which a candidate is still an optimum.
LOSS_TOL = 1e-10
#: Distances to a bound, relative to w, up to which a dual variable is tried as at the bound.
SNAP_TOLS = (1e-2, 1e-4, 1e-6, 1e-8)
NO_GUESS = np.empty(0, dtype=np.int64)
#: Relative to the largest diagonal entry of R, in the rank of the rows that hold with equality.
RANK_TOL = 1e-10


def canonical_optimum(signed, weights, coordinates, dual, dual_tol, guess=NO_GUESS):
    """Optimum of least mean square, among all that share the optimal value.

    The optimum is not unique where the loss reaches zero (separable data), or where a dual
    variable of a basic point is zero or w. Every dual optimum a describes the whole optimal face
    by complementary slackness: margin = 1 where 0 < a_i < w_i, >= 1 where a_i = 0, <= 1 where
    a_i = w_i. Of its points the one of least ||c|| is taken, that is, the decision function of
    least sum_i w_i f(x_i)^2. It is unique, does not depend on the solver, on the order of the
    points or on duplicates being merged into weights, and for separable data it is a
    hard-margin classifier.

    Dual variables of an ill-conditioned vertex are off by 1e-6 and more, and one that is wrongly
    taken for free makes the face smaller. So variables near a bound are first taken as at it. That
    can only enlarge the set, so that its least-norm point, if it is an optimum, is the one sought;
    if it is not, a narrower tolerance is tried.

    Parameters
    ----------
    signed : ndarray of shape (m, n)
        Signed orthonormal basis, see `NestedBasis`.
    weights : ndarray of shape (n,)
        Positive weights w of the points.
    coordinates : ndarray of shape (m,)
        An optimum.
    dual : ndarray of shape (n,)
        A dual optimum.
    dual_tol : float
        A dual variable within ``dual_tol * w`` of a bound is at the bound, by the tolerances of
        the solver.
    guess : ndarray of int, optional
        Points whose margin may be what keeps the answer from being shorter, such as those of one
        component less. It saves time and changes nothing else.

    Returns
    -------
    coordinates : ndarray of shape (m,)
        The optimum of least norm.
    found : bool
        False if the face could not be resolved numerically; the optimum is then returned as it
        was given.
    active : ndarray of int
        Points whose margin keeps the answer from being shorter.
    """
    tolerances = [tol for tol in SNAP_TOLS if tol > dual_tol] + [dual_tol]
    before, tried = hinge_loss(signed, weights, coordinates), None
    for tol in tolerances:
        at_zero, at_weight = dual <= tol * weights, dual >= (1.0 - tol) * weights
        sides = at_weight.astype(int) - at_zero.astype(int)
        if tried is not None and np.array_equal(sides, tried):
            continue
        tried = sides
        # The candidate is the least-norm point of margins = 1 where sides is 0, >= 1 where it is
        # -1 and <= 1 where it is 1: a particular point of the equations, and a part of their null
        # space that the inequalities determine.
        points, particular, null = np.flatnonzero(sides), np.zeros(len(signed)), None
        if len(points) < len(sides):
            particular, null = _affine_solution(np.ascontiguousarray(signed[:, sides == 0].T))
        candidate, active = particular, NO_GUESS
        if null is None or null.shape[1]:
            along = signed if null is None else null.T @ signed
            sign = -sides[points].astype(float)
            H = np.ascontiguousarray((sign * along[:, points]).T)
            h = sign * (1.0 - (particular @ signed)[points])
            guessed = np.searchsorted(points, guess[sides[guess] != 0])
            t, rows, solved = least_norm_active_set(H, h, guessed)
            if not solved:
                continue
            candidate, active = t if null is None else particular + null @ t, points[rows]
        round_off = ROUND_OFF * weights.sum() * np.linalg.norm(candidate)
        allowed = LOSS_TOL * weights.sum() + round_off
        if hinge_loss(signed, weights, candidate) <= before + allowed:
            return candidate, True, active
    return coordinates, False, NO_GUESS


def _affine_solution(rows):
    """Least-norm solution of rows @ c = 1 and an orthonormal basis of the null space of rows."""
    m = rows.shape[1]
    if len(rows) == m:
        with suppress(np.linalg.LinAlgError):
            return np.linalg.solve(rows, np.ones(m)), np.zeros((m, 0))
    Q, R, _ = qr(rows.T, pivoting=True, check_finite=False)
    diagonal = np.abs(np.diagonal(R))
    rank = int(np.count_nonzero(diagonal > RANK_TOL * diagonal[0]))
    triangle = R[:rank, :rank]
    particular = Q[:, :rank] @ np.linalg.solve(triangle.T, np.ones(rank))
    return particular, Q[:, rank:]


def hinge_loss(signed, weights, coordinates):
    """Weighted hinge loss of a point."""
    return weights @ np.maximum(1.0 - coordinates @ signed, 0.0)


EPSILON = float(np.finfo(np.float64).eps)
#: A row depends on the active ones if less than this part of it lies outside of their span.
DEPENDENT_TOL = 1e-11
#: Violation, in units of the terms of h - H t, below which a dependent row is no contradiction.
CONTRADICTION_TOL = 1e-9
#: Where less than this share of a row's squared length is outside of the span of the active rows,
#: the whole length is used: round-off must not bring a row of the span to the front.
NEAR_SPAN_TOL = 1e-6
TINY = float(np.finfo(np.float64).tiny)
MAX_STEPS_PER_ROW = 10


class _ActiveRows:
    """The rows that hold with equality, factorised: H[rows]' = Q' R.

    Parameters
    ----------
    H : ndarray of shape (p, k)
    h : ndarray of shape (p,)
    """

    Q: np.ndarray
    R: np.ndarray

    def __init__(self, H, h):
        self.H, self.h = H, h
        self.squares_of_rows = np.einsum("ij,ij->i", H, H)
        self.sizes = np.sqrt(self.squares_of_rows)
        self.rows, self.u = np.zeros(0, np.int64), np.zeros(0)
        self.Q, self.R = np.zeros((0, H.shape[1])), np.zeros((0, 0))
        #: The least-norm point with H t = h in the active rows is t = H[rows]' u.
        self.t = np.zeros(H.shape[1])
        #: Squared lengths of what of the rows lies outside of the span of the active ones.
        self.squares = self.squares_of_rows.copy()

    def start(self, guess):
        """Make the guessed rows active, without those that depend on others or pull wrongly."""
        rows = guess
        while len(rows):
            diagonal = np.abs(np.diagonal(np.linalg.qr(self.H[rows].T, mode="r")))
            dependent = diagonal <= DEPENDENT_TOL * self.sizes[rows[: len(diagonal)]]
            if not dependent.any():
                break
            rows = rows[np.arange(len(rows)) != np.argmax(dependent)]
        self.rows = rows[: self.H.shape[1]]
        if len(self.rows) == 0:
            return
        Q, self.R = np.linalg.qr(self.H[self.rows].T)
        self.Q = Q.T
        self.solve()
        while self.u.min(initial=0.0) < 0.0:
            while self.u.min(initial=0.0) < 0.0:
                self._remove(int(np.argmin(self.u)))
                along = _solve_upper(self.R, self.h[self.rows], transposed=1)
                self.u = _solve_upper(self.R, along)
            self.solve()
        parts = self.H @ self.Q.T
        self.squares -= np.einsum("ij,ij->i", parts, parts)

    def _split(self, row):
        """Q row, what of the row lies outside of the span of Q, and the latter's length."""
        outside, along = self.H[row], np.zeros(len(self.rows))
        for _ in range(2):
            part = self.Q @ outside
            along, outside = along + part, outside - part @ self.Q
        return along, outside, np.sqrt(outside @ outside)

    def _remove(self, position):
        """Take one active row out of the factors; return the direction that leaves the span."""
        others = np.arange(len(self.rows)) != position
        self.rows, self.u = self.rows[others], self.u[others]
        turn, R = qr_delete(np.eye(len(others)), self.R, position, which="col", check_finite=False)
        Q = turn.T @ self.Q
        self.Q, self.R = Q[:-1], R[:-1]
        return Q[-1]

    def solve(self):
        """Compute t and u from the factors, t refined once."""
        self.t = np.zeros(len(self.t))
        for _ in range(2):
            residual = self.h[self.rows] - self.H[self.rows] @ self.t
            self.t += _solve_upper(self.R, residual, transposed=1) @ self.Q
        self.u = _solve_upper(self.R, self.Q @ self.t)

    def farthest(self):
        """Violated row whose bound is farthest from t, or -1; its violation in units of its terms.

        Only violations beyond round-off count.
        """
        violation = self.h - self.H @ self.t
        size = np.abs(self.h) + self.sizes * np.sqrt(self.t @ self.t)
        violation[violation <= 8.0 * EPSILON * size] = 0.0
        violation[self.rows] = 0.0
        outside = self.squares > NEAR_SPAN_TOL * self.squares_of_rows
        squares = np.where(outside, self.squares, self.squares_of_rows)
        row = int(np.argmax(violation**2 / np.maximum(squares, TINY)))
        return (row, violation[row] / size[row]) if violation[row] > 0.0 else (-1, 0.0)

    def add(self, row) -> bool:
        """Walk to the least-norm point that satisfies a violated row as well.

        Active rows whose multiplier falls to zero on the way are released. False if the row
        contradicts them.
        """
        multiplier = 0.0
        while True:
            along, outside, length = self._split(row)
            rates = _solve_upper(self.R, along)
            # The first multiplier that falls to zero on the way, and how far that is.
            steps = np.full(len(self.u), np.inf)
            np.divide(self.u, rates, out=steps, where=rates > 0.0)
            leaving, step = -1, np.inf
            if (steps < np.inf).any():
                leaving = int(np.argmin(steps))
                step = float(steps[leaving])
            independent = len(self.rows) < len(self.t) and length > DEPENDENT_TOL * self.sizes[row]
            if independent:
                whole = (self.h[row] - self.H[row] @ self.t) / length**2
                if whole <= step:
                    leaving, step = -1, whole
                self.t = self.t + step * outside
            elif leaving < 0:
                return False
            self.u = np.maximum(0.0, self.u - step * rates)
            multiplier += step
            if leaving < 0:
                n = len(self.rows)
                R = np.zeros((n + 1, n + 1))
                R[:n, :n], R[:n, n], R[n, n] = self.R, along, length
                self.R, self.Q = R, np.concatenate([self.Q, (outside / length)[np.newaxis]])
                self.rows = np.concatenate([self.rows, [row]])
                self.u = np.concatenate([self.u, [multiplier]])
                self.squares -= (self.H @ self.Q[-1]) ** 2
                return True
            self.squares += (self.H @ self._remove(leaving)) ** 2


def _solve_upper(R, right, transposed=0):
    """Solve R x = right, or R' x = right."""
    return dtrtrs(R, right, trans=transposed)[0] if len(R) else right


def least_norm_active_set(H, h, guess):
    """Solve min ||t|| subject to H t >= h, from a guess of the rows that hold with equality.

    The dual method of Goldfarb and Idnani (Mathematical Programming 27, 1983) for the identity as
    Hessian. A point that is the least-norm one for its active rows takes up the violated row whose
    bound is farthest, and releases active rows whose multiplier becomes zero on the way, until no
    row is violated beyond round-off. Every such walk makes the point longer, so that no set of
    active rows comes back. The distance is measured along steps on which the active rows stay at
    their bounds (steepest edge). Where the rows barely admit a point, this takes a half to a
    quarter of the walks that the largest violation takes.

    Parameters
    ----------
    H : ndarray of shape (p, k)
        One inequality a row.
    h : ndarray of shape (p,)
        Their right-hand sides.
    guess : ndarray of int
        Rows that may hold with equality; an empty guess starts at zero.

    Returns
    -------
    t : ndarray of shape (k,)
        The least-norm point.
    active : ndarray of int
        Rows with a positive multiplier, which hold with equality.
    solved : bool
        False if the rows contradict each other, or after too many steps.
    """
    active = _ActiveRows(H, h)
    active.start(guess)
    exact = True
    for _ in range(MAX_STEPS_PER_ROW * sum(H.shape)):
        row, violation = active.farthest()
        if row < 0 and exact:
            return active.t, active.rows, True
        if row < 0:
            active.solve()
        elif not active.add(row):
            return active.t, active.rows[:0], violation <= CONTRADICTION_TOL
        exact = row < 0
    return active.t, active.rows[:0], False
