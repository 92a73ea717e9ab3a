"""Rows of the records: their columns, and how a measurement becomes one."""

from __future__ import annotations

import json
import math
from typing import Any

from reprolib.rerun.records.task import Measurement, Task

#: Records of one task, by column.
Rows = list[dict[str, Any]]

#: Digits of a value, in the tables and while a run lasts: its later stages see what is written.
VALUE_FORMAT = ".10g"
_TEXT, _WHOLE, _NUMBER = (str,), (int,), (int, float)
_MAYBE = (int, float, type(None))
#: What every column of a record may hold, in the order of the results tables. The name of the
#: file says the paper and the table, the table of tasks says the seconds.
COLUMN_TYPES: dict[str, tuple[type, ...]] = {
    "task": _TEXT,
    "paper": _TEXT,
    "table": _TEXT,
    "dataset": _TEXT,
    "method": _TEXT,
    "setting": _TEXT,
    "level": _MAYBE,
    "reading": _TEXT,
    "seed": _WHOLE,
    "trial": _WHOLE,
    "metric": _TEXT,
    "value": _NUMBER,
    "chosen": _TEXT,
    "n_test": _WHOLE,
    "gap": _MAYBE,
    "path": _TEXT,
    "seconds": _NUMBER,
    "source": _TEXT,
    "status": _TEXT,
}
COLUMNS = list(COLUMN_TYPES)
#: Columns that together no two records of a paper share.
KEY = ["task", "metric", "reading", "setting"]
#: Columns that a task determines.
FIXED = ("paper", "table", "dataset", "method", "seed", "trial")


def row_of(task: Task, m: Measurement, source: str, seconds: float) -> dict[str, Any]:
    """Row of the records for one measurement of a task."""
    own = m.setting is None
    return {
        "task": task.id,
        **{name: getattr(task, name) for name in FIXED},
        "setting": task.setting if own else m.setting,
        "level": task.level if own else m.level,
        "reading": m.reading or task.reading,
        "metric": m.metric,
        "value": float(f"{float(m.value):{VALUE_FORMAT}}"),
        "chosen": json.dumps(dict(m.chosen), sort_keys=True),
        "n_test": int(m.n_test),
        "gap": None if m.gap is None else float(f"{m.gap:.3g}"),
        "path": " ".join(f"{v:.6g}" for v in m.path),
        "seconds": round(seconds if m.seconds is None else m.seconds, 4),
        "source": m.source if m.source and source != "embedded" else source,
        "status": m.status,
    }


def fault_of(rows: Any, task: Task) -> str:
    """What is wrong with the stored rows of a task, as the end of a sentence; empty if nothing."""
    if not isinstance(rows, list) or not rows:
        return "has no rows"
    faults = (_fault_of_row(row, task) for row in rows)
    return next((fault for fault in faults if fault), "")


def _fault_of_row(row: Any, task: Task) -> str:
    if not isinstance(row, dict):
        return f"has the row {row!r}"
    if row.keys() != COLUMN_TYPES.keys():
        return f"lacks or has too many of the columns: {sorted(row.keys() ^ COLUMN_TYPES.keys())}"
    for name, types in COLUMN_TYPES.items():
        if not isinstance(row[name], types) or isinstance(row[name], bool):
            return f"has {name} {row[name]!r}"
    for name, value in {"task": task.id, **{n: getattr(task, n) for n in FIXED}}.items():
        if row[name] != value:
            return f"has {name} {row[name]!r}, but its task {value!r}"
    return "" if row["status"] == "ok" else f"has status {row['status']!r}"


def level_of(value: Any) -> int | None:
    """Level as a whole number; None where there is none."""
    return None if value is None or math.isnan(value) else int(value)
