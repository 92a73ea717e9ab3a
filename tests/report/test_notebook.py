"""Notebooks can be read on every page made of them: pictures have a text, formulas are formulas."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import IPython.display
import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from reprolib.report.notebook import MARK, left_aligned, show
from reprolib.report.picture import description

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def test_figure_is_shown_once_with_its_alternative_text(monkeypatch):
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda *a, **k: shown.append((a, k)))
    figure, _ = plt.subplots()
    show(figure, "a curve that rises")
    (((bundle,), more),) = shown
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert bundle["text/plain"] == "<Figure size 640x480 with 1 Axes>"
    assert more == {"raw": True, "metadata": {"image/png": {"alt": "a curve that rises"}}}
    assert not plt.fignum_exists(figure.number)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_displayed_formulas_are_paragraphs(path):
    """Inside a paragraph the pages of the site pair their dollars wrongly from there on."""
    texts = [cell.source for cell in nbformat.read(path, as_version=4).cells if "$$" in cell.source]
    for paragraph in "\n\n".join(texts).split("\n\n"):
        if "$$" in paragraph:
            assert re.fullmatch(r"\$\$.*\$\$", paragraph.strip(), re.DOTALL), paragraph
            assert paragraph.count("$$") == 2


def pictures(path):
    """Outputs of a notebook that are pictures; one in progress has none."""
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return [output for output in outputs if "image/png" in output.get("data", {})]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_has_an_alternative_text(path):
    for picture in pictures(path):
        assert len(picture.metadata.get("image/png", {}).get("alt", "")) > 25


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_says_what_it_shows_and_was_drawn_where_its_sliders_start(path):
    """Without that nothing could tell a stale picture; `renew-notebooks` writes them so."""
    for picture in pictures(path):
        assert description(base64.b64decode(picture["data"]["image/png"]))["axes"]
        assert not picture.metadata.get(MARK, {}).get("moved"), "`reprolib renew-notebooks` resets"


def test_notebooks_have_pictures():
    assert sum(len(pictures(path)) for path in NOTEBOOKS) > len(NOTEBOOKS)


def test_texts_are_left_aligned_and_a_long_one_is_not_squeezed():
    frame = pd.DataFrame({"reason": ["short", "long " * 20]}, index=["a", "b"])
    page = left_aligned(frame).data
    assert page.count("<th style") + page.count("<td style") == 6
    assert page.count("min-width") == 1
