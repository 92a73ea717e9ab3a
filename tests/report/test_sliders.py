"""A picture with sliders where they can be shown, and the same for nbval with and without."""

from __future__ import annotations

import re
import sys
import textwrap
from typing import ClassVar

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from traitlets import Any, HasTraits

from reprolib.report.notebook import sliders

D = {"values": [1, 2, 5], "start": 2}
VIEW = "application/vnd.jupyter.widget-view+json"
DRAW = """
    from IPython.display import HTML, display
    import matplotlib.pyplot as plt
    from reprolib.report.notebook import setup, show
    from reprolib.report.notebook import sliders

    setup()

    def draw(D, gamma):
        print("a line of text")
        display(HTML("a caption"), metadata={"text/html": {"gamma": gamma}})
        show(plt.subplots(1, D)[0], f"{D} axes")

    sliders(draw, D={"values": [1, 2, 5], "start": 2}, gamma={"values": [3, 4], "start": 3})
    """
WIDGETS = """
    import sys
    from tests.report import test_sliders

    sys.modules["ipywidgets"] = test_sliders.Widgets
    """
NO_WIDGETS = "import sys; sys.modules['ipywidgets'] = None"
MOVE = "first, second = test_sliders.SelectionSlider.made\nfirst.value, second.value = 5, 4"


class SelectionSlider(HasTraits):
    """Slider without a browser; an output widget there is none."""

    made: ClassVar[list] = []
    value = Any()

    def __init__(self, options, value, description, continuous_update):
        super().__init__(value=value)
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
    sliders(lambda D: drawn.append(D), D=D)
    assert drawn == [2]


def test_nbval_sees_the_same_with_widgets_without_and_after_moving_them():
    _, plain = executed(NO_WIDGETS, DRAW)
    _, still, _ = executed(WIDGETS, DRAW, "1")
    _, moved, after = executed(WIDGETS, DRAW, MOVE)
    assert [output["data"].keys() for output in still[:2]] == [{VIEW}, {VIEW}]
    assert compared(plain) == compared(still) == compared(moved)
    assert len(compared(plain)) == 3
    assert not after, "what changes is drawn over"


def test_a_moved_slider_draws_over_the_picture_and_says_where_it_stands():
    _, moved, _ = executed(WIDGETS, DRAW, MOVE)
    _, still = executed(NO_WIDGETS, DRAW)
    assert moved[-1]["data"]["image/png"] != still[-1]["data"]["image/png"]
    assert moved[-1]["metadata"]["image/png"] == {"alt": "5 axes"}
    note = {"sliders": {"D": 5, "gamma": 4}, "moved": True}
    assert moved[-1]["metadata"]["reprolib"] == note
    assert not still[-1]["metadata"]["reprolib"]["moved"]
    assert moved[-2]["metadata"]["text/html"] == {"gamma": 4}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print('D is', D)", "at D = 1, gamma = 3 differs.*D is 2.*becomes.*D is 1"),
        ("display(HTML(f'gamma is {gamma}'))", "'gamma is 3' becomes 'gamma is 4'"),
        ("display(HTML('end')) if D == 5 else None", "at D = 5.*'nothing' becomes 'end'"),
    ],
)
def test_a_text_that_follows_a_slider_is_refused(text, told):
    """A saved notebook with moved sliders would fail nbval, and only a browser would find it."""
    draw = DRAW.replace('display(HTML("a caption"), metadata={"text/html": {"gamma": gamma}})', "")
    draw = draw.replace('f"{D} axes")', f'f"{{D}} axes")\n        {text}')
    with pytest.raises(CellExecutionError) as refused:
        executed(NO_WIDGETS, draw)
    assert re.search(told, refused.value.evalue)


def test_a_start_that_is_no_choice_is_refused():
    with pytest.raises(ValueError, match="D starts at 3, which is none of"):
        sliders(print, D={"values": [1, 2], "start": 3})
