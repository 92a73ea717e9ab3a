"""Records on disk."""

from __future__ import annotations

import json
import os
import pathlib

import pandas as pd
import pytest

from reprolib.rerun import records as results
from reprolib.rerun.records import folders
from reprolib.rerun.records.folders import committed_directory, store_directory, write_atomically
from reprolib.rerun.tasks.store import RecordStore


def row(**changes):
    base = dict.fromkeys(results.COLUMNS, "")
    return {
        **base,
        "table": "t",
        "dataset": "d",
        "trial": 0,
        "n_test": 20,
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
    write_atomically(path, "old")

    def full_disk(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders.os, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


def test_store_folder_can_be_moved(tmp_path, monkeypatch):
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "here"))
    store = RecordStore()
    store.put("ab12", [row()])
    assert store.get("ab12") == [row()]
    assert store.get("ab13") is None
    assert (tmp_path / "here" / "ab" / "ab12.json").exists()


def test_home_folder_in_a_setting_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("REPROLIB_RECORDS", "~/records")
    monkeypatch.setenv("REPROLIB_RESULTS", "~/results")
    assert store_directory() == tmp_path / "records"
    assert committed_directory() == tmp_path / "results"


def test_record_of_another_key_is_not_taken(tmp_path):
    store = RecordStore(tmp_path)
    store.put("aa1", [row()])
    (tmp_path / "aa" / "aa1.json").rename(tmp_path / "aa" / "aa2.json")
    with pytest.warns(UserWarning, match="damaged"):
        assert store.get("aa2") is None


def test_task_with_several_readings_is_timed_once():
    one_task = [row(reading=r, seconds=2.0) for r in ("headline", "centred")]
    frame = results.to_frame([*one_task, row(trial=1, seconds=3.0)])
    assert results.computing_seconds(frame) == 5.0


def test_seconds_of_a_part_are_in_those_of_the_task():
    frame = results.to_frame([row(seconds=2.0), row(metric="fit", value=200, seconds=0.5)])
    assert results.computing_seconds(frame) == 2.0
    assert list(results.whole_tasks(frame)["seconds"]) == [2.0]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([], "has no rows"),
        (["text"], "has the row 'text'"),
        ([{name: v for name, v in row().items() if name != "gap"}], r"lacks the columns \['gap'\]"),
        ([row(), {**row(), "more": 1}], r"has the unknown columns \['more'\]"),
        ([row(value="0.5")], "has value '0.5'"),
        ([row(value=None)], "has value None"),
        ([row(trial=1.5)], "has trial 1.5"),
        ([row(n_test=True)], "has n_test True"),
        ([row(chosen="[1]")], r"has chosen '\[1\]'"),
        ([row(chosen="{")], "has chosen '{'"),
        ([row(path="0.1 x")], "has path '0.1 x'"),
        ([row(status="failed: x")], "has status 'failed: x'"),
        ([row(dataset="other")], "has dataset 'other', but its task 'd'"),
    ],
)
def test_stored_rows_that_no_task_can_have_made_are_recomputed(tmp_path, rows, fault):
    store = RecordStore(tmp_path)
    store.put("aa1", rows)
    with pytest.warns(UserWarning, match=f"aa1.json {fault}.* will be recomputed"):
        assert store.get("aa1", {"table": "t", "dataset": "d"}) is None


def test_stored_row_without_value_or_gap_is_sound(tmp_path):
    store = RecordStore(tmp_path)
    store.put("aa1", [row(value=float("nan"), gap=1e-9)])
    (stored,) = store.get("aa1", {"table": "t"})
    assert stored["gap"] == 1e-9
    assert stored["value"] != stored["value"]


@pytest.mark.parametrize("variable", ["REPROLIB_RECORDS", "REPROLIB_RESULTS"])
@pytest.mark.parametrize("value", ["~no-such-user-here/x", "~homeless/x"])
def test_home_folder_that_does_not_exist_is_said(tmp_path, monkeypatch, variable, value):
    monkeypatch.setitem(os.environ, variable, value)
    monkeypatch.setattr(pathlib.Path, "expanduser", homes(tmp_path))
    folder = {
        "REPROLIB_RECORDS": store_directory,
        "REPROLIB_RESULTS": committed_directory,
    }[variable]
    with pytest.raises(ValueError, match=f"{variable} is '{value}'.*no home.*set it to the full"):
        folder()


def homes(root):
    """Make a stand-in for expanduser: one user has a home that was never made, others none."""

    def expanduser(path):
        if str(path).startswith("~homeless"):
            return root / "missing"
        raise RuntimeError("Could not determine home directory.")

    return expanduser


def test_setting_that_names_a_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "file"))
    with pytest.raises(ValueError, match="REPROLIB_RECORDS is .*which is a file"):
        RecordStore()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text.replace("n_test,", ""), "t.csv has the columns"),
        (
            lambda text: text.replace(",0.5,", ",half,"),
            r"else than numbers in the columns \['value",
        ),
        (
            lambda text: text.replace(",20,", ",20.5,"),
            r"else than numbers in the columns \['n_test",
        ),
    ],
)
def test_table_without_a_column_or_with_text_for_numbers_is_refused(tmp_path, edit, message):
    meta = {"data_digests": {"d": "abc"}}
    (path,) = results.write_tables(results.to_frame([row()]), tmp_path / "paper", meta)
    path.write_text(edit(path.read_text()))
    with pytest.raises(ValueError, match=message):
        results.load_paper("paper", tmp_path)


def test_broken_meta_file_is_named(tmp_path):
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "t.meta.json").write_text("[1")
    with pytest.raises(ValueError, match="t.meta.json is no meta file"):
        results.load_meta("paper", tmp_path)


def test_meta_file_counts_records_failures_and_seconds(tmp_path):
    frame = results.to_frame(
        [
            row(trial=1, seconds=1.26),
            row(trial=2, seconds=2.0, source="partial", status="failed: x"),
            row(trial=2, seconds=2.0, metric="other", status="failed: x"),
        ]
    )
    results.write_tables(frame, tmp_path / "p", {"data_digests": {"d": "abc"}})
    about = results.load_meta("p", tmp_path)["t"]
    assert (about["records"], about["failed_records"]) == (3, 2)
    assert about["seconds_of_tasks"] == 3.3
    assert about["sources"] == {"d": "original, partial"}


def test_tables_of_an_earlier_run_are_deleted_and_other_files_left(tmp_path):
    meta = {"data_digests": {"d": "abc"}}
    results.write_tables(results.to_frame([row(), row(table="u")]), tmp_path, meta)
    (tmp_path / "own.csv").write_text("")
    results.write_tables(results.to_frame([row(table="u")]), tmp_path, meta)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["own.csv", "u.csv", "u.meta.json"]


def test_table_without_rows_is_read(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "t.csv").write_text(",".join(results.COLUMNS) + "\n")
    assert results.load("p", "t", tmp_path).empty


def test_missing_values_and_gaps_are_read_as_such(tmp_path):
    frame = results.to_frame([row(value=float("nan"), gap=None), row(trial=1, gap=1e-9)])
    results.write_tables(frame, tmp_path / "p", {"data_digests": {"d": "abc"}})
    found = results.load("p", "t", tmp_path)
    assert list(found["value"].isna()) == list(found["gap"].isna()) == [True, False]
    assert found["gap"].iloc[1] == 1e-9


def test_paths_are_cut_at_the_shortest():
    frame = results.to_frame([row(path="1 2 3"), row(trial=1, path="4 5")])
    assert results.path_matrix(frame).tolist() == [[1, 2], [4, 5]]


def test_number_in_a_setting_may_be_negative_and_must_be_alone():
    assert [results.number_in(text) for text in ("rank 50", "v = -1")] == [50, -1]
    for text in ("none", "2 of 3"):
        with pytest.raises(ValueError, match="unpack"):
            results.number_in(text)
