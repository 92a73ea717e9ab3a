"""kill -9 at random moments, twenty times over: the run goes on, and ends with the same tables."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from tests.faults import tiny
from tests.faults.tiny_paper import N_TASKS

N_KILLS = 20


def n_events(folder) -> int:
    """Number of moments at which an undisturbed run can be killed."""
    count = folder / "count"
    assert tiny.run(folder, before=tiny.CountEvents(count)) == 0, tiny.said(folder)
    return json.loads(count.read_text())


def test_killed_twenty_times(undisturbed, tmp_path):
    rng = np.random.default_rng(20)
    last = n_events(tmp_path / "counted")
    folder, kills, ends = tmp_path / "0", 0, 0
    while kills < N_KILLS:
        finished = {path: path.read_bytes() for path in tiny.stored(folder)}
        code = tiny.run(folder, before=tiny.KillItself(int(rng.integers(1, last))))
        kept = {path: path.read_bytes() for path in finished}
        assert kept == finished, "a finished task was run again"
        if code == 0:
            pd.testing.assert_frame_equal(tiny.tables(folder), undisturbed)
            ends += 1
            folder = tmp_path / str(ends)
        else:
            assert code == -9, tiny.said(folder)
            kills += 1
    assert tiny.run(folder) == 0, tiny.said(folder)
    pd.testing.assert_frame_equal(tiny.tables(folder), undisturbed)
    assert len(tiny.stored(folder)) == N_TASKS
