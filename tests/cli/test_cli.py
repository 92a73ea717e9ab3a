"""The command line, from the outside."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import pytest

from reprolib import __version__
from reprolib.cli.commands import COMMANDS, GROUPS, notebooks, reproduce
from reprolib.cli.main import main
from reprolib.rerun import records as results
from reprolib.rerun.tasks.worker import LocalWorkers

ROOT = Path(__file__).resolve().parents[2]
#: All tasks of one data set, a third of the whole run.
PART = ("--only", "*/embedded/twonorm")


def reproduce_in(folder) -> subprocess.Popen:
    """Start a quick run on one embedded data set, in a process group of its own."""
    environment = {
        **os.environ,
        "REPROLIB_RECORDS": str(folder / "records"),
        "PYTHONPATH": str(ROOT),
        "MPLBACKEND": "Agg",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "reprolib", "reproduce", "kpm", "--embedded", *PART],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def reproduce_here(folder, *only: str) -> str:
    """Make a run on embedded data to its end in this process; return what it printed."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.chdir(folder)
        patch.setenv("REPROLIB_RECORDS", str(folder / "records"))
        assert main(["reproduce", "kpm", "--embedded", "--jobs", "1", *only]) == 0
    return printed.getvalue()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One whole run of the quick profile on embedded data: its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("run")
    return folder, reproduce_here(folder)


def records_of(output) -> pd.DataFrame:
    return results.load_paper("kpm", output / "results").drop(columns="seconds")


@pytest.mark.slow
def test_reproduce_writes_tables_figures_and_report(finished):
    folder, text = finished
    assert "Verdicts of this run (quick profile)" in text
    assert str(folder / "build" / "report.html") in text.replace("\n", "")
    assert (folder / "build" / "report.html").stat().st_size > 10_000
    assert list((folder / "build" / "figures" / "kpm").glob("*.png"))
    assert set(records_of(folder / "build")["source"]) == {"embedded"}


@pytest.mark.slow
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
    output = tmp_path / "build" / "only"
    assert not (output / "results").exists()
    reproduce_here(tmp_path, *PART)
    assert all(p.stat().st_mtime_ns == t for p, t in stored.items())
    resumed, expected = records_of(output), records_of(whole / "build")
    assert resumed["task"].nunique() > len(stored)
    expected = expected[expected["task"].isin(resumed["task"])]
    pd.testing.assert_frame_equal(resumed, expected.reset_index(drop=True))


def test_interrupt_says_how_to_go_on(monkeypatch, capsys):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "rerun", interrupted)
    assert main(["reproduce", "kpm"]) == 130
    assert "continues from them" in capsys.readouterr().err.replace("\n", " ")


def test_order_to_terminate_leaves_no_shared_files_and_says_how_to_go_on(
    tmp_path, monkeypatch, capsys
):
    """A cluster's time limit sends it: Python's own answer would leave the workers' folder."""

    def told_to_end(arguments):
        for _ in LocalWorkers().results(os.listdir, [(tmp_path,)]):
            assert list(tmp_path.iterdir())
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(reproduce, "rerun", told_to_end)
    before = signal.getsignal(signal.SIGTERM)
    assert main(["reproduce", "kpm"]) == 143
    assert "continues from them" in capsys.readouterr().err.replace("\n", " ")
    assert not list(tmp_path.iterdir())
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "kmp"], "paper is 'kmp'"),
        (["reproduce", "--jobs", "0"], "--jobs is 0"),
        (["verify", "kpm", "--fraction", "2"], "error: --fraction is 2; it must be above 0"),
        (["verify", "nobody"], "paper is 'nobody'; known: "),
    ],
)
def test_wrong_arguments_end_with_a_clear_message(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reprodcue"], "command is 'reprodcue'; did you mean 'reproduce'?"),
        (["reproduce", "kmpp"], "paper is 'kmpp'; did you mean 'kpm'?"),
        (["data", "lst"], "command of `reprolib data` is 'lst'; did you mean 'list'?"),
        (["verify", "simplex2"], "did you mean 'simplex'?"),
    ],
)
def test_misspelt_name_is_answered_with_the_nearest_one(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_letter_case_does_not_matter(monkeypatch):
    seen = []
    monkeypatch.setattr(reproduce, "rerun", lambda arguments: seen.append(arguments.papers))
    assert main(["Reproduce", "KPM", "mkpm", "kpm"]) == 0
    assert seen == [["kpm", "mkpm"]]


@pytest.mark.parametrize("words", [[], ["data"]])
def test_without_a_command_the_help_is_printed(words, capsys):
    assert main(words) == 0
    assert "usage: reprolib" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--help"], ["reproduce", "--help"], ["kmp"]])
def test_help_and_wrong_names_need_none_of_the_slow_packages(words):
    """Importing pandas alone takes more processor time than all of the answer."""
    code = (
        "import sys\n"
        "from reprolib.cli.main import main\n"
        "try:\n"
        f"    main({words!r})\n"
        "except SystemExit:\n"
        "    pass\n"
        "slow = {'pandas', 'numpy', 'scipy', 'sklearn', 'matplotlib', 'requests', 'joblib'}\n"
        "sys.exit(', '.join(slow & set(sys.modules)) or 0)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr.decode()


def test_help_on_the_profiles_says_minutes(capsys):
    with pytest.raises(SystemExit):
        main(["reproduce", "--help"])
    assert re.search(r"\b\d+\s+minutes", capsys.readouterr().out), "those of the full runs"


@pytest.mark.parametrize(
    ("arguments", "file"), [(["reproduce", "kpm"], "x"), (["report"], "x/report.html")]
)
def test_output_is_checked_before_anything_is_run(arguments, file, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(reproduce, "rerun", lambda arguments: pytest.fail("it ran"))
    (tmp_path / "x").write_text("a file")
    assert main([*arguments, "--output", str(tmp_path / file)]) == 2
    message = capsys.readouterr().err
    assert f"--output is {tmp_path / file}, but {tmp_path / 'x'} is a file" in message


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that root cannot write")
@pytest.mark.parametrize(
    "arguments",
    [["reproduce", "kpm", "--output"], ["report", "--output"], ["notebooks"]],
)
def test_a_place_that_cannot_be_written_is_said_at_once(arguments, monkeypatch, capsys):
    """A folder's mode does not tell: root may write everywhere, but not into /proc."""
    monkeypatch.setattr(reproduce, "rerun", lambda arguments: pytest.fail("it ran"))
    assert main([*arguments, "/proc/x"]) == 2
    assert "is /proc/x, but /proc cannot be written to" in capsys.readouterr().err


@pytest.mark.parametrize("papers", [["kpm"], []])
def test_verify_needs_results(papers, tmp_path, capsys):
    assert main(["verify", *papers, "--results", str(tmp_path)]) == 2
    assert f"in {tmp_path}; `reprolib reproduce` makes some" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["data", "check", "verify"])
def test_an_unknown_argument_is_told_by_its_own_command(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, *(["list"] if command == "data" else []), "--bogus"])
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert f"usage: reprolib {command}" in message
    assert "unknown arguments: --bogus" in message


def test_report_into_a_folder_is_refused(tmp_path, capsys):
    assert main(["report", "--output", str(tmp_path)]) == 2
    assert f"--output is {tmp_path}, which is a folder" in capsys.readouterr().err


def test_version_names_what_a_report_of_a_bug_needs(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path / "data"))
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"reprolib {__version__}\n")
    for name in ("Python", "numpy", "linear algebra", "kernel", "finished tasks", "REPROLIB_DATA"):
        assert name in text
    assert str(tmp_path / "data") in text


def test_a_dry_run_counts_tasks_and_needs_no_folder_to_write_to(tmp_path, capsys):
    taken = tmp_path / "taken"
    taken.touch()
    assert main(["reproduce", "kpm", "--full", "--dry-run", "--output", str(taken)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert re.search(
        r"kpm, full profile: \d+ tasks, \d+ of them finished and stored; about \d+", told
    )


@pytest.mark.parametrize(
    ("pattern", "message", "instead"),
    [
        ("tabel2", "kpm has no table 'tabel2'", "did you mean 'table2'?"),
        ("table2/heart/kpm", "table2 has no data set 'heart'", "did you mean 'raetsch/heart'?"),
        ("table2/raetsch/hart", "table2 has no data set 'raetsch/hart'", "mean 'raetsch/heart'?"),
        ("table2/raetsch/heart/kmp", "table2/raetsch/heart has no method 'kmp'", "mean 'kpm'?"),
        (
            "table2/raetsch/heart/kpm/headlin",
            "table2/raetsch/heart/kpm has no variant or trial 'headlin'",
            "did you mean 'headline'?",
        ),
        ("table2/raetsch/heart/kpm/999", "no variant or trial '999'", "trials up to 99"),
    ],
)
def test_the_wrong_part_of_only_is_named_with_what_there_is(
    pattern, message, instead, tmp_path, capsys
):
    words = ["--full", "--only", pattern, "--output", str(tmp_path), "--dry-run"]
    assert main(["reproduce", "kpm", *words]) == 2
    told = " ".join("".join(capsys.readouterr()).split())
    assert instead in told.split(f"{message}; it has ")[1]


@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_a_name_of_only_that_is_wrong_beside_a_right_one_is_told(dry, tmp_path, capsys):
    """It was left out without a word."""
    right = "table2/embedded/twonorm/svm/headline/0"
    words = ["--embedded", "--only", right, "--only", "tabel2/x", "--output", str(tmp_path)]
    assert main(["reproduce", "kpm", "--full", *words, *dry]) == 2
    printed = capsys.readouterr()
    assert "kpm has no table 'tabel2'" in printed.err
    assert "1 task" in printed.out


def test_readme_help_and_dry_run_say_the_same_minutes(capsys):
    """README 8, dry run 9: one rounded, the other rounded up."""
    readme = (ROOT / "README.md").read_text()
    in_readme = re.search(r"on two cores: KPM (\d+), MKMMC (\d+), MKPM (\d+)", readme).groups()
    for paper, number in zip(("kpm", "mkmmc", "mkpm"), in_readme, strict=True):
        assert main(["reproduce", paper, "--full", "--dry-run"]) == 0
        assert f"about {number} minutes with 2 workers" in capsys.readouterr().out
    guide = (ROOT / "docs" / "reproduce.md").read_text()
    assert f"reprolib reproduce kpm --full    # {in_readme[0]} minutes on two cores" in guide


def test_an_interrupted_dry_run_does_not_say_that_tasks_are_stored(monkeypatch, capsys):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "dry_run", interrupted)
    assert main(["reproduce", "kpm", "--dry-run"]) == 130
    assert capsys.readouterr().err.strip() == "Interrupted."


def test_the_help_has_every_command_in_its_group(capsys):
    assert main([]) == 0
    text = capsys.readouterr().out
    for group, names in GROUPS.items():
        listed = text.split(f"{group}:")[1].split("\n\n")[0]
        assert [line.split()[0] for line in listed.strip().splitlines()] == list(names)
    assert {name for names in GROUPS.values() for name in names} == set(COMMANDS)


@pytest.mark.parametrize("missing", [True, False])
def test_notebooks_says_to_install_only_what_is_missing(missing, tmp_path, monkeypatch, capsys):
    found = None if missing else object()
    monkeypatch.setattr(notebooks, "find_spec", lambda name: found)
    assert main(["notebooks", str(tmp_path / "mine")]) == 0
    assert ("extra" in capsys.readouterr().out) == missing
