"""What commands print: in one piece, as text, with failures first; and never a bare traceback."""

from __future__ import annotations

import dataclasses

import pytest

import data_fetch
from data_fetch import errors
from reprolib.cli import arguments, console
from reprolib.cli.commands import reproduce
from reprolib.cli.failures import FailureLog
from reprolib.cli.main import main
from reprolib.report import page as report
from reprolib.report import paper_figures as figures
from reprolib.report import printed_tables
from reprolib.report.page import write_report
from reprolib.rerun import records as results
from reprolib.rerun import verdicts
from reprolib.rerun.checks import check
from reprolib.rerun.records import Stage, task
from reprolib.rerun.records.registry import committed_directory
from reprolib.rerun.tasks.runner import Failure
from tests import fake_paper, some_results

ODD = "[/x]/[bold]/:smile:/" + 10 * "a long folder/"


@pytest.mark.parametrize("columns", ["20", "80"])
@pytest.mark.parametrize("make", [console.out, console.err])
def test_text_is_printed_as_it_is(make, columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    make().print(ODD)
    make().print(console.headed("error:", ODD, "bold red"))
    assert "".join(capsys.readouterr()) == f"{ODD}\nerror: {ODD}\n"


@pytest.mark.parametrize(
    ("variable", "arguments"),
    [
        ("REPROLIB_RECORDS", ["reproduce", "kpm", "--embedded"]),
        ("REPROLIB_RESULTS", ["verify", "kpm"]),
        ("REPROLIB_RESULTS", ["report"]),
        ("REPROLIB_DATA", ["data", "list"]),
        ("REPROLIB_MIRROR", ["data", "verify", "uci/letter"]),
    ],
)
def test_bad_setting_is_named_with_its_value_and_the_remedy(
    variable, arguments, capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path / "data"))
    monkeypatch.setenv(variable, "~no-such-user-here/x")
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert f"error: {variable} is '~no-such-user-here/x'" in message
    assert "set it to the full path of a folder" in message


def failure(number, traceback="Traceback: [/x]\n"):
    return Failure(f"table1 set method headline {number}", "failed: ValueError: [/x]", traceback)


def test_first_traceback_is_printed_and_all_are_in_the_file(tmp_path, capsys):
    path = tmp_path / "[/x]" / "failures.log"
    path.parent.mkdir(parents=True)
    path.write_text("of an earlier run")
    log = FailureLog(console.err(), path)
    for number in range(3):
        log(failure(number, f"Traceback {number} [/x]\n"))
    text = capsys.readouterr().err
    assert text.index("headline 0: failed: ValueError: [/x]") < text.index("Traceback 0 [/x]")
    assert f"All tracebacks of this run: {path}\n" in text
    assert "Traceback 1" not in text
    assert "headline 2: failed" in text
    assert [f"Traceback {n} [/x]" in path.read_text() for n in range(3)] == [True] * 3
    assert "earlier run" not in path.read_text()
    assert log.n_failures == 3


def test_all_tracebacks_are_printed_where_the_file_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    log = FailureLog(console.err(), tmp_path / "file" / "failures.log")
    for number in range(2):
        log(failure(number, f"Traceback {number}"))
    text = capsys.readouterr().err
    assert "Traceback 0" in text
    assert "Traceback 1" in text
    assert "All tracebacks" not in text


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Put the fake paper in the place of KPM; give a function that sets its protocol."""

    def use(protocol):
        monkeypatch.setattr(task, "get_protocol", lambda paper: protocol)
        monkeypatch.setattr(check, "require_sound", lambda papers: None)

    monkeypatch.setattr(data_fetch, "load", lambda name: fake_paper.dataset(name))
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: [])
    monkeypatch.setattr(arguments, "paper_key", lambda name: name)
    monkeypatch.setattr(reproduce, "print_scoreboard", lambda *args: None)
    monkeypatch.setattr(printed_tables, "printed_tables", lambda *args, **kwargs: [])
    monkeypatch.setattr(verdicts, "numbers", lambda paper: [])
    monkeypatch.setattr(report, "write_report", lambda *args, **kwargs: tmp_path / "report")
    monkeypatch.chdir(tmp_path)
    fake_paper.forget_data()
    use(fake_paper.PROTOCOL)
    yield use
    fake_paper.forget_data()


def second_stage_that_raises(profile, datasets, records):
    return records["no such column"]


def failing_run(task, data):
    raise ValueError("the solver gave up at [/x]")


def test_failures_come_before_the_stage_that_they_break(fake, capsys):
    stages = (fake_paper.PROTOCOL.stages[0], Stage(second_stage_that_raises))
    fake(dataclasses.replace(fake_paper.PROTOCOL, run=failing_run, stages=stages))
    assert main(["reproduce", "fake", "--jobs", "1"]) == 1
    text = capsys.readouterr().err
    failed = text.index("first/real/coins/mean/headline/0: failed: ValueError: the solver gave up")
    assert failed < text.index("in failing_run") < text.index("stage 2 of fake cannot list")
    assert "All tracebacks of this run:" in text


def test_figure_that_cannot_be_drawn_is_a_message(fake, capsys, monkeypatch, tmp_path):
    def broken(paper, records, start=""):
        raise KeyError("no such [/x]")

    monkeypatch.setattr(figures, "report_figures", broken)
    assert main(["reproduce", "fake", "--jobs", "1"]) == 1
    text = capsys.readouterr().err
    assert "the figures of fake cannot be drawn" in text
    assert "KeyError: 'no such [/x]'" in text
    assert (tmp_path / "build" / "results" / "fake" / "records.csv.xz").exists()


def test_report_says_which_figures_cannot_be_drawn(monkeypatch, tmp_path):
    def broken(paper, records, start=""):
        raise KeyError("no <such> column")

    monkeypatch.setattr(figures, "report_figures", broken)
    page = write_report(["kpm"], committed_directory(), tmp_path / "report.html", title="Some")
    text = page.read_text(encoding="utf-8")
    assert "The figures of KPM cannot be drawn from these records: KeyError:" in text
    assert "no &lt;such&gt; column" in text


def test_report_on_a_run_whose_tasks_all_failed(fake, tmp_path, monkeypatch):
    records = results.load_paper("kpm").assign(
        status="failed: x", metric="failed", value=float("nan")
    )
    records = records.drop_duplicates(results.KEY)
    some_results.write("kpm", records, tmp_path)
    page = write_report(["kpm"], tmp_path, tmp_path / "report.html", title="Some")
    assert "failed: x" in page.read_text(encoding="utf-8")


def test_missing_data_are_one_line_each(capsys):
    tried = [errors.Failure("https://a.test/x", errors.SourceError("HTTP 404"))]
    error = data_fetch.DataUnavailableError("no source has it.\nTried:\n  - a site", tried)
    reproduce.print_missing(console.out(), {"raetsch/banana": error})
    lines = capsys.readouterr().out.strip().splitlines()
    assert len(lines) == 2
    for part in ("raetsch/banana", "HTTP 404", "reprolib data fetch"):
        assert part in lines[1]
