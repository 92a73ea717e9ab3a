"""A paper of one's own by `reprolib init`: all works in any folder, and in the package, too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from reprolib.cli import init
from reprolib.cli.main import main
from reprolib.rerun.records import load_paper

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("reprolib", "data_fetch", "tests", "benchmarks", "docs", "results")
#: Tests that are repeated for every paper; those of methods and data know none.
KNOWING_PAPERS = (
    *("tests/papers", "tests/rerun", "tests/report", "tests/cli", "tests/docs"),
    *("tests/test_house.py", "tests/test_benchmarks.py"),
)
#: Of these, the tests of this paper, and the files that look at all papers or data sets at once;
#: one of `test_words` is of Fisher's test, and of no paper.
FOR_THE_PAPER = "fisher and not test_words or test_data_sets or test_paper_pages"
#: What `extend` puts in the place of what.
MORE_PRINTED = {
    'text = "The reading nearest to the text."': """text = "The reading nearest to the text."

[[readings]]
name = "a third is tested"
question = "How many rows are tested?"
text = "A third of them."
methods = ["nearest centroid", "svm"]
changes = { share = 0.333 }
quick = true""",
    'role = "baseline" }': """role = "baseline" }
"log2 C" = { method = "svm", metric = "log2 C", scale = 1, design = "selection", searched = 11 }""",
    "[[2.6, 0.2], 3.1]": "[[2.6, 0.2], 3.1, 2]",
    '[tables.table1.not_run]\n"Wine" =': """[[tables.table1.explanations]]
row = "*"
column = "*"
text =""",
}
MORE_MEASURED = {
    "import train_test_split": "import GridSearchCV, train_test_split",
    "quick=2)),)": 'quick=2), params={"share": 0.5}),)',
    "test_size=0.5": 'test_size=task.params["share"]',
    "model = make_pipeline(StandardScaler(), METHODS[task.method]()).fit(X, y)": """\
grid = {"svc__C": [2.0**k for k in range(-5, 6)]} if task.method == "svm" else {}
    pipeline = make_pipeline(StandardScaler(), METHODS[task.method]())
    model = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    chosen = [Measurement("log2 C", np.log2(C)) for C in model.best_params_.values()]""",
    'source="resampled")]': 'source="resampled"), *chosen]',
}
TITLE = 'Kernel "Fisher" <discriminants> \\& more'
FACTS = {"key": "fisher", "title": TITLE, "year": 1999, "authors": "A", "venue": "B"}
#: Everything that works in the package, in a folder that has the paper alone.
COMMANDS = """
from reprolib.cli.main import main

for words in (
    "check fisher",
    "reproduce fisher --dry-run",
    "reproduce fisher --jobs 1",
    "reproduce fisher --full --jobs 2",
    "reproduce fisher --only table1/fisher/wine/svm/1 --jobs 1",
    "reproduce fisher --full --output build/again --jobs 1",
    "verify fisher --fraction 0.1",
    "compare build/again",
    "report fisher",
    "tables fisher",
    "figures fisher --format svg",
    "data verify fisher",
    "renew-notebooks",
):
    print("$", words)
    assert main(words.split()) == 0, words
"""

#: What CONTRIBUTING tells to run once the paper is in the package.
IN_THE_PACKAGE = """
import runpy
import sys

from reprolib.cli.main import main

for words in ("check fisher", "reproduce fisher --full --jobs 1"):
    assert main(words.split()) == 0, words

sys.argv[1:] = ["fisher"]
runpy.run_module("tests.full_profile", run_name="__main__")
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """An empty folder after `reprolib init`, with printed numbers."""
    folder = tmp_path_factory.mktemp("own")
    words = ["--title", TITLE, "--year", "1999", "--folder", str(folder)]
    assert main(["init", "fisher", *words]) == 0
    print_numbers(folder / "fisher/printed.toml")
    return folder


def call(folder: Path, *words: str, **variables: str) -> str:
    """Run Python in a folder; return what it printed."""
    own = ("REPROLIB_RESULTS", "REPROLIB_PAPERS")
    environment = {
        **{name: value for name, value in os.environ.items() if name not in own},
        "PYTHONPATH": str(ROOT),
        "REPROLIB_RECORDS": str(folder / "records"),
        "MPLBACKEND": "Agg",
        **variables,
    }
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def print_numbers(path: Path) -> None:
    """Uncomment the example of a printed table, as one who adds a paper would begin."""
    head, example = path.read_text(encoding="utf-8").split("[tables]\n\n")
    lines = [line.removeprefix("#").strip() for line in example.splitlines()]
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.slow
def test_a_paper_in_a_repository_of_its_own_has_everything(repository):
    """Commands, tests, notebook and results: only the variable says where the paper is."""
    own = {"REPROLIB_PAPERS": str(repository)}
    told = call(repository, "-c", COMMANDS, **own)
    assert "all agree" in told
    assert "No difference: all 40 records agree" in told
    assert (repository / "results/fisher/SHA256SUMS").is_file()
    report = (repository / "build/report.html").read_text(encoding="utf-8")
    assert "Kernel &#34;Fisher&#34; &lt;discriminants&gt;" in report
    assert "Test errors by method" in report
    shown = (repository / "notebooks/fisher.ipynb").read_text(encoding="utf-8")
    assert "image/png" in shown
    assert '"version"' not in shown
    quiet = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    tests = call(repository, *quiet, "--nbval", "tests", "notebooks", **own)
    assert "skipped" not in tests


@pytest.mark.slow
def test_a_paper_moves_into_the_package(repository, tmp_path):
    """As CONTRIBUTING says it: all tests of papers pass for it, as for the others.

    It brings a data set, a figure, a reading of its text and a selection. Tests that look at all
    papers or data sets at once have no name of a paper.
    """
    for part in PARTS:
        ignored = shutil.ignore_patterns("api", "notebooks")
        shutil.copytree(ROOT / part, tmp_path / part, ignore=ignored)
    for file in ("pyproject.toml", "conftest.py", "README.md"):
        shutil.copy(ROOT / file, tmp_path / file)
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    move_in(repository, tmp_path)
    extend(tmp_path / "reprolib/papers/fisher")
    here = {"PYTHONPATH": str(tmp_path)}
    call(tmp_path, "-c", IN_THE_PACKAGE, **here)
    assert (tmp_path / "results/fisher/SHA256SUMS").is_file()
    records = load_paper("fisher", tmp_path / "results")
    assert set(records["reading"]) == {"headline", "a third is tested"}
    assert (records["metric"] == "log2 C").any()
    pytest_words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", FOR_THE_PAPER)
    tests = call(tmp_path, *pytest_words, *KNOWING_PAPERS, **here)
    assert "passed" in tests


def extend(package: Path) -> None:
    """Add a reading and a selection to the paper."""
    for file, changes in {"printed.toml": MORE_PRINTED, "experiment.py": MORE_MEASURED}.items():
        text = (package / file).read_text(encoding="utf-8")
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        (package / file).write_text(text, encoding="utf-8")


def move_in(repository: Path, checkout: Path) -> None:
    """Move a paper from its own repository into a checkout of the package."""
    package = checkout / "reprolib/papers/fisher"
    shutil.copytree(
        repository / "fisher", package, ignore=shutil.ignore_patterns("__pycache__", "data.*")
    )
    shutil.copy(repository / "fisher/data.py", checkout / "data_fetch/fisher.py")
    data = (repository / "fisher/data.toml").read_text(encoding="utf-8")
    with (checkout / "data_fetch/catalog.toml").open("a", encoding="utf-8") as catalog:
        catalog.write(data.replace("fisher.data:", "data_fetch.fisher:"))
    text = (repository / "notebooks/fisher.ipynb").read_text(encoding="utf-8")
    text = text.replace("from fisher import", "from reprolib.papers.fisher import")
    (checkout / "notebooks/fisher.ipynb").write_text(text, encoding="utf-8")


def test_files_are_clean(tmp_path):
    paths = init.write_files(tmp_path, FACTS)
    sources = [str(path) for path in paths if path.suffix in (".py", ".ipynb")]
    rules = ("--no-cache", "--config", str(ROOT / "pyproject.toml"))
    call(tmp_path, "-m", "ruff", "check", *rules, "--extend-ignore", "D", *sources)
    call(tmp_path, "-m", "ruff", "format", *rules, "--check", *sources)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["reprolib.papers"] == {"fisher": "fisher"}
    assert not project["dependencies"], "a package index may have somebody else's reprolib"


def test_nothing_is_overwritten(tmp_path):
    init.write_files(tmp_path, FACTS)
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(written) == len(init.FILES) + len(init.SHARED)
    with pytest.raises(FileExistsError, match=r"fisher/__init__\.py .*take another KEY"):
        init.write_files(tmp_path, FACTS)
    assert {path: path.read_bytes() for path in written} == written


def test_a_second_paper_leaves_the_files_of_the_repository(tmp_path, capsys):
    init.write_files(tmp_path, FACTS)
    before = (tmp_path / "pyproject.toml").read_bytes()
    assert main(["init", "second", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "pyproject.toml").read_bytes() == before
    assert 'second = "second"' in capsys.readouterr().out


@pytest.mark.parametrize("key", ["Fisher", "2fisher", "a-b", "import", "", "../x"])
def test_key_must_be_the_name_of_a_module(key, tmp_path):
    with pytest.raises(ValueError, match="KEY is .*; give lower-case letters"):
        init.write_files(tmp_path, {**FACTS, "key": key})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("key", "told"), [("random", "installed module"), ("kpm", "has")])
def test_key_must_be_free(key, told, tmp_path):
    with pytest.raises(ValueError, match=f"{told}; take another one"):
        init.write_files(tmp_path, {**FACTS, "key": key})


def test_a_paper_that_is_not_found_says_how_papers_are_found(capsys):
    assert main(["check", "fishers"]) == 2
    assert "`pip install -e`" in " ".join(capsys.readouterr().err.split())


def test_notebook_that_needs_absent_data_is_left_as_it_is(tmp_path, monkeypatch, capsys):
    pytest.importorskip("nbclient", reason="the extra `test` is not installed")
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    monkeypatch.setenv("REPROLIB_MIRROR", "")
    cell = "from reprolib.report.notebook import live\nlive('kpm', 'uci/letter')(lambda: 1 / 0)\n"
    text = init.notebook(f"%% code\n{cell}", "x")
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
    path.write_text(init.notebook("%% code\n1\n", "x"))
    text = path.read_text()

    def stop(self):
        raise getattr(exceptions, error)("no answer")

    monkeypatch.setattr("nbclient.NotebookClient.execute", stop)
    assert main(["renew-notebooks", str(path)]) == 1
    assert "is left as it is: no answer" in " ".join(capsys.readouterr().err.split())
    assert path.read_text() == text
