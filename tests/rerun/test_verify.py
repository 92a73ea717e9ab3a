"""`reprolib verify`: finds what differs, says what it cannot check."""

from __future__ import annotations

import dataclasses
import json
import lzma
import re

import pandas as pd
import pytest

import data_fetch
from reprolib.cli import arguments
from reprolib.cli.main import main
from reprolib.rerun import records as results
from reprolib.rerun.checks import verify as verification
from reprolib.rerun.records import Stage
from reprolib.rerun.records.rows import FILE_TYPES
from reprolib.rerun.records.tables import content_of, seal_faults, write_seal
from reprolib.rerun.tasks import runner
from reprolib.rerun.tasks.store import RecordStore
from tests import fake_paper

N_TASKS, N_RECORDS = 6, 11
NOT_MADE = "a committed record that its task does not make"
FIRST = "first/real/coins/mean/headline/0"


@pytest.fixture
def committed(monkeypatch, tmp_path):
    """Committed results of the fake paper: five tasks and one that depends on them."""
    monkeypatch.setattr(verification, "get_protocol", lambda paper: fake_paper.PROTOCOL)
    monkeypatch.setattr(arguments, "paper_key", lambda name: name)
    monkeypatch.setattr(data_fetch, "load", lambda name: fake_paper.dataset(name))
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: [])
    fake_paper.forget_data()
    run = runner.run_protocol(fake_paper.PROTOCOL, "full", store=RecordStore(tmp_path / "store"))
    results.write_results(run.records, tmp_path / "fake", run.tasks, run.about)
    yield tmp_path
    fake_paper.forget_data()


def verify(folder, fraction=1.0, seed=0):
    return verification.verify_paper("fake", fraction=fraction, seed=seed, directory=folder)


def forged(folder, name, change):
    """Change one file of the results, and seal them anew, as a forger would see to it."""
    path = folder / "fake" / name
    if name == "run.json":
        about = json.loads(path.read_text())
        path.write_text(json.dumps(change(about) or about))
    else:
        path = path.with_name(f"{name}.xz")
        table = change(pd.read_csv(path, dtype=object, keep_default_na=False))
        table.to_csv(path, index=False)
    sealed_anew(path.parent)


def sealed_anew(folder):
    paths = [path for path in folder.iterdir() if path.name != "SHA256SUMS"]
    write_seal(folder, {p.name.removesuffix(".xz"): content_of(p).decode() for p in paths})


def cell(column, value, line=0):
    def change(table):
        table.loc[line, column] = value
        return table

    return change


def test_everything_agrees_and_is_counted(committed):
    outcome = verify(committed)
    assert outcome.differences == []
    assert outcome.unchecked == {}
    assert (outcome.n_tasks, outcome.n_all_tasks) == (N_TASKS, N_TASKS)
    assert outcome.n_checked == outcome.n_committed == N_RECORDS
    assert outcome.coverage == 1


def entry(*keys, value):
    """Change one entry of run.json."""

    def change(about):
        inner = about
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value

    return change


def shorter(table):
    return table.iloc[1:]


def twice(table):
    return pd.concat([table, table.iloc[:1].assign(value="0.0", metric="better")])


def invented(table):
    more = [
        table.iloc[:1].assign(task=f"first/real/coins/mean/headline/{t}") for t in range(100, 150)
    ]
    return pd.concat([table, *more])


def without_trial(table):
    return table[~table["task"].str.endswith("/4")]


#: Every way to alter committed results that we could think of: a file, and what is done to it.
TAMPERINGS = {
    "a value by one test point": ("records.csv", cell("value", "0.05")),
    "a value in its last digits": ("records.csv", lambda t: t.assign(value=t["value"].str[:-1])),
    "all values of a table halved": (
        "records.csv",
        lambda t: t.assign(value=(t["value"].astype(float) / 2).astype(str)),
    ),
    "a value emptied": ("records.csv", cell("value", "")),
    "hyperparameters": ("records.csv", cell("chosen", '{"D": 3}')),
    "a path": ("records.csv", cell("path", "9 9 9")),
    "the number of test points": ("records.csv", cell("n_test", "2000")),
    "a certificate": ("records.csv", cell("gap", "1e-12")),
    "a status": ("records.csv", cell("status", "failed: x")),
    "the source of a record": ("records.csv", cell("source", "resampled")),
    "the source of all records": ("records.csv", lambda t: t.assign(source="partial")),
    "a metric": ("records.csv", cell("metric", "error")),
    "a reading": ("records.csv", cell("reading", "nicer")),
    "a setting": ("records.csv", cell("setting", "nicer")),
    "a level": ("records.csv", cell("level", "7")),
    "a level that is no number": ("records.csv", cell("level", "seven")),
    "the table of a task": ("records.csv", cell("table", "second")),
    "the level of a task": ("records.csv", cell("level", "7")),
    "a seed": ("records.csv", cell("seed", "7")),
    "a method": ("records.csv", cell("method", "worst")),
    "a data set": ("records.csv", cell("dataset", "real/dice")),
    "the task of a record": ("records.csv", cell("task", "first/real/coins/mean/headline/9")),
    "a record left out": ("records.csv", shorter),
    "a trial left out": ("records.csv", without_trial),
    "a better record beside another": ("records.csv", twice),
    "fifty invented trials": ("records.csv", invented),
    "records in another order": ("records.csv", lambda t: t.iloc[::-1]),
    "the seconds of a task": ("records.csv", cell("seconds", "0.001")),
    "the date of a task": ("records.csv", cell("date", "2020-02-02")),
    "the code of a task": ("records.csv", cell("code", "0" * 16)),
    "the environment of a task": ("records.csv", cell("environment", "00000000")),
    "the profile": ("run.json", entry("profile", value="quick")),
    "a digest": ("run.json", entry("data", "real/coins", "digest", value="0" * 64)),
    "all digests": ("run.json", entry("data", value={})),
    "a source note": ("run.json", entry("data", "real/coins", "note", value="500 coins")),
    "the source of the data": ("run.json", entry("data", "real/coins", "source", value="partial")),
    "the versions": ("run.json", lambda about: {**about, "environments": {}}),
    "the wall clock": ("run.json", entry("wall_seconds", value=1e6)),
    "the paper": ("run.json", entry("paper", value="other")),
}
#: Of these nothing but the seal can know: they are not measured again.
KNOWN_TO_THE_SEAL_ALONE = {
    "a value in its last digits",
    "records in another order",
    "the seconds of a task",
    "the date of a task",
    "the code of a task",
    "the wall clock",
}


def differences(folder, fraction):
    try:
        return verify(folder, fraction).differences
    except ValueError as error:
        return [str(error)]


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_found_at_once_by_the_seal(committed, name):
    """Of 32 kinds 15 were found at once, 8 if the task was drawn, 9 never."""
    file, change = TAMPERINGS[name]
    kept = (committed / "fake" / "SHA256SUMS").read_text()
    forged(committed, file, change)
    (committed / "fake" / "SHA256SUMS").write_text(kept)
    assert seal_faults(committed / "fake") == [f"fake/{file}: changed since it was sealed"]
    assert differences(committed, fraction=0.01)


@pytest.mark.parametrize("name", sorted(TAMPERINGS.keys() - KNOWN_TO_THE_SEAL_ALONE))
def test_tampering_is_found_even_where_the_seal_was_made_anew(committed, name):
    forged(committed, *TAMPERINGS[name])
    assert seal_faults(committed / "fake") == []
    assert differences(committed, fraction=1.0)


@pytest.mark.parametrize(
    "name", [*(n for n in TAMPERINGS if n.startswith(("a trial", "a task", "fifty", "the source")))]
)
def test_other_tasks_than_those_of_the_protocol_are_found_without_running_one(committed, name):
    forged(committed, *TAMPERINGS[name])
    assert differences(committed, fraction=0.01)


def test_a_file_beside_the_results_and_a_missing_one_are_found(committed):
    (committed / "fake" / "third.csv").write_text("task\n")
    (committed / "fake" / "run.json").unlink()
    assert seal_faults(committed / "fake") == [
        "fake/third.csv: not sealed",
        "fake/run.json: sealed, but missing",
    ]


@pytest.fixture
def of_two_sets(committed, monkeypatch):
    """The same paper on a second data set, which the results were made without."""
    two = dataclasses.replace(fake_paper.PROTOCOL, datasets=lambda _: ["real/coins", "real/dice"])
    monkeypatch.setattr(verification, "get_protocol", lambda paper: two)
    return committed


def test_a_data_set_that_was_dropped_is_found_even_where_the_seal_was_made_anew(of_two_sets):
    """Its records, tasks and entry in run.json were taken out: all that was left agreed."""
    (line,) = verify(of_two_sets).differences
    assert line == "there are no records on real/dice, which the protocol lists"


@pytest.mark.parametrize("instead", ["embedded/dice", "real/coins"])
def test_only_a_stand_in_that_the_protocol_does_not_list_excuses_a_missing_set(
    of_two_sets, monkeypatch, instead
):
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: [instead])
    made = runner.run_protocol(
        dataclasses.replace(fake_paper.PROTOCOL, datasets=lambda _: ["real/coins", instead]),
        "full",
        store=RecordStore(of_two_sets / "store"),
    )
    results.write_results(made.records, of_two_sets / "fake", made.tasks, made.about)
    missing = [line for line in verify(of_two_sets).differences if "no records on" in line]
    assert bool(missing) == (instead == "real/coins")


def test_what_is_no_file_of_results_is_found(committed):
    """A folder ended with IsADirectoryError, and a link to another table counted as sealed."""
    folder = committed / "fake"
    (folder / "notes").mkdir()
    (folder / "records.csv.xz").rename(committed / "elsewhere")
    (folder / "records.csv.xz").symlink_to(committed / "elsewhere")
    assert verify(committed).differences == [
        "fake/notes: a folder, not sealed",
        "fake/records.csv.xz: a link, not sealed",
        "fake/records.csv: sealed, but missing (half copied)",
    ]


def test_a_seal_is_read_as_sha256sum_reads_it(committed):
    """Digests in capitals counted as changed; a star says that a file was read as binary."""
    path = committed / "fake" / "SHA256SUMS"
    lines = path.read_text().splitlines()
    path.write_text("\r\n".join(f"{n[:64].upper()} *{n[66:]}" for n in lines) + "\r\n")
    assert seal_faults(committed / "fake") == []


@pytest.mark.parametrize("line", ["no digest  first.csv", f"{'0' * 64}  ../first.csv", ""])
def test_a_line_that_is_none_of_a_seal_is_said(committed, line):
    path = committed / "fake" / "SHA256SUMS"
    path.write_text(f"{path.read_text()}{line}\n")
    assert seal_faults(committed / "fake") == [f"fake/SHA256SUMS: {line!r} is no line of a seal"]


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-9], lambda b: b[:5], lambda b: b"", lambda b: b + b"more"]
)
def test_a_table_that_cannot_be_unpacked_is_a_difference_and_not_the_end(committed, damage):
    path = committed / "fake" / "records.csv.xz"
    path.write_bytes(damage(path.read_bytes()))
    (line,) = verify(committed).differences
    assert line == "fake/records.csv: is empty, or its end is lost (half copied)"


def test_a_table_that_is_there_twice_is_found(committed):
    folder = committed / "fake"
    (folder / "records.csv").write_bytes(content_of(folder / "records.csv.xz"))
    assert seal_faults(folder) == ["fake/records.csv: is there twice, compressed and not"]


def test_bytes_of_another_lzma_do_not_break_the_seal(committed):
    path = committed / "fake" / "records.csv.xz"
    path.write_bytes(lzma.compress(content_of(path), preset=1))
    assert verify(committed).differences == []


def test_results_without_a_seal_are_found(committed):
    (committed / "fake" / "SHA256SUMS").unlink()
    (line,) = verify(committed).differences
    assert line == "fake/SHA256SUMS: there is none; a run writes it last (half copied)"


def test_an_altered_record_is_named_with_both_values(committed):
    forged(committed, "records.csv", cell("value", "0.5"))
    lines = [line for line in verify(committed).differences if line.startswith(f"{FIRST} value: ")]
    assert len(lines) == 1
    assert re.fullmatch(rf"{FIRST} value: value \S+, committed 0.5", lines[0])


def test_a_reading_that_is_no_longer_measured_is_found(committed, monkeypatch):
    def run(task, data):
        return [m for m in fake_paper.run(task, data) if m.reading != "median"]

    without = dataclasses.replace(fake_paper.PROTOCOL, run=run)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: without)
    assert verify(committed).differences == [
        f"first/real/coins/mean/headline/{trial} value (median): {NOT_MADE}" for trial in range(5)
    ]


def test_a_method_may_draw_its_own_splits_of_the_data(committed, monkeypatch):
    def run(task, data):
        return [dataclasses.replace(m, source="resampled") for m in fake_paper.run(task, data)]

    own = dataclasses.replace(fake_paper.PROTOCOL, run=run)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: own)
    made = runner.run_protocol(own, "full", store=RecordStore(committed / "own"))
    results.write_results(made.records, committed / "fake", made.tasks, made.about)
    assert set(made.records["source"]) == {"resampled"}
    assert verify(committed).differences == []


def test_rounding_is_no_difference(committed):
    first = pd.read_csv(committed / "fake" / "records.csv.xz")["value"].iloc[0]
    forged(committed, "records.csv", cell("value", str(first * (1 + 1e-9))))
    assert verify(committed).differences == []


def test_task_that_fails_now_is_a_difference(committed, monkeypatch):
    def failing(task, data):
        raise ValueError("the solver gave up")

    broken = dataclasses.replace(fake_paper.PROTOCOL, run=failing)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: broken)
    outcome = verify(committed)
    assert len(outcome.differences) == N_TASKS
    assert "now failed: ValueError: the solver gave up" in outcome.differences[0]
    assert outcome.coverage < 1


def unavailable(name):
    raise data_fetch.DataUnavailableError(f"get {name} by hand")


def test_missing_data_are_said_and_their_digest_must_be_known(committed, monkeypatch):
    digest = fake_paper.dataset().digest()
    monkeypatch.setattr(data_fetch, "load", unavailable)
    monkeypatch.setattr(verification, "known_digests", lambda name: {digest})
    outcome = verify(committed)
    assert (outcome.n_checked, outcome.n_wanted, outcome.coverage) == (0, N_RECORDS, 0)
    assert list(outcome.unchecked) == [f"{N_RECORDS} records on real/coins"]
    assert "get real/coins by hand" in outcome.unchecked[f"{N_RECORDS} records on real/coins"]
    assert outcome.differences == []
    monkeypatch.setattr(verification, "known_digests", lambda name: {"another"})
    (line,) = verify(committed).differences
    assert line.startswith("run.json: real/coins has a digest that is not known")


def test_digests_are_those_of_the_catalogue_and_no_others(committed, monkeypatch):
    """Forged digests switched the check of half a million values off, with exit code 0."""
    known = verification.known_digests("raetsch/banana")
    assert data_fetch.catalog.default_catalog().entry("raetsch/banana").digest in known
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in known)
    assert verification.known_digests("no/such") == set()


def test_known_data_of_another_version_are_said(committed, monkeypatch):
    other = dataclasses.replace(fake_paper.dataset(), X=fake_paper.dataset().X + 1)
    known = {fake_paper.dataset().digest()}
    monkeypatch.setattr(verification, "known_digests", lambda name: known)
    monkeypatch.setattr(data_fetch, "load", lambda name: other)
    outcome = verify(committed)
    assert outcome.differences == []
    (reason,) = outcome.unchecked.values()
    assert "made on other data than those at hand" in reason


def test_altered_data_are_a_difference_and_not_the_end(committed, monkeypatch):
    def load(name):
        raise data_fetch.AlteredDataError(f"{name} has other values")

    known = {fake_paper.dataset().digest()}
    monkeypatch.setattr(verification, "known_digests", lambda name: known)
    monkeypatch.setattr(data_fetch, "load", load)
    outcome = verify(committed)
    assert outcome.differences == ["real/coins has other values"]
    assert list(outcome.unchecked.values()) == ["the data at hand are altered"]


def test_stage_that_cannot_list_its_tasks_is_a_difference(committed, monkeypatch):
    def stage(profile, datasets, records):
        raise KeyError("D")

    stages = (fake_paper.PROTOCOL.stages[0], Stage(stage))
    broken = dataclasses.replace(fake_paper.PROTOCOL, stages=stages)
    monkeypatch.setattr(verification, "get_protocol", lambda paper: broken)
    (line,) = [line for line in verify(committed).differences if "stage 2" in line]
    assert "cannot list its tasks (KeyError: 'D')" in line


@pytest.mark.parametrize("fraction", [0.02, 0.3, 0.5, 1.0])
def test_nights_in_a_row_recompute_every_task_of_every_table_once(fraction):
    """A value off by one test point was found after 50 nights on average, or never."""
    tasks = [f"first/{i}" for i in range(130)] + [f"second/{i}" for i in range(3)]
    tables = [task.partition("/")[0] for task in tasks]
    n = verification.nights(fraction)
    drawn = [verification.sample(tasks, tables, fraction, seed) for seed in range(1000, 1000 + n)]
    assert set().union(*drawn) == set(tasks)
    assert sum(task.startswith("first") for d in drawn for task in d) == 130, "none twice"
    assert {len([t for t in d if t.startswith("second")]) for d in drawn} <= {1, 2, 3}
    assert drawn[0] == verification.sample(tasks[::-1], tables[::-1], fraction, 1000)


COMMAND = ["verify", "fake", "--jobs", "1", "--fraction", "1", "--results"]


def test_command_line_says_the_part_and_the_difference_and_fails(committed, capsys):
    assert main([*COMMAND, str(committed), "--seed", "7"]) == 0
    text = capsys.readouterr().out
    assert "--seed 7" in text
    assert "1 days in a row recompute every task" in text
    assert "fake: all agree. 11 of 11 records (6 of 6 tasks, 100 % of what was drawn)" in text
    forged(committed, "records.csv", cell("value", "9", line=10))
    assert main([*COMMAND, str(committed)]) == 1
    assert "differs: second/real/coins/best/headline/0 value" in capsys.readouterr().out


def test_fewer_records_than_were_drawn_fail_unless_that_is_wanted(committed, capsys, monkeypatch):
    digest = fake_paper.dataset().digest()
    monkeypatch.setattr(data_fetch, "load", unavailable)
    monkeypatch.setattr(verification, "known_digests", lambda name: {digest})
    assert main([*COMMAND, str(committed)]) == 1
    text = capsys.readouterr().out
    assert "fake: nothing could be checked. 0 of 11 records" in text
    assert "all agree" not in text
    assert main([*COMMAND, str(committed), "--missing-data"]) == 0


def test_other_versions_are_said_beside_differences_alone(committed, capsys, monkeypatch):
    here = verification.package_versions(verification.PACKAGES)
    monkeypatch.setattr(verification, "package_versions", lambda names: here | {"numba": "0.1"})
    assert main([*COMMAND, str(committed)]) == 0
    assert "made with" not in capsys.readouterr().out
    forged(committed, "records.csv", cell("value", "9", line=10))
    assert main([*COMMAND, str(committed)]) == 1
    made_with = [line for line in capsys.readouterr().out.splitlines() if "made with" in line]
    assert len(made_with) == 1
    assert f"made with numba {here['numba']}, here it is 0.1" in made_with[0]


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


def test_pandas_opens_the_records_in_one_line(committed):
    assert list(pd.read_csv(committed / "fake" / "records.csv.xz")) == [*FILE_TYPES]


def test_another_file_of_printed_numbers_is_said(committed, monkeypatch):
    """Records are as they were, but the words on them may be others."""
    monkeypatch.setattr(verification, "printed_digest", lambda paper: 64 * "a")
    outcome = verify(committed)
    assert outcome.differences == []
    assert (
        "run.json has the sha256 of none, and here it is aaa" in outcome.unchecked["printed.toml"]
    )
    forged(committed, "run.json", lambda run: {**run, "printed": 64 * "a"})
    assert verify(committed).unchecked == {}
