"""A picture with sliders where they can be shown."""

from __future__ import annotations

import sys
import textwrap
from typing import ClassVar

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from traitlets import Any, HasTraits

from reprolib.report.sliders import STATIC, sliders

D = {"values": [1, 2, 5], "start": 2}


class SelectionSlider(HasTraits):
    """Slider without a browser; an output widget there is none."""

    made: ClassVar[list] = []
    value = Any()

    def __init__(self, options, value, description, continuous_update):
        super().__init__(value=value)
        self.description = description
        self.made.append(self)

    def __repr__(self):
        return f"slider {self.description}"


class Widgets:
    SelectionSlider = SelectionSlider


@pytest.fixture
def drawn(monkeypatch):
    monkeypatch.delenv(STATIC, raising=False)
    return []


def test_without_widgets_the_start_is_drawn_once(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    sliders(lambda D: drawn.append(D), D=D)
    assert drawn == [2]


def test_static_output_has_no_widgets(drawn, monkeypatch):
    monkeypatch.setenv(STATIC, "1")
    monkeypatch.setitem(sys.modules, "ipywidgets", object())
    sliders(lambda D: drawn.append(D), D=D)
    assert drawn == [2]


def test_outside_a_notebook_the_start_is_drawn_once(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", Widgets)
    sliders(lambda D: drawn.append(D), D=D)
    assert drawn == [2]


def test_sliders_draw_over_the_picture_without_an_output_widget(monkeypatch):
    monkeypatch.delenv(STATIC, raising=False)
    cells = [
        """
        import sys
        from tests.report import test_sliders

        sys.modules["ipywidgets"] = test_sliders.Widgets
        """,
        """
        from IPython.display import HTML, display
        from reprolib.report.sliders import sliders

        def draw(D, gamma):
            print("D is", D)
            display(HTML(f"gamma is {gamma}"), metadata={"text/html": {"alt": str(gamma)}})

        sliders(draw, D={"values": [1, 2, 5], "start": 2}, gamma={"values": [3, 4], "start": 3})
        """,
        "first, second = test_sliders.SelectionSlider.made\nfirst.value, second.value = 5, 4",
    ]
    notebook = new_notebook(cells=[new_code_cell(textwrap.dedent(cell)) for cell in cells])
    client = NotebookClient(notebook, kernel_name="python3", timeout=60)
    with client.setup_kernel():
        for index in (0, 1):
            client.execute_cell(notebook.cells[index], index)
        assert texts(notebook.cells[1]) == ["slider D", "slider gamma", "D is 2", "gamma is 3"]
        client.execute_cell(notebook.cells[2], 2)
    assert texts(notebook.cells[1]) == ["slider D", "slider gamma", "D is 5", "gamma is 4"]
    assert notebook.cells[1].outputs[-1].metadata["text/html"] == {"alt": "4"}
    assert not notebook.cells[2].outputs, "what changes is drawn over"


def texts(cell):
    bundles = [output["data"] for output in cell.outputs]
    return [bundle.get("text/html", bundle["text/plain"]).strip() for bundle in bundles]


def test_a_start_that_is_no_choice_is_refused():
    with pytest.raises(ValueError, match="D starts at 3, which is none of"):
        sliders(print, D={"values": [1, 2], "start": 3})
