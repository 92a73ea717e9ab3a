"""Comparison of methods by definition: counting, loops, textbook formulas."""

from __future__ import annotations

import numpy as np
from scipy import stats


def nadeau_bengio(a, b, n_train: int, n_test: int):
    """Their corrected resampled t interval, as printed."""
    d = [x - y for x, y in zip(a, b, strict=True)]
    J = len(d)
    mean = sum(d) / J
    S2 = sum((x - mean) ** 2 for x in d) / (J - 1)
    half = stats.t.ppf(0.975, J - 1) * np.sqrt((1 / J + n_test / n_train) * S2)
    return mean, mean - half, mean + half
