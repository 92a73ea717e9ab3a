"""The gallery has every figure of the report, and its lines of code draw them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reprolib.report.paper_figures import paper_figures
from reprolib.report.style import use_style
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import PAPERS

DOCS = Path(__file__).parents[2] / "docs"
ALL = PAPERS


@pytest.fixture(scope="module")
def gallery():
    with pytest.MonkeyPatch.context() as patch, mpl.rc_context({"backend": "agg"}):
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        import gallery

        use_style()
        yield gallery
        plt.close("all")


@pytest.fixture(scope="module")
def drawn(gallery, paper):
    """Entries of a paper."""
    return gallery.entries(paper)


def shown(figure) -> list:
    """What a figure shows: texts, lines, patches, points and images."""
    found: list[object] = []
    for artist in figure.findobj():
        for told in ("get_text", "get_xydata", "get_verts", "get_offsets", "get_array"):
            if hasattr(artist, told):
                found.append((type(artist).__name__, told, str(getattr(artist, told)())))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("paper", ALL, scope="module")
def test_the_lines_of_every_figure_draw_it(paper, drawn, gallery, monkeypatch):
    assert drawn
    for entry in drawn:
        plt.close("all")
        monkeypatch.setattr(plt, "show", lambda: None)
        assert entry.code.count("\n") == 3
        exec(compile(gallery.imports(paper) + entry.code, entry.caption, "exec"), {})
        (number,) = plt.get_fignums()
        assert shown(plt.figure(number)) == shown(entry.figure), entry.caption


@pytest.mark.slow
@pytest.mark.parametrize("paper", ALL, scope="module")
def test_the_page_shows_every_figure_with_its_caption_and_a_description(
    paper, drawn, gallery, tmp_path, monkeypatch
):
    monkeypatch.setattr(gallery, "entries", {paper: drawn}.__getitem__)
    monkeypatch.setattr(gallery, "use_style", lambda: None)  # it is that of the fixture
    with mpl.rc_context({"savefig.dpi": 40}):
        gallery.write_gallery(tmp_path / "gallery.md", tmp_path / "pictures", [paper])
    text = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```\{figure\} (.*)\n:alt: \"(.*)\"$", text, flags=re.MULTILINE)
    captions = [figure.caption for figure in paper_figures(paper, load_paper(paper))]
    assert len(shown) == len(captions) >= 1
    assert all((tmp_path / name).stat().st_size > 1000 for name, _ in shown)
    assert all(f".** {caption}\n" in text for caption in captions)
    assert all(alt for _, alt in shown)


def test_the_page_is_of_all_papers(gallery, tmp_path, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(gallery, "entries", lambda paper: asked.append(paper) or [])
    gallery.write_gallery(tmp_path / "gallery.md", tmp_path / "pictures")
    assert tuple(asked) == ALL


@pytest.mark.parametrize("paper", ALL)
def test_figures_are_drawn_by_public_functions_and_say_what_they_show(paper):
    listed = paper_figures(paper, load_paper(paper))
    names = [figure.draw.__name__ for figure in listed]
    assert len(set(names)) == len({figure.caption for figure in listed}) == len(listed)
    assert not [name for name in names if name.startswith("_") or not name.isidentifier()]
    assert all(len(figure.alternative) > 30 for figure in listed)


def test_a_paper_without_results_has_no_entries(gallery, monkeypatch):
    monkeypatch.setattr(gallery, "load_paper", lambda paper: pd.DataFrame())
    assert gallery.entries(ALL[0]) == []
