"""What an audit says: one finding, and the level of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Chance that a test finds something in a data set where there is nothing, for each check.
LEVEL = 0.05
#: Places that a finding names; the others are counted.
N_NAMED = 5


@dataclass(frozen=True)
class Finding:
    """One finding of an audit.

    Parameters
    ----------
    check : str
        What was looked for.
    count : int
        How many rows, columns, channels or characters.
    text : str
        What was found, where, in words and numbers.
    p_value : float, optional
        Of a test, corrected for all places that it looked at; None for a plain fact.
    places : sequence of int
        Indices of the rows or columns concerned.
    """

    check: str
    count: int
    text: str
    p_value: float | None = None
    places: Sequence[int] = ()

    def told(self) -> str:
        """What was found, with the p-value of a test."""
        if self.p_value is None:
            return self.text
        p_value = "p < 0.0001" if self.p_value < 1e-4 else f"p = {self.p_value:.2g}"
        return f"{self.text} ({p_value})"


def at_places(check: str, text: str, places, p_value: float | None = None) -> list[Finding]:
    """One finding at so many places, or none where there is no place."""
    where = np.asarray(places, dtype=int).tolist()
    return [Finding(check, len(where), text, p_value, where)] if where else []


def named(names: Sequence[object]) -> str:
    """Names in a row, the first few of them where there are many."""
    first = ", ".join(str(name) for name in list(names)[:N_NAMED])
    more = len(names) - N_NAMED
    return f"{first} and {more} more" if more > 0 else first


def holm(p_values) -> np.ndarray:
    """p-values corrected for their number (Holm 1979): the chance of one false one stays."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    stepped = p_values[order] * (len(p_values) - np.arange(len(p_values)))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return corrected
