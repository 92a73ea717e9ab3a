"""Some tasks of a protocol, by a pattern."""

from __future__ import annotations

import dataclasses

import pytest

import data_fetch
from data_fetch.errors import Failure, SourceError
from reprolib.rerun.records import Stage, Task
from reprolib.rerun.tasks import runner, worker
from reprolib.rerun.tasks.runner import Only
from reprolib.rerun.tasks.store import RecordStore
from tests import fake_paper

TASK = Task("fake", "table1", "raetsch/banana", "kpm, square loss", trial=10)


@pytest.mark.parametrize(
    ("pattern", "selected"),
    [
        ("table1", True),
        ("table", False),
        ("TABLE1/Raetsch", True),
        ("table1/raetsch/banana", True),
        ("table1/raetsch/ban", False),
        ("table1/raetsch/ban*", True),
        ("table1/*/kpm, square loss/10", True),
        ("table1/raetsch/banana/kpm, square loss/1", False),
        ("*/raetsch/banana/*/10", True),
        ("*/10", True),
        ("*/1", False),
        ("table1/raetsch/banana/kpm. square loss", False),
        ("table2", False),
        ("table1/raetsch/banana/kpm, square loss/headline", True),
        ("table1/raetsch/banana/kpm, square loss/centred/10", False),
    ],
)
def test_pattern_selects_by_the_first_parts_of_the_name(pattern, selected):
    assert Only([pattern]).has(TASK) is selected
    assert Only(["table7", pattern]).has(TASK) is selected


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("table1", "banana heart digits"),
        ("table1/raetsch", "banana heart"),
        ("table1/raetsch/banana/kpm", "banana"),
        ("table1/raetsch/*/kpm", "banana heart"),
        ("table1/*/kpm", "banana heart digits"),
        ("*/raetsch/banana/kpm", "banana"),
        ("*/kpm/3", "banana heart digits"),
        ("*banana*", "banana heart digits"),
        ("table1/embedded/optdigits", "digits"),
        ("table1/mnist", ""),
    ],
)
def test_only_data_sets_that_can_be_selected_are_needed(pattern, needed):
    sets = {
        "raetsch/banana": ["embedded/twonorm"],
        "raetsch/heart": ["embedded/twonorm"],
        "uci/digits": ["embedded/optdigits"],
    }
    assert [name.split("/")[1] for name in Only([pattern]).needed(sets)] == needed.split()


@pytest.mark.parametrize("pattern", ["", "/", " "])
def test_empty_pattern_is_refused(pattern):
    with pytest.raises(ValueError, match="pattern of tasks is empty"):
        Only([pattern])


def test_selected_tasks_alone_are_run_and_recorded(fake, tmp_path):
    protocol, ran = fake
    store = RecordStore(tmp_path)
    run = runner.run_protocol(protocol, "full", store=store, only=Only(["first/*/3"]))
    assert [task.trial for task in ran] == [3]
    assert set(run.records["trial"]) == {3}
    whole = runner.run_protocol(protocol, "full", store=store)
    part = whole.records[(whole.records["table"] == "first") & (whole.records["trial"] == 3)]
    assert run.records.equals(part.reset_index(drop=True))


def test_later_stage_is_reached_when_the_earlier_tasks_are_stored(fake, tmp_path):
    protocol, ran = fake
    store, second = RecordStore(tmp_path), Only(["second"])
    with pytest.raises(runner.NothingSelectedError, match="Stage 2 chooses from .* not all stored"):
        runner.run_protocol(protocol, "full", store=store, only=second)
    assert ran == []
    whole = runner.run_protocol(protocol, "full", store=store)
    run = runner.run_protocol(protocol, "full", store=store, only=second)
    expected = whole.records[whole.records["table"] == "second"].reset_index(drop=True)
    assert run.records.equals(expected)


def test_pattern_of_all_stages_runs_all_of_them(fake, tmp_path):
    protocol, ran = fake
    only = Only(["*/real/coins"])
    run = runner.run_protocol(protocol, "full", store=RecordStore(tmp_path), only=only)
    assert len(ran) == 6
    assert set(run.records["table"]) == {"first", "second"}


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("third", "selects no task of fake .*'first/real/coins/mean/headline/0'"),
        ("first/real/dice", "selects no data set of fake; it has real/coins"),
    ],
)
def test_pattern_without_tasks_is_answered_with_what_there_is(fake, tmp_path, pattern, message):
    protocol, _ = fake
    with pytest.raises(runner.NothingSelectedError, match=message):
        runner.run_protocol(protocol, "quick", store=RecordStore(tmp_path), only=Only([pattern]))


def test_of_data_that_are_not_at_hand_the_reason_follows(fake, tmp_path, monkeypatch):
    """Others stood in, and "selects no task on these data" did not say why."""
    protocol, _ = fake

    def load(name):
        if name == "real/coins":
            aside = SourceError("an earlier file was set aside as coins.rejected", gave_other=True)
            raise data_fetch.DataUnavailableError("", [Failure("", aside)])
        return fake_paper.dataset(name, "embedded")

    monkeypatch.setattr(data_fetch, "load", load)
    told = r"real/coins is not at hand \(an earlier file was set aside as coins.rejected\); `reprol"
    only = Only(["first/real/coins"])
    with pytest.raises(runner.NothingSelectedError, match=told):
        runner.run_protocol(protocol, "quick", store=RecordStore(tmp_path), only=only)


def test_tasks_are_run_in_the_order_of_their_data_sets(fake, tmp_path):
    protocol, ran = fake

    def mixed(profile, datasets, records):
        return [
            Task("fake", "first", name, "mean", trial=trial, params={"seed": 0})
            for trial in range(2)
            for name in reversed(datasets)
        ]

    two = dataclasses.replace(
        protocol, datasets=lambda profile: ["real/coins", "real/dice"], stages=(Stage(mixed),)
    )
    runner.run_protocol(two, "quick", store=RecordStore(tmp_path))
    assert [task.dataset for task in ran] == ["real/coins"] * 2 + ["real/dice"] * 2


def test_data_are_loaded_once_and_their_digest_computed_once(fake, tmp_path, monkeypatch):
    protocol, ran = fake
    calls = {"load": 0, "digest": 0}
    whole = data_fetch.Dataset.digest

    def load(name):
        calls["load"] += 1
        return fake_paper.dataset(name)

    def digest(self):
        calls["digest"] += 1
        return whole(self)

    monkeypatch.setattr(data_fetch, "load", load)
    monkeypatch.setattr(data_fetch.Dataset, "digest", digest)
    runner.run_protocol(protocol, "full", store=RecordStore(tmp_path))
    assert len(ran) == 6
    assert calls == {"load": 1, "digest": 1}
    assert len(worker.held) == 0, "nothing is kept after the run"
