"""Sharing a budget of dimensions among the bits of an output code."""

from __future__ import annotations

import numpy as np
from numba import njit

from reprolib.methods.shared.solution import Solution
from reprolib.methods.shared.ties import ARITHMETIC, first_within, in_order

_first_within = njit(cache=True)(first_within)


def solve_allocation(objectives, max_total: int | None = None) -> Solution:
    """Allocate d dimensions to L bits optimally, for every d up to ``max_total``.

    The problem, for each d = 0, ..., max_total, is::

        minimise    sum_l G_l(d_l)
        subject to  sum_l d_l = d,   0 <= d_l <= r,   d_l integer

    Where every G_l is convex in d the greedy merge of `solve_allocation_greedy` is exact and is
    used; otherwise `solve_allocation_dp`.

    Parameters
    ----------
    objectives : array-like of shape (L, r + 1)
        ``objectives[l, d]`` is G_l(d).
    max_total : int, optional
        Largest total dimension; L * r by default.

    Returns
    -------
    Solution
        ``variables["allocation_path"]``, int array of shape (max_total + 1, L): the optimal
        (d_1, ..., d_L) for every d. ``variables["objective_path"]``, shape (max_total + 1,).
        ``primal_objective`` is the sum of the G_l at the last allocation, ``dual_objective`` the
        optimal value of the recursion.

    Raises
    ------
    ValueError
        If a value is not finite, or max_total is negative or larger than L * r.

    See Also
    --------
    solve_allocation_dp : Any G_l.
    solve_allocation_greedy : Convex G_l.

    Examples
    --------
    >>> from reprolib.methods.mkpm.allocation import solve_allocation
    >>> solution = solve_allocation([[4.0, 1.0, 0.0], [5.0, 3.0, 2.5]])
    >>> solution.variables["allocation_path"].tolist()
    [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2]]
    """
    objectives, max_total = _check_objectives(objectives, max_total)
    solve = solve_allocation_greedy if is_convex(objectives) else solve_allocation_dp
    return solve(objectives, max_total)


def is_convex(objectives) -> bool:
    """Whether every row is convex: its decrements never grow (exactly, without a tolerance).

    Parameters
    ----------
    objectives : ndarray of shape (L, r + 1)
        One risk for each bit and number of dimensions.

    Returns
    -------
    bool
        True if all rows are convex.
    """
    return bool(np.all(np.diff(objectives, n=2, axis=1) >= 0.0))


def solve_allocation_dp(objectives, max_total: int | None = None) -> Solution:
    """Solve the allocation problem by dynamic programming; exact for any G_l.

    Takerkart & Ralaivola (CVPR 2011), equations (18)-(20) and Algorithm 1, with (30) read as a
    minimum over delta: Delta_1 = G_1 and Delta_l(d) = min_delta Delta_{l-1}(d - delta) +
    G_l(delta). Time O(L r max_total), memory O(L max_total).

    Ties: among the optimal allocations, the one whose last bit has the fewest dimensions; among
    those, the one whose last but one has the fewest; and so on. Sums are tied that differ by at
    most `ARITHMETIC` times the sum of the G_l(0) in size, so that the round-off of equal G_l does
    not decide; an allocation is optimal to L - 1 times that.

    Parameters
    ----------
    objectives : array-like of shape (L, r + 1)
        Entry (l, d) is G_l(d), the risk of bit l in d dimensions.
    max_total : int, optional
        Largest total dimension; L * r by default.

    Returns
    -------
    Solution
        With the ``variables`` of `solve_allocation`.

    See Also
    --------
    solve_allocation : Takes the faster method where it is exact.

    Examples
    --------
    >>> from reprolib.methods.mkpm.allocation import solve_allocation_dp
    >>> solution = solve_allocation_dp([[3.0, 3.0, 0.0], [3.0, 2.0, 2.0]], max_total=2)
    >>> solution.variables["allocation_path"].tolist()
    [[0, 0], [0, 1], [2, 0]]
    """
    objectives, max_total = _check_objectives(objectives, max_total)
    n_bits = len(objectives)
    best = objectives[0, : max_total + 1]
    tol = ARITHMETIC * _scale(objectives)
    choices = []
    for bit in range(1, n_bits):
        best, choice = _min_plus(best, objectives[bit], max_total, tol)
        choices.append(choice)
    allocation = np.zeros((max_total + 1, n_bits), dtype=np.intp)
    remaining = np.arange(max_total + 1)
    for bit in range(n_bits - 1, 0, -1):
        allocation[:, bit] = choices[bit - 1][remaining]
        remaining = remaining - allocation[:, bit]
    allocation[:, 0] = remaining
    return _solution(objectives, allocation, best)


def solve_allocation_greedy(objectives, max_total: int | None = None) -> Solution:
    """Solve the allocation problem for convex G_l: the largest decrements of all bits, in order.

    For convex rows the decrements of a bit are sorted already, so that the max_total largest of
    all L * r decrements always form an admissible allocation, and none can be lower. Among equal
    decrements (up to the same tolerance) the earlier bit comes first. Time O(L r log(L r)).

    Parameters
    ----------
    objectives : array-like of shape (L, r + 1)
        Entry (l, d) is G_l(d), the risk of bit l in d dimensions.
    max_total : int, optional
        Largest total dimension; L * r by default.

    Returns
    -------
    Solution
        With the ``variables`` of `solve_allocation`.

    Raises
    ------
    ValueError
        For the reasons of `solve_allocation`, or if a row is not convex.

    See Also
    --------
    solve_allocation : Checks for convexity first.

    Examples
    --------
    >>> from reprolib.methods.mkpm.allocation import solve_allocation_greedy
    >>> solution = solve_allocation_greedy([[4.0, 1.0, 0.0], [5.0, 3.0, 2.5]], max_total=1)
    >>> solution.variables["objective_path"].tolist()
    [9.0, 6.0]
    """
    objectives, max_total = _check_objectives(objectives, max_total)
    if not is_convex(objectives):
        raise ValueError(
            "The greedy allocation needs every objective convex in the number of dimensions; "
            "use solve_allocation_dp."
        )
    n_bits, n_values = objectives.shape
    decrements = -np.diff(objectives, axis=1)
    order = in_order(-decrements.ravel(), ARITHMETIC * _scale(objectives))[:max_total]
    steps = np.zeros((max_total + 1, n_bits), dtype=np.intp)
    steps[np.arange(1, max_total + 1), order // (n_values - 1)] = 1
    path = objectives[:, 0].sum() - np.append(0.0, np.cumsum(decrements.ravel()[order]))
    return _solution(objectives, np.cumsum(steps, axis=0), path)


def allocation_objective(objectives, allocation):
    """Sum over the bits of G_l(d_l).

    Parameters
    ----------
    objectives : ndarray of shape (L, r + 1)
        Entry (l, d) is G_l(d).
    allocation : ndarray of int of shape (n_totals, L)
        Dimensions d_l of the bits, one allocation a row.

    Returns
    -------
    ndarray of shape (n_totals,)
        The sum for every row.
    """
    return objectives[np.arange(len(objectives)), allocation].sum(axis=1)


def _scale(objectives) -> float:
    """Size of the problem: the sum of the G_l(0), where no bit has a dimension."""
    return float(np.abs(objectives[:, 0]).sum())


@njit(cache=True)
def _min_plus(left, right, max_total, tol):
    """(min, +) convolution of two sequences up to ``max_total``, and the index chosen in right.

    It is the first whose sum is within ``tol`` of the least.
    """
    n_totals = min(max_total, len(left) + len(right) - 2) + 1
    best = np.empty(n_totals)
    choice = np.empty(n_totals, dtype=np.intp)
    for total in range(n_totals):
        lowest = max(0, total - len(left) + 1)
        highest = min(total, len(right) - 1)
        sums = left[total - highest : total - lowest + 1][::-1] + right[lowest : highest + 1]
        best[total], choice[total] = sums.min(), lowest + _first_within(-sums, tol)
    return best, choice


def _check_objectives(objectives, max_total):
    objectives = np.asarray(objectives, dtype=np.float64)
    if objectives.ndim != 2 or 0 in objectives.shape:
        raise ValueError(
            f"objectives has shape {objectives.shape}; it needs one row per bit of the code and "
            "one column per number of dimensions 0, ..., r."
        )
    if not np.all(np.isfinite(objectives)):
        bit, dimension = np.argwhere(~np.isfinite(objectives))[0]
        raise ValueError(
            f"objectives[{bit}, {dimension}] is {objectives[bit, dimension]}; every G_l(d) has to "
            "be finite. Solve the single-bit problems before allocating."
        )
    capacity = objectives.shape[0] * (objectives.shape[1] - 1)
    max_total = capacity if max_total is None else max_total
    if not 0 <= max_total <= capacity:
        raise ValueError(
            f"max_total is {max_total}, but {objectives.shape[0]} bits of at most "
            f"{objectives.shape[1] - 1} dimensions hold between 0 and {capacity}; lower max_total."
        )
    return objectives, int(max_total)


def _solution(objectives, allocation, path) -> Solution:
    return Solution(
        variables={"allocation_path": allocation, "objective_path": path},
        primal_objective=float(allocation_objective(objectives, allocation[-1:])[0]),
        dual_objective=float(path[-1]),
        status="optimal",
        scale=_scale(objectives),
    )
