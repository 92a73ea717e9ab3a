"""What `reprolib verify --against` says of a run beside the committed results."""

from __future__ import annotations

import shutil

import pytest

from reprolib.cli.main import main
from reprolib.rerun import records as results
from reprolib.rerun.records import tables
from reprolib.rerun.records.registry import committed_directory
from reprolib.rerun.verdicts.judge import judge_paper
from tests import some_results

#: The smallest results, with paths and digits of all kinds.
PAPER = "mkpm"


@pytest.fixture
def number():
    """A printed performance behind which there are several trials."""
    verdicts = [v for v in judge_paper(PAPER) if v.quantity == "performance" and v.n_trials > 1]
    return verdicts[0].number


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Write a run whose records are changed ones of the committed; its output folder."""
    monkeypatch.setitem(tables.BEST, "preset", 0)  # packed in a tenth of the time

    def write(change=lambda records: records, **about):
        changed = change(results.load_paper(PAPER))
        some_results.write(PAPER, changed, tmp_path / "run" / "results", **about)
        return tmp_path / "run"

    return write


def told(capsys, folder, code: int) -> list[str]:
    assert main(["verify", "--against", str(folder)]) == code
    return capsys.readouterr().out.splitlines()


def test_the_same_results_are_one_line(tmp_path, capsys):
    shutil.copytree(committed_directory() / PAPER, tmp_path / "results" / PAPER)
    n = len(results.load_paper(PAPER))
    for folder in (tmp_path, tmp_path / "results"):
        expected = f"{PAPER}, full profile: of its records {n} agree"
        assert told(capsys, folder, 0) == [expected]


def test_moved_records_and_verdicts_are_named_with_both_values(run, number, capsys):
    def change(records):
        wanted = {**number.select, "table": number.results, "reading": "headline"}
        first, *_ = results.select(records, **wanted).index
        records.loc[first, "value"] += 0.125
        return records

    head, *lines = told(capsys, run(change), 1)
    assert " agree, 1 differ" in head
    moved = [line for line in lines if line.startswith(f"  moved: {number.id}, printed ")]
    assert len(moved) == 1
    assert ": committed " in moved[0]
    assert ", now " in moved[0]
    (differs,) = (line for line in lines if line.startswith("  differs: "))
    assert "value" in differs
    assert ", committed " in differs


def test_a_value_that_rounding_hides_is_shown_with_more_digits(run, number, capsys):
    def change(records):
        rows = (records["table"] == number.results) & (records["metric"] == number.select["metric"])
        records.loc[rows, "value"] += 0.1 * 10.0**-number.digits / number.scale
        return records

    lines = told(capsys, run(change), 1)
    (line,) = (line for line in lines if line.startswith(f"  moved: {number.id}, "))
    committed, now = line.split(": committed ")[1].split(", now ")
    assert committed.split(" (")[0] != now.split(" (")[0]


def test_what_a_part_of_a_run_lacks_is_counted_and_not_listed(run, number, capsys):
    dataset = number.select["dataset"]
    committed = results.load_paper(PAPER)
    kept = (committed["table"] == number.results) & (committed["dataset"] == dataset)
    head, *lines = told(capsys, run(lambda records: records[kept], profile="quick"), 0)
    assert head.startswith(f"{PAPER}, quick profile: of its records {kept.sum()} agree, ")
    (missing,) = (line for line in lines if line.startswith("  missing: "))
    for table, count in committed[~kept].groupby("table").size().items():
        assert f"{count} of {table}" in missing
    assert any(line.startswith("  printed numbers without a record: ") for line in lines)
    assert not any(line.startswith("  differs") for line in lines)


def test_records_on_other_data_had_to_differ(run, capsys):
    table = min(results.load_paper(PAPER)["table"])

    def change(records):
        records.loc[records["table"] == table, "source"] = "partial"
        return records

    head, *lines = told(capsys, run(change), 0)
    assert "differ as their data are of another source" in head
    assert any(line.startswith("  data ") and "partial" in line for line in lines)


def test_no_more_records_are_listed_than_can_be_read(run, capsys):
    n = len(results.load_paper(PAPER))
    lines = told(capsys, run(lambda records: records.assign(n_test=records["n_test"] + 1)), 1)
    assert sum(line.startswith("  differs: ") for line in lines) < 100 < n
    assert lines[-1].endswith(" more differ")


@pytest.mark.parametrize("folder", ["none", "empty"])
@pytest.mark.parametrize("papers", [[], [PAPER]])
def test_a_folder_without_results_is_named_with_the_remedy(folder, papers, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["verify", *papers, "--against", str(tmp_path / folder)]) == 2
    message = capsys.readouterr().err
    assert f"--against is {tmp_path / folder}, which has no results" in message
    assert f"`reprolib reproduce --full --output {tmp_path / folder}`" in message
