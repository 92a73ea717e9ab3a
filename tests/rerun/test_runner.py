"""The runner: resumes, reports failures, and gives the same records in every order of work."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pandas as pd
import pytest

import data_fetch
from reprolib.rerun.records import Measurement, Stage, fingerprint
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.records.task import get_protocol
from reprolib.rerun.tasks import runner, worker
from reprolib.rerun.tasks.runner import Only
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.tasks.worker import LocalWorkers
from tests import fake_paper


def first_tasks(profile="quick"):
    return fake_paper.PROTOCOL.stages[0].tasks(profile, {"real/coins": None}, None)


def values(run) -> pd.DataFrame:
    return run.records.drop(columns="seconds")


def test_a_second_run_computes_nothing_and_gives_the_same_records(fake, tmp_path):
    protocol, ran = fake
    store = RecordStore(tmp_path)
    first = runner.run_protocol(protocol, "full", store=store)
    assert len(ran) == 6
    second = runner.run_protocol(protocol, "full", store=store)
    assert len(ran) == 6
    pd.testing.assert_frame_equal(first.records, second.records)


def test_wall_seconds_are_what_passed_on_the_clock(fake, tmp_path, monkeypatch):
    clock = iter([1000.0, 1002.54])
    monkeypatch.setattr(runner, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    run = runner.run_protocol(fake[0], "quick", store=RecordStore(tmp_path))
    assert run.about["wall_seconds"] == 2.5


def test_quick_is_a_part_of_full(fake, tmp_path):
    protocol, ran = fake
    store = RecordStore(tmp_path)
    quick = runner.run_protocol(protocol, "quick", store=store)
    n_quick = len(ran)
    full = runner.run_protocol(protocol, "full", store=store)
    assert n_quick == 3
    assert len(quick.records) < len(full.records)


def test_interrupted_run_goes_on_where_it_stopped(fake, tmp_path, monkeypatch):
    protocol, ran = fake
    uninterrupted = runner.run_protocol(protocol, "full", store=RecordStore(tmp_path / "a"))
    ran.clear()
    store = RecordStore(tmp_path / "b")

    def stop_after_three(done, total, stage, stages):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run_protocol(protocol, "full", store=store, progress=stop_after_three)
    n_before = len(ran)
    resumed = runner.run_protocol(protocol, "full", store=store)
    assert n_before >= 3
    assert len(ran) == 6 + (n_before - 3 if n_before > 3 else 0)
    pd.testing.assert_frame_equal(values(resumed), values(uninterrupted))


def test_failed_task_is_reported_and_not_stored(fake, tmp_path, monkeypatch):
    protocol, ran = fake

    def failing(task, data):
        if task.trial == 1:
            raise ValueError("the solver gave up")
        return fake_paper.run(task, data)

    broken = dataclasses.replace(protocol, run=failing)
    store = RecordStore(tmp_path)
    run = runner.run_protocol(broken, "quick", store=store)
    assert list(run.failures["status"]) == ["failed: ValueError: the solver gave up"]
    assert runner.run_protocol(protocol, "quick", store=store).failures.empty


def failing_protocol(protocol, message="the solver gave up"):
    """Make the first trial fail, so that the second stage has less to choose from."""

    def failing(task, data):
        if task.trial == 1:
            raise ValueError(message)
        return fake_paper.run(task, data)

    return dataclasses.replace(protocol, run=failing)


def test_failure_is_told_at_once_with_its_traceback(fake, tmp_path, monkeypatch):
    protocol, _ = fake
    broken = failing_protocol(protocol)
    told = []
    runner.run_protocol(broken, "quick", store=RecordStore(tmp_path), failed=told.append)
    (failure,) = told
    assert failure.record == "first/real/coins/mean/headline/1"
    assert failure.status == "failed: ValueError: the solver gave up"
    assert "raise ValueError(message)" in failure.traceback


def test_failures_of_the_first_stage_are_told_when_the_second_raises(fake, tmp_path, monkeypatch):
    protocol, _ = fake

    def second(profile, datasets, records):
        return records.set_index("trial").loc[7]

    broken = dataclasses.replace(
        failing_protocol(protocol), stages=(protocol.stages[0], Stage(second, reads=("first",)))
    )
    told = []
    store = RecordStore(tmp_path)
    with pytest.raises(runner.StageError, match="stage 2 of fake .*KeyError: 7.* 1 failed"):
        runner.run_protocol(broken, "quick", store=store, failed=told.append)
    assert [failure.record for failure in told] == ["first/real/coins/mean/headline/1"]


def test_task_that_measures_nothing_has_failed(fake, monkeypatch):
    protocol, _ = fake
    other = dataclasses.replace(protocol, run=lambda task, data: [])
    (row,) = worker.execute(other, first_tasks()[0], fake_paper.dataset().digest()).rows
    assert "measured nothing" in row["status"]


def test_damaged_record_is_computed_again(fake, tmp_path):
    protocol, ran = fake
    store = RecordStore(tmp_path)
    first = runner.run_protocol(protocol, "full", store=store)
    files = sorted((tmp_path / "tasks").rglob("*.json"))
    files[0].write_text('{"rows": [')
    files[1].write_text(files[1].read_text().replace('"value": ', '"value": 1'))
    ran.clear()
    with pytest.warns(UserWarning, match="damaged"):
        again = runner.run_protocol(protocol, "full", store=store)
    assert len(ran) == 2
    pd.testing.assert_frame_equal(values(first), values(again))


def test_changed_data_are_run_anew(fake, tmp_path, monkeypatch):
    protocol, ran = fake
    store = RecordStore(tmp_path)
    runner.run_protocol(protocol, "quick", store=store)
    other = dataclasses.replace(fake_paper.dataset(), X=fake_paper.dataset().X + 1)
    monkeypatch.setattr(data_fetch, "load", lambda name: other)
    fake_paper.forget_data()
    runner.run_protocol(protocol, "quick", store=store)
    assert len(ran) == 6


def test_the_protocol_that_is_given_is_run_and_another_one_is_not_served_from_its_store(
    fake, tmp_path
):
    """It was looked up by name again, and stored tasks were found whatever the code said."""
    protocol, _ = fake
    store = RecordStore(tmp_path)
    runner.run_protocol(protocol, "quick", store=store)

    def mine(task, data):
        return [Measurement("value", 0.999)]

    changed = dataclasses.replace(protocol, run=mine)
    run = runner.run_protocol(changed, "quick", store=store)
    assert set(run.records["value"]) == {0.999}
    first = [why for task, why in run.explained.items() if task.startswith("first/")]
    assert len(first) == 2
    assert all("other code" in why.reason for why in first)


def test_a_packaged_protocol_with_another_run_is_run_as_it_is(tmp_path):
    changed = dataclasses.replace(
        get_protocol("kpm"), run=lambda task, data: [Measurement("test error", 0.999)]
    )
    only = Only(["table2/embedded/ringnorm/kpm/0"])
    run = runner.run_protocol(
        changed, "quick", embedded=True, only=only, store=RecordStore(tmp_path)
    )
    assert set(run.records["value"]) == {0.999}


def test_another_version_of_a_library_is_another_result(fake, tmp_path, monkeypatch):
    protocol, ran = fake
    store = RecordStore(tmp_path)
    runner.run_protocol(protocol, "quick", store=store)
    here = fingerprint.versions()
    monkeypatch.setattr(fingerprint, "versions", lambda: {**here, "numpy": "9.9"})
    run = runner.run_protocol(protocol, "quick", store=store)
    assert len(ran) == 6
    assert all("numpy" in why.detail for why in run.explained.values())


def test_a_fresh_run_computes_everything_and_replaces_what_is_stored(fake, tmp_path):
    protocol, ran = fake
    store = RecordStore(tmp_path)
    for fresh in (False, True, False):
        run = runner.run_protocol(protocol, "quick", store=store, fresh=fresh)
    assert len(ran) == 6
    assert all(why.reason == "reused" for why in run.explained.values())


def test_a_reused_task_keeps_the_seconds_date_and_machine_of_its_run(fake, tmp_path, monkeypatch):
    """The date and the versions of the day were stamped on rows of another day."""
    protocol, _ = fake
    store = RecordStore(tmp_path)
    first = runner.run_protocol(protocol, "quick", store=store)
    monkeypatch.setattr(worker, "environment", lambda: {"machine": "another"})
    second = runner.run_protocol(protocol, "quick", store=store)
    pd.testing.assert_frame_equal(first.tasks, second.tasks)
    assert first.about["environments"] == second.about["environments"]
    third = runner.run_protocol(protocol, "quick", store=store, fresh=True)
    assert list(third.about["environments"].values()) == [{"machine": "another"}]


def test_the_table_of_tasks_says_which_are_quick(fake, tmp_path):
    run = runner.run_protocol(fake[0], "full", store=RecordStore(tmp_path))
    quick = run.tasks.set_index("task")["quick"]
    assert quick.sum() == 3
    assert quick["first/real/coins/mean/headline/1"]
    assert not quick["first/real/coins/mean/headline/2"]


def test_a_task_that_is_listed_twice_is_refused(fake, tmp_path):
    protocol, _ = fake
    twice = Stage(lambda *given: 2 * protocol.stages[0].tasks(*given))
    broken = dataclasses.replace(protocol, stages=(twice,))
    with pytest.raises(runner.StageError, match="two tasks named first/real/coins/mean/headline/0"):
        runner.run_protocol(broken, "quick", store=RecordStore(tmp_path))


def test_embedded_counterpart_stands_in_for_missing_data(fake, tmp_path, monkeypatch):
    protocol, ran = fake

    def load(name):
        if name.startswith("embedded/"):
            return fake_paper.dataset(name, "embedded")
        raise data_fetch.DataUnavailableError(f"get {name} by hand")

    monkeypatch.setattr(data_fetch, "load", load)
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: ["embedded/coins"])
    run = runner.run_protocol(protocol, "quick", store=RecordStore(tmp_path))
    assert set(run.records["source"]) == {"embedded"}
    assert str(run.substituted["real/coins"]) == "get real/coins by hand"


def test_worker_with_other_data_is_refused(fake, monkeypatch):
    (row,) = worker.execute(fake[0], first_tasks()[0], "another digest").rows
    assert "differs between the main process and this worker" in row["status"]


def test_one_worker_and_two_give_the_same_records(tmp_path):
    """The real thing: tasks of the KPM protocol on embedded data, in processes."""
    whole = get_protocol("kpm")

    def some_tasks(profile, datasets, records):
        tasks = whole.stages[0].tasks(profile, datasets, records)
        return [task for task in tasks if task.method == "kpm"][:6]

    protocol = dataclasses.replace(whole, stages=(Stage(some_tasks),))
    runs = [
        runner.run_protocol(
            protocol,
            "quick",
            embedded=True,
            workers=LocalWorkers(n_jobs),
            store=RecordStore(tmp_path / str(n_jobs)),
        )
        for n_jobs in (1, 2)
    ]
    assert not runs[0].records.empty
    pd.testing.assert_frame_equal(values(runs[0]), values(runs[1]))


def test_unknown_paper_is_refused_by_name():
    with pytest.raises(ValueError, match="'kmp'.*kpm"):
        get_protocol("kmp")
    assert "kpm" in PAPERS


def test_progress_counts_the_tasks_of_every_stage(fake, tmp_path):
    told = []
    runner.run_protocol(
        fake[0], "quick", store=RecordStore(tmp_path), progress=lambda *call: told.append(call)
    )
    assert told == [(1, 2, 1, 2), (2, 2, 1, 2), (1, 1, 2, 2)]


def test_embedded_data_stand_for_all_others_and_for_themselves(monkeypatch):
    others = {"real/a": ["embedded/x", "embedded/y"], "real/b": ["embedded/x"]}

    def load(name):
        if name == "real/b":
            raise data_fetch.DataUnavailableError("get it")
        return fake_paper.dataset(name)

    monkeypatch.setattr(data_fetch, "load", load)
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: others.get(name, []))
    names = ["real/a", "embedded/z", "real/b"]
    loaded, substituted = runner.load_datasets(names, embedded=True)
    assert list(loaded) == ["embedded/x", "embedded/y", "embedded/z"]
    assert substituted == {}
    loaded, substituted = runner.load_datasets(names)
    assert list(loaded) == ["real/a", "embedded/z", "embedded/x"]
    assert [(name, str(why)) for name, why in substituted.items()] == [("real/b", "get it")]
