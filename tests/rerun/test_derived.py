"""Rows of statistics over trials."""

from __future__ import annotations

import pandas as pd

from reprolib.rerun.records.derived import derived_row, is_derived

RECORD = {
    "paper": "p",
    "table": "t",
    "dataset": "d",
    "method": "m",
    "setting": "s",
    "reading": "headline",
    "trial": 3,
    "metric": "error",
    "value": 0.5,
    "chosen": '{"C": 1}',
    "n_test": 20,
    "gap": 1e-9,
    "path": "1 2",
    "seconds": 7.0,
    "source": "partial",
    "status": "ok",
}


def test_a_derived_row_is_of_its_trials_and_cost_no_time():
    assert derived_row(RECORD, "median", 2) == {
        **RECORD,
        "metric": "median",
        "value": 2.0,
        "chosen": "{}",
        "n_test": 0,
        "gap": None,
        "path": "",
        "seconds": 0.0,
    }
    row = derived_row(RECORD, "median", 2, trial=0, chosen={"b": 1, "a": [2]}, n_test=5)
    assert (row["trial"], row["chosen"], row["n_test"]) == (0, '{"a": [2], "b": 1}', 5)


def test_records_are_derived_by_their_whole_key():
    row = derived_row(RECORD, "median", 2)
    frame = pd.DataFrame([RECORD, {**row, "value": 9.0}, {**row, "trial": 4}], index=[5, 6, 7])
    found = is_derived(frame, [row])
    assert list(found.index) == [5, 6, 7]
    assert list(found) == [False, True, False]
