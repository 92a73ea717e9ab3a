"""A notebook opened where nothing is installed installs the package itself, and only there."""

from __future__ import annotations

from email.message import Message
from pathlib import Path

import nbformat
import pytest

from reprolib.cli import install_cell

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_first_code_cell_of_every_notebook_installs_the_package(path):
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert cells[0].source == install_cell.source(), "`reprolib renew-notebooks` writes it anew"
    assert not cells[0].outputs


def test_the_address_of_the_repository_is_installed_from_once_there_is_one(monkeypatch):
    package = Message()
    package["Project-URL"] = "Repository, https://host/owner/reprolib"
    package["Project-URL"] = "Issues, https://host/owner/reprolib/issues"
    monkeypatch.setattr(install_cell, "metadata", lambda _: package)
    assert '%pip install --quiet "reprolib[rerun] @ git+https://host/owner/reprolib"' in (
        install_cell.source()
    )


def test_the_bare_name_is_never_installed(monkeypatch):
    monkeypatch.setattr(install_cell, "metadata", lambda _: Message())
    assert install_cell.source().endswith('%pip install --quiet "{wheel}[rerun]"')


def test_the_cell_is_written_anew_not_twice():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_markdown_cell("title"), nbformat.v4.new_code_cell("1")]
    for _ in range(2):
        install_cell.put_first(notebook)
    sources = [cell.source for cell in notebook.cells]
    assert sources == ["title", install_cell.source(), "1"]
