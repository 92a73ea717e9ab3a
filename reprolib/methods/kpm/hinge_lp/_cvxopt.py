"""Hinge LP for one D by cvxopt's interior-point method, with the slacks eliminated."""

from __future__ import annotations

import cvxopt
import numpy as np
from cvxopt import solvers
from scipy.linalg import qr, solve_triangular

from reprolib.methods.kpm.hinge_lp._certificate import RawAnswer, certify
from reprolib.methods.kpm.nested_basis import NestedBasis

OPTIONS = {
    "show_progress": False,
    "abstol": 1e-9,
    "reltol": 1e-9,
    "feastol": 1e-9,
    "maxiters": 100,
    "refinement": 1,
}
#: Interior points stop short of the bounds of a; see `canonical_optimum`.
DUAL_TOL = 1e-5


def cvxopt_single(basis: NestedBasis, n_components: int):
    """Solve for one number of components.

    In the coordinates c and slacks xi: minimise w'xi subject to -xi <= 0 and
    -xi - S'c <= -1 with S the signed basis; `conelp` sees that constraint matrix only as an
    operator. It says "unknown" when the last Newton systems are singular to working precision,
    as they often are at a degenerate optimum; the duality gap then decides.

    Returns
    -------
    Solution
        Not yet checked: the caller looks at status and gap.
    """
    signed = np.ascontiguousarray(basis.signed[: basis.size(n_components)])
    m, n = signed.shape
    result = solvers.conelp(
        cvxopt.matrix(np.concatenate([np.zeros(m), basis.weights])),
        _constraint_operator(signed),
        cvxopt.matrix(np.concatenate([np.zeros(n), -np.ones(n)])),
        dims={"l": 2 * n, "q": [], "s": []},
        kktsolver=_slack_eliminating_kkt(signed),
        options=OPTIONS,
    )
    if result["x"] is None:
        answer = RawAnswer(np.zeros(m), np.zeros(n), result["status"], result["iterations"])
    else:
        x, z = np.array(result["x"]).ravel(), np.array(result["z"]).ravel()
        status = "optimal" if result["status"] == "unknown" else result["status"]
        answer = RawAnswer(x[:m], z[n:], status, result["iterations"])
    return certify(basis, [n_components], [answer], "cvxopt", DUAL_TOL)[0]


def _constraint_operator(signed):
    """G of G x <= h, as the function that `conelp` calls: v := alpha G u (or G'u) + beta v."""
    m, n = signed.shape

    def operator(u, v, alpha=1.0, beta=0.0, trans="N"):
        source, target = np.asarray(u).ravel(), np.asarray(v)
        if trans == "N":
            slack = source[m:]
            product = np.concatenate([-slack, -slack - source[:m] @ signed])
        else:
            product = np.concatenate([-signed @ source[n:], -source[:n] - source[n:]])
        target[:, 0] = alpha * product + beta * target[:, 0]

    return operator


def _slack_eliminating_kkt(signed):
    """KKT solver of `conelp` in O(n m^2): the slacks leave an m by m positive definite system.

    With d1, d2 the scalings of the two blocks of constraints, its matrix is
    S diag(1 / (d1^2 + d2^2)) S'. The other unknowns are written without differences of nearly
    equal numbers, and the matrix is never formed but factorised by QR.
    """
    m, n = signed.shape

    def factor(W):
        d = np.array(W["d"]).ravel()
        s1, s2 = d[:n] ** 2, d[n:] ** 2
        total = s1 + s2
        R = qr((signed / np.sqrt(total)).T, mode="r", check_finite=False)[0][:m]
        if not np.abs(np.diagonal(R)).min() > 0.0:
            raise ArithmeticError("singular KKT system")

        def solve(x, y, z):
            bx, bz = np.asarray(x), np.asarray(z)
            b_slack, b1, b2 = bx[m:, 0].copy(), bz[:n, 0].copy(), bz[n:, 0].copy()
            right = bx[:m, 0] - signed @ ((b2 - b1 + s1 * b_slack) / total)
            c = solve_triangular(R, solve_triangular(R, right, trans="T"))
            target = b2 + c @ signed
            bx[:m, 0] = c
            bx[m:, 0] = (s1 * s2 * b_slack - s2 * b1 - s1 * target) / total
            bz[:n, 0] = -d[:n] * (s2 * b_slack - (target - b1)) / total
            bz[n:, 0] = -d[n:] * (s1 * b_slack + (target - b1)) / total

        return solve

    return factor
