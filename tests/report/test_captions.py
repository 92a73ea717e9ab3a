"""Figures with captions and alternative text."""

import matplotlib.pyplot as plt
import pytest

from reprolib.report.captions import captioned


def test_caption_follows_the_figure_and_the_image_has_a_description(monkeypatch):
    display = pytest.importorskip("IPython.display")
    shown = []
    monkeypatch.setattr(display, "display", lambda item, **more: shown.append((item, more)))
    figure = plt.figure()
    captioned(figure, "Figure 1. A line.", "a line")
    (first, more), (second, _) = shown
    assert first["image/png"].startswith(b"\x89PNG")
    assert more["metadata"]["image/png"]["alt"] == "a line"
    assert second.data == "Figure 1. A line."
    assert not plt.fignum_exists(figure.number)
