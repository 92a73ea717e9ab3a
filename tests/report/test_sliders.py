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

import reprolib
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


AT_D = """
    import numpy as np
    import matplotlib.pyplot as plt
    from reprolib.report.notebook import require_measured, setup, show, sliders

    setup()

    def draw(D):
        require_measured("D", D, [1, 2, np.inf])
        show(plt.figure(), f"D = {D}")

    sliders(draw, D={"values": [1, 17, np.int64(2), np.inf], "start": 1})
    """
TO = "(one,) = test_sliders.SelectionSlider.made\none.value = {}\nprint(one.labels)"


def test_a_value_that_was_not_measured_is_said_with_those_that_were():
    """Of KPM it showed the next smaller one."""
    _, shown, _ = executed(WIDGETS, AT_D, TO.format(17))
    (picture,) = [output for output in shown if "image/png" in output["data"]]
    alt = "D = 17 was not measured; measured: 1, 2, ∞"
    assert picture["metadata"]["image/png"] == {"alt": alt}


def test_infinity_is_a_value_of_a_slider():
    """It ended in "Message serialization failed": JSON has no such number."""
    _, shown, (printed,) = executed(WIDGETS, AT_D, TO.format("np.inf"))
    assert shown[-1]["metadata"]["reprolib"] == {"sliders": {"D": "∞"}, "moved": True}
    assert printed["text"] == "['1', '17', '2', '∞']\n"
    _, shown, _ = executed(WIDGETS, AT_D, TO.format("np.int64(2)"))
    assert shown[-1]["metadata"]["reprolib"] == {"sliders": {"D": 2}, "moved": True}


@pytest.mark.parametrize(
    ("key", "name", "values", "told"),
    [
        ("kpm", "at_dimension_and_cost", {"dataset": "raetsch/heart", "D": 17, "C": 1.0}, "D = 17"),
        ("kpm", "at_dimension_and_cost", {"dataset": "raetsch/heart", "D": 10, "C": 2.0}, "C = 2"),
        ("simplex", "line_up", {"schedule": "last", "row": "SC-SVM Online (ho)"}, "schedule = l"),
        ("simplex", "line_up", {"schedule": "headline", "row": "SC-SVM"}, "row = SC-SVM"),
        ("keops", "under_control", {"control": "as in Table"}, "control = as in Table"),
    ],
)
def test_a_picture_of_what_was_not_measured_is_refused(key, name, values, told):
    with pytest.raises(ValueError, match=rf"{told}.* was not measured; measured: "):
        reprolib.paper(key).picture(name, **values)


def test_a_misspelt_data_set_of_a_picture_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="dataset is 'statlog/dan'; did you mean 'statlog/dna'"):
        reprolib.paper("mkpm").picture("at_budget", dataset="statlog/dan", d=439)


def test_of_a_budget_beside_the_measured_ones_the_title_says_so():
    picture = reprolib.paper("mkpm").picture("at_budget", dataset="statlog/dna", d=200)
    assert "d = 206 (200 was not measured; dotted)" in picture.figure.axes[0].get_title()


def test_a_picture_that_finds_nothing_says_for_what():
    with pytest.raises(ValueError, match=r"'at_weight'.*drawn with column='ORL, 9 train'"):
        reprolib.paper("mkmmc").picture("at_weight", column="ORL, 9 train", weight=1.0)
