"""When a recomputed record agrees with a committed one: column by column."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from reprolib.rerun.records.rows import KEY, record_name

#: Relative to the larger of 1 and the number for a value and a path (the tables hold ten digits,
#: the paths six; the least change of an error rate, one test point in 20,000, is 5e-5), to the
#: number itself for a hyperparameter, which may be small.
TOLERANCE = 1e-5
#: Certificates below this relative duality gap are one class: what is left there is rounding.
GAP_FLOOR = 1e-6
#: Above it, certificates that differ by a larger factor than this are of different classes.
GAP_FACTOR = 10.0


def difference(row: Mapping, other: Mapping) -> list[str]:
    """What differs between a recomputed record and a committed one.

    Compared are all columns that a verdict or a figure reads: the value, the number of test
    points, source, status, level, hyperparameters, the path, and the certificate. Numbers agree
    within `TOLERANCE`, NaN agrees with NaN, texts and counts agree exactly. Of the duality gap,
    whose digits are rounding errors, only the class counts (see `same_certificate`).

    Parameters
    ----------
    row, other : mapping
        Recomputed and committed record, by column.

    Returns
    -------
    list of str
        One text for each column that differs.
    """
    found = []
    for column, (parse, agree) in COLUMN_RULES.items():
        if row[column] is other[column] or row[column] == other[column]:
            continue
        now, then = _parsed(parse, row[column]), _parsed(parse, other[column])
        if not agree(now, then):
            found.append(f"{column} {now}, committed {then}")
    return found


def same(a: Any, b: Any, scale: float = 1.0) -> bool:
    """Compare numbers within `TOLERANCE`, also inside of lists and dicts; the rest exactly.

    Parameters
    ----------
    a, b : object
    scale : float
        The tolerance is relative to the largest of this and both numbers.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], scale) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, scale) for x, y in zip(a, b, strict=True))
    if isinstance(a, float | int) and isinstance(b, float | int):
        return _same_number(float(a), float(b), scale)
    return a == b


def _same_number(a: float, b: float, scale: float) -> bool:
    if math.isfinite(a) and math.isfinite(b):
        return abs(a - b) <= TOLERANCE * max(scale, abs(a), abs(b))
    return a == b or (math.isnan(a) and math.isnan(b))


def same_certificate(a: float, b: float) -> bool:
    """Whether two relative duality gaps are of the same class.

    Both are missing (NaN: no certificate was measured), or both are there and differ by at most
    `GAP_FACTOR`, where everything up to `GAP_FLOOR` counts as `GAP_FLOOR`. So a committed gap is
    never claimed better than the recomputed one by more than that, nor worse.
    """
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    low, high = sorted(max(abs(gap), GAP_FLOOR) for gap in (a, b))
    return high <= GAP_FACTOR * low


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _numbers(path: str) -> list[float]:
    return [float(v) for v in path.split()]


def _parsed(parse: Callable[[Any], Any], value: Any) -> Any:
    """Parsed value, or the text as it stands if a committed file holds something else."""
    try:
        return parse(value)
    except ValueError:
        return str(value)


def _exact(a: Any, b: Any) -> bool:
    return a == b


def _same_gap(a: Any, b: Any) -> bool:
    return a == b if isinstance(a, str) or isinstance(b, str) else same_certificate(a, b)


#: How the entries of a column are read, and when two of them agree.
COLUMN_RULES: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(("dataset", "method", "source", "status"), (str, _exact)),
    **dict.fromkeys(("level", "seed", "trial"), (_number, same)),
    "chosen": (json.loads, functools.partial(same, scale=0.0)),
    "value": (_number, same),
    "n_test": (int, _exact),
    "gap": (_number, _same_gap),
    "path": (_numbers, same),
}


def joined(rows: pd.DataFrame, others: pd.DataFrame) -> list[tuple[dict | None, dict | None]]:
    """Join records of two runs by their keys; None stands for one that the other has not."""
    first, second = (
        {tuple(row[k] for k in KEY): row for row in frame.to_dict("records")}
        for frame in (rows, others)
    )
    return [(first.get(key), second.get(key)) for key in {**first, **second}]


def compare(rows: pd.DataFrame, committed: pd.DataFrame) -> list[str]:
    """Compare recomputed records with the committed ones that the same tasks must have made.

    Returns
    -------
    list of str
        One line for every record that differs, that is new, or that no task made.
    """
    return [line for row, other in joined(rows, committed) if (line := _line(row, other))]


def _line(row: Mapping | None, other: Mapping | None) -> str:
    if row is None or other is None:
        text = (
            "a committed record that its task does not make"
            if row is None
            else ("no such committed record")
        )
        return f"{record_name(row or other or {})}: {text}"
    faults = difference(row, other)
    return f"{record_name(row)}: {'; '.join(faults)}" if faults else ""
