"""`reprolib verify`: finds what differs, says what it cannot check."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re

import pandas as pd
import pytest

import data_fetch
from reprolib.cli import arguments
from reprolib.cli.main import main
from reprolib.rerun import records as results
from reprolib.rerun import verify as verification
from reprolib.rerun.records.derived import derived_row
from reprolib.rerun.records.registry import PAPERS, STUDIES
from reprolib.rerun.tasks import data_cache, runner, soundness, worker
from reprolib.rerun.tasks.store import RecordStore
from tests import fake_paper

N_TASKS = 6
NOT_MADE = "a committed record that its task does not make"


@pytest.fixture
def committed(monkeypatch, tmp_path):
    """Committed results of the fake paper: five tasks and one that depends on them."""
    monkeypatch.setattr(worker, "get_protocol", lambda paper: fake_paper.PROTOCOL)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: fake_paper.PROTOCOL)
    monkeypatch.setattr(arguments, "paper_key", lambda name: name)
    monkeypatch.setattr(data_fetch, "load", lambda name: fake_paper.dataset(name))
    data_cache.clear()
    run = runner.run_protocol(fake_paper.PROTOCOL, "full", store=RecordStore(tmp_path / "store"))
    results.write_tables(run.records, tmp_path / "fake", run.meta)
    yield tmp_path
    data_cache.clear()


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
    ],
)
def test_altered_record_is_found_and_named(committed, column, change, message):
    edit(committed / "fake" / "first.csv", column, change)
    outcome = verify(committed)
    lines = [line for line in outcome.differences if line.startswith("first")]
    assert len(lines) == 1
    assert re.match(f"first real/coins mean headline 0 value: .*{message}", lines[0])


def test_another_metric_is_missing_and_foreign(committed):
    edit(committed / "fake" / "first.csv", "metric", lambda v: "error")
    lines = [line for line in verify(committed).differences if line.startswith("first")]
    assert lines == [
        "first real/coins mean headline 0 error: a committed record that its task does not make",
        "first real/coins mean headline 0 value: no such committed record",
    ]


def test_rounding_is_no_difference(committed):
    edit(committed / "fake" / "first.csv", "value", lambda v: v * (1 + 1e-9))
    assert verify(committed).differences == []


def test_task_that_fails_now_is_a_difference(committed, monkeypatch):
    def failing(task, data):
        raise ValueError("the solver gave up")

    broken = dataclasses.replace(fake_paper.PROTOCOL, run=failing)
    monkeypatch.setattr(worker, "get_protocol", lambda paper: broken)
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
    assert verify(committed).differences == [
        "second real/coins best headline 0 value: no such committed record",
        "second real/coins best: no record of trials 0",
        "second real/coins worst: 1 records of trials 0 that no task of the protocol makes",
    ]


def test_results_of_another_protocol_version_are_refused(committed, monkeypatch):
    newer = dataclasses.replace(fake_paper.PROTOCOL, version=2)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: newer)
    (line,) = verify(committed).differences
    assert "first, second were made by another version" in line
    assert "reprolib reproduce fake --full" in line


def test_choice_depends_on_the_seed_alone_and_covers_every_table():
    tasks = fake_paper.PROTOCOL.stages[0]("full", {"a": None, "b": None}, None)
    tasks += [dataclasses.replace(task, table="other") for task in tasks[:3]]
    units = verification.units(tasks)
    chosen = verification.sample(units, 0.2, seed=1)
    assert chosen == verification.sample(units, 0.2, seed=1)
    assert {task.table for members in chosen.values() for task in members} == {"first", "other"}
    assert len(chosen) == 2 + 1
    assert any(verification.sample(units, 0.2, seed=s) != chosen for s in range(2, 6))


def test_a_chosen_trial_is_recomputed_by_all_the_tasks_that_measure_it():
    first = fake_paper.PROTOCOL.stages[0]("full", {"a": None}, None)
    readings = [dataclasses.replace(task, reading="other") for task in first]
    units = verification.units([*first, *readings])
    assert units["first", "a", "mean", 3] == [first[3], readings[3]]


def test_command_line_says_seed_and_difference_and_fails(committed, capsys):
    command = ["verify", "--results", str(committed), "fake", "--jobs", "1", "--fraction", "1"]
    assert main([*command, "--seed", "7"]) == 0
    text = capsys.readouterr().out
    assert "--seed 7" in text
    assert "fake: all agree. 11 of 11 records (6 of 6 tasks) recomputed" in text
    edit(committed / "fake" / "second.csv", "value", lambda v: v + 1)
    assert main(command) == 1
    assert "differs: second real/coins best" in capsys.readouterr().out


def test_other_versions_are_said_beside_differences_alone(committed, capsys, monkeypatch):
    here = results.package_versions(results.PACKAGES)
    monkeypatch.setattr(results, "package_versions", lambda names: here | {"numba": "0.1"})
    command = ["verify", "--results", str(committed), "fake", "--jobs", "1", "--fraction", "1"]
    assert main(command) == 0
    assert "made with" not in capsys.readouterr().out
    edit(committed / "fake" / "second.csv", "value", lambda v: v + 1)
    assert main(command) == 1
    made_with = [line for line in capsys.readouterr().out.splitlines() if "made with" in line]
    assert len(made_with) == 1
    assert f"made with numba {here['numba']}, here it is 0.1" in made_with[0]


def test_nothing_checked_is_not_called_agreement(committed, capsys, monkeypatch):
    def load(name):
        raise data_fetch.DataUnavailableError(f"get {name} by hand")

    monkeypatch.setattr(data_fetch, "load", load)
    assert main(["verify", "--results", str(committed), "fake", "--jobs", "1"]) == 0
    text = capsys.readouterr().out
    assert "fake: nothing could be checked. 0 of 11 records" in text
    assert "all agree" not in text


@pytest.mark.parametrize("columns", ["20", "80"])
@pytest.mark.parametrize("name", ["none", "[/x]", "[bold]", 50 * "long"])
def test_results_folder_that_does_not_exist_is_said(capsys, tmp_path, monkeypatch, columns, name):
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["verify", "--results", str(tmp_path / name)]) == 2
    assert f"--results is {tmp_path / name}, which is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("fraction", [0, 1.5, -1])
def test_fraction_out_of_range(committed, fraction):
    with pytest.raises(ValueError, match=f"fraction is {fraction}; it must be above 0"):
        verify(committed, fraction)


def table_of(folder, name="first"):
    return results.load("fake", name, folder)


def tamper(folder, change, name="first"):
    """Rewrite a table; the meta file follows, as a forger would see to it."""
    table = change(table_of(folder, name))
    path = folder / "fake" / f"{name}.csv"
    table.to_csv(path, index=False)
    meta = path.with_suffix(".meta.json")
    about = json.loads(meta.read_text())
    meta.write_text(json.dumps({**about, "records": len(table)}))


def with_cell(table, column, value):
    table[column] = table[column].astype(object)
    table.loc[0, column] = value
    return table


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("n_test", 2000, "n_test 20, committed 2000"),
        ("gap", 1e-12, "gap nan, committed 1e-12"),
        ("status", "failed: x", "status ok, committed failed: x"),
    ],
)
def test_altered_column_is_found(committed, column, value, message):
    tamper(committed, lambda table: with_cell(table, column, value))
    (line,) = [line for line in verify(committed).differences if "meta.json" not in line]
    assert line == f"first real/coins mean headline 0 value: {message}"


def test_altered_source_is_found_without_running_its_task(committed):
    tamper(committed, lambda table: with_cell(table, "source", "resampled"))
    found = verify(committed, fraction=0.01).differences
    assert any("1 records of trials 0 with source resampled, but the data are" in f for f in found)


def test_doubled_row_with_a_better_value_is_found_without_running_its_task(committed):
    def double(table):
        return pd.concat([table, table.iloc[:1].assign(value=0.0)])

    tamper(committed, double)
    found = verify(committed, fraction=0.01).differences
    assert "first real/coins mean headline 0 value: doubled, chosen {}" in found


def test_fifty_invented_trials_are_found_without_running_their_tasks(committed):
    def invent(table):
        return pd.concat([table, *(table.iloc[:1].assign(trial=100 + i) for i in range(50))])

    tamper(committed, invent)
    found = verify(committed, fraction=0.01).differences
    assert found == [
        "first real/coins mean: 50 records of trials 100, 101, 102, 103, 104, ... 149 (50 trials) "
        "that no task of the protocol makes"
    ]


def test_record_left_out_is_found(committed):
    tamper(committed, lambda table: table.drop(index=0))
    (line,) = verify(committed).differences
    assert line == "first real/coins mean headline 0 value: no such committed record"


def test_trial_left_out_is_found_without_running_its_task(committed):
    tamper(committed, lambda table: table[table["trial"] != 4])
    found = verify(committed, fraction=0.01).differences
    assert "first real/coins mean: no record of trials 4" in found


def test_reading_and_gap_of_a_record_that_the_task_did_not_make_are_found(committed):
    def invent(table):
        return pd.concat([table, table.iloc[:1].assign(reading="nicer")])

    tamper(committed, invent)
    (line,) = verify(committed).differences
    assert line == (
        "first real/coins mean nicer 0 value: a committed record that its task does not make"
    )


def test_reading_that_is_no_longer_measured_is_found(committed, monkeypatch):
    def run(task, data):
        return [m for m in fake_paper.run(task, data) if m.reading != "median"]

    without = dataclasses.replace(fake_paper.PROTOCOL, run=run)
    monkeypatch.setattr(worker, "get_protocol", lambda paper: without)
    assert verify(committed).differences == [
        f"first real/coins mean median {trial} value: {NOT_MADE}" for trial in range(5)
    ]


def test_two_data_sets_that_cannot_be_had_are_both_said(monkeypatch):
    def load(name):
        if name.endswith("a"):
            raise data_fetch.DataUnavailableError(f"get {name} by hand")
        if name.endswith("b"):
            raise data_fetch.AlteredDataError(f"{name} has other values")
        return fake_paper.dataset(name)

    monkeypatch.setattr(data_fetch, "load", load)
    names = ["toy/a", "toy/aa", "toy/b", "toy/bb", "toy/c"]
    digest = fake_paper.dataset("toy/c").digest()
    data = verification._load({"first": {"data_digests": dict.fromkeys(names, digest)}})
    assert list(data.datasets) == ["toy/c"]
    assert list(data.reasons) == names[:4]
    assert data.faults == ["toy/b has other values", "toy/bb has other values"]


@pytest.mark.parametrize(
    ("column", "value", "n_found"),
    [("chosen", '{"D": 3}', 0), ("setting", "other", 0), ("value", 0.0, 1), ("gap", 1e-9, 1)],
)
def test_key_of_a_doubled_record_has_what_was_chosen_and_no_value(
    committed, column, value, n_found
):
    row = table_of(committed).iloc[:1]
    both = pd.concat([row, row.assign(**{column: value})], ignore_index=True)
    assert len(soundness.doubled_records(both)) == n_found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"records": 9}, "records is 9, in the table 10"),
        ({"failed_records": 1}, "failed_records is 1, in the table 0"),
        ({"sources": {"real/coins": "partial"}}, "sources is {'real/coins': 'partial'}"),
        ({"data_digests": {}}, r"data_digests is \[\], in the table \['real/coins'\]"),
        ({"table": "third"}, "table is third, in the table first"),
        ({"paper": "other"}, "paper is other, in the table fake"),
    ],
)
def test_meta_file_that_disagrees_with_its_table_is_found(committed, change, message):
    path = committed / "fake" / "first.meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    found = verify(committed, fraction=0.01).differences
    assert [line for line in found if re.match(f"first.meta.json: {message}", line)]


def test_missing_meta_file_and_missing_table_are_found(committed):
    (committed / "fake" / "first.meta.json").unlink()
    (committed / "fake" / "second.csv").unlink()
    found = verify(committed, fraction=0.01).differences
    assert "first.csv has no meta file" in found
    assert "second.meta.json is there, but no records" in found


def test_different_digests_of_one_data_set_are_found(committed):
    path = committed / "fake" / "first.meta.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "data_digests": {"real/coins": "0" * 64}}))
    found = verify(committed).differences
    assert any("the meta files give real/coins different digests" in line for line in found)


def test_records_of_embedded_data_with_another_digest_are_found(committed, monkeypatch):
    other = fake_paper.dataset(source="embedded")
    other = dataclasses.replace(other, X=other.X + 1)
    monkeypatch.setattr(data_fetch, "load", lambda name: other)
    found = verify(committed).differences
    assert "the meta files give real/coins another digest than the package's own data" in found


def test_altered_data_are_a_difference_and_not_the_end(committed, monkeypatch):
    def load(name):
        raise data_fetch.AlteredDataError(f"{name} has other values")

    monkeypatch.setattr(data_fetch, "load", load)
    outcome = verify(committed)
    assert outcome.differences == ["real/coins has other values"]
    assert list(outcome.unchecked.values()) == ["the data at hand are altered"]


def test_stage_that_cannot_list_its_tasks_is_a_difference(committed, monkeypatch):
    def stage(profile, datasets, records):
        raise KeyError("D")

    first = fake_paper.PROTOCOL.stages[0]
    broken = dataclasses.replace(fake_paper.PROTOCOL, stages=(first, stage))
    monkeypatch.setattr(verification, "get_protocol", lambda paper: broken)
    (line,) = verify(committed).differences
    assert line.startswith("stage 2 of the protocol cannot list its tasks")
    assert "KeyError: 'D'" in line


@pytest.mark.parametrize("paper", [*PAPERS, *STUDIES])
def test_committed_tables_are_sound(paper):
    records, meta = results.load_paper(paper), results.load_meta(paper)
    assert soundness.meta_faults(records, meta) == []
    assert soundness.doubled_records(records) == []


def test_seconds_now_and_then_are_those_of_the_tasks(committed, monkeypatch):
    tamper(committed, lambda table: table.assign(seconds=5.0))
    tamper(committed, lambda table: table.assign(seconds=7.0), name="second")
    monkeypatch.setattr(worker.time, "perf_counter", itertools.count(100.0, 2.0).__next__)
    told = []
    outcome = verification.verify_paper(
        "fake",
        fraction=1.0,
        seed=0,
        directory=committed,
        progress=lambda *call: told.append(call),
    )
    assert outcome.seconds == N_TASKS * 2.0
    assert outcome.committed_seconds == 5 * 5.0 + 7.0
    assert told == [(done, N_TASKS) for done in range(1, N_TASKS + 1)]


def test_derived_records_are_counted_and_compared(committed, monkeypatch):
    def derive(records):
        best = records[records["table"] == "first"].sort_values("value").iloc[-1].to_dict()
        return [derived_row(best, "largest", best["value"], trial=0)]

    protocol = dataclasses.replace(fake_paper.PROTOCOL, derive=derive)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: protocol)
    assert verify(committed).differences == [
        f"first real/coins mean {reading} 0 largest: no such committed record"
        for reading in [derive(results.load_paper("fake", committed))[0]["reading"]]
    ]
    (row,) = derive(results.load_paper("fake", committed))
    tamper(committed, lambda table: pd.concat([table, results.to_frame([row])]))
    outcome = verify(committed)
    assert outcome.differences == []
    assert outcome.n_checked == outcome.n_committed == 12
