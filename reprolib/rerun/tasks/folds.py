"""Cross-validation of a grid, for protocols that choose by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np


def mean_over_folds(
    score: Callable[..., Any], grid: Sequence[Any], folds: Iterable[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Mean score over the folds of every value of a grid.

    Parameters
    ----------
    score : callable
        Called with a value and the training and test rows of a fold; gives a number, or an array
        of the same shape for all.
    grid : sequence
    folds : iterable of (train, test) index arrays

    Returns
    -------
    ndarray of shape (n_grid,), or (n_grid, ...) where ``score`` gives arrays
    """
    scores = [[score(value, train, test) for value in grid] for train, test in folds]
    return np.mean(scores, axis=0)
