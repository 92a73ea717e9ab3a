"""Stored records with damage: found by their checksum, computed again, same tables.

Damaged files of data are in ``tests/data/test_fetch.py`` (`corrupted_cache_entry`).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.faults import tiny


def flip_a_bit(content: bytes, rng) -> bytes:
    position = int(rng.integers(len(content)))
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


DAMAGES = {
    "a bit flipped": flip_a_bit,
    "cut off": lambda content, rng: content[: int(rng.integers(1, len(content)))],
    "empty": lambda content, rng: b"",
    "zeros": lambda content, rng: bytes(len(content)),
    "no text": lambda content, rng: b"\xff\xfe" + content,
    "other JSON": lambda content, rng: b"[1, 2]",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    assert tiny.run(folder) == 0, tiny.said(folder)
    return {path.relative_to(folder): path.read_bytes() for path in tiny.stored(folder)}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_records_are_computed_again(undisturbed, finished, tmp_path, damage):
    rng = np.random.default_rng(1)
    victims = set(rng.choice(len(finished), 5, replace=False))
    for number, (path, content) in enumerate(finished.items()):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        damaged = DAMAGES[damage](content, rng) if number in victims else content
        (tmp_path / path).write_bytes(damaged)
    assert tiny.run(tmp_path) == 0, tiny.said(tmp_path)
    assert tiny.said(tmp_path).count("is damaged and will be recomputed") == len(victims)
    pd.testing.assert_frame_equal(tiny.tables(tmp_path), undisturbed)


def test_records_under_each_others_names_are_not_believed(undisturbed, finished, tmp_path):
    paths, contents = list(finished), list(finished.values())
    for path, content in zip(paths, contents[1:] + contents[:1], strict=True):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert tiny.run(tmp_path) == 0, tiny.said(tmp_path)
    pd.testing.assert_frame_equal(tiny.tables(tmp_path), undisturbed)
