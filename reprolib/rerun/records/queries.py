"""Questions to records: some of them, their paths, what their tasks chose."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd


def ok(records: pd.DataFrame) -> pd.DataFrame:
    """Records that may be used: their task did not fail."""
    return records[records["status"] == "ok"]


def select(records: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """Usable records whose columns have the wanted values.

    Parameters
    ----------
    records : DataFrame
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
    keep = records["status"] == "ok"
    for column, value in wanted.items():
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        keep &= records[column].isin(list(values))
    return records[keep]


def paths(records: pd.DataFrame) -> list[np.ndarray]:
    """Path of every record, in the order of the records; of length zero where there is none."""
    return [np.array(str(text).split(), dtype=float) for text in records["path"]]


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
    return records["chosen"].map(lambda text: json.loads(text)[key])


def machine_names(records: pd.DataFrame) -> pd.Series:
    """Method of every record with its setting, such as "svm, one-vs-one"."""
    joined = records["method"] + ", " + records["setting"]
    return joined.where(records["setting"] != "", records["method"])
