"""The gallery has every figure of the report, and its lines of code draw them."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reprolib.report.paper_figures import report_figures
from reprolib.report.style import use_style
from reprolib.rerun.registry import PAPERS, STUDIES

DOCS = Path(__file__).parents[2] / "docs"
ALL = (*PAPERS, *STUDIES)


@pytest.fixture
def gallery(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    import gallery

    with mpl.rc_context({"backend": "agg"}):
        use_style()
        yield gallery
        plt.close("all")


def picture(figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=40)
    return buffer.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("paper", ALL)
def test_the_lines_of_every_figure_draw_it(paper, gallery, monkeypatch):
    found = gallery.entries(paper)
    assert found
    for entry in found:
        plt.close("all")
        monkeypatch.setattr(plt, "show", lambda: None)
        assert entry.code.count("\n") == 3
        exec(compile(gallery.imports(paper) + entry.code, entry.caption, "exec"), {})
        (number,) = plt.get_fignums()
        assert picture(plt.figure(number)) == picture(entry.figure), entry.caption


@pytest.mark.slow
def test_the_page_shows_every_figure_with_its_caption_and_a_description(
    gallery, tmp_path, monkeypatch
):
    captions: list[str] = []

    def noting(paper, records):
        figures = report_figures(paper, records)
        captions.extend(figures)
        return figures

    monkeypatch.setattr(gallery, "report_figures", noting)
    gallery.write_gallery(tmp_path / "gallery.md", tmp_path / "pictures")
    text = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```\{figure\} (.*)\n:alt: \"(.*)\"$", text, flags=re.MULTILINE)
    assert len(shown) == len(captions) >= len(ALL)
    assert all((tmp_path / name).stat().st_size > 1000 for name, _ in shown)
    assert all(f".** {caption}\n" in text for caption in captions)
    assert all(alt for _, alt in shown)


@pytest.mark.parametrize("paper", ALL)
def test_descriptions_are_those_of_the_notebook(paper, gallery):
    for name, text in gallery.alternative_texts(paper).items():
        assert name.isidentifier()
        assert len(text) > 40


def test_a_figure_that_no_function_of_the_records_draws_is_named(gallery, monkeypatch):
    monkeypatch.setattr(gallery, "report_figures", lambda *args: {"Lonely": plt.figure()})
    with pytest.raises(ValueError, match="figure 'Lonely' of .* write one in"):
        gallery.entries(ALL[0])


def test_a_paper_without_results_has_no_entries(gallery, monkeypatch):
    monkeypatch.setattr(gallery, "load_paper", lambda paper: pd.DataFrame())
    assert gallery.entries(ALL[0]) == []
