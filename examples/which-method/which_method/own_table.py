"""A table of one's own: checked, and turned into numbers by what the training rows show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from which_method.splits import MAX_COLUMNS, N_PRINCIPAL

#: Fewest rows of a class: one is tested, and each of three folds has one to hold out.
MIN_OF_CLASS = 5
#: Most indicators of one column of texts; the rarest share one.
MAX_CATEGORIES = 30
#: More different numbers than this, and no class for most of them: not a class label.
MAX_CLASSES = 100


def tidy(X: Any, y: Any, groups: Any) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Return columns, classes as texts or numbers, and groups, checked.

    Raises
    ------
    ValueError
        If lengths differ, a class or a group is missing, the target is no class, a class has too
        few rows, or a column is a date.
    """
    frame = pd.DataFrame(X).reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    labels = pd.Series(np.asarray(y))
    members = None if groups is None else pd.Series(np.asarray(groups))
    for name, column in (("y", labels), ("groups", members)):
        if column is not None and len(column) != len(frame):
            raise ValueError(f"{name} has {len(column)} values and X {len(frame)} rows.")
        if column is not None and column.isna().any():
            row = int(np.flatnonzero(column.isna())[0])
            raise ValueError(f"{name} is missing in row {row + 1}; leave such rows out.")
    _require_classes(labels)
    for label, values in frame.items():
        if values.dtype.kind in "mM":
            raise ValueError(
                f"column {label!r} holds dates; give numbers such as days, or drop it."
            )
    if members is not None and members.nunique() < MIN_OF_CLASS:
        raise ValueError(f"groups has {members.nunique()} groups; {MIN_OF_CLASS} are needed.")
    frame = frame.loc[:, frame.notna().any()]
    if frame.empty:
        raise ValueError("X has no column with a value.")
    return _plain(frame), labels.to_numpy(), None if members is None else members.to_numpy()


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers as floats with NaN for a gap, everything else as text."""
    numbers = frame.select_dtypes("number").replace([np.inf, -np.inf], np.nan).astype(float)
    others = frame.drop(columns=numbers.columns)
    texts = others.astype(object).where(others.notna(), "missing").astype(str)
    return pd.concat([numbers, texts], axis=1)


def _require_classes(labels: pd.Series) -> None:
    counts = labels.value_counts()
    if len(counts) < 2:
        raise ValueError(f"y has one class, {counts.index[0]!r}; two are needed.")
    is_number = labels.dtype.kind == "f" and not (labels == labels.round()).all()
    if is_number or len(counts) > min(MAX_CLASSES, len(labels) / 2):
        raise ValueError(
            f"y has {len(counts)} different values in {len(labels)} rows, which are no classes; "
            "this compares classifiers. Name the column of the class."
        )
    if counts.iloc[-1] < MIN_OF_CLASS:
        raise ValueError(
            f"class {counts.index[-1]!r} of y has {counts.iloc[-1]} rows; {MIN_OF_CLASS} are "
            "needed. Merge it with another class, or leave its rows out."
        )


def encoder(frame: pd.DataFrame) -> Pipeline:
    """Columns to numbers: gaps filled, numbers standardised, texts as indicators.

    As in the study, more than `MAX_COLUMNS` columns are then replaced by principal components.
    """
    numeric = list(frame.select_dtypes("number").columns)
    texts = [name for name in frame.columns if name not in numeric]
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    indicators = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MAX_CATEGORIES, sparse_output=False
    )
    columns = ColumnTransformer([("numbers", numbers, numeric), ("texts", indicators, texts)])
    width = len(numeric) + sum(min(frame[name].nunique(), MAX_CATEGORIES) for name in texts)
    if width <= MAX_COLUMNS:
        return make_pipeline(columns)
    n_components = min(N_PRINCIPAL, len(frame) - 1)
    return make_pipeline(columns, PCA(n_components, svd_solver="full"))
