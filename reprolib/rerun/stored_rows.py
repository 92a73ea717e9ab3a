"""Whether rows read from the store of finished tasks can be those of a task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: Digits of a value, in the tables and while a run lasts: its later stages see what is written.
VALUE_FORMAT = ".10g"
_TEXT, _WHOLE, _NUMBER = (str,), (int,), (int, float)
#: What every column of a record may hold, in the order of the results tables.
COLUMN_TYPES: dict[str, tuple[type, ...]] = {
    "paper": _TEXT,
    "table": _TEXT,
    "dataset": _TEXT,
    "method": _TEXT,
    "setting": _TEXT,
    "reading": _TEXT,
    "trial": _WHOLE,
    "metric": _TEXT,
    "value": _NUMBER,
    "chosen": _TEXT,
    "n_test": _WHOLE,
    "gap": (int, float, type(None)),
    "path": _TEXT,
    "seconds": _NUMBER,
    "source": _TEXT,
    "status": _TEXT,
}


def fault_of(rows: Any, fixed: Mapping[str, Any]) -> str:
    """What is wrong with the rows of a finished task, as the end of a sentence; empty if nothing.

    Parameters
    ----------
    rows : object
        As read from the store.
    fixed : dict
        Columns that the task determines, with their values.
    """
    if not isinstance(rows, list) or not rows:
        return "has no rows"
    faults = (_fault_of_row(row, fixed) for row in rows)
    return next((fault for fault in faults if fault), "")


def _fault_of_row(row: Any, fixed: Mapping[str, Any]) -> str:
    if not isinstance(row, dict):
        return f"has the row {row!r}"
    missing = [name for name in COLUMN_TYPES if name not in row]
    unknown = [name for name in row if name not in COLUMN_TYPES]
    if missing or unknown:
        return f"lacks the columns {missing}" if missing else f"has the unknown columns {unknown}"
    for name, types in COLUMN_TYPES.items():
        if not isinstance(row[name], types) or isinstance(row[name], bool):
            return f"has {name} {row[name]!r}"
    for name, value in fixed.items():
        if row[name] != value:
            return f"has {name} {row[name]!r}, but its task {value!r}"
    return _fault_of_texts(row)


def _fault_of_texts(row: Mapping[str, Any]) -> str:
    if row["status"] != "ok":
        return f"has status {row['status']!r}"
    try:
        sound = isinstance(json.loads(row["chosen"]), dict)
    except ValueError:
        sound = False
    if not sound:
        return f"has chosen {row['chosen']!r}"
    try:
        [float(number) for number in row["path"].split()]
    except ValueError:
        return f"has path {row['path']!r}"
    return ""
