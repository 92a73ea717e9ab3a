"""UCI data sets with an official split: Landsat, Optdigits, Pendigits, Letter, ISOLET.

Text files of one example a line, class label last (first in Letter); the numbers are the raw
features. ISOLET is compressed by gzip.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data_fetch.dataset import Dataset
from data_fetch.errors import SourceError
from data_fetch.storage import gunzipped

GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Layout:
    """How the files of one data set are written.

    Parameters
    ----------
    train, test : str
        File keys; the same file if the split is by rows.
    n_features : int
    delimiter : str or None
        None means white space.
    n_train : int, optional
        Rows of the training set, where one file holds both.
    label_first : bool
    """

    train: str
    test: str
    n_features: int
    delimiter: str | None = ","
    n_train: int | None = None
    label_first: bool = False


LAYOUTS = {
    "landsat": Layout("sat.trn", "sat.tst", 36, delimiter=None),
    "optdigits": Layout("optdigits.tra", "optdigits.tes", 64),
    "pendigits": Layout("pendigits.tra", "pendigits.tes", 16),
    "letter": Layout(
        "letter-recognition.data",
        "letter-recognition.data",
        16,
        n_train=16_000,
        label_first=True,
    ),
    "isolet": Layout("isolet1+2+3+4.data.gz", "isolet5.data.gz", 617),
}


def load_uci(name: str, paths: dict[str, Path]) -> Dataset:
    """Read one data set, for example "uci/letter".

    Returns
    -------
    Dataset
        Raw features; integer labels (letters A to Z are 1 to 26, as in ISOLET); one split, the
        official training and test sets (Letter: the first 16,000 rows and the rest).

    Raises
    ------
    ValueError
        If there is no such data set, or a file has another layout than it must have.
    """
    short = name.rpartition("/")[2]
    if short not in LAYOUTS:
        raise ValueError(f"no UCI data set {name!r}; there are {', '.join(sorted(LAYOUTS))}")
    layout = LAYOUTS[short]
    X, y = _read(paths[layout.train], layout)
    n_train = layout.n_train
    if n_train is None:
        n_train = len(X)
        X_test, y_test = _read(paths[layout.test], layout)
        X, y = np.vstack([X, X_test]), np.concatenate([y, y_test])
    if n_train >= len(X):
        raise ValueError(f"{paths[layout.train]} has {len(X)} rows; more than {n_train} expected")
    rows = np.arange(len(X))
    note = f"official split, {n_train} training and {len(X) - n_train} test examples"
    return Dataset(name, X, y, "original", note, [(rows[:n_train], rows[n_train:])])


def _read(path: Path, layout: Layout):
    """Features and labels of one file."""
    lines = io.TextIOWrapper(io.BytesIO(_uncompressed(path)), encoding="ascii")
    label = 0 if layout.label_first else layout.n_features
    converters: dict[int | str, Callable[[str], int]] | None = None
    if layout.label_first:
        converters = {label: _letter_number}
    try:
        table = np.loadtxt(lines, delimiter=layout.delimiter, converters=converters, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path} is not a table of numbers as expected: {error}") from error
    if table.shape[1] != layout.n_features + 1:
        raise ValueError(
            f"{path} has {table.shape[1]} columns; {layout.n_features} features and a label "
            "expected"
        )
    labels = table[:, label]
    if not np.isfinite(table).all() or not np.array_equal(labels, np.floor(labels)):
        raise ValueError(f"{path} holds a value that is not finite, or a label that is not whole")
    return np.delete(table, label, axis=1), labels.astype(np.int64)


def _letter_number(text: str) -> int:
    """1 for A to 26 for Z."""
    text = text.strip()
    if len(text) != 1 or not "A" <= text <= "Z":
        raise ValueError(f"label {text!r} is not a letter from A to Z")
    return ord(text) - ord("A") + 1


def _uncompressed(path: Path) -> bytes:
    data = Path(path).read_bytes()
    try:
        return gunzipped(data) if data[:2] == GZIP_MAGIC else data
    except SourceError as error:
        raise ValueError(f"{path}: {error}") from error
