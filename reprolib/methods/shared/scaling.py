"""Units of data by which division is exact."""

from __future__ import annotations

import numpy as np


def power_of_two(size: float) -> float:
    """Largest power of two up to a positive number, by which division is exact.

    Parameters
    ----------
    size : float
        The number.

    Returns
    -------
    float
        The power of two; 1 for zero.
    """
    return float(np.ldexp(1.0, np.frexp(size)[1] - 1)) if size > 0.0 else 1.0


def power_of_four(size: float) -> float:
    """Largest power of four up to a positive number; division by it and its root are exact.

    Parameters
    ----------
    size : float
        The number.

    Returns
    -------
    float
        The power of four; 1 for zero.
    """
    if not size > 0.0:
        return 1.0
    exponent = int(np.frexp(size)[1]) - 1
    return float(np.ldexp(1.0, exponent - exponent % 2))
