"""Of all functions that separate the classes with margin one, that of least RKHS norm.

On D kernel principal components with eigenvalues lambda_j, f = sum_j beta_j V_j + b has the squared
norm sum_j beta_j^2 / lambda_j in the space of the kernel. In the features z_i = (sqrt(lambda_j)
V_j(i))_j it is ||w||^2, and the problem is the hard-margin SVM::

    minimise over w, b   ||w||^2 / 2   subject to   y_i (<w, z_i> + b) >= 1   for every i.

Its dual::

    maximise over a >= 0   sum_i a_i - ||sum_i a_i y_i z_i||^2 / 2   subject to   sum_i a_i y_i = 0.

Where the hinge loss of KPM reaches zero all these functions have the same loss, and
`reprolib.methods.kpm.KPMClassifier` takes the one of least mean square on the training points.
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.kpm.hinge_lp._least_norm import least_norm_active_set
from reprolib.methods.shared.solution import NotOptimalError, Solution

NO_GUESS = np.empty(0, dtype=np.int64)
#: The constant has no penalty. It gets a small one, on its change since the last solution, until
#: it does not change (the proximal point method): a step of one then costs as much as this
#: squared does in ||w||^2.
INTERCEPT_COST = 1e-3
#: Change of b, relative, after which it has settled, and steps until then at most.
SETTLED_TOL, MAX_STEPS = 1e-10, 50
#: Round-off of a margin, which is one.
MARGIN_TOL = 1e-8


def solve_least_norm_separator(features, y, guess=NO_GUESS) -> Solution:
    """Separate two classes with margin one by the function of least norm.

    Parameters
    ----------
    features : ndarray of shape (n, D)
        Rows z_i, for example of the first D kernel principal components.
    y : ndarray of shape (n,)
        Labels, -1 or 1.
    guess : ndarray of int, optional
        Points that may lie on the margin, such as those of fewer features. It saves time.

    Returns
    -------
    Solution
        With the variables ``coef`` (w), ``intercept`` (b) and ``dual`` (a); ``info["active"]`` has
        the points on the margin.

    Raises
    ------
    NotOptimalError
        If no function separates the classes, or rounding hides which one is the shortest.

    See Also
    --------
    reprolib.methods.kpm.hinge_lp.solve_hinge_lp_path : Least hinge loss, also where it is not zero.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.kpm.separator import solve_least_norm_separator
    >>> z, y = np.array([[3.0], [5.0], [-1.0]]), np.array([1.0, 1.0, -1.0])
    >>> found = solve_least_norm_separator(z, y)
    >>> found.variables["coef"].round(6).tolist(), round(found.variables["intercept"], 6)
    ([0.5], -0.5)
    """
    features, y = np.asarray(features, dtype=np.float64), np.asarray(y, dtype=np.float64)
    constant = np.full((len(y), 1), 1.0 / INTERCEPT_COST)
    rows = y[:, np.newaxis] * np.hstack([features, constant])
    b, active = 0.0, guess
    for _ in range(MAX_STEPS):
        t, active, solved = least_norm_active_set(rows, 1.0 - y * b, active)
        if not solved:
            break
        step = float(t[-1]) / INTERCEPT_COST
        b += step
        if abs(step) <= SETTLED_TOL * max(1.0, abs(b)):
            break
    w = t[:-1]
    signed = y[active, np.newaxis] * features[active]
    dual = np.zeros(len(y))
    if len(active):
        equations = np.vstack([signed.T, y[active]])
        dual[active] = np.linalg.lstsq(equations, np.append(w, 0.0), rcond=None)[0].clip(0.0)
        # So that sum a y = 0 to the last digit: the larger class gives way.
        sums = [dual[y == side].sum() for side in (1.0, -1.0)]
        for side, total in zip((1.0, -1.0), sums, strict=True):
            dual[y == side] *= min(sums) / total if min(sums) > 0.0 else 0.0
    separated = solved and bool(np.all(y * (features @ w + b) >= 1.0 - MARGIN_TOL))
    solution = Solution(
        {"coef": w, "intercept": b, "dual": dual},
        primal_objective=float(w @ w) / 2.0,
        dual_objective=float(dual.sum() - np.sum(((dual * y) @ features) ** 2) / 2.0),
        status="optimal" if separated else "not separated",
        info={"active": active},
    )
    if not separated:
        raise NotOptimalError(
            "no function of these features separates the classes with margin one, as far as "
            "rounding tells; use more components"
        )
    return solution
