"""Clocks that jump: nothing is decided by a date, and computing times stay plausible."""

from __future__ import annotations

import itertools
import os
import time

import pandas as pd
import pytest

from reprolib.rerun import records as results
from tests.faults import tiny

FAR_FUTURE, LONG_AGO = 4e9, 1.0


@pytest.mark.parametrize("date", [FAR_FUTURE, LONG_AGO], ids=["future", "1970"])
def test_records_from_another_time_are_used_as_they_are(undisturbed, tmp_path, date):
    assert tiny.run(tmp_path) == 0, tiny.said(tmp_path)
    for path in tiny.stored(tmp_path):
        os.utime(path, (date, date))
    assert tiny.run(tmp_path) == 0, tiny.said(tmp_path)
    assert {path.stat().st_mtime for path in tiny.stored(tmp_path)} == {date}
    pd.testing.assert_frame_equal(tiny.tables(tmp_path), undisturbed)


def jumping_clock() -> None:
    """Have the clock of this process go back and forth by decades."""
    jumps = itertools.cycle([FAR_FUTURE, LONG_AGO, 1.7e9])
    time.time = lambda: next(jumps)


def test_clock_that_goes_back_and_forth(undisturbed, tmp_path):
    assert tiny.run(tmp_path, before=jumping_clock) == 0, tiny.said(tmp_path)
    pd.testing.assert_frame_equal(tiny.tables(tmp_path), undisturbed)
    seconds = results.load_paper("kpm", tmp_path / "build" / "results")["seconds"]
    assert seconds.between(0, 300).all()
