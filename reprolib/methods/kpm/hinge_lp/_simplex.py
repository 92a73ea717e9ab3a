"""Hinge LP for all D by a simplex method that walks from vertex to vertex of the loss."""

from __future__ import annotations

import numba
import numpy as np

from reprolib.methods.kpm.hinge_lp._canonical import hinge_loss
from reprolib.methods.kpm.hinge_lp._least_norm import EPSILON, least_norm_active_set
from reprolib.methods.shared.tolerances import GAP_TOL

#: Tolerance on 0 <= a <= w, relative to w.
FEASIBILITY_TOL = 1e-9
#: Least change of a margin, relative to the largest, at which a point may become basic.
PIVOT_TOL = 1e-7


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _combine(coefficients, rows, out):
    """Sum of coefficient_k times row k, of shape (n,), written to ``out``."""
    out[:] = 0.0
    for k in range(len(coefficients)):
        for i in range(len(out)):
            out[i] += coefficients[k] * rows[k, i]


@numba.njit(cache=True)
def line_search(change, slope, margins, targets, GT, weights, basic, bound, load, steps, points):
    """Minimise the loss along margins + t * change, t >= 0; flip the points that are passed.

    The loss is piecewise linear in t with a kink where a margin reaches its target. The point at
    whose kink the slope stops being negative becomes basic; it and its t are returned, or (-1, 0)
    if there is no kink. ``steps`` and ``points``, of shape (n,), are work space; the rest is as in
    `pivot`.
    """
    largest, count = 0.0, 0
    for i in range(len(margins)):
        largest = max(largest, abs(change[i]))
    for i in range(len(margins)):
        rising = change[i] > 0.0
        if not basic[i] and abs(change[i]) > PIVOT_TOL * largest and (bound[i] > 0.0) == rising:
            points[count] = i
            steps[count] = max(0.0, (targets[i] - margins[i]) / change[i])
            count += 1
    while count > 0:
        nearest = 0
        for k in range(1, count):
            if steps[k] < steps[nearest]:
                nearest = k
        point, step = points[nearest], steps[nearest]
        slope += weights[point] * abs(change[point])
        found = slope >= 0.0 or count == 1
        move = -bound[point] if found else weights[point] - 2.0 * bound[point]
        bound[point] += move
        for k in range(len(load)):
            load[k] += move * GT[k, point]
        if found:
            basic[point] = True
            return point, step
        count -= 1
        points[nearest], steps[nearest] = points[count], steps[count]
    return -1, 0.0


@numba.njit(cache=True)
def _leaving(duals, inverse, basis, weights, best):
    """Place in the basis of the point to release, or -1 if none descends.

    It is the one that descends most steeply. The edge that releases basic point k is column k of
    the inverse; because the coordinates are orthonormal, its length is the root mean square of the
    function along the edge. ``best`` is the square of the least descent worth following.
    """
    row = -1
    for k in range(len(duals)):
        weight = weights[basis[k]]
        violation = max(-duals[k], duals[k] - weight)
        if violation > FEASIBILITY_TOL * weight:
            length = 0.0
            for j in range(len(duals)):
                length += inverse[j, k] ** 2
            if violation**2 > best * length:
                row, best = k, violation**2 / length
    return row


@numba.njit(cache=True)
def pivot(GT, weights, targets, basis, basic, bound, margins, load, inverse, least, n_pivots):
    """Exchange basic points until their dual variables lie in [0, w], at most ``n_pivots`` times.

    Parameters
    ----------
    GT : ndarray of shape (m, n), C-contiguous
        The signed basis, one coordinate a row.
    weights, targets : ndarray of shape (n,)
        Weights of the points, and the margins that they are asked for.
    basis : ndarray of int of shape (m,)
        The basic points; it and all arrays that follow are changed in place.
    basic : ndarray of bool of shape (n,)
        Which points are basic.
    bound : ndarray of shape (n,)
        The dual variables of the other points: 0 or w; 0 for the basic ones.
    margins : ndarray of shape (n,)
        Those of the vertex.
    load : ndarray of shape (m,)
        GT @ bound.
    inverse : ndarray of shape (m, m)
        Of the rows of the basic points.
    least : float
        Square of the least descent worth following.
    n_pivots : int
        Largest number of exchanges.

    Returns
    -------
    int
        The number of exchanges; less than ``n_pivots`` if there is none left to make.
    """
    m, n = GT.shape
    change, steps, points = np.empty(n), np.empty(n), np.empty(n, np.int64)
    row, edge = np.empty(m), np.empty(m)
    for done in range(n_pivots):
        _combine(load, inverse, row)
        for k in range(m):
            row[k] = -row[k]
        leaving = _leaving(row, inverse, basis, weights, least)
        if leaving < 0:
            return done
        point, dual = basis[leaving], row[leaving]
        sign = -1.0 if dual > 0.0 else 1.0
        slope = dual if sign > 0.0 else weights[point] - dual
        for j in range(m):
            edge[j] = sign * inverse[j, leaving]
        _combine(edge, GT, change)
        entering, step = line_search(
            change, slope, margins, targets, GT, weights, basic, bound, load, steps, points
        )
        if entering < 0:
            return done
        for i in range(n):
            margins[i] += step * change[i]
        basic[point] = False
        bound[point] = weights[point] if sign < 0.0 else 0.0
        basis[leaving] = entering
        for j in range(m):
            load[j] += bound[point] * GT[j, point]
            edge[j] = GT[j, entering]
        # Update the inverse: the row ``edge`` replaces that of the leaving point.
        _combine(edge, inverse, row)
        divisor = row[leaving]
        row[leaving] -= 1.0
        for j in range(m):
            scale = inverse[j, leaving] / divisor
            for k in range(m):
                inverse[j, k] -= scale * row[k]
    return n_pivots


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
        The signed basis, one coordinate a row.
    weights : ndarray of shape (n,)
        Weight of each point.
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
