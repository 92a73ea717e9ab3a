"""The dual quadratic programme of the simplex SVMs, by an interior-point method (large C).

Problem: as in `kronecker_bcd`, over A of shape (n, T),

    minimise   1/2 trace(A' K A G) - sum(B * A)   subject to   0 <= A <= U.

With multipliers P >= 0 of A >= 0 and Q >= 0 of A <= U, the optimum has K A G - B = P - Q and
P * A = Q * (U - A) = 0. A step of Newton's method towards P * A = Q * (U - A) = mu solves

    (D + K (x) G) dA = R,   D = P / A + Q / (U - A),

an n T x n T system, by conjugate gradients. Descent needs ever more epochs the larger C is; here
the number of steps hardly depends on C.

The preconditioner has L L' in place of K, with a factor L of r columns: the data of a linear
kernel (of wide data, the first principal components), or some columns of a pivoted Cholesky factor.
The diagonal that they miss is added to D. In the class vectors V = L'A G, which sum to zero over
the classes, its inverse falls apart into T systems of size r that share one multiplier:
O(n r^2 T + r^3 T) a step.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotri

from reprolib.methods.simplex.gram_access import FeatureGram
from reprolib.methods.simplex.kronecker_qp import times_code_gram

#: Columns of L at the start, and at most: more are taken where conjugate gradients are slow.
FIRST_RANK, LARGEST_RANK = 100, 1000
#: Of wide data, the principal components at the start; narrower data are a factor themselves.
FIRST_COMPONENTS = 200
#: Conjugate gradient steps in one solve, at most.
LONGEST_SOLVE = 300
#: Time of an operation in conjugate gradients over that of one in the preconditioner's matrices.
SLOWER = 1.5
#: Relative residual at which the two solves of a step stop.
PRECISIONS = (1e-1, 3e-2)
#: The same for wide data: with all columns, one step was more precise than asked for.
WIDE_PRECISIONS = (1e-2, 3e-3)
#: Duality gap, in sums of complementarity, above which a step lowers the error of the last solves
#: and not that sum.
LARGEST_EXCESS = 10.0
#: The same, above which the corrector is solved more precisely, in proportion.
USUAL_EXCESS = 0.4
#: A row of L is left out of a class where D makes it smaller than this.
NEGLIGIBLE = 1e-3
#: Least entry of D in the preconditioner: with less, round-off would make it indefinite.
SMALLEST = 1e-6
#: The method stops after this many Newton steps without a smaller gap: the rest is round-off.
PATIENCE = 10
#: Share of the way to the boundary that a step takes.
STEP_SHARE = 0.99
#: The start lies at least this part of the way from a bound to the centre, if no gradient holds it.
INWARDS = 0.1
#: The method stops where its own gap is this part of the whole one: the rest lies elsewhere.
LEFT = 0.1


class FactoredGram:
    """A block of K as products and as a low-rank factor, whose columns are made when needed.

    Parameters
    ----------
    gram : StoredGram, KernelGram or FeatureGram
        K, with a diagonal of at most about 1.
    rows : ndarray of int
        The examples of the block.
    """

    def __init__(self, gram, rows):
        self.diagonal = gram.diagonal[rows]
        if isinstance(gram, FeatureGram) and gram.is_thin:
            X = gram.X[rows]
            self.is_wide = X.shape[1] > FIRST_COMPONENTS
            self.first_rank = min(X.shape[1], FIRST_COMPONENTS)
            self.times = lambda Z: X @ (X.T @ Z)
            self.price = 2 * X.size
            if self.is_wide:
                X = X @ eigh(X.T @ X, check_finite=False)[1][:, ::-1]
            self._columns = lambda rank: X
        else:
            K = gram.block(rows)
            self.is_wide, self.first_rank = False, FIRST_RANK
            self.times = lambda Z: K @ Z
            self.price = K.size
            pivoted = LeadingColumns(K)
            self._columns = pivoted.first

    def is_worth_doubling(self, rank: int, steps: int) -> bool:
        """Whether so many steps in one of two solves cost more than twice as many columns would."""
        n = len(self.diagonal)
        of_steps = 2 * steps * (2 * self.price + 4 * n * rank + 4 * rank**2)
        return SLOWER * of_steps > 3 * n * rank**2 + 7 * rank**3

    def leading(self, rank: int):
        """First columns of L, and the diagonal of K that they miss."""
        L = np.ascontiguousarray(self._columns(min(rank, LARGEST_RANK))[:, :rank])
        return L, np.maximum(self.diagonal - np.einsum("ij,ij->i", L, L), 0.0)


class LeadingColumns:
    """Columns of the Cholesky factor L of K that takes the largest diagonal entry next.

    `reprolib.methods.shared.kernels.pivoted_cholesky` has them all at once, where here most
    problems need a hundred only.
    """

    def __init__(self, K):
        self._K, self._left = K, np.diagonal(K).copy()
        self._smallest = len(K) * np.finfo(float).eps * self._left.max(initial=0.0)
        self._L, self._is_exact = np.zeros((len(K), 0), order="F"), False

    def first(self, rank: int):
        """L of at most so many columns, with K - L L' semidefinite; fewer where they are exact."""
        done, rank = self._L.shape[1], min(rank, len(self._K))
        if done >= rank or self._is_exact:
            return self._L[:, :rank]
        L = np.zeros((len(self._K), rank), order="F")
        L[:, :done] = self._L
        for k in range(done, rank):
            pivot = int(np.argmax(self._left))
            if self._left[pivot] <= self._smallest:
                self._is_exact, L = True, L[:, :k]
                break
            L[:, k] = (self._K[pivot] - L[:, :k] @ L[pivot, :k]) / np.sqrt(self._left[pivot])
            self._left -= L[:, k] ** 2
            self._left[pivot] = 0.0
        self._L = L
        return L


class _Preconditioner:
    """Inverse of D + (L L' + missing diagonal) (x) G, but for negligible rows.

    The systems are solved by their Cholesky factors. The inverses would be as quick, but where L L'
    is all of K, and weights 1 / D reach 1e6, their round-off makes the solves fail.
    """

    def __init__(self, L, missing, D, open_entries):
        n_classes, rank = D.shape[1], L.shape[1]
        self.L = L
        self.weights = np.zeros_like(D)
        np.divide(
            1.0, np.maximum(D + missing[:, None], SMALLEST), out=self.weights, where=open_entries
        )
        lengths = np.einsum("ij,ij->i", L, L)
        self.factors, inverses = [], np.zeros((rank, rank))
        for weights in self.weights.T:
            rows = np.nonzero(weights * lengths > NEGLIGIBLE)[0]
            scaled = L[rows] * np.sqrt(weights[rows])[:, None]
            block = scaled.T @ scaled
            block.flat[:: rank + 1] += (n_classes - 1) / n_classes
            self.factors.append(_factorised(block)[0])
            inverses += _lower_inverse(self.factors[-1])
        self.shared = _factorised(inverses)

    def __call__(self, R):
        scaled = self.weights * R
        products = scaled.T @ self.L
        multiplier = cho_solve(self.shared, self._apart(products).sum(axis=0), check_finite=False)
        return scaled - self.weights * (self.L @ self._apart(products - multiplier).T)

    def _apart(self, products):
        """Solve the system of every class; LAPACK's `dpotrs` would take three times as long."""
        pairs = zip(self.factors, products, strict=True)
        halves = ((factor, dtrsv(factor, row, lower=1)) for factor, row in pairs)
        return np.stack([dtrsv(factor, half, lower=1, trans=1) for factor, half in halves])


def _factorised(matrix):
    return cho_factor(matrix, lower=True, check_finite=False)


def _lower_inverse(factor):
    """Lower triangle of the inverse of a matrix, of its Cholesky factor."""
    inverse, failed = dpotri(factor, lower=1)
    if failed:
        raise LinAlgError("the inverse of an indefinite matrix")
    return inverse


class _Iterate:
    """A with its multipliers: P and Q as ``slacks``, A and U - A as ``rooms``, shape (2, n, T).

    Where there is no bound, the slack is zero and the room one.
    """

    SIGNS = np.array([1.0, -1.0])[:, None, None]

    def __init__(self, gram: FactoredGram, B, U, start, centre, mu: float):
        self.gram, self.B = gram, B
        self.open = U > 0.0
        self.live = np.stack([self.open, self.open & np.isfinite(U)])
        gradient = times_code_gram(gram.times(start)) - B
        signed = np.maximum(self.SIGNS * gradient, 0.0)
        least = mu / (signed + mu / (INWARDS * centre))
        upper = np.where(np.isfinite(U), U, np.inf)
        self.A = np.where(self.open, np.clip(start, least[0], upper - least[1]), 0.0)
        self.rooms = np.where(self.live, np.stack([self.A, U - self.A]), 1.0)
        self.slacks = np.where(self.live, mu / self.rooms, 0.0)
        self.product = times_code_gram(gram.times(self.A))
        if start is not centre:  # from the centre, P - Q = K A G - B at once took more steps
            missing = np.maximum(-self.SIGNS * self.residual(), 0.0)
            self.slacks = np.where(self.live, self.slacks + missing, 0.0)

    def complementarity(self) -> float:
        """Sum of the products of slack and room: the duality gap if K A G - B = P - Q."""
        return float(np.sum(self.slacks * self.rooms))

    def own_gap(self) -> float:
        """Duality gap of these entries with the best multipliers, P - Q = K A G - B.

        Where there is no bound, for as much room above A as below.
        """
        gradient = np.where(self.open, self.product - self.B, 0.0)
        room = np.where(self.live[1], self.rooms[1], self.A)
        return float(np.sum(np.where(gradient > 0.0, gradient * self.A, -gradient * room)))

    def residual(self):
        """B - K A G + P - Q."""
        return self.B - self.product + np.sum(self.SIGNS * self.slacks, axis=0)

    def newton_diagonal(self):
        """Diagonal of the Newton system."""
        return np.sum(self.slacks / self.rooms, axis=0)

    def direction(self, solve, target, precision):
        """Newton's step to slacks * rooms = target: dA, changes of slacks and rooms, CG steps."""
        missing = np.where(self.live, target - self.slacks * self.rooms, 0.0)
        right = self.residual() + np.sum(self.SIGNS * missing / self.rooms, axis=0)
        dA, steps = solve(np.where(self.open, right, 0.0), precision)
        of_slacks = (missing - self.SIGNS * self.slacks * dA) / self.rooms
        of_rooms = np.where(self.live, self.SIGNS * dA, 0.0)
        return dA, of_slacks, of_rooms, steps

    def longest_step(self, of_slacks, of_rooms) -> float:
        """How far slacks and rooms stay nonnegative, at most 1."""
        longest = 1.0
        for values, changes in ((self.slacks, of_slacks), (self.rooms, of_rooms)):
            falling = self.live & (changes < 0.0)
            longest = min(longest, np.min(-values[falling] / changes[falling], initial=1.0))
        return float(longest)

    def advance(self, dA, of_slacks, of_rooms, step: float):
        """Move, and evaluate K A G afresh."""
        self.A = self.A + step * dA
        self.slacks = self.slacks + step * of_slacks
        self.rooms = self.rooms + step * of_rooms
        self.product = times_code_gram(self.gram.times(self.A))


def minimise_interior_point(
    gram: FactoredGram, B, U, start, centre, mu, *, is_part, gap, tol, max_iter
):
    """Minimise by Mehrotra's predictor and corrector, with inexact Newton steps.

    Parameters
    ----------
    gram : FactoredGram
        K with a diagonal of at most about 1.
    B, U : ndarray of shape (n, T)
        Linear term of the objective, and upper bounds of A (its lower bounds are zero).
    start : ndarray of shape (n, T)
        Where to begin, within the bounds; it is moved inwards, by more the larger ``mu`` is.
    centre : ndarray of shape (n, T)
        Strictly between the bounds where U > 0, and never passed on the way inwards.
    mu : float
        Product of slack and room to begin with: the duality gap of the start over their number.
    is_part : bool
        Whether there are multipliers elsewhere, which may be what the gap comes from.
    gap : callable
        (A, K A G) -> certified duality gap and the objective that it is relative to, both in the
        units of this programme.
    tol : float
        Stop when |gap| <= tol * objective, or when no more is left to gain here.
    max_iter : int
        Newton steps.

    Returns
    -------
    A : ndarray of shape (n, T)
        The iterate with the smallest gap.
    iterations : int
        Newton steps made.
    """
    at = _Iterate(gram, B, U, start, centre, mu)
    best, smallest, least, since, rank = at.A, np.inf, np.inf, 0, gram.first_rank
    for iteration in range(max_iter):
        value, objective = gap(at.A, at.product)
        relative = abs(value) / objective if objective > 0.0 else np.inf
        if relative < smallest:
            best, smallest = at.A, relative
        least, since = (abs(value), 0) if abs(value) < least else (least, since + 1)
        left = at.complementarity()
        if smallest <= tol or since > PATIENCE or not np.isfinite(value) or left == 0.0:
            return best, iteration
        own = at.own_gap() if is_part else abs(value)
        if own <= LEFT * abs(value):
            return best, iteration
        try:
            steps = _newton_step(at, rank, own / left)
        except LinAlgError:  # round-off has made the system indefinite, or zero
            return best, iteration
        if rank < LARGEST_RANK and gram.is_worth_doubling(rank, steps):
            rank *= 2
    return best, max_iter


def _newton_step(at: _Iterate, rank: int, excess: float) -> int:
    """Move by a predictor and a corrector; return the conjugate gradient steps of the latter.

    ``excess`` is the duality gap over the sum of P * A + Q * (U - A). If it is large, it is the
    error of the last solves that counts: this one is to be more precise, and the sum stays.
    """
    L, missing = at.gram.leading(rank)
    D, mu = at.newton_diagonal(), at.complementarity() / np.count_nonzero(at.live)
    preconditioner = _Preconditioner(L, missing, D, at.open)

    scale = np.sqrt(D + at.gram.diagonal[:, None] + SMALLEST)

    def times(Z):
        return np.where(at.open, D * Z + times_code_gram(at.gram.times(Z)), 0.0)

    def solve(right, precision):
        return _conjugate_gradients(times, preconditioner, right, precision, scale)

    for_predictor, for_corrector = WIDE_PRECISIONS if at.gram.is_wide else PRECISIONS
    _, of_slacks, of_rooms, _ = at.direction(solve, 0.0, for_predictor)
    step = at.longest_step(of_slacks, of_rooms)
    ahead = (at.slacks + step * of_slacks) * (at.rooms + step * of_rooms)
    share = 1.0 if excess > LARGEST_EXCESS else (np.mean(ahead, where=at.live) / mu) ** 3
    target, precision = (
        share * mu - of_slacks * of_rooms,
        for_corrector / np.clip(excess / USUAL_EXCESS, 1.0, LARGEST_EXCESS),
    )
    dA, of_slacks, of_rooms, steps = at.direction(solve, target, precision)
    at.advance(dA, of_slacks, of_rooms, STEP_SHARE * at.longest_step(of_slacks, of_rooms))
    return steps


def _conjugate_gradients(times, preconditioner, right, precision, scale):
    """Solve until the residual over ``scale`` is a share ``precision`` of the right-hand side.

    ``scale`` is the root of the diagonal of the system. The norm of the preconditioner would not
    do: where D is small, it is round-off.

    Returns
    -------
    solution : ndarray of shape (n, T)
        Where the residual is small enough.
    steps : int
        How many were made.

    Raises
    ------
    LinAlgError
        If round-off leaves no direction to go.
    """
    solution, residual = np.zeros_like(right), right
    direction = preconditioner(residual)
    aim, steps = precision * np.linalg.norm(right / scale), 0
    while steps < LONGEST_SOLVE and np.linalg.norm(residual / scale) > aim:
        image = times(direction)
        curvature = np.sum(direction * image)
        if curvature == 0.0:
            raise LinAlgError("the curvature along a direction underflows")
        length = np.sum(residual * direction) / curvature
        solution = solution + length * direction
        residual = residual - length * image
        improved = preconditioner(residual)
        share = np.sum(improved * image) / curvature
        direction = improved - share * direction
        steps += 1
    return solution, steps
