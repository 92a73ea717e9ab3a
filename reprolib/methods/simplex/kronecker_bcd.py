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

from reprolib.methods.shared.weights import power_of_two
from reprolib.methods.simplex.kronecker_qp import times_code_gram

#: Of the largest diagonal entry of K: an example with less has no curvature to divide by.
FLAT = 1e-200
#: A root is reached where the next step is no larger than this part of it.
ROOT_TOL = 1e-15


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


@njit(cache=True)
def _gram_sweeps(columns, B, U, A, F, n_sweeps, tol):
    """Block descent on a small Gram matrix, given by columns; F = (K A)' is kept up to date."""
    n, n_classes = A.shape
    b = np.empty(n_classes)
    a = np.empty(n_classes)
    for _ in range(n_sweeps):
        largest = 0.0
        for i in range(n):
            k = columns[i, i]
            if k <= FLAT:
                continue
            total, own = F[:, i].sum(), A[i].sum()
            for q in range(n_classes):
                others = n_classes * (F[q, i] - k * A[i, q]) - (total - k * own)
                b[q] = B[i, q] - others / (n_classes - 1)
                a[q] = A[i, q]
            minimise_block(b, k, U[i], a)
            for q in range(n_classes):
                delta = a[q] - A[i, q]
                if delta != 0.0:
                    A[i, q] = a[q]
                    largest = max(largest, abs(delta) * k)
                    for j in range(n):
                        F[q, j] += delta * columns[i, j]
        if largest <= tol:
            break


def descend_on_features(X, B, U, *, gap, tol, max_iter, seed=0, epochs_per_check=10):
    """Solve the programme for a linear kernel: Z = X'A (p x T) is kept, not K; O(n p T) an epoch.

    Between two checks of the gap, examples whose row did not change in three visits are left out.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        K = X X'.
    B, U : ndarray of shape (n, T)
        Linear term of the objective, and upper bounds of A (its lower bounds are zero).
    gap : callable
        (A, K A G) -> certified duality gap and the objective that it is relative to.
    tol : float
        Stop when |gap| <= tol * objective; a gap below zero is round-off.
    max_iter : int
        Largest number of epochs.
    seed : int
        Order of the examples.
    epochs_per_check : int
        The gap, which costs as much as an epoch, is looked at after so many.

    Returns
    -------
    A : ndarray of shape (n, T)
        The solution, inside its bounds.
    iterations : int
        Epochs made.
    """
    unit = power_of_two(np.abs(X).max(initial=0.0))
    X, U = np.ascontiguousarray(X / unit), U * unit**2
    norms = np.einsum("ij,ij->i", X, X)
    A = _start(norms, B, U)
    rng = np.random.default_rng(seed)
    epochs = 0
    while epochs < max_iter:
        Z = np.ascontiguousarray(A.T @ X)
        active, idle = np.arange(len(X)), np.zeros(len(X), dtype=np.int64)
        for _ in range(min(epochs_per_check, max_iter - epochs)):
            _linear_sweep(X, norms, B, U, A, Z, rng.permutation(active), idle)
            active = active[idle[active] < 3]
            epochs += 1
        value, objective = gap(A / unit**2, times_code_gram(X @ (X.T @ A)))
        if abs(value) <= tol * objective:
            break
    return A / unit**2, epochs


def descend_on_working_sets(
    gram_rows, diagonal, B, U, *, gap, tol, max_iter, seed=0, block_size=256
):
    """Solve the programme for any kernel: exact descent on working sets, rows of K on demand.

    Every outer iteration takes the ``block_size`` examples of which half violate optimality the
    most and half are drawn from the remaining violators, evaluates their rows of K, solves the
    programme restricted to them by block coordinate descent, and updates F = K A by one matrix
    product. Memory O(n block_size + n T); the Gram matrix is never needed as a whole.

    Parameters
    ----------
    gram_rows : callable
        (indices) -> K[indices], shape (m, n).
    diagonal : ndarray of shape (n,)
        Diagonal of K.
    B, U : ndarray of shape (n, T)
        Linear term of the objective, and upper bounds of A (its lower bounds are zero).
    gap : callable
        (A, K A G) -> certified duality gap and the objective that it is relative to.
    tol : float
        Stop when |gap| <= tol * objective; a gap below zero is round-off.
    max_iter : int
        Largest number of outer iterations.
    seed : int
        Seed of what is drawn from the violators.
    block_size : int
        Examples in a working set.

    Returns
    -------
    A : ndarray of shape (n, T)
        The solution, inside its bounds.
    product : ndarray of shape (n, T)
        K A G.
    iterations : int
        Number of iterations made.
    """
    rng = np.random.default_rng(seed)
    unit = power_of_two(np.max(diagonal, initial=0.0))
    diagonal, U = diagonal / unit, U * unit
    A, F = _start(diagonal, B, U), np.zeros(B.shape)
    iterations = 0
    while iterations < max_iter:
        scores = times_code_gram(F)
        value, objective = gap(A / unit, scores)
        if abs(value) <= tol * objective:
            break
        violation = _block_violation(A, scores - B, U) * (diagonal > FLAT)
        chosen = _working_set(violation, block_size, rng)
        rows = gram_rows(chosen) / unit
        local_K = np.ascontiguousarray(rows[:, chosen])
        local_A = A[chosen].copy()
        inside = local_K @ local_A
        target = B[chosen] - times_code_gram(F[chosen] - inside)
        columns, inside = np.ascontiguousarray(local_K.T), np.ascontiguousarray(inside.T)
        _gram_sweeps(columns, target, U[chosen], local_A, inside, 50, 0.1 * violation.max())
        F += rows.T @ (local_A - A[chosen])
        A[chosen] = local_A
        iterations += 1
    return A / unit, times_code_gram(F), iterations


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


def _working_set(violation, block_size, rng):
    """Half the worst violators, half drawn among the others that violate, sorted."""
    violators = np.nonzero(violation > 0)[0]
    if len(violators) <= block_size:
        return violators
    worst = violators[np.argsort(-violation[violators], kind="stable")[: block_size // 2]]
    others = np.setdiff1d(violators, worst)
    drawn = rng.choice(others, block_size - len(worst), replace=False)
    return np.sort(np.concatenate([worst, drawn]))
