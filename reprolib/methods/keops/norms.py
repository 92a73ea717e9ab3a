"""The mixed norm of a pyramid, its dual norm, and the weights that attain it.

Notation of Szafranski and Grandvalet (ICASSP 2014), section 2: level h of H has exponent p_h >= 0
and weights sigma_h >= 0 that sum to one over the level. With a_m = ||f_m||, problem (3) contains

    min over sigma of sum over kernels m of a_m^2 / prod over h of sigma_h(m)^p_h,

sigma_h(m) being the weight of the ancestor of m at level h. Put
gamma_h = 2 / (1 + p_h + ... + p_H), and let the norm of a node be the l_gamma norm of its
children's, N_H(m) = a_m and

    N_{h-1}(k) = (sum over children m of k of N_h(m)^gamma_h)^(1 / gamma_h).

The minimum is N_0^2, the square of the mixed norm, and the minimising weights pass down the tree:

    sigma_h(m) = sigma_{h-1}(k) * (N_h(m) / N_{h-1}(k))^gamma_h,     sigma_0 = 1, k the parent of m.

Derivation. The problem is convex in sigma (exp(- sum p_h log sigma_h) is log-convex), so its
stationarity is sufficient: for every level there is a nu_h with p_h T(m) = nu_h sigma_h(m), where
T(m) sums a^2 / prod sigma^p over the kernels below m. Let rho_j = N_j / N_{j-1} along the path to a
kernel. Then a = N_0 prod rho_j, and since p_j + ... + p_H = 2 / gamma_j - 1, the product of the
sigma_h^p_h is prod rho_j^(2 - gamma_j). So a^2 / prod sigma^p = N_0^2 prod rho_j^gamma_j =
N_0^2 sigma_H(m). The rho^gamma of siblings sum to one, hence T(m) = N_0^2 sigma_h(m) at every node:
stationary with nu_h = p_h N_0^2, and T(root) = N_0^2. For H = 3 these are the paper's printed
formulas (s_m there is N^gamma of the level below, c = N_0^(-gamma_1)); H = 1 is multiple kernel
learning, H = 2 composite kernel learning. A weight at or below a dead node is zero, and the terms
0 / 0 are zero (the paper's footnote 1).
"""

from __future__ import annotations

import numpy as np

from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.shared.validation import as_numbers


def check_exponents(p, height: int) -> np.ndarray:
    """Exponents of all levels from a number or a sequence.

    Raises
    ------
    ValueError
        If there is not one per level, or one is negative or not finite.
    """
    values = as_numbers(p, "p")
    if values.ndim == 0:
        values = np.full(height, float(values))
    if values.shape != (height,):
        raise ValueError(
            f"p has shape {values.shape}; give one number, or one per level of the tree ({height})."
        )
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise ValueError(f"p is {p!r}; every exponent must be a finite number >= 0.")
    return values


def norm_exponents(p) -> np.ndarray:
    """gamma_h = 2 / (1 + p_h + ... + p_H) of every level; convex if all are >= 1.

    Parameters
    ----------
    p : array-like of shape (H,)
        Exponents of the levels, coarsest first: a larger one makes its level sparser.

    Returns
    -------
    ndarray of shape (H,)
        The gamma_h, coarsest level first.

    See Also
    --------
    node_norms : The norm with these exponents.

    Examples
    --------
    >>> from reprolib.methods.keops.norms import norm_exponents
    >>> norm_exponents([1.0, 1.0, 1.0]).round(3).tolist()
    [0.5, 0.667, 1.0]
    """
    return 2.0 / (1.0 + np.cumsum(np.asarray(p)[::-1])[::-1])


def node_norms(tree: KernelTree, gammas, kernel_norms) -> list[np.ndarray]:
    """Norms N_0 (shape (1,)), N_1, ..., N_H of the nodes of every level.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).
    gammas : array-like of shape (H,)
        Exponents of the levels, `norm_exponents`.
    kernel_norms : array-like of shape (n_kernels,)
        Norms ||f_m|| of the kernels' parts of the function.

    Returns
    -------
    list of ndarray
        Norms of the root, then of the nodes of every level, coarsest first.

    See Also
    --------
    dual_norm : The dual of N_0.

    Examples
    --------
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.norms import node_norms
    >>> tree = KernelTree.from_labels([[0, 0, 1]])
    >>> [norm.round(3).tolist() for norm in node_norms(tree, [1.0, 2.0], [3.0, 4.0, 1.0])]
    [[6.0], [5.0, 1.0], [3.0, 4.0, 1.0]]
    """
    norms = [np.asarray(kernel_norms, dtype=np.float64)]
    for parent, gamma in zip(tree.parents[::-1], gammas[::-1], strict=True):
        n_parents = int(parent.max()) + 1
        top = _segment_max(norms[0], parent, n_parents)
        ratio = np.divide(norms[0], top[parent], out=np.zeros(len(parent)), where=top[parent] > 0)
        sums = np.bincount(parent, ratio**gamma, minlength=n_parents)
        norms.insert(0, top * sums ** (1.0 / gamma))
    return norms


def dual_norm(tree: KernelTree, gammas, kernel_norms) -> float:
    """Dual of the mixed norm, for exponents gamma_h >= 1: conjugate exponents level by level.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).
    gammas : array-like of shape (H,)
        Exponents of the levels, coarsest first, as `norm_exponents` gives them.
    kernel_norms : array-like of shape (n_kernels,)
        Dual norms of the kernels, one each.

    Returns
    -------
    float
        Value of the dual norm.

    See Also
    --------
    node_norms : The norm itself.

    Examples
    --------
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.norms import dual_norm
    >>> tree = KernelTree.from_labels([[0, 0, 1]])
    >>> round(dual_norm(tree, [1.0, 2.0], [3.0, 4.0, 1.0]), 6)
    5.0
    """
    norms = np.asarray(kernel_norms, dtype=np.float64)
    for parent, gamma in zip(tree.parents[::-1], gammas[::-1], strict=True):
        n_parents = int(parent.max()) + 1
        top = _segment_max(norms, parent, n_parents)
        if gamma > 1:
            conjugate = gamma / (gamma - 1)
            ratio = np.divide(norms, top[parent], out=np.zeros(len(parent)), where=top[parent] > 0)
            sums = np.bincount(parent, ratio**conjugate, minlength=n_parents)
            top = top * sums ** (1.0 / conjugate)
        norms = top
    return float(norms[0])


def pyramid_weights(tree: KernelTree, gammas, kernel_norms) -> list[np.ndarray]:
    """Minimising weights sigma_1, ..., sigma_H for given norms ||f_m|| (closed form above).

    Norms that are all zero leave nothing to weigh: all weights are zero.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).
    gammas : array-like of shape (H,)
        Exponents of the levels, coarsest first, as `norm_exponents` gives them.
    kernel_norms : array-like of shape (n_kernels,)
        Norms ||f_m|| of the kernels' parts of the function.

    Returns
    -------
    list of ndarray
        Weights of every level, coarsest first; each sums to one.

    See Also
    --------
    effective_weights : The weights of the kernels that follow.

    Examples
    --------
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.norms import pyramid_weights
    >>> tree = KernelTree.from_labels([[0, 0, 1]])
    >>> [w.round(2).tolist() for w in pyramid_weights(tree, [1.0, 2.0], [3.0, 4.0, 5.0])]
    [[0.5, 0.5], [0.18, 0.32, 0.5]]
    """
    norms = node_norms(tree, gammas, kernel_norms)
    weights = [np.ones(1)]
    for h, (parent, gamma) in enumerate(zip(tree.parents, gammas, strict=True)):
        above = norms[h][parent]
        share = np.divide(norms[h + 1], above, out=np.zeros(len(parent)), where=above > 0)
        weights.append(weights[h][parent] * share**gamma)
    return weights[1:]


def uniform_weights(tree: KernelTree) -> list[np.ndarray]:
    """Weights 1 / M_h at every level: the start of the algorithm.

    Parameters
    ----------
    tree : KernelTree
        Tree of groups over the kernels (or features).

    Returns
    -------
    list of ndarray
        Weights of every level, coarsest first; each sums to one.

    See Also
    --------
    pyramid_weights : The weights after a step.

    Examples
    --------
    >>> from reprolib.methods.keops import KernelTree
    >>> from reprolib.methods.keops.norms import uniform_weights
    >>> tree = KernelTree.from_labels([[0, 0, 1]])
    >>> [w.round(3).tolist() for w in uniform_weights(tree)]
    [[0.5, 0.5], [0.333, 0.333, 0.333]]
    """
    return [np.full(size, 1.0 / size) for size in tree.n_nodes]


def effective_weights(tree: KernelTree, p, weights) -> np.ndarray:
    """Weight of every kernel in the effective kernel: product of sigma_h^p_h along its path."""
    product = np.ones(tree.n_nodes[-1])
    alive = np.ones(tree.n_nodes[-1], dtype=bool)
    for sigma, exponent, nodes in zip(weights, p, tree.ancestors(), strict=True):
        product *= sigma[nodes] ** exponent
        alive &= sigma[nodes] > 0
    return np.where(alive, product, 0.0)


def _segment_max(values, segment, n_segments):
    top = np.zeros(n_segments)
    np.maximum.at(top, segment, values)
    return top
