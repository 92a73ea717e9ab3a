"""Notebooks can be read on every page made of them: pictures have a text, formulas are formulas."""

from __future__ import annotations

from pathlib import Path

import IPython.display
import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from reprolib.report.notebook import UNFOLDED, Claims, left_aligned, show
from tests.suite.shown import NotebookTests, pictures

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


@pytest.fixture
def displays(monkeypatch):
    """What a notebook would show, each with the metadata of its display."""
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda item, **more: shown.append((item, more)))
    return shown


class TestNotebooks(NotebookTests):
    @pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
    def notebook(self, request):
        return nbformat.read(request.param, as_version=4)


def test_notebooks_have_pictures():
    read = [nbformat.read(path, as_version=4) for path in NOTEBOOKS]
    assert sum(len(pictures(notebook)) for notebook in read) > len(NOTEBOOKS)


def test_texts_are_left_aligned_and_a_long_one_is_not_squeezed():
    frame = pd.DataFrame({"reason": ["short", "long " * 20]}, index=["a", "b"])
    page = left_aligned(frame).data
    assert page.count("<th style") + page.count("<td style") == 6
    assert page.count("min-width") == 1


def test_of_many_claims_the_first_are_unfolded_and_none_is_lost():
    names = [f"claim {i}." for i in range(UNFOLDED + 3)]
    texts = {"interval": "-1 to +1 (95 %)", "surely": "within 1; noise × 2", "all variants": ""}
    claims = Claims({"sentence": "", "claim": names, "compared": "KPM − SVM", **texts})
    claims.index = ["○ undecided"] * len(names)
    page = claims._repr_html_()
    seen, folded = page.split("<details>")
    assert all(name in seen for name in names[:UNFOLDED])
    assert all(name in folded for name in names[UNFOLDED:])
    assert "<summary>3 more (3 undecided)</summary>" in folded
    assert page.count("<br><small>KPM − SVM</small>") == len(names)
    assert page.count("(95 %)<br><small>within 1; noise × 2</small>") == len(names)
    assert "<details>" not in Claims(claims.iloc[:UNFOLDED])._repr_html_()
