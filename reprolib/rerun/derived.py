"""Rows of statistics over trials, computed from the measured records of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reprolib.rerun.agreement import KEY

#: Columns that a derived row has from the records behind it.
_KEPT = ("paper", "table", "dataset", "method", "setting", "reading", "trial", "source")


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
        One of the records behind it: gives paper, table, data set, method, setting, reading, trial
        and source.
    metric : str
    value : float
    trial : int, optional
        Instead of the record's.
    chosen : dict, optional
        What the statistic selects, or was computed from.
    n_test : int
        Test points behind ``value``.
    """
    return {
        **{name: record[name] for name in _KEPT},
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


def is_derived(records: pd.DataFrame, derived: list[dict[str, Any]]) -> pd.Series:
    """Which records have the key of a derived row."""
    keys = {tuple(row[k] for k in KEY) for row in derived}
    found = [key in keys for key in zip(*(records[k] for k in KEY), strict=True)]
    return pd.Series(found, index=records.index, dtype=bool)
