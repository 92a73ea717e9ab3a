"""Peers beyond the study's budget, and boosting by other libraries.

`BEYOND` has records of the study. CatBoost, LightGBM and XGBoost are no dependencies of the
package: their accuracies on the same splits are in ``boosters.csv``, written by ``reprolib bench
boosters``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from reprolib.papers.across.experiment import BEYOND
from reprolib.papers.across.methods import METHODS
from reprolib.papers.across.summaries import REFERENCE, main_rows
from reprolib.rerun.verdicts.ordering import Scores, difference

LIBRARIES = {"catboost": "CatBoost", "lightgbm": "LightGBM", "xgboost": "XGBoost"}
#: What may be stronger, the boosting of the study before it, and what both are compared with.
PEERS = ("gradient boosting", "gradient boosting untuned", *BEYOND, *LIBRARIES)
REFERENCES = (REFERENCE, "extra trees")
#: Accuracy of every library on every set in every trial.
BOOSTERS = Path(__file__).with_name("boosters.csv")
LABELS = {**{key: method.label for key, method in METHODS.items()}, **LIBRARIES}


def accuracies(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method of the study and of the libraries, by set, method and trial.

    Over the trials that all peers have.
    """
    rows = main_rows(records, "accuracy")
    libraries = pd.read_csv(BOOSTERS).rename(columns={"accuracy": "value"})
    columns = ["dataset", "method", "trial", "value"]
    both = pd.concat([rows[columns], libraries[columns]], ignore_index=True)
    of_peer = both[both["method"].isin(PEERS)].groupby("method")["trial"]
    return both[both["trial"].isin(set.intersection(*of_peer.agg(set)))]


def table(records: pd.DataFrame, references: Sequence[str] = REFERENCES) -> pd.DataFrame:
    """Mean difference over the sets of every peer, its interval and its word."""
    rows = accuracies(records)
    return pd.DataFrame(
        {
            f"minus {LABELS[reference]}": {
                LABELS[key]: _told(rows, key, reference) for key in PEERS
            }
            for reference in references
        }
    )


def _told(rows: pd.DataFrame, key: str, reference: str) -> str:
    found = difference(Scores.of(rows, [key, reference]), key, reference)
    return f"{found.mean:+.1f} ({found.low:+.1f} to {found.high:+.1f}), {found.word}"


def means(records: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Accuracy in percent over the same trials, sets by methods."""
    rows = accuracies(records)
    rows = rows[rows["method"].isin(keys)]
    return 100 * rows.pivot_table(index="dataset", columns="method", values="value")[list(keys)]
