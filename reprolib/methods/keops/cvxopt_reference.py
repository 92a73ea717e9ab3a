"""The convex programmes of the KEOPS paper as it states them, in cvxopt.

Szafranski and Grandvalet (ICASSP 2014). Labels y_i are -1 and 1, C_i is C times the weight of
example i (one in the paper). The page with section 2 is missing from our copy: problem (3) is
reconstructed in `reprolib.methods.keops.alternating`, and both duals are derived here.

**The inner SVM** of Algorithm 1, for the effective kernel K = sum_m d_m K_m of fixed weights::

    minimise over f, b and xi   1/2 ||f||^2 + sum_i C_i xi_i
    subject to   y_i (f(x_i) + b) >= 1 - xi_i,   xi_i >= 0,

by its dual, f = sum_i alpha_i y_i k(x_i, .)::

    maximise over alpha   sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j K_ij
    subject to   0 <= alpha_i <= C_i,   sum_i y_i alpha_i = 0.

**Multiple kernel learning**, problem (1), one norm of all kernels' parts::

    minimise over f_1, ..., f_M, b and xi   1/2 (sum_m ||f_m||)^2 + sum_i C_i xi_i
    subject to   y_i (sum_m f_m(x_i) + b) >= 1 - xi_i,   xi_i >= 0,

by its dual for K_m = L_m L_m', with second-order cones (two rows where L_m is one column)::

    maximise over alpha and s   sum_i alpha_i - s^2 / 2
    subject to   ||L_m' (y alpha)|| <= s for every m,
                 0 <= alpha_i <= C_i,   sum_i y_i alpha_i = 0.

The first entry of the multipliers of cone m is ||f_m||, and f_m = d_m sum_i alpha_i y_i k_m(x_i, .)
with d_m = ||f_m|| / s. For groups of kernels or a tree the whole problem is no such programme (and
for p_1 + ... + p_H > 1 not convex): then the inner SVMs are solved by cvxopt.

The SVM's f is unique; its b is not where no alpha_i is inside of its bounds, and the middle is
taken. The weights of MKL are not unique where kernels are copies of each other: objectives agree.
"""

from __future__ import annotations

import warnings

import numpy as np

from reprolib.methods.keops.svm_certificate import (
    SIGNIFICANT,
    certify_multipliers,
    certify_point,
    feasible_point,
)
from reprolib.methods.shared.kernels import gram_eigh
from reprolib.methods.shared.qp import cvxopt
from reprolib.methods.shared.solution import NotOptimalError, NotOptimalWarning, Solution

#: Relative duality gap up to which an answer to multiple kernel learning is optimal.
MKL_GAP = 1e-5
#: Tolerances of cvxopt in multiple kernel learning, tried until it does not break down.
MKL_TOLS = (1e-10, 1e-8, 1e-6)


def solve_svm_cvxopt(K, y, C: float, *, costs=None, tol: float = 1e-10) -> Solution:
    """SVM of the effective kernel: its dual as a dense quadratic programme.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix of the training points.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    C : float
        Weight of the hinge loss; a larger one fits the training data more closely.
    costs : ndarray of shape (n,), optional
        Positive factors w_i of C, ones by default.
    tol : float
        Absolute and relative tolerance handed to CVXOPT, for the problem scaled to C = 1.

    Returns
    -------
    Solution
        Variables ``alpha`` (n,), ``intercept``, ``scores`` (f at the training points, without b).
        ``info["loss"]`` is C times the hinge losses, ``info["reach"]`` a bound on the scores by the
        diagonal of K. Objectives are bounds: round-off is added.
        Status "optimal", "inaccurate" where the gap exceeds 1e-6, or CVXOPT's.

    Raises
    ------
    NotOptimalError
        If CVXOPT cannot factor its linear system.

    See Also
    --------
    reprolib.methods.keops.svm.solve_svm : Faster, with this method in reserve.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.cvxopt_reference import solve_svm_cvxopt
    >>> K, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> solve_svm_cvxopt(K, y, 10.0).variables["alpha"].round(6).tolist()
    [0.5, 0.5]
    """
    n, costs = len(y), np.ones(len(y)) if costs is None else costs
    try:
        # max sum_i beta_i - beta'Q beta / 2, 0 <= beta <= w, y'beta = 0, with alpha = C beta
        answer = cvxopt.solvers.qp(
            cvxopt.matrix(C * (y[:, None] * K * y)),
            cvxopt.matrix(-np.ones(n)),
            cvxopt.spmatrix(
                np.r_[-np.ones(n), np.ones(n)].tolist(), range(2 * n), [*range(n), *range(n)]
            ),
            cvxopt.matrix(np.r_[np.zeros(n), costs]),
            cvxopt.matrix(y[None, :].astype(np.float64)),
            cvxopt.matrix(0.0),
            options={"show_progress": False, "abstol": tol, "reltol": tol, "feastol": tol},
        )
    except (ArithmeticError, ValueError) as error:
        raise NotOptimalError(
            f"CVXOPT cannot factor its linear system for C = {C:g} and kernel values up to "
            f"{np.abs(K).max():.3g} ({error}); scale the kernel, or lower C."
        ) from error
    alpha = C * np.array(answer["x"]).ravel()
    return certify_multipliers(K, y, C, costs, alpha, answer["status"], answer["iterations"])


def mkl_socp(factors, y, C, tol: float):
    """Solve the dual of multiple kernel learning, a programme over second-order cones, by cvxopt.

    Parameters
    ----------
    factors : list of ndarray of shape (n, r_m)
        L_m of every kernel K_m = L_m L_m'.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    C : ndarray of shape (n,)
        Weight C_i of the hinge loss of every example.
    tol : float
        Absolute and relative tolerance handed to cvxopt.

    Returns
    -------
    alpha : ndarray of shape (n,)
        The dual point, feasible up to ``tol``.
    norms : ndarray of shape (M,)
        ||f_m|| of every kernel.
    status : str
        That of cvxopt.
    iterations : int
        Of the interior-point method.
    """
    n, eye = len(y), np.eye(len(y))
    # Variables alpha and s: minimise s^2 / 2 - sum_i alpha_i.
    P, q = np.zeros((n + 1, n + 1)), np.append(-np.ones(n), 0.0)
    P[n, n] = 1.0
    # G (alpha, s) <= h: the box, then |L_m' (y alpha)| <= s for every m of one feature as two rows,
    # then for every other m that (s, L_m' (y alpha)) is in the cone.
    G = [np.column_stack([np.vstack([-eye, eye]), np.zeros(2 * n)])]
    lines = [m for m, L in enumerate(factors) if L.shape[1] == 1]
    cones = [m for m, L in enumerate(factors) if L.shape[1] > 1]
    for m in lines:
        G.append(np.hstack([np.vstack([factors[m].T * y, -factors[m].T * y]), -np.ones((2, 1))]))
    for m in cones:
        inside = np.vstack([np.zeros((1, n)), factors[m].T * y])
        G.append(-np.hstack([inside, np.eye(len(inside), 1)]))
    n_rows, sizes = 2 * n + 2 * len(lines), [factors[m].shape[1] + 1 for m in cones]
    h = np.concatenate([np.zeros(n), C, np.zeros(n_rows - 2 * n + sum(sizes))])
    A = np.append(y, 0.0)[np.newaxis, :]
    answer = cvxopt.solvers.coneqp(
        *map(cvxopt.matrix, (P, q, np.vstack(G), h)),
        {"l": n_rows, "q": sizes, "s": []},
        cvxopt.matrix(A),
        cvxopt.matrix(0.0),
        kktsolver="ldl",
        options={"show_progress": False, "abstol": tol, "reltol": tol, "feastol": tol},
    )
    multipliers, norms = np.ravel(answer["z"]), np.zeros(len(factors))
    norms[lines] = multipliers[2 * n : n_rows].reshape(-1, 2).sum(axis=1)
    norms[cones] = multipliers[n_rows + np.cumsum([0, *sizes])[:-1]]
    return np.ravel(answer["x"])[:n], norms, answer["status"], answer["iterations"]


def solve_mkl_cvxopt(kernels, y, C: float, *, costs=None, prune_tol: float) -> Solution:
    """Multiple kernel learning without groups, by `mkl_socp`.

    Parameters
    ----------
    kernels : KernelSet
        The kernels on the training points.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    C : float
        Weight of the hinge loss; a larger one fits the training data more closely.
    costs : ndarray of shape (n,), optional
        Positive factors w_i of C, ones by default.
    prune_tol : float
        Kernels whose norm is at most this part of the largest are dropped: an interior-point method
        ends with small numbers in place of zeros.

    Returns
    -------
    Solution
        Variables as of `reprolib.methods.keops.alternating.solve_pyramid_alternating`. Status
        "optimal" if the duality gap is at most 1e-5 of the objective, else "inaccurate" or that of
        cvxopt.

    Raises
    ------
    NotOptimalError
        If cvxopt cannot factor its linear system.

    Warns
    -----
    NotOptimalWarning
        If the answer is not optimal.

    See Also
    --------
    reprolib.methods.keops.mkl_features.solve_mkl_features : Fast, one feature a kernel.
    reprolib.methods.keops.alternating.solve_pyramid_alternating : Fast, any kernels.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops.cvxopt_reference import solve_mkl_cvxopt
    >>> from reprolib.methods.keops.kernel_sets import LinearBlocks
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([1.0, -1.0])
    >>> solution = solve_mkl_cvxopt(LinearBlocks(X, np.arange(2)), y, 10.0, prune_tol=1e-6)
    >>> solution.variables["effective"].round(3).tolist(), solution.status
    ([1.0, 0.0], 'optimal')
    """
    costs = np.ones(len(y)) if costs is None else costs
    Ks = [kernels.gram(one) for one in np.eye(kernels.n_kernels)]
    unit = max(float(np.trace(K)) for K in Ks) / len(y) or 1.0
    spectra = [gram_eigh(K / unit) for K in Ks]
    factors = [vectors * np.sqrt(C * unit * eigenvalues) for eigenvalues, vectors in spectra]
    for tol in MKL_TOLS:
        try:
            beta, norms, said, iterations = mkl_socp(factors, y, costs, tol)  # alpha = C beta
            break
        except (ArithmeticError, ValueError) as error:
            if tol == MKL_TOLS[-1]:
                raise NotOptimalError(
                    f"cvxopt cannot factor its linear system for C = {C:g} and kernel values of "
                    f"{unit:.3g} ({error}); scale the kernels, or lower C."
                ) from error
    alpha = feasible_point(C * beta, y, C * costs)
    dual_norms = kernels.dual_norms(y * alpha)
    noise = kernels.round_off(y * alpha, dual_norms)
    norms = np.where(dual_norms > SIGNIFICANT * noise, norms, 0.0)
    kept = np.where(norms > prune_tol * norms.max(), norms, 0.0)
    weights = kept / kept.sum() if kept.any() else kept
    K = kernels.gram(weights)
    lengths = np.sqrt(np.maximum(np.diag(K), 0.0))
    svm = certify_point(alpha, K @ (y * alpha), lengths, y, C, costs, said, iterations)
    kernel_norms = weights * dual_norms
    primal = 0.5 * float(kernel_norms.sum()) ** 2 + svm.info["loss"]
    dual = float(alpha.sum()) - 0.5 * float((dual_norms + noise).max()) ** 2
    is_certified = abs(primal - dual) <= MKL_GAP * primal
    solution = Solution(
        variables={
            "weights": [weights],
            "effective": weights,
            "kernel_norms": kernel_norms,
            "alpha": alpha,
            "intercept": svm.variables["intercept"],
            "scores": svm.variables["scores"],
            "objective_path": np.array([primal]),
        },
        primal_objective=primal,
        dual_objective=dual,
        status="optimal" if is_certified else "inaccurate" if said == "optimal" else said,
        iterations=iterations,
        info={"reach": svm.info["reach"]},
    )
    if not is_certified:
        warnings.warn(
            f"cvxopt stopped with status {said!r} at a relative duality gap of "
            f"{solution.relative_gap:.3g} (wanted at most {MKL_GAP:g}); scale the kernels, lower "
            "C, or use solver='auto'.",
            NotOptimalWarning,
            stacklevel=3,
        )
    return solution
