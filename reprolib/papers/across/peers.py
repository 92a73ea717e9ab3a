"""Boosting by other libraries, beside the methods of the study.

CatBoost, LightGBM and XGBoost are no dependencies of the package: their accuracies on the same
splits are in ``boosters.csv``, written by ``python benchmarks/boosters.py``.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reprolib.papers.across.summaries import REFERENCE, main_rows

LIBRARIES = {
    "catboost": "CatBoost",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost tuned": "CatBoost, tuned",
    "lightgbm tuned": "LightGBM, tuned",
    "xgboost tuned": "XGBoost, tuned",
}
#: Accuracy of every library by set and trial; tuned CatBoost on sets of at most four classes.
BOOSTERS = Path(__file__).with_name("boosters.csv")
#: Accuracy of kernel methods with wider grids on the first trial of every set.
WIDER = Path(__file__).with_name("wider.csv")


def accuracies(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method of the study and of the libraries, by set, method and trial."""
    libraries = pd.read_csv(BOOSTERS).rename(columns={"accuracy": "value"})
    columns = ["dataset", "method", "trial", "value"]
    rows = [main_rows(records, "accuracy")[columns], libraries[columns]]
    return pd.concat(rows, ignore_index=True)


def by_set(rows: pd.DataFrame, key: str, reference: str = REFERENCE) -> pd.Series:
    """Difference of two methods in points on every set, over the trials that both have there."""
    rows = rows[rows["method"].isin([key, reference])]
    wide = rows.pivot_table(index=["dataset", "trial"], columns="method", values="value").dropna()
    return 100 * (wide[key] - wide[reference]).groupby(level="dataset").mean()
