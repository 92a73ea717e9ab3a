"""Records on disk."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from reprolib import results


def row(**changes):
    base = dict.fromkeys(results.COLUMNS, "")
    return {
        **base,
        "table": "t",
        "dataset": "d",
        "trial": 0,
        "value": 0.5,
        "gap": None,
        "seconds": 0.1,
        "source": "original",
        "status": "ok",
        "chosen": '{"D": 3}',
        **changes,
    }


def test_tables_survive_the_trip_to_disk(tmp_path):
    frame = results.to_frame([row(trial=2), row(trial=1, value=1 / 3), row(trial=10)])
    meta = {"data_digests": {"d": "abc"}, "profile": "full"}
    (path,) = results.write_tables(frame, tmp_path / "paper", meta)
    loaded = results.load("paper", "t", tmp_path)
    assert list(loaded["trial"]) == [1, 2, 10]
    assert loaded["value"].iloc[0] == pytest.approx(1 / 3, abs=1e-10)
    assert json.loads(loaded["chosen"].iloc[0]) == {"D": 3}
    about = json.loads(path.with_suffix(".meta.json").read_text())
    assert about["data_digests"] == {"d": "abc"}
    assert about["failed_records"] == 0


def test_order_of_work_does_not_show_in_the_table():
    rows = [row(trial=t, metric=m) for t in range(3) for m in "ab"]
    pd.testing.assert_frame_equal(results.to_frame(rows), results.to_frame(rows[::-1]))


def test_missing_table_says_how_to_make_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="reprolib reproduce paper --full"):
        results.load("paper", "t", tmp_path)
    assert results.load_paper("paper", tmp_path).empty


def test_failed_write_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    results.write_atomically(path, "old")

    def full_disk(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(results.os, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        results.write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


def test_store_folder_can_be_moved(tmp_path, monkeypatch):
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "here"))
    store = results.RecordStore()
    store.put("ab12", [row()])
    assert store.get("ab12") == [row()]
    assert store.get("ab13") is None
    assert (tmp_path / "here" / "ab" / "ab12.json").exists()


def test_home_folder_in_a_setting_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("REPROLIB_RECORDS", "~/records")
    monkeypatch.setenv("REPROLIB_RESULTS", "~/results")
    assert results.store_directory() == tmp_path / "records"
    assert results.committed_directory() == tmp_path / "results"


def test_record_of_another_key_is_not_taken(tmp_path):
    store = results.RecordStore(tmp_path)
    store.put("aa1", [row()])
    (tmp_path / "aa" / "aa1.json").rename(tmp_path / "aa" / "aa2.json")
    with pytest.warns(UserWarning, match="damaged"):
        assert store.get("aa2") is None


def test_task_with_several_readings_is_timed_once():
    one_task = [row(reading=r, seconds=2.0) for r in ("headline", "centred")]
    frame = results.to_frame([*one_task, row(trial=1, seconds=3.0)])
    assert results.computing_seconds(frame) == 5.0
