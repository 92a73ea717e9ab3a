"""The simplex SVMs by descent, and by an interior-point method on what it leaves open.

Descent (`kronecker_bcd`) is quick as long as its gap falls by a good part in every round. Where it
does not, because K is smooth or C is large, it still has told most multipliers that stay at a
bound: those whose gradient holds them there. The others are the *open* ones. An interior-point
method (`kronecker_ipm`) goes on from the last point with these, on their examples alone, and its
steps are certified for all examples. Multipliers that turn out to be held by a bound no more are
opened, too, until the certificate holds. On the hull all are open.
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.shared.solution import Solution
from reprolib.methods.simplex.gram_access import FeatureGram, Gram
from reprolib.methods.simplex.kronecker_bcd import descend
from reprolib.methods.simplex.kronecker_ipm import FactoredGram, minimise_interior_point
from reprolib.methods.simplex.kronecker_qp import times_code_gram
from reprolib.methods.simplex.svm_solver import GAP_TOL, SimplexSVMDual, certify_multipliers

#: A gradient holds a multiplier at its bound if it is so many relative gaps of their mean.
HELD = 5.0
#: With a larger relative gap the point of the descent tells nothing, and the centre is the start.
COLD = 1.0


def solve_simplex_svm(
    dual: SimplexSVMDual, gram: Gram, *, tol=GAP_TOL, max_iter=2000, seed=0
) -> Solution:
    """Solve by descent, and from where it is slow by an interior-point method.

    Parameters
    ----------
    dual : SimplexSVMDual
        The programme to solve, with its certificate.
    gram : StoredGram, KernelGram or FeatureGram
        The Gram matrix.
    tol : float
        Duality gap relative to the primal objective.
    max_iter : int
        Iterations of both methods together.
    seed : int
        Order of the examples in the descent.

    Returns
    -------
    Solution
        As of `svm_solver.solve_simplex_svm_cvxopt`, the certificate being that of all examples.
    """
    unit, B = gram.unit, dual.B
    U = unit * dual.U

    def gap(A, product):
        return unit * np.array(dual.gap(A / unit, product))

    settings = {"gap": gap, "tol": tol, "seed": seed}
    A, product, used = descend(gram, B, U, max_iter=min(max_iter, gram.most_rounds), **settings)
    value, objective = gap(A, product)
    is_open = (U > 0.0) & isinstance(gram, FeatureGram)  # whose steps cost little more for all
    best, smallest, failed, is_cold = A, abs(value), False, False
    while abs(value) > tol * objective and used < max_iter:
        gradient = product - B
        surely = HELD * abs(value) / objective * np.mean(np.abs(gradient), where=U > 0.0)
        held = ((A <= 0.0) & (gradient > surely)) | ((A >= U) & (gradient < -surely))
        held &= np.isfinite(U)  # on the hull the gap does not tell which multipliers it comes from
        if failed and is_cold:
            break
        is_open |= (U > 0.0) & (failed | ~held)
        is_cold = failed or abs(value) > COLD * objective or isinstance(gram, FeatureGram)
        rows = np.nonzero(is_open.any(axis=1))[0]
        if not gram.fits(len(rows)):
            best, _, used = descend(gram, B, U, max_iter=max_iter, until_slow=False, **settings)
            break
        A, steps = _minimise_open(
            dual, gram, (U, A, product), is_open, rows, is_cold, gap, tol, max_iter - used
        )
        used += steps
        product = times_code_gram(gram.times(A))
        value, objective = gap(A, product)
        failed = abs(value) >= smallest
        if not failed:
            best, smallest = A, abs(value)
    product = times_code_gram(gram.times(best))
    return certify_multipliers(dual, best / unit, product, used, tol)


def _minimise_open(dual, gram, at, is_open, rows, is_cold, gap, tol, max_iter):
    """Minimise over the open entries, which are in these rows, from A with ``product`` = K A G."""
    U, A, product = at
    factored = FactoredGram(gram, rows)
    start, is_open = np.where(is_open[rows], A[rows], 0.0), is_open[rows]
    of_start = times_code_gram(factored.times(start))

    def whole(Z):
        """A of all examples."""
        changed = A.copy()
        changed[rows] = np.where(is_open, Z, A[rows])
        return changed

    def gap_of_all(Z, _):
        changed = whole(Z)
        return gap(changed, product + times_code_gram(gram.times(changed - A)))

    inside, target = np.where(is_open, U[rows], 0.0), dual.B[rows] - (product[rows] - of_start)
    centre = np.where(is_open, 0.5 * gram.unit * np.minimum(dual.U, dual.C)[rows], 1.0)
    n_bounds = np.count_nonzero(is_open) + np.count_nonzero(is_open & np.isfinite(inside))
    mu = abs(gap(A, product)[0]) / n_bounds
    if is_cold:
        begin = np.where(is_open, centre, 0.0)
        gradient = times_code_gram(factored.times(begin)) - target
        mu = np.mean(np.abs(gradient), where=is_open) * np.min(
            centre, where=is_open, initial=np.inf
        )
    else:
        begin = start
    Z, steps = minimise_interior_point(
        factored,
        target,
        inside,
        begin,
        centre,
        mu,
        is_part=np.count_nonzero(is_open) < np.count_nonzero(U),
        gap=gap_of_all,
        tol=tol,
        max_iter=max_iter,
    )
    return whole(Z), steps
