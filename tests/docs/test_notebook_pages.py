"""Pictures and tables of the notebooks' pages are told to those who cannot see them."""

from __future__ import annotations

import importlib
import json
import sys
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from PIL import Image

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def conf():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        return importlib.import_module("conf")


def test_a_table_has_no_empty_heading_for_a_screen_reader(conf):
    table = pd.DataFrame({"AUC": [82.0]}, index=pd.Index(["KEOPS"], name="row")).to_html()
    source = [json.dumps({"text/html": table})]
    conf.fill_empty_heads(None, "notebooks/keops", source)
    html = json.loads(source[0])["text/html"]
    assert "<th></th>" in table
    assert "<th></th>" not in html
    assert html.count("<th>") == table.count("<th>") - table.count("<th></th>")


class Picture(dict):
    """A picture of a page, as docutils has it."""

    tagname = "image"


def _picture(width: int) -> bytes:
    written = BytesIO()
    Image.new("RGB", (width, 10)).save(written, format="png")
    return written.getvalue()


def test_each_picture_of_a_cell_has_its_own_text_and_a_link_to_its_full_size(conf, tmp_path):
    """Sphinx links pictures that have a width; on a phone they are too small to be read."""
    pictures = {"a wide one": _picture(900), "a narrow one": _picture(200)}
    outputs, shown = [], []
    for alt, picture in pictures.items():
        data, metadata = {"image/png": b64encode(picture).decode()}, {"image/png": {"alt": alt}}
        outputs.append(nbformat.v4.new_output("display_data", data, metadata=metadata))
        (tmp_path / f"{alt}.png").write_bytes(picture)
        shown.append(Picture(uri=f"{alt}.png"))
    (tmp_path / "other.png").write_bytes(b"another picture")
    shown.append(Picture(uri="other.png", alt="of a text"))
    cells = [nbformat.v4.new_code_cell(outputs=outputs)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "x.ipynb")
    env = SimpleNamespace(docname="x", doc2path=lambda name: str(tmp_path / f"{name}.ipynb"))
    document = SimpleNamespace(findall=lambda wanted: filter(wanted, shown))
    conf.complete_pictures(SimpleNamespace(env=env, srcdir=tmp_path), document)
    found = [(image["alt"], image.get("width")) for image in shown]
    assert found == [("a wide one", "900px"), ("a narrow one", "200px"), ("of a text", None)]
