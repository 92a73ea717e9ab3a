"""Logistic regression with a tree-structured l1/l2 norm (Jenatton et al., JMLR 2011).

    min over w, b of  P(w, b) = sum_i log(1 + exp(-y_i (x_i w + b))) + alpha Omega(w),
    Omega(w) = sum over the nodes g of all levels of the tree of ||w_g||_2,

w_g being the coefficients of the features below node g; single features are nodes too. The proximal
operator of a tree-structured norm is the composition of the operators of its groups from the leaves
to the root. The dual problem is

    max over theta of  - sum_i [theta_i log theta_i + (1 - theta_i) log(1 - theta_i)]
    subject to  0 <= theta_i <= 1,  sum_i y_i theta_i = 0,  Omega*(X'(y theta)) <= alpha.
"""

from __future__ import annotations

import warnings

import numpy as np
from numba import njit
from scipy.special import entr, expit

from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.shared.solution import NotOptimalWarning, Solution
from reprolib.methods.shared.tolerances import ROUND_OFF, TINY


def tree_norm(tree: KernelTree, w) -> float:
    """Omega(w): the l2 norms of all nodes, summed.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).
    w : array-like of shape (p,)
        One coefficient for each feature.

    Returns
    -------
    float
        Value of the norm.

    See Also
    --------
    tree_dual_norm : Its dual.
    prox_tree_norm : Its proximal operator.

    Examples
    --------
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.tree_norm import tree_norm
    >>> tree_norm(KernelTree.from_labels([[0, 0, 1]]), [3.0, 4.0, 1.0])
    14.0
    """
    squares = np.asarray(w) ** 2
    total = 0.0
    for nodes, size in zip(tree.ancestors(), tree.n_nodes, strict=True):
        total += float(np.sqrt(np.bincount(nodes, squares, minlength=size)).sum())
    return total


def _arrays(tree: KernelTree) -> tuple[np.ndarray, np.ndarray]:
    """The tree as the compiled loops take it: ``nodes`` and ``sizes``.

    ``nodes`` (levels, p) is the node of every level above or at each feature, coarsest first, and
    ``sizes`` is how many nodes a level has.
    """
    return np.array(tree.ancestors()), np.array(tree.n_nodes)


def prox_tree_norm(tree: KernelTree, u, step: float):
    """Minimiser over w of 1/2 ||w - u||^2 + step Omega(w), from the leaves to the root.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).
    u : ndarray of shape (p,)
        The point to start from, one number for each feature.
    step : float
        Weight of the norm; a larger one sets more coefficients to zero.

    Returns
    -------
    ndarray of shape (p,)
        The minimiser w.

    See Also
    --------
    tree_norm : Omega.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.tree_norm import prox_tree_norm
    >>> prox_tree_norm(KernelTree.flat(3), np.array([3.0, -0.5, -2.0]), 1.0).tolist()
    [2.0, -0.0, -1.0]
    """
    nodes, sizes = _arrays(tree)
    return _prox(nodes, sizes, np.asarray(u, dtype=np.float64), float(step))


def tree_dual_norm(tree: KernelTree, u, tol: float = 1e-10) -> float:
    """Omega*(u): the smallest t whose proximal operator maps u to zero, by bisection.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).
    u : ndarray of shape (p,)
        One number for each feature.
    tol : float
        Relative accuracy.

    Returns
    -------
    float
        Value of the dual norm.

    See Also
    --------
    tree_norm : The norm itself.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.tree_norm import tree_dual_norm
    >>> round(tree_dual_norm(KernelTree.flat(2), np.array([1.0, -3.0])), 6)
    3.0
    """
    nodes, sizes = _arrays(tree)
    u = np.asarray(u, dtype=np.float64)
    low, high = 0.0, max([0.0, *np.abs(u).tolist()])
    while high - low > tol * high:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if np.any(_prox(nodes, sizes, u, middle)):
            low = middle
        else:
            high = middle
    return high


def best_logistic_intercept(scores, y, start: float = 0.0) -> float:
    """Intercept that minimises the logistic loss for given scores: Newton, then sum y theta = 0."""
    b = start
    for _ in range(100):
        theta = expit(-y * (scores + b))
        slope, curvature = -float(y @ theta), float((theta * (1 - theta)).sum())
        step = np.clip(-slope / max(curvature, TINY), -2.0, 2.0)
        b += float(step)
        if abs(step) < ROUND_OFF * max(1.0, abs(b)):
            break
    return b


def largest_alpha(tree: KernelTree, X, y) -> float:
    """Smallest alpha at which w = 0 is optimal.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).
    X : ndarray of shape (n, p)
        One example a row.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.

    Returns
    -------
    float
        With this alpha or a larger one, no feature is selected.

    See Also
    --------
    solve_tree_lasso_fista : Takes an alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.tree_norm import largest_alpha
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([1.0, -1.0])
    >>> round(largest_alpha(KernelTree.flat(2), X, y), 6)
    1.0
    """
    theta = expit(-y * best_logistic_intercept(np.zeros(len(y)), y))
    return tree_dual_norm(tree, X.T @ (y * theta))


def _certificate(tree, X, y, alpha, w, start):
    """Best intercept, primal objective, and dual objective at the scaled residuals."""
    scores = X @ w
    b = best_logistic_intercept(scores, y, start)
    theta = expit(-y * (scores + b))
    norm = tree_dual_norm(tree, X.T @ (y * theta))
    if norm > alpha:
        theta *= alpha / norm
    primal = float(np.logaddexp(0.0, -y * (scores + b)).sum()) + alpha * tree_norm(tree, w)
    return b, primal, float(entr(theta).sum() + entr(1.0 - theta).sum())


def solve_tree_lasso_fista(
    X,
    y,
    tree: KernelTree,
    alpha: float,
    *,
    start=None,
    tol: float = 1e-3,
    max_iter: int = 20000,
    check_every: int = 25,
) -> Solution:
    """Accelerated proximal gradient (FISTA) with adaptive restart, stopped by the duality gap.

    The loss is minimised over b at the checks and moved with w between them; X is centred for that.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        One example a row.
    y : ndarray of shape (n,), values -1 and 1
        Class of every example.
    tree : KernelTree
        Over the features.
    alpha : float
        Weight of the norm; a larger one selects fewer features.
    start : tuple of (w, b), optional
        Coefficients and intercept to start from; zero by default.
    tol : float
        Relative duality gap.
    max_iter, check_every : int
        Largest number of gradient steps, and the number of them between two checks of the gap.

    Returns
    -------
    Solution
        Variables ``coef`` (p,) and ``intercept``; status "optimal" or "max_iter".

    Warns
    -----
    NotOptimalWarning
        If ``max_iter`` steps do not reach ``tol``.

    See Also
    --------
    reprolib.methods.keops.TreeLassoClassifier : The classifier on this solution.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.tree_norm import largest_alpha, solve_tree_lasso_fista
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([1.0, -1.0])
    >>> tree = KernelTree.flat(2)
    >>> alpha = 0.5 * largest_alpha(tree, X, y)
    >>> (solve_tree_lasso_fista(X, y, tree, alpha).variables["coef"] != 0).tolist()
    [True, False]
    """
    mean = X.mean(axis=0)
    centred, y = np.asfortranarray(X - mean), np.asarray(y, dtype=np.float64)
    w, b = (np.zeros(X.shape[1]), 0.0) if start is None else (start[0].copy(), start[1])
    b = best_logistic_intercept(centred @ w, y, b)
    wide = X.shape[0] <= X.shape[1]
    small_gram = centred @ centred.T if wide else centred.T @ centred
    lipschitz = 0.25 * (np.linalg.eigvalsh(small_gram)[-1] or 4.0)
    (nodes, sizes), steps = _arrays(tree), (1.0 / lipschitz, 4.0 / len(y))
    point, momentum, iteration = (w, b), 1.0, 0
    while iteration < max_iter:
        n_steps = min(check_every, max_iter - iteration)
        (w, b), point, momentum = _fista_steps(
            centred, y, nodes, sizes, float(alpha), steps, (w, b), point, momentum, n_steps
        )
        iteration += n_steps
        b, primal, dual = _certificate(tree, centred, y, alpha, w, b)
        if primal - dual <= tol * primal:
            break
    status = "optimal" if primal - dual <= tol * primal else "max_iter"
    solution = Solution(
        {"coef": w, "intercept": b - float(mean @ w)}, primal, dual, status, iteration
    )
    if status == "max_iter":
        warnings.warn(
            f"FISTA stopped after {max_iter} steps with a relative duality gap of "
            f"{solution.relative_gap:.3g} (wanted {tol:g}); raise max_iter or tol.",
            NotOptimalWarning,
            stacklevel=2,
        )
    return solution


@njit(cache=True)
def _prox(nodes, sizes, u, step):
    """Soft threshold of every feature, then of every node from the leaves to the root."""
    w = np.sign(u) * np.maximum(np.abs(u) - step, 0.0)
    for level in range(len(sizes) - 2, -1, -1):
        squares = np.zeros(sizes[level])
        for m in range(w.size):
            squares[nodes[level, m]] += w[m] * w[m]
        shrink = np.maximum(1.0 - step / np.maximum(np.sqrt(squares), TINY), 0.0)
        for m in range(w.size):
            w[m] *= shrink[nodes[level, m]]
    return w


@njit(cache=True)
def _fista_steps(X, y, nodes, sizes, alpha, steps, iterate, ahead, momentum, n_steps):
    """Accelerated proximal gradient steps with adaptive restart.

    ``X`` is in columns; ``steps`` are the lengths of those of w and of b; ``iterate`` and ``ahead``
    are (w, b) of the last iterate and of the point of the next gradient. Returns the last two, and
    the momentum.
    """
    w, b = iterate
    point, point_b = ahead
    for _ in range(n_steps):
        scores = np.full(X.shape[0], point_b)
        for m in range(point.size):
            if point[m] != 0.0:  # few are not zero
                for i in range(scores.size):
                    scores[i] += X[i, m] * point[m]
        weights = y / (1.0 + np.exp(y * scores))
        moved = _prox(nodes, sizes, point + steps[0] * np.dot(X.T, weights), alpha * steps[0])
        moved_b = point_b + steps[1] * np.sum(weights)
        if np.dot(point - moved, moved - w) + (point_b - moved_b) * (moved_b - b) > 0.0:
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        further = (momentum - 1.0) / following
        point, point_b = moved + further * (moved - w), moved_b + further * (moved_b - b)
        w, b, momentum = moved, moved_b, following
    return (w, b), (point, point_b), momentum
