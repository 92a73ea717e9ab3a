"""`reprolib verify`: finds what differs, says what it cannot check."""

from __future__ import annotations

import dataclasses
import re

import pytest

import data_fetch
from reprolib import results, verification
from reprolib.cli import main
from reprolib.protocols import runner
from reprolib.results import RecordStore
from tests import fake_paper

N_TASKS = 6


@pytest.fixture
def committed(monkeypatch, tmp_path):
    """Committed results of the fake paper: five tasks and one that depends on them."""
    monkeypatch.setattr(runner, "get_protocol", lambda paper: fake_paper.PROTOCOL)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: fake_paper.PROTOCOL)
    monkeypatch.setattr(data_fetch, "load", lambda name: fake_paper.dataset(name))
    runner._worker_dataset.cache_clear()
    run = runner.run_protocol(fake_paper.PROTOCOL, "full", store=RecordStore(tmp_path / "store"))
    results.write_tables(run.records, tmp_path / "fake", run.meta)
    yield tmp_path
    runner._worker_dataset.cache_clear()


def verify(folder, fraction=1.0, seed=0):
    return verification.verify_paper("fake", fraction=fraction, seed=seed, directory=folder)


def edit(path, column, change):
    table = results.load("fake", path.stem, path.parent.parent)
    table.loc[0, column] = change(table.loc[0, column])
    table.to_csv(path, index=False)


def test_everything_agrees_and_is_counted(committed):
    outcome = verify(committed)
    assert outcome.differences == []
    assert outcome.unchecked == {}
    assert (outcome.n_tasks, outcome.n_all_tasks) == (N_TASKS, N_TASKS)
    assert outcome.n_checked == outcome.n_committed == 11


@pytest.mark.parametrize(
    ("column", "change", "message"),
    [
        ("value", lambda v: v + 1e-3, "value .*, committed"),
        ("chosen", lambda v: '{"D": 3}', "chosen {}, committed {'D': 3}"),
        ("path", lambda v: "9 9 9", r"committed \[9.0, 9.0, 9.0\]"),
        ("metric", lambda v: "error", "no such committed record"),
    ],
)
def test_altered_record_is_found_and_named(committed, column, change, message):
    edit(committed / "fake" / "first.csv", column, change)
    outcome = verify(committed)
    lines = [line for line in outcome.differences if line.startswith("first")]
    assert len(lines) == 1
    assert re.match(f"first real/coins mean headline 0 value: .*{message}", lines[0])


def test_rounding_is_no_difference(committed):
    edit(committed / "fake" / "first.csv", "value", lambda v: v * (1 + 1e-9))
    assert verify(committed).differences == []


def test_task_that_fails_now_is_a_difference(committed, monkeypatch):
    def failing(task, data):
        raise ValueError("the solver gave up")

    broken = dataclasses.replace(fake_paper.PROTOCOL, run=failing)
    monkeypatch.setattr(runner, "get_protocol", lambda paper: broken)
    outcome = verify(committed)
    assert len(outcome.differences) == N_TASKS
    assert "now failed: ValueError: the solver gave up" in outcome.differences[0]


def test_missing_data_are_said(committed, monkeypatch):
    def load(name):
        raise data_fetch.DataUnavailableError(f"get {name} by hand")

    monkeypatch.setattr(data_fetch, "load", load)
    outcome = verify(committed)
    assert outcome.n_checked == 0
    (what,) = outcome.unchecked
    assert what == "11 records on real/coins"
    assert "get real/coins by hand" in outcome.unchecked[what]


def test_other_data_are_said(committed, monkeypatch):
    other = dataclasses.replace(fake_paper.dataset(), X=fake_paper.dataset().X + 1)
    monkeypatch.setattr(data_fetch, "load", lambda name: other)
    outcome = verify(committed)
    assert outcome.n_checked == 0
    assert "made on other data" in outcome.unchecked["11 records on real/coins"]


def test_records_that_no_task_makes_are_said(committed):
    path = committed / "fake" / "second.csv"
    edit(path, "method", lambda v: "worst")
    outcome = verify(committed)
    assert outcome.unchecked == {"1 records on real/coins": "no task of the protocol makes them"}


def test_results_of_another_protocol_version_are_refused(committed, monkeypatch):
    newer = dataclasses.replace(fake_paper.PROTOCOL, version=2)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: newer)
    (line,) = verify(committed).differences
    assert "first, second were made by another version" in line
    assert "reprolib reproduce fake --full" in line


def test_choice_depends_on_the_seed_alone_and_covers_every_table():
    tasks = fake_paper.PROTOCOL.stages[0]("full", {"a": None, "b": None}, None)
    tasks += [dataclasses.replace(task, table="other") for task in tasks[:3]]
    chosen = verification.sample(tasks, 0.2, seed=1)
    assert chosen == verification.sample(tasks, 0.2, seed=1)
    assert {task.table for task in chosen} == {"first", "other"}
    assert len(chosen) == 2 + 1
    assert any(verification.sample(tasks, 0.2, seed=s) != chosen for s in range(2, 6))


def test_command_line_says_seed_and_difference_and_fails(committed, capsys):
    arguments = ["verify", "--results", str(committed), "fake", "--jobs", "1", "--fraction", "1"]
    assert main([*arguments, "--seed", "7"]) == 0
    text = capsys.readouterr().out
    assert "--seed 7" in text
    assert "fake: all agree. 11 of 11 records (6 of 6 tasks) recomputed" in text
    edit(committed / "fake" / "second.csv", "value", lambda v: v + 1)
    assert main(arguments) == 1
    assert "differs: second real/coins best" in capsys.readouterr().out


def test_nothing_checked_is_not_called_agreement(committed, capsys, monkeypatch):
    def load(name):
        raise data_fetch.DataUnavailableError(f"get {name} by hand")

    monkeypatch.setattr(data_fetch, "load", load)
    assert main(["verify", "--results", str(committed), "fake", "--jobs", "1"]) == 0
    text = capsys.readouterr().out
    assert "fake: nothing could be checked. 0 of 11 records" in text
    assert "all agree" not in text


def test_results_folder_that_does_not_exist_is_said(capsys, tmp_path):
    assert main(["verify", "--results", str(tmp_path / "none")]) == 2
    assert "which is no folder" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize("fraction", [0, 1.5, -1])
def test_fraction_out_of_range(committed, fraction):
    with pytest.raises(ValueError, match=f"fraction is {fraction}; it must be above 0"):
        verify(committed, fraction)


def test_numbers_are_compared_within_the_tolerance_everywhere():
    assert verification.same({"a": [1, 2.0]}, {"a": [1.0, 2.0 + 1e-9]})
    assert verification.same(float("nan"), float("nan"))
    assert not verification.same(0.1, 0.1 + 1 / 20_000)
    assert not verification.same([1.0], [1.0, 2.0])
    assert not verification.same({"D": 3}, {"D": 4})
