"""The digest covers what was read: values, the order of the rows, official splits, recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import data_fetch
from data_fetch import Dataset
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


def test_rows_in_another_order_are_other_data(tmp_path):
    content = toy.as_text(toy.X[::-1], toy.Y[::-1])
    path = tmp_path / "toy/a.txt"
    path.parent.mkdir()
    path.write_bytes(content)
    fetcher = toy.fetcher(toy.catalog(toy.version(content)), tmp_path)
    with pytest.raises(data_fetch.AlteredDataError, match="another digest"):
        data_fetch.load("toy/a", fetcher)
