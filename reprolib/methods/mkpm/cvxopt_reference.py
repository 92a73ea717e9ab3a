"""The linear programme of one bit of MKPM with the hinge loss, in cvxopt.

Takerkart and Ralaivola (CVPR 2011), eq. (13) with the hinge loss, for the code word y_l in {-1, 1}
of bit l, functions psi_1, ..., psi_d of the nested family, and an intercept b (the paper leaves
it open; a hinge loss without one could not tell an uneven bit from a constant)::

    G_l(d) =  minimum over c in R^d, b and xi in R^N of   (1/N) sum_i xi_i
              subject to   y_il (sum_j c_j psi_j(x_i) + b) >= 1 - xi_i,   xi_i >= 0.

The paper's eq. (36) and (42) drop the factor 1/N of (13), and (16) has a stray 1/L: neither changes
a minimiser. With psi in place of V it is the programme of the Kernel Projection Machine,
N G_l(d), whose twenty lines of cvxopt are `reprolib.methods.kpm.cvxopt_reference.hinge_lp`. Here it
is solved for every bit and every d, from d = 0, the intercept alone. How the bits share the
dimensions (eq. (11)) is no linear programme and stays with `solve_allocation`.

Where G_l(d) is zero, many functions attain it. cvxopt's is inside of the set of optima, that of
`solve_hinge_lp_path` has the least sum of squares: risks agree, and decisions need not.
"""

from __future__ import annotations

from reprolib.methods.kpm.cvxopt_reference import solve_hinge_lp_cvxopt
from reprolib.methods.mkpm._bases import Basis
from reprolib.methods.mkpm._losses import solved_paths
from reprolib.methods.mkpm._paths import BitPaths


def hinge_paths_cvxopt(basis: Basis, targets) -> tuple[BitPaths, float]:
    """Predictors of all bits in all dimensions, each by its own linear programme.

    Parameters
    ----------
    basis : Basis
        The functions psi at the training points.
    targets : ndarray of shape (n, L), of -1 and 1
        Code words of the examples, one bit a column.

    Returns
    -------
    paths : BitPaths
        Coefficients, intercepts and risks G_l(d).
    gap : float
        Largest duality gap, relative to the loss at zero.
    """
    return solved_paths(basis, targets, solve_hinge_lp_cvxopt)
