"""The command line, from the outside."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from reprolib.cli import reproduce
from reprolib.cli.main import main
from reprolib.rerun import records as results

ROOT = Path(__file__).resolve().parents[2]


def reproduce_in(folder) -> subprocess.Popen:
    """Start a quick run on embedded data, in a process group of its own."""
    environment = {
        **os.environ,
        "REPROLIB_RECORDS": str(folder / "records"),
        "PYTHONPATH": str(ROOT),
        "MPLBACKEND": "Agg",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "reprolib", "reproduce", "kpm", "--embedded"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One whole run of the quick profile on embedded data: its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("run")
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.chdir(folder)
        patch.setenv("REPROLIB_RECORDS", str(folder / "records"))
        assert main(["reproduce", "kpm", "--embedded"]) == 0
    return folder, printed.getvalue()


def records_of(folder) -> pd.DataFrame:
    return results.load_paper("kpm", folder / "build" / "results").drop(columns="seconds")


def test_reproduce_writes_tables_figures_and_report(finished):
    folder, text = finished
    assert "Scoreboard of this run (quick profile)" in text
    assert str(folder / "build" / "report.html") in text.replace("\n", "")
    assert (folder / "build" / "report.html").stat().st_size > 10_000
    assert list((folder / "build" / "figures" / "kpm").glob("*.png"))
    assert set(records_of(folder)["source"]) == {"embedded"}


def test_killed_run_is_resumed_and_ends_with_the_same_tables(finished, tmp_path):
    whole, _ = finished
    process = reproduce_in(tmp_path)
    deadline = time.monotonic() + 300
    while len(list((tmp_path / "records").rglob("*.json"))) < 4:
        assert process.poll() is None, "ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    stored = {p: p.stat().st_mtime_ns for p in (tmp_path / "records").rglob("*.json")}
    assert not (tmp_path / "build" / "results").exists()
    process = reproduce_in(tmp_path)
    text, _ = process.communicate(timeout=600)
    assert process.returncode == 0, text
    assert all(p.stat().st_mtime_ns == t for p, t in stored.items())
    pd.testing.assert_frame_equal(records_of(tmp_path), records_of(whole))


def test_interrupt_says_how_to_go_on(monkeypatch, capsys):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "run", interrupted)
    assert main(["reproduce", "kpm"]) == 130
    assert "goes on from here" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "kmp"], "paper is 'kmp'"),
        (["reproduce", "--jobs", "0"], "--jobs is 0"),
        (["bench", "nothing"], "name is 'nothing'"),
        (["readme", "--file", "/nonexistent/README.md"], "No such file"),
    ],
)
def test_wrong_arguments_end_with_a_clear_message(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err.replace("\n", " ")


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert "reprolib" in capsys.readouterr().out
