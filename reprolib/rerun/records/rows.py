"""Records: the names of their columns, and how a measurement becomes a row.

This file alone says what a column of ``results/<paper>/records.csv.xz`` is called and what it may
hold. To rename one, change it here, and run ``tools/migrate_column.py``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reprolib.rerun.records.task import HEADLINE, Measurement, Task, task_id

#: Records of one task, by column.
Rows = list[dict[str, Any]]

#: Digits of a value, in the tables and while a run lasts: its later stages see what is written.
VALUE_FORMAT = ".10g"
#: Columns of what was measured.
VALUE, CHOSEN, N_TEST, GAP, PATH = "value", "chosen", "n_test", "gap", "path"
LEVEL, SOURCE, STATUS, SECONDS = "level", "source", "status", "seconds"
_TEXT, _WHOLE, _NUMBER = (str,), (int,), (int, float)
_MAYBE = (int, float, type(None))
#: What every column of a record may hold, in the order of the frames.
COLUMN_TYPES: dict[str, tuple[type, ...]] = {
    "task": _TEXT,
    "paper": _TEXT,
    "table": _TEXT,
    "dataset": _TEXT,
    "method": _TEXT,
    "setting": _TEXT,
    LEVEL: _MAYBE,
    "reading": _TEXT,
    "seed": _WHOLE,
    "trial": _WHOLE,
    "metric": _TEXT,
    VALUE: _NUMBER,
    CHOSEN: _TEXT,
    N_TEST: _WHOLE,
    GAP: _MAYBE,
    PATH: _TEXT,
    SECONDS: _NUMBER,
    SOURCE: _TEXT,
    STATUS: _TEXT,
}
COLUMNS = list(COLUMN_TYPES)
#: How its task was made. ``quick``: the quick profile has the task, too.
MADE_TYPES: dict[str, tuple[type, ...]] = {
    "quick": (bool,),
    **dict.fromkeys(("date", "code", "environment"), _TEXT),
}
#: Columns of the file: of a record, and of how its task was made.
FILE_TYPES = {**COLUMN_TYPES, **MADE_TYPES}
#: Columns that together no two records of a paper share.
KEY = ["task", "metric", "reading", "setting"]
#: Columns in whose order records are sorted.
SORT_KEYS = [
    *("table", "dataset", "method", "setting", "reading", "trial", "metric", CHOSEN, "seed"),
]
#: Columns that a task determines; in setting, level and reading a record may have its own.
FIXED = ("paper", "table", "dataset", "method", "seed", "trial")
#: Columns of the table of tasks that a task determines.
OF_TASK = ("table", "dataset", "method", "setting", LEVEL, "reading", "seed", "trial")
TASK_COLUMNS = ["task", *OF_TASK, "quick", SECONDS, "date", "code", "environment"]
#: What a record has that no task measured.
NOT_MEASURED = {GAP: None, PATH: "", SECONDS: 0.0, STATUS: "ok"}
#: Stands in the name of the task of a derived row, which no task measures.
OVER_TRIALS = "over trials"
#: Table of records, and metric, of `disagreements`.
DISAGREEMENT = "disagreement"


def row_of(task: Task, m: Measurement, source: str, seconds: float) -> dict[str, Any]:
    """Row of the records for one measurement of a task."""
    own = m.setting is None
    return {
        "task": task.id,
        **{name: getattr(task, name) for name in FIXED},
        "setting": task.setting if own else m.setting,
        LEVEL: task.level if own else m.level,
        "reading": m.reading or task.reading,
        "metric": m.metric,
        VALUE: float(f"{float(m.value):{VALUE_FORMAT}}"),
        CHOSEN: json.dumps(dict(m.chosen), sort_keys=True),
        N_TEST: int(m.n_test),
        GAP: None if m.gap is None else float(f"{m.gap:.3g}"),
        PATH: " ".join(f"{v:.6g}" for v in m.path),
        SECONDS: round(seconds, 4),
        SOURCE: m.source if m.source and source != "embedded" else source,
        STATUS: m.status,
    }


def derived_row(
    record: Mapping[Any, Any],
    metric: str,
    value: float,
    *,
    trial: int | None = None,
    chosen: Mapping[str, Any] | None = None,
    n_test: int = 0,
) -> dict[str, Any]:
    """Row of a statistic over trials, computed from the measured records of a run.

    Parameters
    ----------
    record : mapping
        One of the records behind it: gives paper, table, data set, method, setting, reading, seed,
        trial and source.
    metric : str
        What the statistic is called.
    value : float
        The statistic.
    trial : int, optional
        Instead of the record's.
    chosen : dict, optional
        What the statistic selects, or was computed from.
    n_test : int
        Test points behind ``value``.

    Returns
    -------
    dict
        The row, of a task that nothing measured: see `is_derived`.
    """
    level = record[LEVEL] if record["setting"] else None
    row = {
        **{name: record[name] for name in (*FIXED, "setting", "reading", SOURCE)},
        LEVEL: None if level is None or math.isnan(level) else int(level),
        "seed": int(record["seed"]),
        "trial": int(record["trial"] if trial is None else trial),
        "metric": metric,
        VALUE: float(value),
        CHOSEN: json.dumps(dict(chosen or {}), sort_keys=True),
        N_TEST: int(n_test),
        **NOT_MEASURED,
    }
    return {"task": task_id(row, OVER_TRIALS), **row}


def is_derived(records: pd.DataFrame) -> pd.Series:
    """Which records, or lines of a table of tasks, are statistics over trials."""
    return records["task"].str.contains(f"/{OVER_TRIALS}/", regex=False)


def disagreements(hits: Mapping[str, np.ndarray]) -> list[Measurement]:
    """How often a reading and the headline, tested on the same points, differ in being right.

    An official test set is shared by the paper and by us. The difference of two accuracies on it
    has the variance q / n if both are equally good: q is the share of the n points on which
    exactly one of the two is right (McNemar, Psychometrika 1947).

    Parameters
    ----------
    hits : mapping of str to array of bool of shape (n_test,)
        Which points a reading classifies correctly, the headline among them.

    Returns
    -------
    list of Measurement
        Share of the points on which exactly one of the two is right, a reading.
    """
    own = np.asarray(hits[HEADLINE])
    return [
        Measurement(DISAGREEMENT, float(np.mean(own != other)), n_test=len(own), reading=reading)
        for reading, other in hits.items()
        if reading != HEADLINE
    ]


def to_frame(rows: Any) -> pd.DataFrame:
    """Records in canonical order: the same set of rows gives the same table."""
    frame = pd.DataFrame(list(rows), columns=COLUMNS)
    frame[LEVEL] = pd.to_numeric(frame[LEVEL]).astype(float)
    return frame.sort_values(SORT_KEYS, kind="stable", ignore_index=True)


def record_name(row: Mapping) -> str:
    """Name of a record: its task and metric; reading and setting in brackets if not the task's."""
    own = [str(row[k]) for k in ("reading", "setting") if f"/{row[k]}/" not in row["task"]]
    in_brackets = ", ".join(filter(None, own))
    return f"{row['task']} {row['metric']}" + (f" ({in_brackets})" if in_brackets else "")


def fault_of(rows: Any, task: Task) -> str:
    """What is wrong with the stored rows of a task, as the end of a sentence; empty if nothing."""
    if not isinstance(rows, list) or not rows:
        return "has no rows"
    fixed = {"task": task.id, **{name: getattr(task, name) for name in FIXED}}
    for row in rows:
        if not isinstance(row, dict):
            return f"has the row {row!r}"
        if other := row.keys() ^ COLUMN_TYPES.keys():
            return f"lacks or has too many of the columns: {sorted(other)}"
        for name, types in COLUMN_TYPES.items():
            if not isinstance(row[name], types) or isinstance(row[name], bool):
                return f"has {name} {row[name]!r}"
        for name, value in fixed.items():
            if row[name] != value:
                return f"has {name} {row[name]!r}, but its task {value!r}"
        if row[STATUS] != "ok":
            return f"has status {row['status']!r}"
    return ""


def ok(records: pd.DataFrame) -> pd.DataFrame:
    """Records that may be used: their task did not fail."""
    return records[records[STATUS] == "ok"]


def failed(records: pd.DataFrame) -> pd.DataFrame:
    """Records that must not be used: their status says why."""
    return records[records[STATUS] != "ok"]


def failures(rows: Rows) -> list[tuple[str, str, str]]:
    """Task, status and traceback of every row that must not be used."""
    return [
        (row["task"], row[STATUS], row.get("traceback", "")) for row in rows if row[STATUS] != "ok"
    ]


def statuses(records: pd.DataFrame) -> pd.Series:
    """Why every record must not be used; "ok" where it may."""
    return records[STATUS]


def sources(records: pd.DataFrame) -> pd.Series:
    """Source of the data behind every record."""
    return records[SOURCE]


def n_points(records: pd.DataFrame) -> pd.Series:
    """Number of test points behind every record, 0 where that has no meaning."""
    return records[N_TEST]


def levels(records: pd.DataFrame) -> pd.Series:
    """Whole number that the setting of every record stands for."""
    return records[LEVEL].astype(int)


def with_path(records: pd.DataFrame) -> pd.DataFrame:
    """Records that have a path."""
    return records[records[PATH] != ""]


def select(records: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """Usable records whose columns have the wanted values.

    Parameters
    ----------
    records : DataFrame
        Those to choose from.
    **wanted : value, or list, tuple or set of values, by column
        For example ``select(records, table="table1", method=["kpm", "svm"], reading=HEADLINE)``.

    Returns
    -------
    DataFrame
        In the order of the records; failed records are left out.

    Raises
    ------
    ValueError
        If there is no such column.
    """
    unknown = sorted(set(wanted) - set(records.columns))
    if unknown:
        known = ", ".join(records.columns)
        raise ValueError(f"records have no column {unknown[0]!r}; their columns are {known}.")
    keep = records[STATUS] == "ok"
    for column, value in wanted.items():
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        keep &= records[column].isin(list(values))
    return records[keep]


def paths(records: pd.DataFrame) -> list[np.ndarray]:
    """Path of every record, in the order of the records; of length zero where there is none."""
    return [np.array(str(text).split(), dtype=float) for text in records[PATH]]


def path_matrix(records: pd.DataFrame) -> np.ndarray:
    """Paths of the records, one row a record, cut at the shortest."""
    rows = paths(records)
    shortest = min(map(len, rows), default=0)
    return np.array([path[:shortest] for path in rows]).reshape(len(rows), shortest)


def chosen(records: pd.DataFrame, key: str) -> pd.Series:
    """Hyperparameter ``key`` that the task of every record selected, with the records' index.

    Raises
    ------
    KeyError
        If the task of a record did not select it.
    """
    return records[CHOSEN].map(lambda text: json.loads(text)[key])


def machine_names(records: pd.DataFrame) -> pd.Series:
    """Method of every record with its setting, such as "svm, one-vs-one"."""
    joined = records["method"] + ", " + records["setting"]
    return joined.where(records["setting"] != "", records["method"])
