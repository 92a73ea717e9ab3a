"""The dual quadratic programme of the simplex SVMs, by exact block coordinate descent.

Problem: over A of shape (n, T), one coefficient per example and class,

    minimise   1/2 trace(A' K A G) - sum(B * A)   subject to   0 <= A <= U,

with K the n x n Gram matrix and G = T/(T-1) I - 11'/(T-1) the inner products of the T simplex
code words, so that the Hessian is the Kronecker product K (x) G. SC-SVM and SH-SVM (with and
without the convex-hull constraint) are this problem with different B and U (`simplex_svm`). An
entry with U = 0 is fixed at zero.

One block is a row a of A, the T coefficients of one example; with k = K_ii it is the small
programme

    minimise over 0 <= a <= u   1/2 k a' G a - b' a,

whose Hessian is diagonal but for a rank-one term: given S = sum(a) the optimum is
a_q(S) = clip(((T-1) b_q / k + S) / T, 0, u_q), and sum(a(S)) - S is a decreasing piecewise
linear function with one root, found by bracketed Newton steps of O(T). Solving the block exactly
matters: coordinate by coordinate, the direction in which all classes move together converges at
the rate 1 - 1/T^2.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from reprolib.methods.simplex.kronecker_qp import times_code_gram

#: Of the largest diagonal entry of K: an example with less has no curvature to divide by.
FLAT = 1e-200
#: A root is reached where the next step is no larger than this part of it.
ROOT_TOL = 1e-15
#: A block's step is as long as if its curvature were divided by this. Any number below 2 goes
#: down; this one takes three quarters of the sweeps that 1 takes.
RELAXATION = 1.6
#: Visits of every example of a working set, at least and at most: the smaller the set, the less
#: they cost beside its rows of K.
SWEEPS = (5, 40)
#: The pace is that of the last rounds, and too slow if so many more would not reach the tolerance.
LOOK_BACK, MOST_ROUNDS = 15, 120
#: Visits after which the products with K are brought up to date, and how many columns at once: so
#: many rows and columns of K stay in the processor's cache.
TOGETHER, TILE = 8, 512
#: Epochs on features between two looks at the gap, which costs as much as one.
EPOCHS = 10
#: An example violates optimality if it does so by this part of the worst.
SMALLEST_VIOLATION = 1e-3


@njit(cache=True)
def minimise_block(b, k, u, a):
    """Overwrite a with the minimiser of 1/2 k a'Ga - b'a over 0 <= a <= u (module docstring)."""
    n_classes = len(a)
    scale = (n_classes - 1) / k
    low, total, high = 0.0, a.sum(), u.sum()
    for _ in range(4 * n_classes + 60):
        image, slope = 0.0, 0.0
        for q in range(n_classes):
            value = (scale * b[q] + total) / n_classes
            if value >= u[q]:
                image += u[q]
            elif value > 0.0:
                image += value
                slope += 1.0
        if image > total:
            low = total
        else:
            high = total
        if slope < n_classes:
            step = (image - total) / (1.0 - slope / n_classes)
        else:  # Without a bound in the way the two differ by a constant: there is no root nearby.
            step = 2.0 * (image - total) + total if high == np.inf else (low + high) / 2.0 - total
        if abs(step) <= ROOT_TOL * total:
            break
        total += step
        if total < low or total > high:
            total = (low + high) / 2.0
    for q in range(n_classes):
        value = (scale * b[q] + total) / n_classes
        a[q] = min(max(value, 0.0), u[q])


@njit(cache=True)
def _sweeps(K, B, U, A, F, order):
    """Visit the examples in order; A and F = (K A)' are kept up to date.

    F is changed once for `TOGETHER` visits, which know of each other by the entries of K.
    """
    n_classes = A.shape[1]
    a, b = np.empty(n_classes), np.empty(n_classes)
    deltas = np.empty((n_classes, TOGETHER))
    changed = np.empty((n_classes, TOGETHER), np.int64)
    n_changed = np.zeros(n_classes, np.int64)
    for first in range(0, len(order), TOGETHER):
        n_changed[:] = 0
        for i in order[first : first + TOGETHER]:
            k = K[i, i] / RELAXATION
            if k <= FLAT:
                continue
            for q in range(n_classes):
                b[q] = F[q, i] - k * A[i, q]
                for c in range(n_changed[q]):
                    b[q] += deltas[q, c] * K[i, changed[q, c]]
            total = b.sum()
            for q in range(n_classes):
                b[q] = B[i, q] - (n_classes * b[q] - total) / (n_classes - 1)
                a[q] = A[i, q]
            minimise_block(b, k, U[i], a)
            for q in range(n_classes):
                if a[q] != A[i, q]:
                    deltas[q, n_changed[q]] = a[q] - A[i, q]
                    changed[q, n_changed[q]] = i
                    n_changed[q] += 1
                    A[i, q] = a[q]
        for start in range(0, F.shape[1], TILE):
            columns = slice(start, start + TILE)
            for q in range(n_classes):
                _add_rows(F[q, columns], K, changed[q, : n_changed[q]], deltas[q], columns)


@njit(cache=True, fastmath={"contract"})
def _add_rows(f, K, rows, deltas, columns):
    """Add multiples of some rows of K, in these columns, to f; four at once."""
    c = 0
    while c + 4 <= len(rows):
        d0, d1, d2, d3 = deltas[c], deltas[c + 1], deltas[c + 2], deltas[c + 3]
        k0, k1 = K[rows[c], columns], K[rows[c + 1], columns]
        k2, k3 = K[rows[c + 2], columns], K[rows[c + 3], columns]
        for j in range(len(f)):
            f[j] += d0 * k0[j] + d1 * k1[j] + d2 * k2[j] + d3 * k3[j]
        c += 4
    for left in range(c, len(rows)):
        delta, row = deltas[left], K[rows[left], columns]
        for j in range(len(f)):
            f[j] += delta * row[j]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _linear_row(X, norms, B, U, A, Z, Zsum, i, row):
    """Solve the block of example i, update Z = X'A, its sum over classes, and A."""
    n_classes, p = Z.shape
    k = norms[i]
    if k <= FLAT:
        return 0.0
    common = 0.0
    for j in range(p):
        common += Zsum[j] * X[i, j]
    own = A[i].sum()
    for q in range(n_classes):
        product = 0.0
        for j in range(p):
            product += Z[q, j] * X[i, j]
        others = (n_classes * (product - k * A[i, q]) - (common - k * own)) / (n_classes - 1)
        row[0, q] = B[i, q] - others
        row[1, q] = A[i, q]
    minimise_block(row[0], k, U[i], row[1])
    change, total = 0.0, 0.0
    for q in range(n_classes):
        delta = row[1, q] - A[i, q]
        if delta != 0.0:
            A[i, q] = row[1, q]
            total += delta
            change = max(change, abs(delta))
            for j in range(p):
                Z[q, j] += delta * X[i, j]
    if total != 0.0:
        for j in range(p):
            Zsum[j] += total * X[i, j]
    return change * np.sqrt(k)


@njit(cache=True)
def _linear_sweep(X, norms, B, U, A, Z, order, idle):
    """Visit the examples in order; ``idle`` counts their visits without change."""
    row = np.empty((2, A.shape[1]))
    Zsum = Z.sum(axis=0)
    for i in order:
        change = _linear_row(X, norms, B, U, A, Z, Zsum, i, row)
        idle[i] = 0 if change > 0.0 else idle[i] + 1


def descend(gram, B, U, *, gap, tol, max_iter, seed=0, until_slow=True):
    """Minimise by sweeps over working sets: the examples that violate optimality.

    A round takes the violators, all if their rows of K have room, else half the worst and half
    drawn from the others; it visits each of them some times in random orders, and updates
    K A by one product of matrices. Memory O(n m + n T) for m of them.

    The order has to be random. In a fixed one the sweeps hardly get on where all entries of K are
    positive, as those of a Gaussian kernel are: after one second on 1,000 rows in ten classes,
    the relative gap was 0.8 in place of 0.05.

    Parameters
    ----------
    gram : StoredGram or KernelGram
        K, with a diagonal of at most about 1.
    B, U : ndarray of shape (n, T)
        Linear term of the objective, and upper bounds of A (its lower bounds are zero).
    gap : callable
        (A, K A G) -> certified duality gap and the objective that it is relative to.
    tol : float
        Stop when |gap| <= tol * objective; a gap below zero is round-off.
    max_iter : int
        Largest number of rounds.
    seed : int
        Of the order, and of what is drawn from the violators.
    until_slow : bool
        Stop also when the gap falls so slowly that `MOST_ROUNDS` more would not do.

    Returns
    -------
    A : ndarray of shape (n, T)
        Inside its bounds.
    product : ndarray of shape (n, T)
        K A G.
    iterations : int
        Rounds made.
    """
    rng = np.random.default_rng(seed)
    diagonal = gram.diagonal
    A, F = _start(diagonal, B, U), np.zeros(B.shape[::-1])
    gaps: list[float] = []
    while True:
        scores = times_code_gram(F.T)
        value, objective = gap(A, scores)
        done = abs(value) <= tol * objective or len(gaps) == max_iter
        gaps.append(abs(value) / objective if objective > 0.0 else np.inf)
        if done or (until_slow and _is_slow(gaps, tol)):
            return A, scores, len(gaps) - 1
        violation = _block_violation(A, scores - B, U) * (diagonal > FLAT)
        chosen = _working_set(violation, gram.most_rows, rng)
        n_sweeps = int(np.clip(len(A) // max(len(chosen), 1), *SWEEPS))
        if 2 * len(chosen) > len(A) and gram.most_rows == len(A):  # K as it is, without a copy
            visits = np.concatenate([rng.permutation(chosen) for _ in range(n_sweeps)])
            _sweeps(gram.K, B, U, A, F, visits)
            continue
        visits = np.concatenate([rng.permutation(len(chosen)) for _ in range(n_sweeps)])
        rows = gram.rows(chosen)
        K = np.ascontiguousarray(rows[:, chosen])
        inside = np.ascontiguousarray((K @ A[chosen]).T)
        target = B[chosen] - times_code_gram(F.T[chosen] - inside.T)
        changed = A[chosen]
        _sweeps(K, target, U[chosen], changed, inside, visits)
        F += (changed - A[chosen]).T @ rows
        A[chosen] = changed


def descend_on_features(gram, B, U, *, gap, tol, max_iter, seed=0):
    """Minimise for K = X X' with Z = X'A (p x T) in place of K A; O(n p T) an epoch.

    Between two checks of the gap, examples whose row did not change in three visits are left out.
    Parameters and returned values are those of `descend`; an iteration is an epoch.
    """
    X, A, rng, epochs = gram.X, _start(gram.diagonal, B, U), np.random.default_rng(seed), 0
    while True:
        product = times_code_gram(gram.times(A))
        value, objective = gap(A, product)
        if abs(value) <= tol * objective or epochs == max_iter:
            return A, product, epochs
        Z = np.ascontiguousarray(A.T @ X)
        active, idle = np.arange(len(X)), np.zeros(len(X), dtype=np.int64)
        for _ in range(min(EPOCHS, max_iter - epochs)):
            _linear_sweep(X, gram.diagonal, B, U, A, Z, rng.permutation(active), idle)
            active = active[idle[active] < 3]
            epochs += 1


def _is_slow(gaps: list[float], tol: float) -> bool:
    """Whether the pace of the last rounds would take more than `MOST_ROUNDS` to the tolerance."""
    if len(gaps) <= 2 * LOOK_BACK:
        return False
    before, now = min(gaps[:-LOOK_BACK]), min(gaps)
    digits = np.log(before / now) / LOOK_BACK if now > 0.0 and np.isfinite(before) else 0.0
    return np.log(now / tol) > MOST_ROUNDS * digits


def _start(diagonal, B, U):
    """Zero, but at the bound where the example has no curvature (a zero row)."""
    A = np.zeros(B.shape)
    flat = (diagonal <= FLAT)[:, None] & (B > 0) & np.isfinite(U)
    A[flat] = U[flat]
    return A


def _block_violation(A, gradient, U):
    """Largest violation of the optimality conditions in every row."""
    down = np.where(A > 0, gradient, 0.0)
    up = np.where(A < U, -gradient, 0.0)
    return np.maximum(np.maximum(down, up).max(axis=1), 0.0)


def _working_set(violation, size, rng):
    """The violators; of more than ``size``, half the worst and half drawn from the others."""
    violators = np.nonzero(violation > SMALLEST_VIOLATION * violation.max(initial=0.0))[0]
    if len(violators) <= size:
        return violators
    worst = violators[np.argsort(-violation[violators], kind="stable")[: size // 2]]
    others = np.setdiff1d(violators, worst)
    drawn = rng.choice(others, size - len(worst), replace=False)
    return np.sort(np.concatenate([worst, drawn]))
