"""A method's numbers as a whole: whether ours and print agree as well as their noise lets them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.chances import chance_of_wrong
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.judge import Verdict


@dataclass(frozen=True)
class RowLine:
    """One line on the numbers of a method.

    Parameters
    ----------
    n : int
        Cells with an interval.
    decidable : int
        Of these, how many could come out as reproduced if nothing differs.
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
    decidable: int
    difference: float
    error: Error
    z: float
    z_range: tuple[float, float]


def row_line(
    differences: Sequence[float],
    of_each: Sequence[Error],
    sets: Sequence[str],
    decidable: int = 0,
) -> RowLine | None:
    """Line of some numbers; None if none of them has an interval.

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
    decidable : int
        How many cells could be decided at all.
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
    z = math.sqrt(np.mean([normal_score(d / e.standard, e.degrees) ** 2 for d, e, _ in cells]))
    degrees = n**2 / sum(len(group) ** 2 for group in by_set.values())
    low, high = np.sqrt(stats.chi2.ppf((0.025, 0.975), degrees) / degrees)
    mean = float(np.mean([difference for difference, *_ in cells]))
    error_of_mean = errors.summed(map(errors.added, by_set.values()), 1 / n)
    return RowLine(n, decidable, mean, error_of_mean, z, (float(low), float(high)))


def line_of(verdicts: Iterable[Verdict]) -> RowLine | None:
    """Line of those of some verdicts that are performances with an interval."""
    own = _with_interval(verdicts)
    return row_line(
        [v.difference for v in own],
        [v.error for v in own],
        [f"{v.number.paper} {v.number.select.get('dataset')}" for v in own],
        sum(v.can_be_decided for v in own),
    )


def lines_of(verdicts: Iterable[Verdict]) -> dict[str, RowLine]:
    """Line of each method of a table, by its printed name, which is that of a row or a column."""
    by_method: dict[str, list[Verdict]] = {}
    for v in _with_interval(verdicts):
        by_method.setdefault(v.number.select["method"], []).append(v)
    lines = {}
    for method, own in by_method.items():
        rows, columns = {v.number.row for v in own}, {v.number.column for v in own}
        name = min(rows) if len(rows) == 1 else min(columns) if len(columns) == 1 else method
        if len(own) > 1 and (line := line_of(own)):
            lines[name] = line
    return lines


def told(line: RowLine, digits: int) -> str:
    """In one line: ``in the mean +0.24 ± 0.48 (95 %); z 1.1 (noise alone: up to 1.6); ...``.

    Parameters
    ----------
    line : RowLine
        Of some numbers.
    digits : int
        After the point.
    """
    digits, half = max(digits, 1), line.error.half_width()
    return (
        f"in the mean {line.difference:+.{digits}f} ± {half:.{digits}f} (95 %); "
        f"z {line.z:.1f} (noise alone: up to {line.z_range[1]:.1f}); "
        f"more runs could decide {line.decidable} of {line.n}"
    )


def wrong_words(verdicts: Iterable[Verdict]) -> tuple[float, int]:
    """How many sure words are expected to be wrong, and how many there are that may be."""
    chances = [
        chance_of_wrong(v.judged_word, v.difference, v.error, v.margin)
        for v in _with_interval(verdicts)
        if v.judged_word in ("reproduced", "not reproduced")
    ]
    return sum(chances), len(chances)


def _with_interval(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [
        v
        for v in verdicts
        if v.quantity == "performance"
        and v.word not in ("quoted", "not run")
        and 0 < v.error.standard < math.inf
    ]


def normal_score(ratio: float, degrees: float) -> float:
    """Normal deviate that is as rare as a ratio with Student's distribution."""
    size = abs(ratio)
    if math.isinf(degrees):
        return ratio
    rarity = float(stats.t.sf(size, degrees))
    deviate = float(stats.norm.isf(rarity)) if rarity > 0 else size
    return math.copysign(min(deviate, size), ratio)
