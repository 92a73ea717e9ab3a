"""What `reprolib reproduce` prints of a paper: its tables."""

from __future__ import annotations

import argparse
import contextlib
import io
import re

import pytest
from rich.console import Console

from reprolib.cli.commands import reproduce
from reprolib.cli.failures import FailureLog
from reprolib.cli.main import main
from reprolib.cli.table_text import plain, print_numbers, print_table
from reprolib.report import paper_figures, printed_tables, tables
from reprolib.report.tables import number_text
from reprolib.rerun import records as results
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.tasks.runner import Run
from reprolib.rerun.verdicts import judge_paper
from tests import some_results

#: Trials that the run of these tests has of every table.
FEW = 2


def on_terminal(table, width: int) -> str:
    console = Console(force_terminal=True, width=width, color_system=None, soft_wrap=True)
    with console.capture() as capture:
        print_table(console, table)
    return capture.get()


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("paper", PAPERS)
def test_no_line_is_wider_than_the_terminal(paper, width):
    for table in printed_tables.printed_tables(paper):
        text = on_terminal(table, width)
        assert max(map(len, text.splitlines())) <= width


def test_on_a_wide_terminal_a_table_is_as_in_the_paper():
    (table, *_) = printed_tables.printed_tables("kpm")
    text = on_terminal(table, 200)
    for v in table.verdicts:
        for value in (v.number.value, *([v.ours] if v.n_trials else [])):
            assert number_text(value, None, v.number.digits) in text
    assert all(meaning in text for _, meaning in table.legend)


@pytest.mark.parametrize("paper", PAPERS)
def test_piped_tables_are_one_plain_line_a_number(paper):
    for table in printed_tables.printed_tables(paper):
        lines = plain(table.verdicts).splitlines()[2:]
        frame = tables.verdict_frame(table.verdicts)
        assert len(lines) == len(frame)
        for line, (_, wanted) in zip(lines, frame.iterrows(), strict=True):
            for name in ("row", "column", "published", "ours", "verdict"):
                assert wanted[name] in line


def show(records, folder, profile="quick") -> str:
    """Show a paper after a run; what was printed."""
    arguments = argparse.Namespace(profile=profile, embedded=False, jobs=2)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        log = FailureLog(Console(), folder / "failures.log")
        run = Run("keops", records, records[[]], {})
        reproduce.show_paper(run, arguments, folder, log)
    return printed.getvalue()


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Results of a run with few trials, cut from the committed ones: its records and its folder."""
    folder = tmp_path_factory.mktemp("quick")
    records = results.load_paper("keops")
    few = records[(records["trial"] < FEW) & (records["table"] == "table1")]
    some_results.write("keops", few, folder / "results", profile="quick")
    return few, folder


@pytest.fixture(scope="module")
def shown(quick):
    """Folder of the run, and what was printed of it."""
    return quick[1], show(*quick)


def test_tables_are_written_with_the_command_of_the_run_and_printed(shown):
    folder, told = shown
    assert {path.name for path in (folder / "tables").iterdir()} == {
        f"keops-table1.{ending}" for ending in printed_tables.FORMATS
    }
    text = (folder / "tables" / "keops-table1.tex").read_text(encoding="utf-8")
    assert "% command: reprolib reproduce keops --quick\n" in text
    assert "quick profile" in text
    assert "KEOPS (2014), Table 1 of the paper" in told
    for v in judge_paper("keops", folder / "results"):
        assert number_text(v.ours, v.spread, v.number.digits) in told


def test_figures_are_written_in_every_format_where_they_can_be_drawn(shown):
    folder, _ = shown
    endings = {path.suffix[1:] for path in (folder / "figures" / "keops").iterdir()}
    assert endings == set(paper_figures.FORMATS)


def test_selected_tasks_are_printed_beside_the_committed_values(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "records"))
    task = "table2/embedded/twonorm/kpm/headline/0"
    assert main(["reproduce", "kpm", "--full", "--only", task, "--output", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["task", "metric", "ours", "committed", "printed", "result"]
    (error,) = (line for line in lines if re.match(rf"{task} test error +\d", line))
    ours, committed, printed, result = error.split()[-4:]
    assert (ours, printed, result) == (committed, "–", "equal")
    n_records = sum(line.startswith(task) for line in lines)
    assert f"{n_records} of {n_records} records equal the committed ones (1 task)." in lines


def test_selected_tasks_end_with_the_verdict_on_the_number_that_they_measure(
    tmp_path, monkeypatch, capsys
):
    """What one came for is one line, not hundreds of records that are as they were."""
    records = results.load_paper("kpm")
    of_heart = records[records["task"].str.startswith("table2/raetsch/heart/kpm/")]
    tasks = results.load_tasks("kpm")
    tasks = tasks[tasks["task"].isin(of_heart["task"])]
    run = Run("kpm", of_heart, tasks, results.load_run("kpm"))
    monkeypatch.setattr(reproduce, "outcomes", lambda *_: [run])
    words = ["--only", "table2/raetsch/heart/kpm", "--output", str(tmp_path)]
    assert main(["reproduce", "kpm", "--full", *words]) == 0
    told = capsys.readouterr().out
    n = len(of_heart)
    assert f"{n} of {n} records equal the committed ones ({len(tasks)} tasks)." in told
    (line,) = (line for line in told.splitlines() if line.startswith("Heart KPM"))
    verdict = next(v for v in judge_paper("kpm") if v.number.id == "table2/Heart/KPM")
    number = verdict.number
    assert number_text(number.value, number.spread, number.digits) in line
    assert number_text(verdict.ours, verdict.spread, number.digits) in line
    assert line.endswith(verdict.word)
    assert len(told.splitlines()) < reproduce.MOST


def test_an_infinite_half_width_is_explained_below_its_table(tmp_path):
    """Of a selection, and of a number with one trial."""
    records = results.load_paper("mkpm")
    some_results.write("mkpm", records[records["trial"] == 0], tmp_path, profile="quick")
    console = Console(width=400)
    with console.capture() as capture:
        print_numbers(console, [v for v in judge_paper("mkpm", tmp_path) if v.n_trials])
    told = capture.get()
    (line,) = re.findall(r"^fmri +d-hat +390 .*$", told, flags=re.MULTILINE)
    assert "∞" in line
    assert "∞: a range of what is selected needs 40 draws, and we have 1 (" in told
    assert "∞: one trial shows no spread (" in told


def test_one_split_is_not_said_to_be_beyond_deciding(tmp_path):
    records = results.load_paper("mkmmc")
    some_results.write("mkmmc", records[records["trial"] == 0], tmp_path, profile="quick")
    undecided = [v for v in judge_paper("mkmmc", tmp_path) if v.word == "undecided"]
    assert not any("± nan" in v.reason for v in undecided)
    performances = [v for v in undecided if v.quantity == "performance"]
    assert performances
    assert all("one split" in v.reason for v in performances)


def test_tasks_records_and_trials_are_one_sentence():
    records = results.load_paper("keops")
    some = records[records["table"] == "table1"]
    told = Run("keops", some, some[[]], {}).sizes()
    tasks, trials = some["task"].nunique(), some["trial"].nunique()
    assert told.startswith(f"keops: {tasks} tasks (one trial of a method on a data set")
    assert f"gave {len(some)} records (one for each thing measured)" in told
    assert told.endswith(f"is a mean of up to {trials} trials")
