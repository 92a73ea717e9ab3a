"""A toy data set of text files, and catalogs that name it: fetching without any real data."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from data_fetch import Dataset
from data_fetch.catalog import Catalog, Entry, File, Version
from data_fetch.fetcher import Fetcher

X = np.array([[1.5, 2.0], [3.0, -4.0], [0.25, 8.0]])
Y = np.array([0, 1, 1])
DIGEST = Dataset("toy/a", X, Y, "original").digest()


def as_text(X=X, y=Y, separator=" ") -> bytes:
    """Rows of the label and the features."""
    rows = (separator.join(map(str, [label, *row])) for label, row in zip(y, X, strict=True))
    return "\n".join(rows).encode()


#: The copy whose hash the catalog has, and the same values with other bytes.
CONTENT = as_text()
REFORMATTED = as_text(separator="   ")
OTHER_VALUES = as_text(X + 1, Y)


def load_toy(name: str, paths: dict[str, Path]) -> Dataset:
    """Loader of the toy files."""
    table = np.vstack([np.loadtxt(path, ndmin=2) for path in paths.values()])
    return Dataset(name, table[:, 1:], table[:, 0].astype(int), "original")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def version(content: bytes = CONTENT, path: str = "toy/a.txt", **kwargs) -> Version:
    return Version(path, "original", sha256(content), len(content), **kwargs)


def catalog(*versions: Version, digest: str | None = DIGEST, archive: Version | None = None):
    """Catalog with one data set "toy/a" of one file."""
    file = File("toy/a.txt", "none", "nobody", versions, page="https://example.org/toy")
    entry = Entry(
        "toy/a",
        "Toy",
        "tests.toy_data:load_toy",
        size=(3, 2),
        files=("toy/a.txt",),
        counterparts=("embedded/twonorm",),
        digest=digest,
    )
    archives = {archive.path: archive} if archive else {}
    return Catalog({file.name: file}, archives, {entry.name: entry})


def fetcher(cat: Catalog, cache: Path, mirror: str | Path | None = None, **kwargs) -> Fetcher:
    return Fetcher(cat, cache, str(mirror) if mirror else None, **kwargs)
