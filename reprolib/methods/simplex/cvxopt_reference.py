"""The quadratic programmes of SC-SVM and SH-SVM as the paper states them, in cvxopt.

Mroueh, Poggio, Rosasco and Slotine (NIPS 2012), eq. (1) with the losses of section 5, for code
words c_1, ..., c_T in R^(T-1), C_i = C times the weight of example i, and C = 1 / (2 n lambda), the
paper's C_0. There is no intercept. With K = L L' and l_i the rows of L, f(x_i) = W' l_i.

SC-SVM has a slack for every wrong class::

    minimise over W and xi   1/2 ||W||^2 + sum_i C_i sum_{q != y_i} xi_iq
    subject to   <c_q, f(x_i)> <= -1/(T-1) + xi_iq,   xi_iq >= 0     for every i and q != y_i.

Its multipliers alpha_i^q solve the dual (4), f = - sum_i k(x_i, .) sum_q alpha_i^q c_q, with
0 <= alpha_i^q <= C_i for q != y_i and none for q = y_i. The paper prints the bound as
C_0 delta_{y, y_i}, the other way round.

SH-SVM has a slack for every example::

    minimise over W and xi   1/2 ||W||^2 + sum_i C_i xi_i
    subject to   <c_{y_i}, f(x_i)> >= 1 - xi_i,   xi_i >= 0     for every i,

and with the convex hull constraint, which the paper's experiments leave out, also::

                 <c_q, f(x_i)> >= -1/(T-1)     for every i and q.

In the hull the loss of SH-SVM is that of SC-SVM, 1 - <c_{y_i}, f> = sum_{q != y_i} (1/(T-1) +
<c_q, f>), as the code words sum to zero. That form is solved, whose slacks are those of SC-SVM.

All three are strictly convex in f, so that f and its decisions are unique.
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.shared.qp import cvxopt
from reprolib.methods.shared.solution import NotOptimalError

#: Most numbers of its matrix of constraints: cvxopt needs about four times their 0.8 GB.
LARGEST = 100_000_000


def simplex_svm_qp(L, examples, words, offsets, prices, *, tol: float, max_iter: int = 100):
    """Solve the quadratic programme of rows <v_j, W' l_{i_j}> + xi_j >= b_j by cvxopt.

    Parameters
    ----------
    L : ndarray of shape (n, r)
        Factor of the Gram matrix.
    examples : ndarray of int of shape (m,)
        The i_j.
    words : ndarray of shape (m, T - 1)
        The v_j, a code word with its sign.
    offsets, prices : ndarray of shape (m,)
        The b_j, and the price of xi_j; inf where there is no slack.
    tol : float
        Relative tolerance handed to cvxopt; the absolute and feasibility ones are below it.
    max_iter : int
        Largest number of interior-point iterations.

    Returns
    -------
    W : ndarray of shape (r, T - 1)
        The function.
    alpha : ndarray of shape (m,)
        Multipliers of the rows, between 0 and their prices.
    iterations : int
        Of the interior-point method.

    Raises
    ------
    ValueError
        If the matrix of the constraints would have more than `LARGEST` numbers.
    NotOptimalError
        If cvxopt has no finite answer.
    """
    m, size = len(examples), L.shape[1] * words.shape[1]
    n_soft = int(np.isfinite(prices).sum())
    if (numbers := (m + n_soft) * (size + n_soft)) > LARGEST:
        raise ValueError(
            f'solver is "cvxopt", whose constraints would have {numbers:.1e} numbers for these '
            f'{len(L)} examples, more than {LARGEST:.1e}; use solver="descent", which has the '
            "same optimum."
        )
    F = (L[examples][:, :, np.newaxis] * words[:, np.newaxis, :]).reshape(m, size)
    soft = np.flatnonzero(np.isfinite(prices))
    slacks = np.eye(m)[:, soft]
    # Variables W (row by row) and xi: minimise 1/2 ||W||^2 + prices' xi.
    P = np.diag(np.append(np.ones(size), np.zeros(len(soft))))
    q = np.append(np.zeros(size), prices[soft])
    # G (W, xi) <= h: the rows first, then xi >= 0.
    G = -np.block([[F, slacks], [np.zeros((len(soft), size)), np.eye(len(soft))]])
    h = np.append(-offsets, np.zeros(len(soft)))
    tolerances = {"reltol": tol, "abstol": 1e-2 * tol, "feastol": 1e-2 * tol}
    options = {"show_progress": False, "maxiters": max_iter, "refinement": 2, **tolerances}
    try:
        answer = cvxopt.solvers.qp(*map(cvxopt.matrix, (P, q, G, h)), options=options)
    except (ArithmeticError, ValueError) as error:
        raise NotOptimalError(
            f"cvxopt broke down in its first step: {error}. Scale the kernel, C and sample_weight "
            'to ordinary numbers, or use solver="descent".'
        ) from error
    x, z = (np.ravel(answer[name]) for name in "xz")
    if not (np.isfinite(x).all() and np.isfinite(z).all()):
        raise NotOptimalError(
            f"cvxopt stopped with status {answer['status']!r} after {answer['iterations']} "
            "iterations without an answer"
        )
    return x[:size].reshape(L.shape[1], -1), np.clip(z[:m], 0.0, prices), answer["iterations"]
