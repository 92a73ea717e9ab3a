"""``reprolib tables`` and ``reprolib figures``: files for a report or a paper."""

from __future__ import annotations

import os
import shutil

import pytest

from reprolib.cli.commands import figures, tables
from reprolib.cli.main import main
from reprolib.report import paper_figures, printed_tables
from reprolib.rerun.records.registry import PAPERS, committed_directory, printed_of

COMMANDS = ["tables", "figures"]
both = pytest.mark.parametrize("command", COMMANDS)


def test_the_help_lists_the_formats_that_are_written():
    """The command's own list is apart, so that its help imports no slow package."""
    assert tuple(printed_tables.FORMATS) == tables.FORMATS
    assert paper_figures.FORMATS == figures.FORMATS


def test_one_command_writes_a_table_in_latex(tmp_path, capsys):
    assert main(["tables", "kpm", "--output", str(tmp_path / "report"), "--format", "tex"]) == 0
    names = {path.name for path in (tmp_path / "report").iterdir()}
    assert names == {f"kpm-{key}.tex" for key in printed_of("kpm").printed.tables}
    printed = capsys.readouterr().out
    assert f"wrote {tmp_path / 'report' / 'kpm-table1.tex'}" in printed
    assert "2 files in" in printed


def test_one_command_writes_a_figure_as_pdf(tmp_path):
    assert main(["figures", "mkpm", "--output", str(tmp_path), "--format", "pdf"]) == 0
    written = sorted(tmp_path.iterdir())
    assert written
    assert {path.name for path in written} == {
        f"mkpm-figure{number}.pdf" for number in range(1, len(written) + 1)
    }
    content = written[0].read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"command: reprolib figures mkpm" in content


def test_all_tables_are_written_without_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["tables", "--format", "csv", "MD"]) == 0
    folder = tmp_path / "build" / "publication"
    assert {path.name for path in folder.iterdir()} == {
        f"{paper}-{key}.{ending}"
        for paper in PAPERS
        for key in printed_of(paper).printed.tables
        for ending in ("csv", "md")
    }


def test_results_of_another_run_are_named_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(committed_directory() / "keops", tmp_path / "of a run" / "keops")
    assert main(["tables", "--results", "of a run", "--output", "out", "--format", "csv"]) == 0
    (path,) = (tmp_path / "out").iterdir()
    text = path.read_text(encoding="utf-8")
    assert "# command: reprolib tables keops --results 'of a run'\n" in text


@both
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kmpp"], "paper is 'kmpp'; did you mean 'kpm'?"),
        (["kpm", "--format", "pfd"], "--format is 'pfd'; "),
        (["kpm", "--format", "tox"], "--format is 'tox'; "),
        (["kpm", "--results", "/nonexistent"], "--results is /nonexistent, which is no folder"),
    ],
)
def test_wrong_arguments_are_told_with_the_remedy(command, arguments, message, capsys):
    assert main([command, *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "typed", "meant"), [("tables", "txe", "tex"), ("figures", "pgn", "png")]
)
def test_a_misspelt_format_is_answered_with_the_nearest_one(command, typed, meant, capsys):
    assert main([command, "kpm", "--format", typed]) == 2
    assert f"--format is {typed!r}; did you mean {meant!r}? Known: " in capsys.readouterr().err


@both
@pytest.mark.parametrize("named", [["kpm"], []])
def test_a_folder_without_results_is_an_error(command, named, tmp_path, capsys):
    arguments = ["--results", str(tmp_path), "--output", str(tmp_path / "out")]
    assert main([command, *named, *arguments]) == 2
    message = capsys.readouterr().err
    assert "there are no results" in message
    assert "--results names their folder" in message
    assert not (tmp_path / "out").exists()


@both
def test_a_file_in_the_place_of_the_folder_is_told_before_anything_is_drawn(
    command, tmp_path, capsys
):
    (tmp_path / "x").touch()
    assert main([command, "kpm", "--output", str(tmp_path / "x")]) == 2
    assert f"--output is {tmp_path / 'x'}, but" in capsys.readouterr().err


@both
def test_a_file_is_there_whole_or_not_at_all(command, tmp_path, monkeypatch, capsys):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert main([command, "mkpm", "--output", str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
