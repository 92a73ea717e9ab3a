"""StatLog data sets in LIBSVM's text format, with their official split."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from data_fetch.dataset import Dataset

#: Features, classes, and rows of every file (training file first).
_SHAPES = {
    "dna": (180, 3, {"dna.scale": 2000, "dna.scale.t": 1186}),
    "segment": (19, 7, {"segment.scale": 2310}),
    "satimage": (36, 6, {"satimage.scale": 4435, "satimage.scale.t": 2000}),
}

_NOTES = {
    "dna": "LIBSVM's scaled files, official split",
    "segment": "LIBSVM's scaled file (rows perhaps in another order); it has no official split",
    "satimage": "LIBSVM's scaled files, official split",
}


def load_statlog(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read "statlog/dna", "statlog/segment" or "statlog/satimage".

    Parameters
    ----------
    name : str
    paths : mapping of file key to path

    Returns
    -------
    Dataset
        Rows of the training file, then of the test file; ``splits`` holds that one split where
        there are two files, and is empty for segment.

    Raises
    ------
    ValueError
        If a file is not in LIBSVM's format or does not have the expected rows.
    """
    n_features, n_classes, files = _SHAPES[name.removeprefix("statlog/")]
    parts = [_read(paths[key], n_features, n_rows) for key, n_rows in files.items()]
    X = np.vstack([X for X, _ in parts])
    y = np.concatenate([y for _, y in parts])
    if len(np.unique(y)) != n_classes:
        raise ValueError(f"{name} has {len(np.unique(y))} classes, expected {n_classes}.")
    boundary = len(parts[0][1])
    splits = [(np.arange(boundary), np.arange(boundary, len(y)))] if len(parts) == 2 else []
    note = _NOTES[name.removeprefix("statlog/")]
    return Dataset(name, X, y, source="original", source_note=note, splits=splits)


def _read(path: Path, n_features: int, n_rows: int):
    try:
        X, y = load_svmlight_file(str(path), n_features=n_features)
    except ValueError as error:
        raise ValueError(
            f"{path} is not a LIBSVM text file of {n_features} features ({error}); delete it and "
            "fetch it again."
        ) from error
    if X.shape[0] != n_rows:
        raise ValueError(
            f"{path} has {X.shape[0]} rows, expected {n_rows}: the file is incomplete or another "
            "one; delete it and fetch it again."
        )
    if not np.isfinite(X.data).all() or not np.array_equal(y, np.floor(y)):
        raise ValueError(f"{path} holds a value that is not finite, or a label that is not whole.")
    return X.toarray(), y.astype(np.int64)
