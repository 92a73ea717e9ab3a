"""What an installed package has beside its modules, and that it needs no checkout."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from reprolib.cli.main import main
from reprolib.rerun.records import registry
from reprolib.rerun.records.registry import PAPERS

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The files of a wheel, as setuptools lays them out before it packs them."""
    if not (ROOT / "tools/archives.py").is_file():
        pytest.skip("needs the checkout")
    folder = tmp_path_factory.mktemp("wheel")
    program = "from setuptools import setup; setup()"
    command = [sys.executable, "-c", program, "-q", "egg_info", "--egg-base", str(folder)]
    command += ["build_py", "--build-lib", str(folder / "lib")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder / "lib"


@pytest.mark.slow
def test_a_wheel_has_everything_that_its_commands_read(built):
    names = {str(path.relative_to(built)) for path in built.rglob("*") if path.is_file()}
    shipped = "reprolib/shipped"
    for key in PAPERS:
        assert f"reprolib/papers/{key}/printed.toml" in names
        assert f"{shipped}/notebooks/{key}.ipynb" in names
        committed = [path for path in (ROOT / "results" / key).iterdir() if path.is_file()]
        assert {f"{shipped}/results/{key}/{path.name}" for path in committed} <= names
    here = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert here
    assert {f"{shipped}/notebooks/{name}" for name in here} <= names
    for name in (
        "data_fetch/catalog.toml",
        "data_fetch/cai_splits.npz",
        "data_fetch/manifests.npz",
        "data_fetch/rows.npz",
        "reprolib/py.typed",
    ):
        assert name in names
    assert {name.split("/")[0] for name in names} == {"data_fetch", "reprolib"}


@pytest.mark.slow
def test_notebooks_of_a_wheel_are_those_of_the_checkout_before_they_are_run(built):
    for path in (built / "reprolib/shipped/notebooks").glob("*.ipynb"):
        shipped = nbformat.read(path, as_version=4)
        nbformat.validate(shipped)
        committed = nbformat.read(ROOT / "notebooks" / path.name, as_version=4)
        for cell, own in zip(shipped.cells, committed.cells, strict=True):
            assert (cell.source, cell.metadata) == (own.source, own.metadata)
            assert not cell.get("outputs")
            assert cell.get("execution_count") is None


@pytest.mark.slow
def test_a_wheel_is_small(built):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in built.rglob("*"):
            wheel.write(path, path.relative_to(built))
    assert len(packed.getvalue()) < 3.5e6


@pytest.mark.slow
@pytest.mark.parametrize("package", ["data_fetch", "reprolib"])
def test_a_wheel_has_every_file_that_lies_beside_a_module(built, package):
    """What modules read from their own folder is there, too."""
    here = {
        path.relative_to(ROOT)
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert here
    assert {path for path in here if not (built / path).is_file()} == set()


@pytest.mark.slow
def test_an_installed_package_works_in_an_empty_folder(built, tmp_path):
    """The folder of the built files stands for site-packages.

    The report is on one paper, without rendering its figures: the report on all papers is written
    on the checkout, from an empty folder, too.
    """
    lines = (
        "import reprolib, reprolib.rerun.records.registry as f; from reprolib.cli.main import main",
        "assert 'lib' in reprolib.__file__ and f.committed_directory().is_dir()",
        "assert not f.can_be_committed()",
        "assert main(['notebooks', 'mine']) == 0",
        "import reprolib.report.page as page",
        "page.embed = lambda figure: page.plt.close(figure) or 'data:,'",
        "assert main(['report', 'mkpm', '--output', 'report.html']) == 0",
        "assert main(['bench', 'no-such-benchmark']) == 2",
    )
    program = "import sys; sys.path.insert(0, sys.argv[1])\n" + "\n".join(lines)
    command = [sys.executable, "-I", "-c", program, str(built)]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert answer.returncode == 0, answer.stderr
    assert len(list((tmp_path / "mine").glob("*.ipynb"))) >= len(PAPERS)
    assert not list((tmp_path / "mine").glob("*.py")), "a notebook needs no file beside it"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert len(page) > 10_000
    assert "cannot be drawn" not in page


@pytest.mark.parametrize("room", ["papers", "report"])
def test_no_figure_reads_a_folder_that_only_a_checkout_has(room):
    """All figures are drawn on the checkout alone, where such a folder is there."""
    ways = re.compile(r"own_project|project_folder|\bPACKAGE\b|__file__.*\.parents?\b|cwd\(")
    sources = [*(ROOT / "reprolib" / room).rglob("*.py")]
    assert sources
    assert [path.name for path in sources if ways.search(path.read_text(encoding="utf-8"))] == []


def test_a_checkout_uses_its_own_folders():
    assert registry.project_folder("results") == ROOT / "results"


def test_copied_notebooks_are_not_overwritten(tmp_path, capsys):
    assert main(["notebooks", str(tmp_path / "mine")]) == 0
    first = tmp_path / "mine" / f"{PAPERS[0]}.ipynb"
    assert first.read_bytes() == (ROOT / "notebooks" / first.name).read_bytes()
    first.write_text("mine")
    assert main(["notebooks", str(tmp_path / "mine")]) == 2
    assert "is not overwritten" in " ".join(capsys.readouterr().err.split())
    assert first.read_text() == "mine"
