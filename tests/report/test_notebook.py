"""Pictures of notebooks carry a text for those who cannot see them."""

from __future__ import annotations

import IPython.display
import matplotlib.pyplot as plt

from reprolib.report.notebook import show


def test_figure_is_shown_once_with_its_alternative_text(monkeypatch):
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda *a, **k: shown.append((a, k)))
    figure, _ = plt.subplots()
    show(figure, "a curve that rises")
    assert shown == [((figure,), {"metadata": {"image/png": {"alt": "a curve that rises"}}})]
    assert not plt.fignum_exists(figure.number)
