"""Pages of the site link to launchers that can work, and to no others."""

from __future__ import annotations

import sys
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from PIL import Image

nodes = pytest.importorskip("docutils.nodes", reason="no Sphinx; install the extra `docs`")
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
    found = links("", "%pip install reprolib-*.whl")
    assert found.startswith("{download}`Download this notebook <x.ipynb>`")
    assert "http" not in found


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


def test_a_table_has_no_empty_heading_for_a_screen_reader(links, tmp_path):
    table = pd.DataFrame({"AUC": [82.0]}, index=pd.Index(["KEOPS"], name="row")).to_html()
    output = nbformat.v4.new_output("execute_result", {"text/html": table})
    cells = [nbformat.v4.new_code_cell(outputs=[output])]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "x.ipynb")
    from notebook_pages import write_page

    write_page(tmp_path / "x.ipynb", tmp_path / "page.ipynb")
    page = nbformat.read(tmp_path / "page.ipynb", as_version=4)
    html = page.cells[0].outputs[0].data["text/html"]
    assert "<th></th>" in table
    assert "<th></th>" not in html
    assert html.count("<th>") == table.count("<th>") - table.count("<th></th>")


def _picture(width: int) -> bytes:
    written = BytesIO()
    Image.new("RGB", (width, 10)).save(written, format="png")
    return written.getvalue()


def test_each_picture_of_a_cell_has_its_own_text_and_a_link_to_its_full_size(links, tmp_path):
    """Sphinx links pictures that have a width; on a phone they are too small to be read."""
    from notebook_pages import complete_pictures

    pictures = {"a wide one": _picture(900), "a narrow one": _picture(200)}
    outputs, document = [], nodes.Element()
    for alt, picture in pictures.items():
        data, metadata = {"image/png": b64encode(picture).decode()}, {"image/png": {"alt": alt}}
        outputs.append(nbformat.v4.new_output("display_data", data, metadata=metadata))
        (tmp_path / f"{alt}.png").write_bytes(picture)
        document += nodes.image(uri=f"{alt}.png")
    (tmp_path / "other.png").write_bytes(b"another picture")
    document += nodes.image(uri="other.png", alt="of a text")
    cells = [nbformat.v4.new_code_cell(outputs=outputs)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "x.ipynb")
    env = SimpleNamespace(docname="x", doc2path=lambda name: str(tmp_path / f"{name}.ipynb"))
    complete_pictures(SimpleNamespace(env=env, srcdir=tmp_path), document)
    found = [(image["alt"], image.get("width")) for image in document.findall(nodes.image)]
    assert found == [("a wide one", "900px"), ("a narrow one", "200px"), ("of a text", None)]
