"""A throw-away paper through `reprolib new-paper`: all that papers have works for it at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reprolib.cli import new_paper
from reprolib.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("reprolib", "data_fetch", "tests", "benchmarks", "docs", "results")
#: Tests that are repeated for every paper; those of methods and data know none.
KNOWING_PAPERS = (
    *("tests/papers", "tests/rerun", "tests/report", "tests/cli"),
    *("tests/test_house.py", "tests/test_benchmarks.py"),
)
TITLE = 'Kernel "Fisher" <discriminants> \\& more'
FACTS = {"key": "fisher", "title": TITLE, "year": 1999, "authors": "A", "venue": "B"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the checkout with the stubs of a new paper."""
    folder = tmp_path_factory.mktemp("copy")
    for part in PARTS:
        ignored = shutil.ignore_patterns("__pycache__", "api", "notebooks")
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    for file in ("pyproject.toml", "conftest.py", "README.md"):
        shutil.copy(ROOT / file, folder / file)
    (folder / "notebooks").mkdir()
    call(folder, "-m", "reprolib", "new-paper", "fisher", "--title", TITLE, "--year", "1999")
    return folder


def call(folder: Path, *words: str) -> str:
    """Run Python in the copy; return what it printed."""
    environment = {
        **{k: v for k, v in os.environ.items() if k != "REPROLIB_RESULTS"},
        "PYTHONPATH": str(folder),
        "REPROLIB_RECORDS": str(folder / "records"),
        "MPLBACKEND": "Agg",
    }
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def print_numbers(folder: Path) -> None:
    """Uncomment the example of a printed table, as one who adds a paper would begin."""
    path = folder / "reprolib/papers/fisher/printed.toml"
    head, example = path.read_text(encoding="utf-8").split("[tables]\n\n")
    lines = [line.removeprefix("#").strip() for line in example.splitlines()]
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def check(folder: Path) -> None:
    """Quick run, report, and all tests that every paper has to pass."""
    call(folder, "-m", "reprolib", "reproduce", "fisher", "--jobs", "1")
    report = (folder / "build/report.html").read_text(encoding="utf-8")
    assert "Kernel &#34;Fisher&#34; &lt;discriminants&gt;" in report
    assert "Test errors by method" in report
    pytest_words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "fisher")
    tests = call(folder, *pytest_words, *KNOWING_PAPERS)
    assert "passed" in tests
    assert "failed" not in tests


@pytest.mark.slow
def test_stubs_run_and_pass_the_tests_of_papers(checkout):
    check(checkout)
    assert "s (n = 50)" in call(checkout, "-m", "reprolib", "bench", "fisher", "--sizes", "50")


@pytest.mark.slow
def test_notebook_is_executed_and_checked(checkout):
    call(checkout, "-m", "reprolib", "renew-notebooks")
    text = (checkout / "notebooks/fisher.ipynb").read_text(encoding="utf-8")
    assert "embedded/twonorm, svm: test error" in text
    assert '"version"' not in text
    assert "iopub" not in text
    call(checkout, "-m", "pytest", "-q", "--nbval", "notebooks", "-p", "no:cacheprovider")


@pytest.mark.slow
def test_paper_with_printed_numbers_passes_the_tests_of_papers(checkout):
    print_numbers(checkout)
    check(checkout)
    assert "Kernel" in (checkout / "build/report.html").read_text(encoding="utf-8")


def test_files_are_clean(checkout):
    paths = [path.format(key="fisher") for path in new_paper.FILES]
    sources = [path for path in paths if path.endswith((".py", ".ipynb"))]
    call(checkout, "-m", "ruff", "check", "--no-cache", *sources)
    call(checkout, "-m", "ruff", "format", "--no-cache", "--check", *sources)


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    new_paper.write_files(tmp_path, FACTS)
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(written) == 1 + len(new_paper.FILES)
    with pytest.raises(FileExistsError, match=r"fisher/printed\.toml.*take another KEY"):
        new_paper.write_files(tmp_path, FACTS)
    assert {path: path.read_bytes() for path in written} == written


@pytest.mark.parametrize("key", ["Fisher", "2fisher", "a-b", "import", "", "../x"])
def test_key_must_be_the_name_of_a_module(key, tmp_path):
    (tmp_path / "pyproject.toml").touch()
    with pytest.raises(ValueError, match="KEY is .*; give lower-case letters"):
        new_paper.write_files(tmp_path, {**FACTS, "key": key})


def test_paper_needs_a_checkout(tmp_path):
    with pytest.raises(FileNotFoundError, match="no checkout"):
        new_paper.write_files(tmp_path, FACTS)


def test_notebook_that_needs_absent_data_is_left_as_it_is(tmp_path, monkeypatch, capsys):
    pytest.importorskip("nbclient", reason="the extra `test` is not installed")
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    monkeypatch.setenv("REPROLIB_MIRROR", "")
    cell = "from reprolib.report.live import live\nlive('kpm', 'uci/letter')(lambda: 1 / 0)\n"
    text = new_paper.notebook(f"%% code\n{cell}", "x")
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    assert main(["renew-notebooks", str(path)]) == 1
    assert "is left as it is: it needs uci/letter" in capsys.readouterr().err
    assert path.read_text() == text
    assert main(["renew-notebooks", str(tmp_path / "y.ipynb")]) == 2


@pytest.mark.parametrize("error", ["CellTimeoutError", "DeadKernelError"])
def test_notebook_whose_kernel_stops_is_left_as_it_is(error, tmp_path, monkeypatch, capsys):
    exceptions = pytest.importorskip(
        "nbclient", reason="the extra `test` is not installed"
    ).exceptions
    path = tmp_path / "x.ipynb"
    path.write_text(new_paper.notebook("%% code\n1\n", "x"))
    text = path.read_text()

    def stop(self):
        raise getattr(exceptions, error)("no answer")

    monkeypatch.setattr("nbclient.NotebookClient.execute", stop)
    assert main(["renew-notebooks", str(path)]) == 1
    assert "is left as it is: no answer" in " ".join(capsys.readouterr().err.split())
    assert path.read_text() == text
