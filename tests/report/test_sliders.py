"""A picture with sliders where they can be shown, and the same for nbval with and without."""

from __future__ import annotations

import sys
import textwrap
from typing import ClassVar

import matplotlib.pyplot as plt
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from traitlets import Any, HasTraits

from reprolib.report.notebook import sliders

VIEW = "application/vnd.jupyter.widget-view+json"
DRAW = """
    import numpy as np
    import matplotlib.pyplot as plt
    from reprolib.report.notebook import setup, sliders

    setup()

    def draw(D=2, gamma=3):
        return plt.subplots(1, 5 if np.isinf(D) else D)[0]

    sliders(draw, "axes", D=[1, 2, np.int64(4), np.inf], gamma=[3, 4])
    """
WIDGETS = """
    import sys
    from tests.report import test_sliders

    sys.modules["ipywidgets"] = test_sliders.Widgets
    """
NO_WIDGETS = "import sys; sys.modules['ipywidgets'] = None"
MOVE = "first, second = test_sliders.SelectionSlider.made\nfirst.value, second.value = 4, 4"


class SelectionSlider(HasTraits):
    """Slider without a browser; an output widget there is none."""

    made: ClassVar[list] = []
    value = Any()

    def __init__(self, options, value, description, continuous_update):
        super().__init__(value=value)
        self.labels = [label for label, _ in options]
        self.description = description
        self.made.append(self)

    def _repr_mimebundle_(self, **_):
        return {"text/plain": "SelectionSlider()", VIEW: {"model_id": self.description}}


class Widgets:
    SelectionSlider = SelectionSlider


def executed(*cells: str) -> list:
    """Outputs of every cell, run one after the other."""
    notebook = new_notebook(cells=[new_code_cell(textwrap.dedent(cell)) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
    return [cell.outputs for cell in notebook.cells]


def compared(outputs) -> list:
    """What nbval compares: texts, neither pictures nor views of widgets."""
    return [
        {kind: text for kind, text in output["data"].items() if kind not in ("image/png", VIEW)}
        for output in outputs
        if output["data"].keys() - {"image/png", VIEW}
    ]


def test_outside_a_notebook_the_start_is_drawn_once(monkeypatch):
    drawn = []
    monkeypatch.setitem(sys.modules, "ipywidgets", Widgets)

    def draw(D=2):
        drawn.append(D)
        return plt.figure()

    sliders(draw, "a figure", D=[1, 2, 5])
    assert drawn == [2]


@pytest.fixture(scope="module")
def plain():
    """Outputs where sliders cannot be shown."""
    return executed(NO_WIDGETS, DRAW)[-1]


@pytest.fixture(scope="module")
def after_moving():
    """Outputs of the picture, and of the cell that moved its sliders."""
    return executed(WIDGETS, DRAW, MOVE)[1:]


def test_nbval_sees_the_same_with_widgets_without_and_after_moving_them(plain, after_moving):
    _, still, _ = executed(WIDGETS, DRAW, "1")
    moved, after = after_moving
    assert [output["data"].keys() for output in still[:2]] == [{VIEW}, {VIEW}]
    assert compared(plain) == compared(still) == compared(moved)
    assert len(compared(plain)) == 1
    assert not after, "what changes is drawn over"


def test_a_moved_slider_draws_over_the_picture_and_says_where_it_stands(plain, after_moving):
    (moved, _), still = after_moving, plain
    assert moved[-1]["data"]["image/png"] != still[-1]["data"]["image/png"]
    assert moved[-1]["metadata"]["image/png"] == {"alt": "axes: D = 4, gamma = 4"}
    note = {"sliders": {"D": "4", "gamma": "4"}, "moved": True}
    assert moved[-1]["metadata"]["reprolib"] == note
    assert not still[-1]["metadata"]["reprolib"]["moved"]


def test_infinity_is_a_value_of_a_slider():
    """It ended in "Message serialization failed": JSON has no such number."""
    move = "first, _ = test_sliders.SelectionSlider.made\nfirst.value = np.inf\nprint(first.labels)"
    _, shown, (printed,) = executed(WIDGETS, DRAW, move)
    assert shown[-1]["metadata"]["reprolib"]["sliders"]["D"] == "∞"
    assert printed["text"] == "['1', '2', '4', '∞']\n"


def test_a_start_that_is_no_choice_is_refused():
    with pytest.raises(ValueError, match="D starts at 3, which is none of"):
        sliders(lambda D=3: plt.figure(), "a figure", D=[1, 2])
