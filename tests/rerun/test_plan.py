"""What a run would do: from the committed table of tasks, before any data are there."""

from __future__ import annotations

import dataclasses
import math

import pandas as pd
import pytest

import data_fetch
from reprolib.rerun.records import Stage, Task
from reprolib.rerun.tasks import plan, runner
from reprolib.rerun.tasks.runner import Only
from reprolib.rerun.tasks.store import RecordStore
from tests.rerun.made_up import row, tasks_of

MADE = tasks_of(
    [
        row(trial=0, seconds=2.0),
        row(trial=1, seconds=4.0),
        row(dataset="e", seconds=9.0),
        row(dataset="e", method="n", seconds=25.0),
        row(table="u", dataset="e", method="n", seconds=60.0),
    ]
)


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        (Task("p", "t", "d", "m", trial=1), 4.0),
        (Task("p", "t", "d", "m", trial=7), 3.0),
        (Task("p", "t", "e", "m", "other"), 9.0),
        (Task("p", "t", "f", "m"), 5.0),
        (Task("p", "t", "f", "x"), 10.0),
        (Task("p", "v", "f", "x"), 20.0),
    ],
)
def test_a_task_costs_what_it_took_or_the_mean_of_those_most_like_it(task, seconds):
    assert list(plan.costs([task], MADE)) == [seconds]


def test_nothing_is_known_without_results():
    costs = plan.costs([Task("p", "t", "d", "m")], MADE.iloc[:0])
    assert math.isnan(costs.sum(min_count=1))
    assert plan.costs([], MADE).sum() == 0


def planned(protocol, profile, tmp_path, **options):
    return plan.plan(
        "fake", profile, store=RecordStore(tmp_path / "store"), protocol=protocol, **options
    )


@pytest.mark.parametrize(("profile", "n_tasks"), [("full", 6), ("quick", 3)])
def test_tasks_are_counted_without_any_data(committed, tmp_path, monkeypatch, profile, n_tasks):
    """It said "0 tasks, about 1 minute" where 97 minutes were to come."""

    def load(name):
        raise AssertionError("a plan loads no data")

    monkeypatch.setattr(data_fetch, "load", load)
    monkeypatch.setattr(data_fetch, "available", lambda name: False)
    found = planned(committed, profile, tmp_path)
    assert (found.n_tasks, found.n_stored) == (n_tasks, 0)
    assert found.to_fetch == {"real/coins": n_tasks}
    assert found.seconds > 0
    assert not found.note


def test_stored_tasks_are_counted(committed, tmp_path):
    runner.run_protocol(committed, "quick", store=RecordStore(tmp_path / "store"))
    found = planned(committed, "full", tmp_path)
    assert (found.n_tasks, found.n_stored) == (6, 3)


def test_selected_tasks_are_counted(committed, tmp_path):
    only = Only(["first/real/coins/mean/3", "second"])
    assert planned(committed, "full", tmp_path, only=only).n_tasks == 2


def test_selected_tasks_that_wait_for_others_are_said_as_the_run_says_them(committed, tmp_path):
    """The plan counted tasks that a run from the same store then refused to know."""
    only, store = Only(["second"]), RecordStore(tmp_path / "store")
    found = planned(committed, "full", tmp_path, only=only)
    assert found.note.startswith(f"{found.n_tasks} of these tasks cannot run yet. Stage 2 chooses")
    with pytest.raises(runner.NothingSelectedError) as refused:
        runner.run_protocol(committed, "full", store=store, only=only)
    assert str(refused.value).endswith(found.note.partition("yet. ")[2])
    runner.run_protocol(committed, "full", store=store, only=Only(["first"]))
    assert not planned(committed, "full", tmp_path, only=only).note
    assert not planned(committed, "full", tmp_path / "new", only=Only(["first"])).note


def test_a_list_of_experiments_that_changed_is_listed_anew(committed, tmp_path):
    more = Stage(lambda *_: [Task("fake", "third", "real/coins", "more", trial=t) for t in (0, 1)])
    changed = dataclasses.replace(committed, stages=(*committed.stages, more))
    found = planned(changed, "full", tmp_path)
    assert found.n_tasks == 8
    assert "Listed anew" in found.note


def test_without_results_a_stage_that_needs_records_ends_the_list(fake, tmp_path):
    protocol, _ = fake

    def second(profile, datasets, records):
        return [records.iloc[0]]

    broken = dataclasses.replace(protocol, stages=(protocol.stages[0], Stage(second, ("first",))))
    found = planned(broken, "full", tmp_path)
    assert "cannot be listed before a first run" in found.note
    assert math.isnan(found.seconds) or found.n_tasks == 0


def test_a_stage_is_given_the_tables_that_it_reads_alone(committed, tmp_path):
    given = []

    def seeing(stage):
        def seen(profile, datasets, records: pd.DataFrame):
            given.append(sorted(set(records["table"])))
            return stage.tasks(profile, datasets, records)

        return Stage(seen, stage.reads)

    watched = dataclasses.replace(committed, stages=tuple(map(seeing, committed.stages)))
    planned(watched, "full", tmp_path)
    assert given == [[], ["first"]]
