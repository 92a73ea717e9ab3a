"""The hinge LP by what the path falls back on, from scratch for every number of components."""

from reprolib.methods.kpm.hinge_lp import _solve
from reprolib.methods.kpm.hinge_lp._bounded import bounded_single
from reprolib.methods.kpm.hinge_lp._highs import highs_single


def solve_by_highs(V, y, max_components=None, weights=None):
    """As `solve_hinge_lp_path`, by HiGHS."""
    basis = _solve._basis(V, y, max_components, weights)
    solutions = [highs_single(basis, d) for d in range(1, basis.max_components + 1)]
    return _solve._repaired(basis, solutions, (bounded_single,))
