"""The rounding test: which test sets can give a printed percentage in one run.

On n test points every accuracy of one run is k/n. A printed percentage that is no k/n, rounded to
its digits, is not the accuracy of one run on that test set: it is a mean over runs, or was measured
on other points.
"""

from __future__ import annotations

import numpy as np

#: Training and test examples of the official splits (Letter has none; this is the usual one).
SIZES = {
    "uci/landsat": (4435, 2000),
    "uci/optdigits": (3823, 1797),
    "uci/pendigits": (7494, 3498),
    "uci/letter": (16000, 4000),
    "uci/isolet": (6238, 1559),
}


def is_fraction(percentage: float, n: int, digits: int = 2) -> bool:
    """Whether a percentage is that of a whole number out of n, rounded up or down to its digits.

    Parameters
    ----------
    percentage : float
        As printed.
    n : int
        At least 1.
    digits : int, default=2
        Digits after the point. An exact half may have been rounded either way.
    """
    nearest = round(percentage * n / 100)
    return bool(abs(100 * nearest / n - percentage) <= 0.5 * 10.0**-digits + 1e-9)


def chance(n: int, digits: int = 2) -> float:
    """Share of all percentages with so many digits that pass `is_fraction`.

    Parameters
    ----------
    n : int
        Number of test points.
    digits : int, default=2
        How many are printed after the point.
    """
    candidates = np.arange(100 * 10**digits) / 10**digits
    return float(np.mean([is_fraction(value, n, digits) for value in candidates]))
