"""The linear programme of the Kernel Projection Machine as the paper states it, in cvxopt.

Blanchard, Massart, Vert and Zwald (NIPS 2004), eq. (10)-(11), with the weights w_i of the examples
(ones in the paper), for unit eigenvectors V_1, ..., V_D of the Gram matrix::

    minimise over beta in R^D, b and xi in R^n   sum_i w_i xi_i
    subject to   y_i (sum_j beta_j V_j(i) + b) >= 1 - xi_i,   xi_i >= 0       for every i.

The multipliers a_i of the first constraints solve its dual::

    maximise over a   sum_i a_i   subject to   0 <= a_i <= w_i,
                      sum_i a_i y_i V_j(i) = 0 for j = 1, ..., D,   sum_i a_i y_i = 0.

The functions sum_j beta_j V_j + b are what counts, and not the columns that span them: where
cvxopt would meet columns that are nearly dependent, it is given orthonormal ones of the same span.

Where several functions have the least loss, as on separable data (loss zero), an interior-point
method ends inside of the set of optima, and `solve_hinge_lp_path` gives the one of least
sum_i w_i f(x_i)^2. Then only the losses of the two agree.

Where only huge functions come near the optimum, and round-off leaves no certificate of it,
`solve_hinge_lp_path` gives the best function within 2e5 margins, and says so in ``info["bound"]``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reprolib.methods.kpm.hinge_lp._certificate import is_certified, nearly_feasible, require_path
from reprolib.methods.kpm.nested_basis import ROUND_OFF, NestedBasis
from reprolib.methods.shared.qp import cvxopt
from reprolib.methods.shared.solution import NotOptimalError, Solution

#: Of cvxopt, absolute, relative, and for feasibility: the second where the first leaves a gap.
LP_TOLS = (1e-8, 1e-10)
#: Singular values below this part of the largest do not take up what is left of the dual equations.
SINGULAR_TOL = 1e-10


def hinge_lp(V, y, w, tol: float = LP_TOLS[0]):
    """Solve the linear programme by cvxopt.

    Parameters
    ----------
    V : ndarray of shape (n, m)
        Independent columns, the last of them constant for the intercept b.
    y : ndarray of shape (n,), of -1 and 1
        Labels of the examples.
    w : ndarray of shape (n,)
        Positive weights of the examples.
    tol : float
        Tolerance handed to cvxopt: absolute, relative, and for feasibility.

    Returns
    -------
    beta : ndarray of shape (m,)
        Coefficients of the columns; the last is b.
    a : ndarray of shape (n,)
        Multipliers of the margins.
    status : str
        "optimal", or "unknown" if cvxopt stopped before that.
    iterations : int
        Of the interior-point method.

    See Also
    --------
    solve_hinge_lp_cvxopt : Every number of components, with certificates.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.cvxopt_reference import hinge_lp
    >>> V, y = np.array([[2.0, 1.0], [-1.0, 1.0], [1.0, 1.0]]), np.array([1.0, -1.0, -1.0])
    >>> beta, a, status, _ = hinge_lp(V, y, np.ones(3))
    >>> losses = np.maximum(0.0, 1.0 - y * (V @ beta))  # of many optima cvxopt ends inside
    >>> bool(losses.sum() < 1e-6), status
    (True, 'optimal')
    """
    n, m = V.shape
    margins = y[:, np.newaxis] * V
    cost = np.concatenate([np.zeros(m), w])
    # G (beta, b, xi) <= h: first the margins, then xi >= 0.
    G = np.block([[-margins, -np.eye(n)], [np.zeros((n, m)), -np.eye(n)]])
    h = np.concatenate([-np.ones(n), np.zeros(n)])
    options = {"show_progress": False, "abstol": tol, "reltol": tol, "feastol": tol}
    try:
        answer = cvxopt.solvers.lp(
            *map(cvxopt.matrix, (cost, G, h)), kktsolver="ldl", options=options
        )
    except (ArithmeticError, ValueError) as error:
        raise NotOptimalError(
            f"cvxopt broke down in the hinge LP of {m - 1} components: {error}. Use fewer "
            'components, or solver="auto".'
        ) from error
    beta, a = np.ravel(answer["x"])[:m], np.ravel(answer["z"])[:n]
    return beta, a, answer["status"], answer["iterations"]


def solve_hinge_lp_cvxopt(V, y, max_components=None, weights=None) -> list[Solution]:
    """Hinge LP for D = 1, ..., max_components, each from scratch by cvxopt.

    Parameters
    ----------
    V : array-like of shape (n, n_columns)
        Components by column; any scale.
    y : array-like of shape (n,), of -1 and 1
        Labels of the points.
    max_components : int, optional
        End of the path, the largest D; all columns by default.
    weights : array-like of shape (n,), optional
        Positive; ones by default. A point of weight 2 is the same as two equal points.

    Returns
    -------
    list of Solution
        Entry D - 1 has the variables ``beta`` (D,), ``intercept`` and ``dual`` (n,), and a gap of
        at most 1e-7 of the loss at zero between objectives that are computed from them.

    Raises
    ------
    ValueError
        If the arrays do not fit together or are not finite.
    NotOptimalError
        If an answer is not certified.

    See Also
    --------
    reprolib.methods.kpm.hinge_lp.solve_hinge_lp_path : The fast solver of the same problems.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.cvxopt_reference import solve_hinge_lp_cvxopt
    >>> V = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> one, two = solve_hinge_lp_cvxopt(V, [1, 1, -1, -1])
    >>> round(one.primal_objective, 6), round(two.primal_objective, 6)
    (2.0, 0.0)
    """
    basis = NestedBasis.from_arrays(np.asarray(V)[:, :max_components], y, weights)
    path = list[Solution]()
    for D in range(1, basis.max_components + 1):
        try:
            answers = [_solve(basis, D, LP_TOLS[0])]
            if not is_certified(answers[0]):
                answers.append(_solve(basis, D, LP_TOLS[1]))
        except NotOptimalError as error:
            raise NotOptimalError(str(error), n_certified=D - 1) from error
        path.append(min(answers, key=lambda solution: abs(solution.gap)))
    return require_path(path)


def _solve(basis: NestedBasis, D: int, tol: float) -> Solution:
    """Objectives at cvxopt's point and at the feasible dual point beside its multipliers."""
    y, w, unit, signed = basis.y, basis.weights, basis.weight_unit, basis.signed[: basis.size(D)]
    columns = np.roll(signed.T * y[:, np.newaxis], -1, axis=1)
    # Weights of mean one: for those of another mean cvxopt's tolerances are others.
    found, a, status, iterations = hinge_lp(columns, y, w / w.mean(), tol)
    coordinates = np.zeros((1, len(basis.kept)))
    coordinates[0, : len(found)] = np.roll(found, 1)
    least = float(np.min(coordinates @ basis.signed))
    if 0.0 < least < 1.0:  # the classes are separated, and a multiple of the function has no loss
        coordinates /= least
    beta, intercept = basis.coefficients(coordinates)
    a = np.clip(w.mean() * a, 0.0, w)
    room = np.minimum(a, w - a)  # those with most room take up what is left of the equations
    moved = np.clip(
        a - room * np.linalg.lstsq(signed * room, signed @ a, rcond=SINGULAR_TOL)[0], 0.0, w
    )
    near = [
        nearly_feasible(signed, w, start, coordinates[0, : len(signed)], tol)
        for start in (a, moved)
    ]
    a = min(near, key=lambda point: basis.residual(point, D))
    norm = float(np.linalg.norm(coordinates))
    if basis.slack(a, D, norm) > a.sum():  # then zero is the better dual point
        a = np.zeros(len(y))
    terms = np.abs(beta) @ np.abs(basis.V).T + np.abs(intercept)
    solution = Solution(
        variables={"beta": beta[0, :D], "intercept": intercept[0], "dual": unit * a},
        primal_objective=unit * float(w @ np.maximum(0.0, 1.0 - basis.margins(beta, intercept)[0])),
        dual_objective=unit * (float(a.sum()) - basis.slack(a, D, norm)),
        status="optimal",
        iterations=iterations,
        info={"solver": "cvxopt", "round_off": unit * ROUND_OFF * float(terms[0] @ w)},
        scale=unit * float(w.sum()),
    )
    # cvxopt stops as "unknown" also at an optimum that it cannot tell from its neighbours.
    return solution if is_certified(solution) else replace(solution, status=status)
