"""What tasks cost, by those most like them in the committed records."""

from __future__ import annotations

import dataclasses
import math

import pytest

from reprolib.rerun import plan, runner
from reprolib.rerun import records as results
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks.store import RecordStore


def record(table, dataset, method, trial, seconds, **changes):
    return {
        **dict.fromkeys(results.COLUMNS, ""),
        "paper": "p",
        "table": table,
        "dataset": dataset,
        "method": method,
        "trial": trial,
        "seconds": seconds,
        **changes,
    }


COMMITTED = results.to_frame(
    [
        record("t", "d", "m", 0, 2.0),
        record("t", "d", "m", 1, 4.0),
        record("t", "d", "m", 1, 4.0, metric="other"),
        record("t", "d", "m", 1, 0.5, metric="fit"),
        record("t", "d", "m", 0, 0.0, metric="median"),
        record("t", "e", "m", 0, 9.0),
        record("t", "e", "n", 0, 25.0),
        record("u", "e", "n", 0, 60.0),
    ]
)


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        (Task("p", "t", "d", "m"), 3.0),
        (Task("p", "t", "e", "m"), 9.0),
        (Task("p", "t", "f", "m"), 5.0),
        (Task("p", "t", "f", "x"), 10.0),
        (Task("p", "v", "f", "x"), 20.0),
    ],
)
def test_a_task_costs_the_mean_of_those_of_its_method_table_or_paper(task, seconds):
    assert plan.cost(task, COMMITTED) == seconds


def test_nothing_is_known_without_records():
    assert math.isnan(plan.cost(Task("p", "t", "d", "m"), COMMITTED.iloc[:0]))


def test_a_stage_is_given_the_records_of_the_stages_before_it_alone(fake, tmp_path, monkeypatch):
    protocol, _ = fake
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path / "results"))
    whole = runner.run_protocol(protocol, "full", store=RecordStore(tmp_path / "other"))
    results.write_tables(whole.records, tmp_path / "results" / "fake", whole.meta)
    given = []

    def seeing(stage):
        def seen(profile, datasets, records):
            given.append(sorted(set(records["table"])))
            return stage(profile, datasets, records)

        return seen

    watched = dataclasses.replace(protocol, stages=tuple(map(seeing, protocol.stages)))
    plan.plan(watched, "full", store=RecordStore(tmp_path / "store"))
    assert given == [[], [], ["first"], ["first"]]


def test_a_stage_that_needs_records_which_are_not_there_is_named(fake, tmp_path, monkeypatch):
    protocol, _ = fake
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path / "none"))

    def second(profile, datasets, records):
        return [records.iloc[0]]

    broken = dataclasses.replace(protocol, stages=(protocol.stages[0], second))
    found = plan.plan(broken, "full", store=RecordStore(tmp_path / "store"))
    assert found.unlisted == "stage 2 lists its tasks once the stage before it has run"
    assert (found.n_tasks, found.n_stored) == (5, 0)
