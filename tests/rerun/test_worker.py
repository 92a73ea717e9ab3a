"""One task in one process: its rows, and its processor time wherever that clock begins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reprolib.rerun import records
from reprolib.rerun.records.rows import GAP, row_of
from reprolib.rerun.records.task import Measurement, Task
from reprolib.rerun.tasks import worker
from tests import fake_paper
from tests.rerun import made_up


@pytest.mark.parametrize("start", [0.0, 1000.0])
def test_seconds_are_those_of_the_processor(monkeypatch, start):
    dataset = fake_paper.dataset()
    task = fake_paper.PROTOCOL.stages[0].tasks("full", {dataset.name: dataset}, None)[0]
    clock = iter([start, start + 2.5])
    monkeypatch.setattr(worker.time, "thread_time", lambda: next(clock))
    digest = dataset.digest()
    with worker.holding({digest: dataset}):
        finished = worker.execute(fake_paper.PROTOCOL, task, digest)
    assert finished.seconds == 2.5
    assert [row["seconds"] for row in finished.rows] == [2.5, 2.5]


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_an_interrupt_is_no_failed_task_although_compiled_code_says_system_error(depth):
    def run(task, dataset):
        error: BaseException = KeyboardInterrupt()
        for _ in range(depth):
            around = SystemError("returned a result with an exception set")
            around.__cause__, error = error, around
        raise error

    dataset = fake_paper.dataset()
    digest = dataset.digest()
    task = fake_paper.PROTOCOL.stages[0].tasks("full", {dataset.name: dataset}, None)[0]
    with worker.holding({digest: dataset}), pytest.raises(KeyboardInterrupt):
        worker.execute(replace(fake_paper.PROTOCOL, run=run), task, digest)


def test_a_later_stage_of_a_run_sees_the_values_that_are_written(tmp_path):
    """A median cost of 9.485999999999999 in a run and of 9.486 in `verify` changed a decision."""
    values = [3.0 * 316.2 * 0.01, 0.1 + 0.2, 1.0 / 3.0, float("nan")]
    rows = [
        row_of(Task("p", "t", "d", "m", trial=t), Measurement("selected C", v), "original", 0.1)
        for t, v in enumerate(values)
    ]
    made_up.write(tmp_path, rows)
    written = records.load_paper("p", tmp_path)
    np.testing.assert_array_equal(written["value"], records.to_frame(rows)["value"])
    assert written["value"].tolist()[:2] == [9.486, 0.3]


def test_numbers_of_a_row_have_the_digits_that_are_compared():
    task = Task("p", "t", "real/x", "m", "other", 3, setting="s")
    m = Measurement(
        "error", 1 / 3, {"b": 1, "a": 2}, 20, gap=1.23456e-9, path=[2 / 3, 1e-7, 5], reading=""
    )
    row = row_of(task, m, "original", 1.23456)
    assert (row["reading"], row["setting"], row["trial"]) == ("other", "s", 3)
    assert (row["value"], row[GAP]) == (0.3333333333, 1.23e-9)
    assert (row["path"], row["seconds"]) == ("0.666667 1e-07 5", 1.2346)
    assert (row["chosen"], row["n_test"]) == ('{"a": 2, "b": 1}', 20)


@pytest.mark.parametrize(
    ("own", "source", "found"),
    [
        (None, "partial", "partial"),
        ("resampled", "partial", "resampled"),
        (None, "embedded", "embedded"),
        ("resampled", "embedded", "embedded"),
    ],
)
def test_embedded_data_are_never_called_anything_else(own, source, found):
    m = Measurement("error", 0.5, source=own)
    assert row_of(Task("p", "t", "d", "m"), m, source, 0.1)["source"] == found


@pytest.mark.parametrize(("name", "source"), [("embedded/x", "embedded"), ("real/x", "unknown")])
def test_source_of_data_that_cannot_be_loaded(name, source, monkeypatch):
    def load(name):
        raise OSError("no such file")

    monkeypatch.setattr(worker.data_fetch, "load", load)
    fake_paper.forget_data()
    task = Task("fake", "first", name, "mean")
    (row,) = worker.execute(fake_paper.PROTOCOL, task, "0").rows
    assert (row["source"], row["status"]) == (source, "failed: OSError: no such file")


def test_four_data_sets_are_kept_in_a_process(monkeypatch):
    monkeypatch.setattr(worker.data_fetch, "load", fake_paper.dataset)
    fake_paper.forget_data()
    digests = {name: fake_paper.dataset(name).digest() for name in "abcde"}
    for name in "abcdabcd":
        worker.loaded(name, digests[name])
    assert worker.loaded.cache_info().misses == 4
    for name in "eda":
        worker.loaded(name, digests[name])
    assert worker.loaded.cache_info().misses == 6, "the fifth, and the one that made room for it"
    fake_paper.forget_data()
