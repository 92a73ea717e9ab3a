"""Text files with an official split: UCI's numbers in columns, StatLog's in LIBSVM's format.

One example a line. UCI's features are raw, the label stands last (first in Letter); ISOLET is
compressed by gzip. StatLog's features are scaled, as LIBSVM's site has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from data_fetch.dataset import Dataset

_OFFICIAL = "official split, {} training and {} test examples"
_SCALED = "LIBSVM's scaled files, official split"
_UNSPLIT = "LIBSVM's scaled file (rows perhaps in another order); it has no official split"


@dataclass(frozen=True)
class Layout:
    """How the files of one data set are written.

    Parameters
    ----------
    rows : dict of str to int
        Rows of every file by its key, training file first.
    n_features : int
    delimiter : str or None
        Of columns; None means white space.
    n_train : int, optional
        Rows of the training set, where one file holds both.
    letters : bool
        The label stands first and is a letter, "A" for 1.
    libsvm : bool
        LIBSVM's format: the label, then pairs of feature and value.
    note : str
    """

    rows: dict[str, int]
    n_features: int
    delimiter: str | None = ","
    n_train: int | None = None
    letters: bool = False
    libsvm: bool = False
    note: str = _OFFICIAL


LAYOUTS = {
    "uci/landsat": Layout({"sat.trn": 4435, "sat.tst": 2000}, 36, delimiter=None),
    "uci/optdigits": Layout({"optdigits.tra": 3823, "optdigits.tes": 1797}, 64),
    "uci/pendigits": Layout({"pendigits.tra": 7494, "pendigits.tes": 3498}, 16),
    "uci/letter": Layout({"letter-recognition.data": 20_000}, 16, n_train=16_000, letters=True),
    "uci/isolet": Layout({"isolet1+2+3+4.data.gz": 6238, "isolet5.data.gz": 1559}, 617),
    "statlog/dna": Layout({"dna.scale": 2000, "dna.scale.t": 1186}, 180, libsvm=True, note=_SCALED),
    "statlog/segment": Layout({"segment.scale": 2310}, 19, libsvm=True, note=_UNSPLIT),
    "statlog/satimage": Layout(
        {"satimage.scale": 4435, "satimage.scale.t": 2000}, 36, libsvm=True, note=_SCALED
    ),
}


def load_table(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read one data set, for example "uci/letter" or "statlog/dna".

    Returns
    -------
    Dataset
        Rows of the training file, then of the test file; integer labels (letters A to Z are 1 to
        26, as in ISOLET). ``splits`` holds the official one; StatLog's segment has none.

    Raises
    ------
    ValueError
        If there is no such data set, or a file has another layout than it must have.
    """
    if name not in LAYOUTS:
        raise ValueError(f"no table {name!r}; there are {', '.join(sorted(LAYOUTS))}")
    layout = LAYOUTS[name]
    parts = [_read(paths[key], layout, n_rows) for key, n_rows in layout.rows.items()]
    X = np.vstack([X for X, _ in parts])
    y = np.concatenate([y for _, y in parts])
    n_train = layout.n_train or len(parts[0][1])
    rows = np.arange(len(y))
    splits = [(rows[:n_train], rows[n_train:])] if n_train < len(y) else []
    note = layout.note.format(n_train, len(y) - n_train)
    return Dataset(name, X, y, source="original", source_note=note, splits=splits)


def _read(path: Path, layout: Layout, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of one file."""
    n_features = layout.n_features
    try:
        X, y = _from_libsvm(path, n_features) if layout.libsvm else _from_columns(path, layout)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(
            f"{path} is not a table of {n_features} features and a label as expected ({error}); "
            "delete it and fetch it again"
        ) from error
    if X.shape != (n_rows, n_features):
        raise ValueError(
            f"{path} has {len(X)} rows of {X.shape[1]} features, expected {n_rows} of "
            f"{n_features}: the file is incomplete or another one; delete it and fetch it again"
        )
    if not np.isfinite(X).all() or not np.array_equal(y, np.floor(y)):
        raise ValueError(f"{path} holds a value that is not finite, or a label that is not whole")
    return X, y.astype(np.int64)


def _from_libsvm(path: Path, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_svmlight_file(str(path), n_features=n_features)
    return X.toarray(), y


def _from_columns(path: Path, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    label = 0 if layout.letters else -1
    converters: dict[int | str, Callable[[str], int]] | None = None
    if layout.letters:
        converters = {label: _letter_number}
    table = np.loadtxt(path, delimiter=layout.delimiter, converters=converters, ndmin=2)
    return np.delete(table, label, axis=1), table[:, label]


def _letter_number(text: str) -> int:
    """1 for A to 26 for Z."""
    text = text.strip()
    if len(text) != 1 or not "A" <= text <= "Z":
        raise ValueError(f"label {text!r} is not a letter from A to Z")
    return ord(text) - ord("A") + 1
