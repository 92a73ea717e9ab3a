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
    files : tuple of str
        Keys of the files, training file first.
    delimiter : str or None
        Of columns; None means white space.
    n_train : int, optional
        Rows of the training set, where one file holds both.
    letters : bool
        The label stands first and is a letter, "A" for 1.
    libsvm : int
        Number of features, where the format is LIBSVM's: the label, then pairs of feature and
        value. 0 for columns.
    note : str
        Says of which files and which split.
    """

    files: tuple[str, ...]
    delimiter: str | None = ","
    n_train: int | None = None
    letters: bool = False
    libsvm: int = 0
    note: str = _OFFICIAL


LAYOUTS = {
    "uci/landsat": Layout(("sat.trn", "sat.tst"), delimiter=None),
    "uci/optdigits": Layout(("optdigits.tra", "optdigits.tes")),
    "uci/pendigits": Layout(("pendigits.tra", "pendigits.tes")),
    "uci/letter": Layout(("letter-recognition.data",), n_train=16_000, letters=True),
    "uci/isolet": Layout(("isolet1+2+3+4.data.gz", "isolet5.data.gz")),
    "statlog/dna": Layout(("dna.scale", "dna.scale.t"), libsvm=180, note=_SCALED),
    "statlog/segment": Layout(("segment.scale",), libsvm=19, note=_UNSPLIT),
    "statlog/satimage": Layout(("satimage.scale", "satimage.scale.t"), libsvm=36, note=_SCALED),
}


def load_table(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read one data set, for example "uci/letter" or "statlog/dna".

    Parameters
    ----------
    name : str
        Name of the data set.
    paths : mapping of str to Path
        Its files by their keys.

    Returns
    -------
    Dataset
        Rows of the training file, then of the test file; integer labels (letters A to Z are 1 to
        26, as in ISOLET). ``splits`` holds the official one; StatLog's segment has none.
    """
    layout = LAYOUTS[name]
    parts = [_read(paths[key], layout) for key in layout.files]
    X = np.vstack([X for X, _ in parts])
    y = np.concatenate([y for _, y in parts]).astype(np.int64)
    n_train = layout.n_train or len(parts[0][1])
    rows = np.arange(len(y))
    splits = [(rows[:n_train], rows[n_train:])] if n_train < len(y) else []
    note = layout.note.format(n_train, len(y) - n_train)
    return Dataset(name, X, y, source="original", source_note=note, splits=splits)


def _read(path: Path, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of one file."""
    if layout.libsvm:
        X, y = load_svmlight_file(str(path), n_features=layout.libsvm)
        return X.toarray(), y
    label = 0 if layout.letters else -1
    converters: dict[int | str, Callable[[str], int]] | None = None
    if layout.letters:
        converters = {label: lambda text: ord(text.strip()) - ord("A") + 1}
    table = np.loadtxt(path, delimiter=layout.delimiter, converters=converters, ndmin=2)
    return np.delete(table, label, axis=1), table[:, label]
