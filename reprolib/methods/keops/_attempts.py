"""The same SVM solved with ever smaller tolerances, until its duality gap is small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reprolib.methods.shared.solution import Solution

#: Tolerances of the active-set method in units of the margin, tried one after the other until the
#: gap is small. Where C is large, C times a small violation may still be much.
TOLERANCES = (1e-8, 1e-11, 1e-14)


def best_attempt(solve: Callable[..., Solution], alpha, gap_tol: float) -> Solution:
    """First answer of ``solve(alpha, tol)`` within a gap, each from the last; else the best one."""
    tried = []
    for tol in TOLERANCES:
        tried.append(solve(alpha, tol))
        if size_of_gap(tried[-1]) <= gap_tol:
            return tried[-1]
        alpha = tried[-1].variables["alpha"]
    return min(tried, key=size_of_gap)


def size_of_gap(solution: Solution) -> float:
    """Relative gap without its sign; infinite where round-off has made it NaN."""
    size = abs(solution.relative_gap)
    return size if size >= 0.0 else np.inf
