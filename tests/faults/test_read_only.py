"""Folders that cannot be written: what is in them is used, and an error says what to do.

Read-only folders while data are fetched: ``tests/data/test_fetch.py``.
"""

from __future__ import annotations

import pandas as pd
import pytest

import data_fetch
from tests import toy_data as toy
from tests.faults import tiny
from tests.faults.folders import read_only, small_disk


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk", "1m") as folder:
        yield folder


def test_finished_tasks_in_a_read_only_store_are_used(undisturbed, disk, tmp_path):
    store = {"REPROLIB_RECORDS": str(disk / "records")}
    assert tiny.run(tmp_path / "first", environment=store) == 0
    with read_only(disk):
        assert tiny.run(tmp_path / "second", environment=store) == 0
    pd.testing.assert_frame_equal(tiny.tables(tmp_path / "second"), undisturbed)


def test_new_task_and_a_read_only_store(undisturbed, disk, tmp_path):
    store = {"REPROLIB_RECORDS": str(disk / "records")}
    with read_only(disk):
        assert tiny.run(tmp_path / "run", environment=store) == 2
    message = tiny.said(tmp_path / "run")
    assert f"cannot store a finished task in {disk}/records (Read-only file system)" in message
    assert "set REPROLIB_RECORDS to another one" in message
    assert tiny.run(tmp_path / "run", environment=store) == 0
    pd.testing.assert_frame_equal(tiny.tables(tmp_path / "run"), undisturbed)


def test_data_in_a_read_only_cache(disk, tmp_path, monkeypatch):
    mirror = tmp_path / "mirror" / "toy"
    mirror.mkdir(parents=True)
    (mirror / "a.txt").write_bytes(toy.CONTENT)
    fetcher = toy.fetcher(toy.catalog(toy.version()), disk / "cache", tmp_path / "mirror")
    with (
        read_only(disk),
        pytest.raises(data_fetch.DataUnavailableError, match="Read-only.*REPROLIB_DATA"),
    ):
        data_fetch.load("toy/a", fetcher)
    data_fetch.load("toy/a", fetcher)
    with read_only(disk):
        assert data_fetch.load("toy/a", fetcher).X.shape == (3, 2)
