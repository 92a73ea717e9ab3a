"""Hinge LP for all D by a simplex method that walks from vertex to vertex of the loss."""

from __future__ import annotations

import numpy as np

from reprolib.methods.kpm.hinge_lp._canonical import hinge_loss
from reprolib.methods.kpm.hinge_lp._least_norm import EPSILON, least_norm_active_set
from reprolib.methods.kpm.hinge_lp._pivots import line_search, pivot
from reprolib.methods.shared.tolerances import GAP_TOL

#: Least descent worth following, relative to sum w, for a step of root mean square one.
SLOPE_TOL = 1e-13
#: Of the targets, see `perturbed_targets`.
PERTURBATION = 1e-7
PIVOTS_PER_FACTORISATION = 40
MAX_PIVOTS_PER_COORDINATE = 20


class _Walk:
    """A vertex of the hinge loss in the first m coordinates, and the ways to the next one.

    Parameters
    ----------
    GT : ndarray of shape (n_coordinates, n), C-contiguous
    weights : ndarray of shape (n,)
    """

    def __init__(self, GT, weights):
        n = len(weights)
        self.rows, self.weights = GT, weights
        self.GT, self.inverse = GT[:0], np.zeros((0, 0))
        self.basis, self.basic = np.zeros(0, np.int64), np.zeros(n, np.bool_)
        #: Dual variables of the points that are not basic: 0 or w.
        self.bound = weights.astype(np.float64)
        self.margins = np.zeros(n)

    def add_coordinate(self, targets) -> bool:
        """Bring in a point by a line search along the new coordinate, basic margins held fixed.

        False if no margin changes along it.
        """
        m, n = len(self.GT) + 1, len(self.weights)
        c = np.append(self.inverse @ targets[self.basis], 0.0)
        direction = np.append(-self.inverse @ self.rows[m - 1, self.basis], 1.0)
        self.GT = self.rows[:m]
        margins, change = c @ self.GT, direction @ self.GT
        slope = -float(change @ self.bound)
        sign = -1.0 if slope > 0.0 else 1.0
        for way in (sign, -sign):
            entering, _ = line_search(
                way * change,
                way * slope,
                margins,
                targets,
                self.GT,
                self.weights,
                self.basic,
                self.bound,
                np.zeros(m),
                np.empty(n),
                np.empty(n, np.int64),
            )
            if entering >= 0:
                self.basis = np.append(self.basis, entering)
                return True
        return False

    def pivot_to_optimum(self, targets) -> int:
        """Exchange basic points until their dual variables lie in [0, w]; count the exchanges.

        The basis matrix is factorised afresh from time to time.
        """
        least, count = (SLOPE_TOL * float(self.weights.sum())) ** 2, 0
        while count < MAX_PIVOTS_PER_COORDINATE * len(self.GT):
            self.inverse = np.linalg.inv(self.GT[:, self.basis].T)
            self.margins = (self.inverse @ targets[self.basis]) @ self.GT
            done = pivot(
                self.GT,
                self.weights,
                targets,
                self.basis,
                self.basic,
                self.bound,
                self.margins,
                self.GT @ self.bound,
                self.inverse,
                least,
                PIVOTS_PER_FACTORISATION,
            )
            count += done
            if done < PIVOTS_PER_FACTORISATION:
                break
        return count

    def start_from(self, margins):
        """Let the dual variables of the other points be those of given margins."""
        self.bound = np.where((margins < 1.0) & ~self.basic, self.weights, 0.0)

    def vertex(self):
        """Coordinates and dual variables of the basis, with one step of refinement each."""
        c, duals = np.zeros(len(self.GT)), self.bound.copy()
        block = self.GT[:, self.basis]
        for _ in range(2):
            c += self.inverse @ (1.0 - c @ block)
        for _ in range(2):
            duals[self.basis] -= (self.GT @ duals) @ self.inverse
        return c, duals


def simplex_path(GT, weights, targets, tol):
    """Vertices that minimise the hinge loss in the first m coordinates, for m = 1, 2, ...

    A vertex is a basis of m points with margin one, found from that of m - 1 coordinates: the new
    coordinate brings in a point by a line search, then points whose dual variable lies outside
    [0, w] leave, the one of steepest descent first. The line search passes all kinks up to the
    minimum along its edge (the bound-flipping ratio test of the dual simplex method; Barrodale
    and Roberts' rule in L1 regression). The targets 1 + 1e-7 u_i in place of 1 keep tied vertices
    apart; if their optimum is not that of the targets 1, pivoting goes on with these.

    Where the loss is zero the classes are separable, also in all further coordinates: the point
    stays, and its dual point is zero. Just before that, vertices may be too ill-conditioned for
    their gap to close. Then the shortest separating point is looked for, which ends the path too.

    Parameters
    ----------
    GT : ndarray of shape (m, n), C-contiguous
        The signed basis, `NestedBasis.signed`.
    weights : ndarray of shape (n,)
        Positive weights of the points.
    targets : ndarray of shape (n,)
        The perturbed targets, `perturbed_targets`.
    tol : float
        Relative duality gap above which pivoting goes on with the targets 1.

    Returns
    -------
    coordinates : ndarray of shape (m, m)
        Row k holds the coordinates of the optimum in the first k + 1.
    duals : ndarray of shape (m, n)
        Row k holds the dual point of that optimum; zeros where the classes are separable.
    pivots : ndarray of shape (m,)
        Number of exchanges; zero where the path has ended.
    support : ndarray of int
        Where the path has ended, points to start the search for the shortest separating point
        from: those that determine it, where it was looked for, else the basis. Else empty.
    """
    size, n = GT.shape
    coordinates, duals = np.zeros((size, size)), np.zeros((size, n))
    pivots, support = np.zeros(size, np.int64), np.zeros(0, np.int64)
    walk, total = _Walk(GT, weights), float(weights.sum())
    for m in range(1, size + 1):
        if not walk.add_coordinate(targets):
            break
        pivots[m - 1] = walk.pivot_to_optimum(targets)
        c, a = walk.vertex()
        loss = hinge_loss(walk.GT, weights, c)
        if abs(loss - a.sum()) > tol * total:
            walk.start_from(c @ walk.GT)
            pivots[m - 1] += walk.pivot_to_optimum(np.ones(n))
            c, a = walk.vertex()
            loss = hinge_loss(walk.GT, weights, c)
        if abs(loss - a.sum()) > GAP_TOL * total:
            rows = np.ascontiguousarray(walk.GT.T)
            point, support, solved = least_norm_active_set(rows, np.ones(n), walk.basis)
            c = point if solved else c
            loss = hinge_loss(walk.GT, weights, c)
        coordinates[m - 1, :m], duals[m - 1] = c, a
        if loss <= (tol + EPSILON * np.linalg.norm(c)) * total:
            coordinates[m:, :m], duals[m - 1 :] = c, 0.0
            support = support if len(support) else walk.basis
            break
    return coordinates, duals, pivots, support


def perturbed_targets(n: int):
    """Targets 1 + 1e-7 u_i, u_i the fractional part of i times the golden ratio."""
    return 1.0 + PERTURBATION * np.modf(np.arange(1, n + 1) * (np.sqrt(5.0) - 1.0) / 2.0)[0]
