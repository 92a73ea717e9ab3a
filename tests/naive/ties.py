"""The rule for ties by its definition, one value at a time, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction


def equally_good(values, tolerance) -> list[int]:
    """Indices of the values that lie no more than the tolerance below the largest."""
    best = max(Fraction(float(value)) for value in values)
    bar = best - Fraction(float(tolerance))
    return [i for i, value in enumerate(values) if Fraction(float(value)) >= bar]


def sorted_with_ties(values, tolerance) -> list[int]:
    """Indices, smallest value first; where each of several is within the tolerance of the next,
    all of them by index."""
    exact = [Fraction(float(value)) for value in values]
    rest = sorted(range(len(exact)), key=lambda i: exact[i])
    order: list[int] = []
    while rest:
        stretch = [rest.pop(0)]
        while rest and exact[rest[0]] - exact[stretch[-1]] <= Fraction(float(tolerance)):
            stretch.append(rest.pop(0))
        order += sorted(stretch)
    return order
