"""Figures with captions and alternative text."""

import matplotlib.pyplot as plt
import pytest

from reprolib.papers.kpm import figures
from reprolib.report.captions import captioned, show_drawn
from reprolib.rerun.records import load_paper


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would show, each with the metadata of its display."""
    display = pytest.importorskip("IPython.display")
    shown = []
    monkeypatch.setattr(display, "display", lambda item, **more: shown.append((item, more)))
    return shown


def test_caption_follows_the_figure_and_the_image_has_a_description(shown):
    figure = plt.figure()
    captioned(figure, "Figure 1. A line.", "a line")
    (first, more), (second, _) = shown
    assert first["image/png"].startswith(b"\x89PNG")
    assert more["metadata"]["image/png"]["alt"] == "a line"
    assert second.data == "Figure 1. A line."
    assert not plt.fignum_exists(figure.number)


def test_a_figure_of_the_report_brings_its_description_along(shown):
    show_drawn(figures.paired_differences, load_paper("kpm"), "Figure 2.")
    (_, more), (caption, _) = shown
    listed = {figure.draw: figure.alt for figure in figures.FIGURES}
    assert more["metadata"]["image/png"]["alt"] == listed[figures.paired_differences]
    assert caption.data == "Figure 2."


def test_a_figure_without_description_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"none of FIGURES in .*; list it there, or call show"):
        show_drawn(figures.paper_name, load_paper("kpm"))
