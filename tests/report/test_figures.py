"""Every figure that the package draws keeps the rules of figures."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from reprolib.suite import FigureTests
from tests import all_figures


@pytest.fixture(scope="module", params=all_figures.KEYS)
def drawn(request):
    """Key of a paper, and its figures as drawn."""
    made = all_figures.figures_of(request.param)
    for figure in made.values():
        figure.canvas.draw()
    yield request.param, made
    plt.close("all")


class TestFigures(FigureTests):
    @pytest.fixture
    def figures(self, drawn, request):
        key, made = drawn
        if key == all_figures.EXAMPLES and "source_of_their_data" in request.function.__name__:
            pytest.skip("of invented data")
        if key == "across" and {"phone", "labels"} & set(request.function.__name__.split("_")):
            pytest.skip("the tables of all methods are wider than a phone")
        return made
