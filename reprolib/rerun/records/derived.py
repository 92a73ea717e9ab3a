"""Rows of statistics over trials, computed from the measured records of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reprolib.rerun.records.rows import level_of
from reprolib.rerun.records.task import task_id

#: Stands in the name of the task of a derived row, which no task measures.
OVER_TRIALS = "over trials"
#: Columns that a derived row has from the records behind it.
_KEPT = ("paper", "table", "dataset", "method", "setting", "reading", "source")


def derived_row(
    record: Mapping[Any, Any],
    metric: str,
    value: float,
    *,
    trial: int | None = None,
    chosen: Mapping[str, Any] | None = None,
    n_test: int = 0,
) -> dict[str, Any]:
    """Row of a statistic over trials.

    Parameters
    ----------
    record : mapping
        One of the records behind it: gives paper, table, data set, method, setting, reading, seed,
        trial and source.
    metric : str
    value : float
    trial : int, optional
        Instead of the record's.
    chosen : dict, optional
        What the statistic selects, or was computed from.
    n_test : int
        Test points behind ``value``.
    """
    row = {
        **{name: record[name] for name in _KEPT},
        "level": level_of(record["level"]),
        "seed": int(record["seed"]),
        "trial": int(record["trial"] if trial is None else trial),
        "metric": metric,
        "value": float(value),
        "chosen": json.dumps(dict(chosen or {}), sort_keys=True),
        "n_test": int(n_test),
        "gap": None,
        "path": "",
        "seconds": 0.0,
        "status": "ok",
    }
    return {"task": task_id(row, OVER_TRIALS), **row}


def is_derived(records: pd.DataFrame) -> pd.Series:
    """Which records are statistics over trials."""
    return records["task"].str.contains(f"/{OVER_TRIALS}/", regex=False)
