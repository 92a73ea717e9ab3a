"""Scripts of the project: notebooks are renewed whole or not at all, and install the package."""

from __future__ import annotations

from email.message import Message
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("nbclient", reason="the extra `test` is not installed")

from nbclient import exceptions

from tools import renew_notebooks as tool

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def notebook(path, code):
    cells = [nbformat.v4.new_markdown_cell("title"), nbformat.v4.new_code_cell(code)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_last_cell_of_every_notebook_installs_the_package(path):
    """One line, out of the way of the story."""
    last = nbformat.read(path, as_version=4).cells[-1]
    assert last.source == tool.install_cell(), "`make renew-notebooks` writes it anew"
    assert not last.outputs


def test_the_package_is_installed_from_its_repository_or_a_wheel_never_by_its_bare_name(
    monkeypatch,
):
    package = Message()
    monkeypatch.setattr(tool, "metadata", lambda _: package)
    package["Version"] = "1.2"
    assert '"reprolib-1.2-py3-none-any.whl[papers]"' in tool.install_cell()
    package["Project-URL"] = "Repository, https://host/owner/reprolib"
    package["Project-URL"] = "Issues, https://host/owner/reprolib/issues"
    assert '%pip install --quiet "reprolib[papers] @ git+https://host/owner/reprolib"' in (
        tool.install_cell()
    )


@pytest.mark.slow
def test_a_renewed_notebook_has_outputs_one_install_cell_and_no_versions(tmp_path, capsys):
    path = notebook(tmp_path / "x.ipynb", "1 + 1")
    for _ in range(2):
        assert tool.main([str(path)]) == 0
        found = nbformat.read(path, as_version=4)
        assert [cell.source for cell in found.cells] == ["title", "1 + 1", tool.install_cell()]
        assert found.cells[1].outputs[0].data["text/plain"] == "2"
        assert found.metadata == tool.METADATA
    assert f"renewed {path}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_notebook_that_needs_absent_data_is_left_as_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    monkeypatch.setenv("REPROLIB_MIRROR", "")
    code = "import reprolib\n\nreprolib.paper('kpm').recompute(1)"
    path = notebook(tmp_path / "x.ipynb", code)
    text = path.read_text()
    assert tool.main([str(path)]) == 1
    assert "is left as it is: it needs its data" in capsys.readouterr().err
    assert path.read_text() == text


@pytest.mark.parametrize("error", ["CellTimeoutError", "DeadKernelError"])
def test_a_notebook_whose_kernel_stops_is_left_as_it_is(error, tmp_path, monkeypatch, capsys):
    path = notebook(tmp_path / "x.ipynb", "1")
    text = path.read_text()

    def stop(self):
        raise getattr(exceptions, error)("no answer")

    monkeypatch.setattr("nbclient.NotebookClient.execute", stop)
    assert tool.main([str(path)]) == 1
    assert "is left as it is: no answer" in capsys.readouterr().err
    assert path.read_text() == text
