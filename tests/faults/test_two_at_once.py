"""Several runs at once on one store, writing to one folder: same tables, store intact."""

from __future__ import annotations

import pandas as pd

from tests.faults import tiny
from tests.faults.tiny_paper import N_TASKS


def test_three_runs_at_once(undisturbed, tmp_path):
    processes = [tiny.start(tmp_path) for _ in range(3)]
    for process in processes:
        process.join(300)
    assert [process.exitcode for process in processes] == [0, 0, 0], tiny.said(tmp_path)
    pd.testing.assert_frame_equal(tiny.tables(tmp_path), undisturbed)
    assert len(tiny.stored(tmp_path)) == N_TASKS
    before = {path: path.stat().st_mtime_ns for path in tiny.stored(tmp_path)}
    assert tiny.run(tmp_path) == 0, tiny.said(tmp_path)
    assert "damaged" not in tiny.said(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tiny.stored(tmp_path)} == before
