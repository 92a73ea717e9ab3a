"""Pages of the site link to launchers that can work, and to no others."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def links(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    sys.modules.pop("notebook_pages", None)
    from notebook_pages import write_page

    def of(repository: str, source: str) -> str:
        monkeypatch.setenv("GITHUB_REPOSITORY", repository)
        cells = [nbformat.v4.new_markdown_cell("title"), nbformat.v4.new_code_cell(source)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "x.ipynb")
        write_page(tmp_path / "x.ipynb", tmp_path / "page.ipynb")
        return nbformat.read(tmp_path / "page.ipynb", as_version=4).cells[1].source

    return of


def test_without_an_address_a_notebook_can_be_downloaded(links):
    assert (
        links("", "%pip install reprolib-*.whl") == "{download}`Download this notebook <x.ipynb>`"
    )


def test_colab_is_offered_if_the_notebook_installs_the_package_from_the_repository(links):
    assert "Binder" in links("a/b", "%pip install reprolib-*.whl")
    assert "Colab" not in links("a/b", "%pip install reprolib-*.whl")
    assert "Colab" in links("a/b", '%pip install "reprolib @ git+https://github.com/a/b"')


def test_a_link_to_a_page_in_docs_leads_to_that_page_of_the_site(links, tmp_path):
    cells = [nbformat.v4.new_markdown_cell("[reproduced](../docs/words.md)")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "x.ipynb")
    from notebook_pages import write_page

    write_page(tmp_path / "x.ipynb", tmp_path / "page.ipynb")
    page = nbformat.read(tmp_path / "page.ipynb", as_version=4)
    assert page.cells[0].source == "[reproduced](../words.md)"
