"""Every figure that the package draws keeps the rules of figures."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from PIL import Image

from reprolib.report.style import WIDTH
from reprolib.rerun.records.registry import PAPERS
from tests import all_figures
from tests.suite.shown import FigureTests

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


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
        asked = request.function.__name__
        if key == all_figures.EXAMPLES and "source_of_their_data" in asked:
            pytest.skip("of invented data")
        return made


@pytest.mark.parametrize("name", PAPERS)
def test_pictures_of_a_notebook_are_no_wider_than_a_phone_can_show(name):
    """Texts of nine points are then seven pixels high or more at a width of 400.

    That holds in inches, at whatever resolution they are drawn.
    """
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    pictures = [base64.b64decode(kinds["image/png"]) for kinds in data if "image/png" in kinds]
    drawn = [Image.open(io.BytesIO(picture)) for picture in pictures]
    widths = [round(picture.width / picture.info["dpi"][0], 2) for picture in drawn]
    assert all(width < 1.1 * WIDTH for width in widths), widths
