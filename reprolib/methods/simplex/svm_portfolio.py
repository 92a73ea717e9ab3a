"""The simplex SVMs by descent, and by an interior-point method on what it leaves open.

Descent (`kronecker_bcd`) is quick as long as its gap falls by a good part in every round. Where it
does not, because K is smooth or C is large, it still has told most multipliers that stay at a
bound: those whose gradient holds them there. The others are the *open* ones. An interior-point
method (`kronecker_ipm`) goes on from the last point with these, on their examples alone, and its
steps are certified for all examples. Multipliers that turn out to be held by a bound no more are
opened, too, until the certificate holds. On the hull all are open.

With a linear kernel a visit costs O(p T) in place of O(n T), and few epochs tell the examples that
f leaves out. The interior-point method solves the programme of the others from its centre;
examples that then violate their constraints are added.
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.shared.solution import Solution
from reprolib.methods.simplex.gram_access import FeatureGram, Gram
from reprolib.methods.simplex.kronecker_bcd import EPOCHS, descend, descend_on_features
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
    solve = _solve_on_features if isinstance(gram, FeatureGram) else _solve_with_kernel
    A, used = solve(dual, gram, tol, max_iter, seed)
    return certify_multipliers(dual, A / gram.unit, times_code_gram(gram.times(A)), used, tol)


def _solve_on_features(dual, gram, tol, max_iter, seed):
    """Linear kernel: few epochs, then the programme of the examples that they do not leave out."""
    gap, settings = _gap_in_units(dual, gram.unit), {"tol": tol, "seed": seed}
    A, product, used = descend_on_features(
        gram, dual.B, gram.unit * dual.U, gap=gap, max_iter=min(max_iter, EPOCHS), **settings
    )
    value, objective = gap(A, product)
    best, smallest, inner_tol, rows = A, abs(value), 0.5 * tol, np.empty(0, dtype=int)
    while abs(value) > tol * objective and used < max_iter:
        rows = np.union1d(rows, np.nonzero(dual.needed_examples(A, product))[0])
        if not gram.fits(len(rows)):
            best, _, used = descend_on_features(
                gram, dual.B, gram.unit * dual.U, gap=gap, max_iter=max_iter, **settings
            )
            break
        part, factored = dual.restricted(rows), FactoredGram(gram, rows)
        upper, of_part = gram.unit * part.U, _gap_in_units(part, gram.unit)
        centre = _centre(part, gram.unit, upper > 0.0)
        Z, steps = minimise_interior_point(
            factored,
            part.B,
            upper,
            centre,
            centre,
            _mean_product(factored, part.B, centre, upper > 0.0),
            is_part=False,
            gap=of_part,
            tol=inner_tol,
            max_iter=max_iter - used,
        )
        A, used = np.zeros(A.shape), used + steps
        A[rows] = Z
        product = times_code_gram(gram.times(A))
        value, objective = gap(A, product)
        if abs(value) < smallest:
            best, smallest = A, abs(value)
        left, of = of_part(Z, times_code_gram(factored.times(Z)))
        if abs(left) > inner_tol * of:
            break
        inner_tol *= 0.5
    return best, used


def _solve_with_kernel(dual, gram, tol, max_iter, seed):
    """Any kernel: descent as long as it is quick, then the programme of the open multipliers."""
    gap, B, U = _gap_in_units(dual, gram.unit), dual.B, gram.unit * dual.U
    settings = {"gap": gap, "tol": tol, "max_iter": max_iter, "seed": seed}
    A, product, used = descend(gram, B, U, **settings)
    value, objective = gap(A, product)
    is_open = np.zeros(U.shape, dtype=bool)
    best, smallest, failed, is_cold = A, abs(value), False, False
    while abs(value) > tol * objective and used < max_iter and not (failed and is_cold):
        gradient, relative = product - B, abs(value) / objective
        surely = HELD * relative * np.mean(np.abs(gradient), where=U > 0.0)
        free = ((A > 0.0) | (gradient <= surely)) & ((A < U) | (gradient >= -surely))
        is_open |= (U > 0.0) & (failed | free | np.isinf(U))  # on the hull the gap tells nothing
        is_cold = failed or relative > COLD
        rows = np.nonzero(is_open.any(axis=1))[0]
        if not gram.fits(len(rows)):
            best, _, used = descend(gram, B, U, until_slow=False, **settings)
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
    return best, used


def _gap_in_units(dual, unit):
    """Duality gap and objective of A for K / unit."""
    return lambda A, product: unit * np.array(dual.gap(A / unit, product))


def _centre(dual, unit, is_open):
    """Half way between the bounds; of two where there is none, C. One where it does not count."""
    return np.where(is_open, 0.5 * unit * np.minimum(dual.U, dual.C), 1.0)


def _mean_product(factored, target, centre, is_open):
    """Product of slack and room to begin with at the centre."""
    gradient = times_code_gram(factored.times(np.where(is_open, centre, 0.0))) - target
    least = np.min(centre, where=is_open, initial=np.inf)
    return np.mean(np.abs(gradient), where=is_open) * least


def _minimise_open(dual, gram, at, is_open_all, rows, is_cold, gap, tol, max_iter):
    """Minimise over the open entries, which are in these rows, from A with ``product`` = K A G."""
    U, A, product = at
    factored = FactoredGram(gram, rows)
    is_open = is_open_all[rows]
    start = np.where(is_open, A[rows], 0.0)
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
    centre = _centre(dual, gram.unit, is_open_all)[rows]
    if is_cold:
        begin, mu = centre, _mean_product(factored, target, centre, is_open)
    else:
        n_bounds = np.count_nonzero(is_open) + np.count_nonzero(is_open & np.isfinite(inside))
        begin, mu = start, abs(gap(A, product)[0]) / n_bounds
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
