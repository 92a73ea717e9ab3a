"""A printed row as a whole: whether ours and print agree as well as their noise lets them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.errors import Error


@dataclass(frozen=True)
class RowLine:
    """One line below a printed row.

    Parameters
    ----------
    n : int
        Cells with an interval.
    difference : float
        Mean of ours minus printed over them.
    error : Error
        Of the mean.
    z : float
        Root mean square of the differences, each in units of what noise predicts.
    z_range : tuple of float
        In which z lies with 95 % if noise is all there is.
    """

    n: int
    difference: float
    error: Error
    z: float
    z_range: tuple[float, float]

    @property
    def is_as_noise_predicts(self) -> bool:
        """Whether ours and print differ no more than two honest runs do."""
        return self.z <= self.z_range[1]


def row_line(
    differences: Sequence[float], of_each: Sequence[Error], sets: Sequence[str]
) -> RowLine | None:
    """Line of a row; None if none of its cells has an interval.

    Cells of one data set may share their noise. They are taken as if they shared all of it, and
    those of other sets none.

    Parameters
    ----------
    differences : sequence of float
        Ours minus printed, one a cell.
    of_each : sequence of Error
        Their errors; cells without chance and without an interval are left out.
    sets : sequence of str
        Data set of every cell.
    """
    cells = [
        (difference, error, name)
        for difference, error, name in zip(differences, of_each, sets, strict=True)
        if 0 < error.standard < math.inf
    ]
    if not cells:
        return None
    n = len(cells)
    by_set: dict[str, list[Error]] = {}
    for _, error, name in cells:
        by_set.setdefault(name, []).append(error)
    shared = [
        Error(sum(e.standard for e in group), min(e.degrees for e in group))
        for group in by_set.values()
    ]
    z = math.sqrt(np.mean([normal_score(d / e.standard, e.degrees) ** 2 for d, e, _ in cells]))
    degrees = n**2 / sum(len(group) ** 2 for group in by_set.values())
    low, high = np.sqrt(stats.chi2.ppf((0.025, 0.975), degrees) / degrees)
    mean = float(np.mean([difference for difference, *_ in cells]))
    return RowLine(n, mean, errors.summed(shared, 1 / n), z, (float(low), float(high)))


def normal_score(ratio: float, degrees: float) -> float:
    """Normal deviate that is as rare as a ratio with Student's distribution."""
    size = abs(ratio)
    if math.isinf(degrees):
        return ratio
    rarity = float(stats.t.sf(size, degrees))
    deviate = float(stats.norm.isf(rarity)) if rarity > 0 else size
    return math.copysign(min(deviate, size), ratio)
