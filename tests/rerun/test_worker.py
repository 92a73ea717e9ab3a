"""One task in one process: its rows, and its time, whatever the clock shows when it begins."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.rerun import data_cache, records, worker
from reprolib.rerun.task import Measurement, Task
from tests import fake_paper


@pytest.mark.parametrize("start", [0.0, 1000.0])
def test_seconds_are_what_passed_on_the_clock(monkeypatch, start):
    dataset = fake_paper.dataset()
    task = fake_paper.PROTOCOL.stages[0]("full", {dataset.name: dataset}, None)[0]
    clock = iter([start, start + 2.5])
    monkeypatch.setattr(worker, "get_protocol", lambda paper: fake_paper.PROTOCOL)
    monkeypatch.setattr(worker.time, "perf_counter", lambda: next(clock))
    digest = dataset.digest()
    with data_cache.holding({digest: dataset}):
        _, rows = worker.execute(task, digest)
    assert [row["seconds"] for row in rows] == [2.5, 2.5]


def test_a_part_of_a_task_has_seconds_of_its_own():
    task = Task("p", "t", "embedded/x", "m")
    whole, part = (
        worker.row_of(task, m, "embedded", 2.5)
        for m in (Measurement("accuracy", 0.5), Measurement("fit", 200, seconds=0.25))
    )
    assert (whole["seconds"], part["seconds"]) == (2.5, 0.25)


def test_a_later_stage_of_a_run_sees_the_values_that_are_written(tmp_path):
    """A median cost of 9.485999999999999 in a run and of 9.486 in `verify` changed a decision."""
    task = Task("p", "t", "embedded/x", "m")
    values = [3.0 * 316.2 * 0.01, 0.1 + 0.2, 1.0 / 3.0, float("nan")]
    rows = [
        {**worker.row_of(task, Measurement("selected C", v), "embedded", 0.1), "trial": trial}
        for trial, v in enumerate(values)
    ]
    frame = records.to_frame(rows)
    records.write_tables(frame, tmp_path / "p", {"data_digests": {"embedded/x": ""}})
    written = records.load("p", "t", tmp_path)
    np.testing.assert_array_equal(written["value"], frame["value"])
    assert frame["value"].tolist()[:2] == [9.486, 0.3]
