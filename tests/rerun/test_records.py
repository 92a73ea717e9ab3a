"""Records on disk: what is written is read, and what cannot be right is refused."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess

import pandas as pd
import pytest

from reprolib.rerun import records as results
from reprolib.rerun.records import registry, tables
from reprolib.rerun.records.registry import committed_directory, store_directory, write_atomically
from reprolib.rerun.records.rows import GAP, derived_row, is_derived, row_of
from reprolib.rerun.records.tables import load_tasks, seal_faults
from reprolib.rerun.records.task import Measurement, Task
from tests.rerun.made_up import edit, row, write


def test_tables_survive_the_trip_to_disk(tmp_path):
    rows = [row(trial=2), row(trial=1, value=1 / 3, level=3, gap=1e-9), row(trial=10, seconds=7.0)]
    write(tmp_path, rows)
    loaded = results.load_paper("paper", tmp_path)
    assert list(loaded["trial"]) == [1, 2, 10]
    assert loaded["value"].iloc[0] == pytest.approx(1 / 3, abs=1e-10)
    assert list(loaded["seconds"]) == [1.0, 1.0, 7.0]
    assert list(loaded["level"].isna()) == list(loaded[GAP].isna()) == [False, True, True]
    assert json.loads(loaded["chosen"].iloc[0]) == {"C": 0.002}


def test_order_of_work_does_not_show_in_the_table():
    rows = [row(trial=t, metric=m) for t in range(3) for m in "ab"]
    pd.testing.assert_frame_equal(results.to_frame(rows), results.to_frame(rows[::-1]))


def test_a_paper_without_results_has_no_records(tmp_path):
    assert results.load_paper("paper", tmp_path).empty
    assert results.load_tasks("paper", tmp_path).empty


def test_two_records_of_one_key_are_neither_written_nor_read(tmp_path):
    doubled = [row(), row(value=0.5)]
    with pytest.raises(ValueError, match="two records of one key.* t/d/m/headline/0 error"):
        write(tmp_path, doubled)
    write(tmp_path, [row(), row(metric="other")])
    edit(tmp_path / "paper/records.csv.xz", lambda text: text.replace(",other,", ",error,"))
    with pytest.raises(ValueError, match="two records of one key"):
        results.load_paper("paper", tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: "\n".join(line.partition(",")[2] for line in text.splitlines()),
            "records.csv.xz has the columns",
        ),
        (lambda text: text.replace(",0.25,", ",half,"), r"numbers in the columns \['value'"),
        (lambda text: text.replace(",100,", ",20.5,"), r"numbers in the columns \['n_test'"),
    ],
)
def test_table_without_a_column_or_with_text_for_numbers_is_refused(tmp_path, change, message):
    path = write(tmp_path, [row()])
    edit(path, change)
    with pytest.raises(ValueError, match=message):
        results.load_paper("paper", tmp_path)


def test_broken_description_of_a_run_is_named(tmp_path):
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "run.json").write_text("[1")
    with pytest.raises(ValueError, match="run.json does not describe a run"):
        results.load_run("paper", tmp_path)


def test_tables_of_an_earlier_run_are_deleted_and_other_files_left(tmp_path):
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "own.csv").write_text("")
    (folder / "tasks.csv").write_text("of an older form")
    tables.write_seal(folder, {"tasks.csv": "of an older form"})
    write(tmp_path, [row(table="u")])
    names = {p.name for p in folder.iterdir()}
    assert names == {"own.csv", "records.csv.xz", "run.json", "SHA256SUMS"}


@pytest.mark.parametrize("n_written", [1, 2])
def test_results_that_were_left_in_the_middle_are_not_as_they_were_sealed(
    tmp_path, monkeypatch, n_written
):
    """Of a second run so many files are written: the old seal is not of them."""
    write(tmp_path, [row(), row(table="u")])
    left = iter(range(n_written))

    def full(path, content):
        if next(left, None) is None:
            raise OSError(28, "No space left on device")
        write_atomically(path, content)

    monkeypatch.setattr(tables, "write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path, [row(value=0.5)])
    assert seal_faults(tmp_path / "paper")


def test_a_task_keeps_its_setting_and_reading_whatever_its_records_have(tmp_path):
    task = Task("paper", "t", "d", "m", setting="rank 5", level=5)
    rows = [
        row_of(task, m, "original", 1.0)
        for m in (
            Measurement("error", 0.5, gap=1e-9),
            Measurement("error", 0.25, setting="", reading="other"),
            Measurement("loss", 1.0, setting="rank 7", level=7, source="resampled"),
        )
    ]
    write(tmp_path, rows)
    read = results.load_paper("paper", tmp_path)
    pd.testing.assert_frame_equal(read, results.to_frame(rows), check_dtype=False)
    (made,) = load_tasks("paper", tmp_path).to_dict("records")
    assert (made["setting"], made["level"], made["reading"]) == ("rank 5", 5, "headline")


def test_the_seal_is_what_sha256sum_reads(tmp_path):
    write(tmp_path, [row()])
    folder = tmp_path / "paper"
    assert seal_faults(folder) == []
    subprocess.run(["unxz", "records.csv.xz"], cwd=folder, check=True)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    digest = hashlib.sha256((folder / "records.csv").read_bytes()).hexdigest()
    assert f"{digest}  records.csv" in lines
    assert seal_faults(folder) == [], "a file that was unpacked by hand is as it was sealed"


def test_a_task_is_named_by_all_that_tells_it_from_others():
    task = Task("p", "t", "d", "m", "centred", 3, setting="rank 50", level=50, seed=2)
    assert task.id == "t/d/m/rank 50/centred/seed 2/3"
    assert Task("p", "t", "d", "m").id == "t/d/m/headline/0"


def test_a_derived_row_is_of_its_trials_and_of_no_task():
    record = row(setting="s", trial=3, gap=1e-9, path="1 2")
    made = derived_row(record, "median", 2, trial=0, chosen={"b": 1, "a": [2]}, n_test=5)
    assert made["task"] == "t/d/m/s/headline/over trials/0"
    assert (made["metric"], made["value"], made["n_test"]) == ("median", 2.0, 5)
    assert (made["chosen"], made[GAP], made["path"]) == ('{"a": [2], "b": 1}', None, "")
    derived = is_derived(results.to_frame([record, made]))
    assert list(derived) == [True, False], "in the order of the files: trial 0 is first"


def test_failed_write_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    write_atomically(path, "old")

    def full_disk(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(registry.os, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


def test_home_folder_in_a_setting_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("REPROLIB_RECORDS", "~/records")
    monkeypatch.setenv("REPROLIB_RESULTS", "~/results")
    assert store_directory() == tmp_path / "records"
    assert committed_directory() == tmp_path / "results"


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
        store_directory()


def test_paths_are_cut_at_the_shortest():
    frame = results.to_frame([row(path="1 2 3"), row(trial=1, path="4 5")])
    assert results.path_matrix(frame).tolist() == [[1, 2], [4, 5]]


@pytest.mark.parametrize("paper", registry.PAPERS)
def test_every_environment_of_committed_records_is_known_and_used(paper):
    """One without versions stopped `reprolib verify`."""
    environments = tables.load_run(paper)["environments"]
    assert set(environments) == set(load_tasks(paper)["environment"])
    assert all({"versions", "machine", "python"} <= set(about) for about in environments.values())
