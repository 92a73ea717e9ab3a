"""The digest covers what was read: values, the order of the rows, official splits, recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import data_fetch
from data_fetch import Dataset
from data_fetch.catalog import default_catalog
from data_fetch.fetcher import Fetcher
from tests import toy_data as toy


def small(**changes) -> Dataset:
    rows = np.arange(4)
    data = Dataset(
        "toy/b",
        np.arange(8.0).reshape(4, 2),
        np.array([0, 1, 0, 1]),
        "original",
        splits=[(rows[:3], rows[3:])],
        groups=np.array([1, 1, 2, 2]),
        stored={"signal": np.arange(6, dtype=np.int16)},
    )
    return replace(data, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"X": np.arange(8.0).reshape(4, 2)[::-1]},
        {"y": np.array([1, 0, 0, 1])},
        {"splits": [(np.array([0, 1, 3]), np.array([2]))]},
        {"splits": [(np.arange(2), np.arange(2, 4))]},
        {"splits": []},
        {"groups": np.array([1, 2, 2, 2])},
        {"groups": None},
        {"stored": {}},
        {"stored": {"signal": np.array([0, 1, 2, 3, 4, 6], dtype=np.int16)}},
        {"stored": {"other": np.arange(6, dtype=np.int16)}},
    ],
)
def test_whatever_was_read_is_in_the_digest(changes):
    assert small(**changes).digest() != small().digest()


def test_words_about_the_data_are_not_in_the_digest():
    other = small(name="toy/c", source="partial", source_note="other", extra={"a": 1})
    assert other.digest() == small().digest()
    assert len(small().digest()) == 64


def reversed_rows(lines: dict[str, list[bytes]]) -> dict[str, list[bytes]]:
    return {key: rows[::-1] for key, rows in lines.items()}


def swapped_between_files(lines: dict[str, list[bytes]]) -> dict[str, list[bytes]]:
    """Exchange the first rows of the two files: the same rows in all, another split."""
    (a, first), (b, second) = lines.items()
    return {a: [*second[:5], *first[5:]], b: [*first[:5], *second[5:]]}


def altered_copy(name: str, alter, folder):
    """A cache with altered copies, and a catalog with their hashes."""
    catalog = default_catalog()
    entry = catalog.entry(name)
    paths = {path.name: path for path in data_fetch.fetch(name)}
    lines = {key: path.read_bytes().splitlines() for key, path in paths.items()}
    files = dict(catalog.files)
    for file_name in entry.files:
        file = files[file_name]
        content = b"\n".join(alter(lines)[file.key]) + b"\n"
        (version,) = file.versions
        target = folder / version.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        version = replace(version, sha256=toy.sha256(content), bytes=len(content))
        files[file_name] = replace(file, versions=(replace(version, urls=(), members=()),))
    return Fetcher(replace(catalog, files=files), folder, None)


ALTERED = [
    pytest.param("uci/letter", reversed_rows, marks=pytest.mark.needs_data("uci/letter")),
    *(
        pytest.param(name, swapped_between_files, marks=pytest.mark.needs_data(name))
        for name in ("uci/pendigits", "statlog/dna")
    ),
]


@pytest.mark.parametrize(("name", "alter"), ALTERED)
def test_another_split_of_the_same_rows_does_not_pass_as_the_official_one(name, alter, tmp_path):
    with pytest.raises(data_fetch.AlteredDataError, match="another digest than the catalog's"):
        data_fetch.load(name, altered_copy(name, alter, tmp_path))


def test_rows_in_another_order_are_other_data(tmp_path):
    content = toy.as_text(toy.X[::-1], toy.Y[::-1])
    path = tmp_path / "toy/a.txt"
    path.parent.mkdir()
    path.write_bytes(content)
    fetcher = toy.fetcher(toy.catalog(toy.version(content)), tmp_path)
    with pytest.raises(data_fetch.AlteredDataError, match="another digest"):
        data_fetch.load("toy/a", fetcher)
