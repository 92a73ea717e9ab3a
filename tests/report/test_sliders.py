"""A picture with sliders where they can be shown."""

from __future__ import annotations

import sys

import pytest

from reprolib.report.sliders import STATIC, sliders

D = {"values": [1, 2, 5], "start": 2}


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


def test_widgets_are_one_slider_a_choice(drawn, monkeypatch):
    class Widgets:
        SelectionSlider = staticmethod(lambda **options: options)

        @staticmethod
        def interact(draw, **given):
            for name, slider in given.items():
                drawn.append((name, slider["options"], slider["value"]))

    monkeypatch.setitem(sys.modules, "ipywidgets", Widgets)
    sliders(print, D=D)
    assert drawn == [("D", [1, 2, 5], 2)]


def test_a_start_that_is_no_choice_is_refused():
    with pytest.raises(ValueError, match="D starts at 3, which is none of"):
        sliders(print, D={"values": [1, 2], "start": 3})
