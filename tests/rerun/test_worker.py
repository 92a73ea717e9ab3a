"""One task in one process: its time, whatever the clock shows when it begins."""

from __future__ import annotations

import pytest

from reprolib.rerun import data_cache, worker
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
