"""The store follows the code: a stored task is found again if task, data and code are the same."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest

from reprolib.rerun.records import Task
from reprolib.rerun.records.fingerprint import Code
from reprolib.rerun.records.rows import GAP
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.tasks.worker import Finished
from tests.rerun.made_up import row

TASK = Task("paper", "t", "d", "m", params={"C": 1})
CODE = Code({"one": "a", "two": "b"}, {"numpy": "2.1"})


def finished(rows=None, task=TASK):
    return Finished(task, [row()] if rows is None else rows, 2.5, "2026-01-01", {"python": "3.11"})


def stored(tmp_path, **changes):
    store = RecordStore(tmp_path)
    store.put(finished(**changes), "data", CODE)
    return store


def files(tmp_path):
    return sorted((tmp_path / "tasks").rglob("*.json"))


def test_a_stored_task_comes_back_as_it_was_made(tmp_path):
    store = stored(tmp_path, rows=[row(value=float("nan"), gap=1e-9)])
    found = store.get(TASK, "data", CODE)
    assert (found.seconds, found.date, found.environment) == (2.5, "2026-01-01", {"python": "3.11"})
    assert found.rows[0][GAP] == 1e-9
    assert found.rows[0]["value"] != found.rows[0]["value"]
    assert str(store.explain(TASK, "data", CODE)) == "reused (made on 2026-01-01 with this code)"


@pytest.mark.parametrize(
    ("task", "data", "code", "why"),
    [
        (dataclasses.replace(TASK, trial=1), "data", CODE, "never finished here"),
        (dataclasses.replace(TASK, params={"C": 2}), "data", CODE, "with other parameters"),
        (TASK, "other", CODE, "for other data"),
        (TASK, "data", Code({"one": "a", "two": "x"}, CODE.versions), r"other code \(two\)"),
        (TASK, "data", Code({"one": "a"}, CODE.versions), r"other code \(two\)"),
        (TASK, "data", Code(CODE.modules, {"numpy": "2.2"}), r"\(numpy 2.1 -> 2.2\)"),
    ],
)
def test_anything_else_is_run_and_the_reason_said(tmp_path, task, data, code, why):
    store = stored(tmp_path)
    assert store.get(task, data, code) is None
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(store.explain(task, data, code))


def test_tasks_are_counted_by_the_reason_whatever_the_detail(tmp_path):
    """The change of code and the date differ from task to task; what a summary counts does not."""
    store = stored(tmp_path)
    codes = [Code({**CODE.modules, name: "x"}, CODE.versions) for name in CODE.modules]
    first, second = (store.explain(TASK, "data", code) for code in codes)
    assert first.reason == second.reason == "to be run: stored with other code"
    assert (first.detail, second.detail) == ("one", "two")


def test_two_parameters_of_one_task_are_kept_beside_each_other(tmp_path):
    store = stored(tmp_path)
    other = dataclasses.replace(TASK, params=MappingProxyType({"C": 2}))
    store.put(finished([row(value=0.5)], other), "data", CODE)
    values = [store.get(task, "data", CODE).rows[0]["value"] for task in (TASK, other)]
    assert values == [0.25, 0.5]
    assert store.has(dataclasses.replace(TASK, params={}), CODE), "known by its name alone"
    other = Code({"one": "a", "two": "x"}, CODE.versions)
    assert not store.has(TASK, other), "made by other code"
    assert not store.has(dataclasses.replace(TASK, trial=1), CODE), "another task"


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([], "has no rows"),
        (["text"], "has the row 'text'"),
        ([{name: v for name, v in row().items() if name != GAP}], rf"columns: \['{GAP}'\]"),
        ([row(), {**row(), "more": 1}], r"columns: \['more'\]"),
        ([row(value="0.5")], "has value '0.5'"),
        ([row(value=None)], "has value None"),
        ([row(trial=1.5)], "has trial 1.5"),
        ([row(n_test=True)], "has n_test True"),
        ([row(status="failed: x")], "has status 'failed: x'"),
        ([row(dataset="other")], "has task 't/other/m/headline/0', but its task 't/d/m"),
        ([row(dataset="other", task=TASK.id)], "has dataset 'other', but its task 'd'"),
    ],
)
def test_stored_rows_that_no_task_can_have_made_are_recomputed(tmp_path, rows, fault):
    store = stored(tmp_path, rows=rows)
    with pytest.warns(UserWarning, match=f"json .*{fault}.* will be recomputed"):
        assert store.get(TASK, "data", CODE) is None


@pytest.mark.parametrize(
    "damage", [lambda t: t[:40], lambda t: t.replace("0.25", "0.24"), str.upper]
)
def test_a_damaged_file_is_recomputed(tmp_path, damage):
    store = stored(tmp_path)
    (path,) = files(tmp_path)
    path.write_text(damage(path.read_text()))
    with pytest.warns(UserWarning, match="is damaged and will be recomputed"):
        assert store.get(TASK, "data", CODE) is None
    assert store.explain(TASK, "data", CODE).reason == "to be run: its stored file is damaged"


def test_a_file_under_another_name_is_not_taken(tmp_path):
    store = stored(tmp_path)
    (path,) = files(tmp_path)
    store.put(finished(task=dataclasses.replace(TASK, params={"C": 2})), "data", CODE)
    (other,) = set(files(tmp_path)) - {path}
    path.rename(other)
    with pytest.warns(UserWarning, match="damaged"):
        assert store.get(dataclasses.replace(TASK, params={"C": 2}), "data", CODE) is None


def test_store_folder_can_be_moved(tmp_path, monkeypatch):
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "here"))
    RecordStore().put(finished(), "data", CODE)
    assert len(files(tmp_path / "here")) == 1
