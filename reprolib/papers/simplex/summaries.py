"""The rounding test: which test sets can give a printed percentage in one run.

On n test points every accuracy of one run is k/n. A printed percentage that is no k/n, rounded to
its digits, is not the accuracy of one run on that test set: it is a mean over runs, or was measured
on other points.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from reprolib.rerun.verdicts.printed import numbers

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
    digits : int, default=2
    """
    candidates = np.arange(100 * 10**digits) / 10**digits
    return float(np.mean([is_fraction(value, n, digits) for value in candidates]))


def rounding_table() -> pd.DataFrame:
    """Every printed accuracy of the UCI columns, and what it can be a fraction of.

    Returns
    -------
    DataFrame
        Indexed by row and column of Table 2: published, n_test, whether it is k/n_test (test), a
        fraction of the training set (training), and the least number of runs on the test set whose
        mean it can be (runs).
    """
    lines = []
    for number in numbers("simplex"):
        if number.select["dataset"] not in SIZES:
            continue
        n_train, n_test = SIZES[number.select["dataset"]]
        runs = next(r for r in itertools.count(1) if is_fraction(number.value, r * n_test))
        lines.append(
            {
                "row": number.row,
                "column": number.column,
                "published": number.value,
                "n_test": n_test,
                "test": is_fraction(number.value, n_test),
                "training": is_fraction(number.value, n_train),
                "runs": runs,
            }
        )
    return pd.DataFrame(lines).set_index(["row", "column"])


def rounding_summary() -> pd.DataFrame:
    """How many of its five values pass in every row of Table 2.

    Returns
    -------
    DataFrame
        Indexed by row: passing, failing (columns by name), and the probability that at least as
        many of five random percentages pass.
    """
    table = rounding_table()
    chances = [chance(n_test) for _, n_test in SIZES.values()]
    summary = pd.DataFrame(
        {
            "passing": table.groupby("row", sort=False)["test"].sum(),
            "failing": table[~table["test"]]
            .reset_index()
            .groupby("row", sort=False)["column"]
            .agg(", ".join),
        }
    ).reindex(table.index.unique("row"))
    summary["probability"] = [at_least(count, chances) for count in summary["passing"]]
    return summary.fillna({"failing": ""})


def at_least(count: int, chances: list[float]) -> float:
    """Probability that at least so many of independent events happen."""
    distribution = np.array([1.0])
    for p in chances:
        distribution = np.convolve(distribution, [1 - p, p])
    return float(distribution[count:].sum())
