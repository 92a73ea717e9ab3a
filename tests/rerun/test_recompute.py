"""One stored record again, as it is or changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reprolib import recompute
from reprolib.rerun import records as results
from reprolib.rerun.records.rows import derived_row, row_of
from reprolib.rerun.records.task import Measurement, Protocol, Stage, Task
from reprolib.rerun.verdicts.printed import numbers
from tests import fake_paper

TWONORM = ("kpm", "table2", "embedded/twonorm", "kpm")


def test_stored_and_live_agree():
    frame = recompute(*TWONORM, trial=1)
    assert list(frame.index) == ["selected D", "test error"]
    np.testing.assert_allclose(frame["live"], frame["stored"], atol=0.002)
    assert frame["printed"].isna().all()


def test_a_measured_reading_and_a_setting_are_found():
    ties = recompute(*TWONORM, reading="ties: largest D")
    square = recompute(*TWONORM, setting="square loss")
    for frame in (ties, square):
        np.testing.assert_allclose(frame["live"], frame["stored"], atol=0.002)
    assert ties.loc["selected D", "live"] >= recompute(*TWONORM).loc["selected D", "live"]


def test_a_reading_that_a_task_of_another_one_measures_is_found(monkeypatch):
    tasks = [Task("fake", "first", "real/coins", "mean")]
    params = {"width": 2.0, "also": {"-2.0": "twice"}}
    tasks.append(Task("fake", "first", "real/coins", "mean", "wide", params=params))

    def run(task, data):
        width = task.params.get("width", 1.0)
        return [Measurement("value", width), Measurement("value", -width, reading=f"-{width}")]

    stored = results.to_frame([row_of(t, m, "original", 0.0) for t in tasks for m in run(t, None)])
    protocol = Protocol("fake", lambda _: ["real/coins"], (Stage(lambda *_: tasks),), run)
    house = "reprolib.rerun.checks.verify"
    monkeypatch.setattr(f"{house}.get_protocol", lambda _: protocol)
    monkeypatch.setattr(f"{house}.load_paper", lambda _: stored)
    monkeypatch.setattr("reprolib.rerun.verdicts.printed.numbers", lambda _: [])
    monkeypatch.setattr(f"{house}.data_fetch.load", fake_paper.dataset)
    name = ("fake", "first", "real/coins", "mean")
    assert recompute(*name, reading="-1.0").loc["value", "live"] == -1
    assert recompute(*name, reading="-2.0").loc["value", "live"] == -2
    with pytest.raises(ValueError, match="no parameter 'depth'; its parameters: width, also"):
        recompute(*name, reading="-2.0", depth=3)


def test_a_changed_parameter_changes_the_live_value_only():
    name = ("kpm", "table1", "embedded/twonorm", "kpm")
    as_stored, changed = recompute(*name), recompute(*name, D=1)
    assert changed.loc["test error", "stored"] == as_stored.loc["test error", "stored"]
    assert changed.loc["test error", "live"] > as_stored.loc["test error", "live"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reading": "nonsense"}, "has no task .*nonsense"),
        ({"trial": 10_000}, "has no task"),
        ({"width": 3}, "no parameter 'width'; its parameters: fold_seed"),
    ],
)
def test_what_does_not_exist_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        recompute(*TWONORM, **options)


@pytest.mark.needs_data("faces/yale")
def test_printed_statistic_over_trials_is_live_too():
    name = ("mkmmc", "table2", "faces/yale", "mmc")
    frame = recompute(*name, setting="3 train", trial=0)
    assert {"accuracy", "dimension"} < set(frame.index)
    assert frame.loc["accuracy", "printed"] == pytest.approx(0.6113)
    np.testing.assert_allclose(frame["live"], frame["stored"], atol=1e-3)


def test_printed_statistic_is_of_the_live_trial_among_the_stored_others(monkeypatch):
    """All three in the unit of the records: 50 per cent are printed, 0.5 is shown."""
    tasks = [
        Task("fake", "first", "real/coins", "mean", trial=t, params={"at": float(t)})
        for t in range(3)
    ]

    def run(task, data):
        return [Measurement("value", task.params["at"])]

    def derive(records):
        rows = records[records["metric"] == "value"]
        mean = rows["value"].mean()
        return [
            derived_row(r, "minus the mean", r["value"] - mean) for r in rows.to_dict("records")
        ]

    select = {"dataset": "real/coins", "method": "mean", "setting": "", "metric": "minus the mean"}
    about = {"paper": "fake", "table": "first", "results": "first", "row": "", "column": ""}
    printed = replace(numbers("kpm")[0], **about, select=select, value=50.0, scale=100)
    measured = [row_of(t, m, "original", 0.0) for t in tasks for m in run(t, None)]
    stored = results.to_frame([*measured, *derive(results.to_frame(measured))])
    protocol = Protocol("fake", lambda _: ["real/coins"], (Stage(lambda *_: tasks),), run, derive)
    house = "reprolib.rerun.checks.verify"
    monkeypatch.setattr(f"{house}.get_protocol", lambda _: protocol)
    monkeypatch.setattr(f"{house}.load_paper", lambda _: stored)
    monkeypatch.setattr("reprolib.rerun.verdicts.printed.numbers", lambda _: [printed])
    monkeypatch.setattr(f"{house}.data_fetch.load", fake_paper.dataset)
    frame = recompute("fake", "first", "real/coins", "mean", trial=2, at=6.0)
    assert frame.loc["value", ["stored", "live"]].tolist() == [2.0, 6.0]
    expected = [0.5, 2 - (0 + 1 + 2) / 3, 6 - (0 + 1 + 6) / 3]
    assert frame.loc["minus the mean"].tolist() == pytest.approx(expected)
