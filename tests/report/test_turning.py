"""Pictures that turn on any page: the same text on every processor, and a script that works."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import reprolib
from reprolib.report.turning import Box, Turning

#: Bytes of a picture in a notebook.
LARGEST = 300_000
PICTURES = [
    ("kpm", "dimension_and_cost"),
    ("mkpm", "accuracy_at_budget"),
    ("mkmmc", "accuracy_at_weight"),
    ("simplex", "three_losses"),
    ("simplex", "losses_minus_print"),
    ("keops", "auc_and_channels"),
]


@pytest.fixture
def picture():
    """A dot that two sliders move; one of them changes what is said."""
    box = Box((0, 2), (0, 1))

    def dot(x, y):
        return box.mark(min(x, 2), y, "red")

    def told(x):
        return f"x is {x} & </script>"

    return Turning({"x": [0, 1, np.inf], "y": [0, 1]}, [dot], told, start={"x": 1}, drag=box)


def test_a_layer_is_looked_up_by_the_sliders_that_it_names(picture):
    data = picture.data
    assert data["title"]["by"] == [0]
    assert len(data["title"]["of"]) == 3
    assert len(data["layers"][0]["of"]) == 6
    assert data["choices"][0]["labels"] == ["0", "1", "∞"]
    assert data["start"] == [1, 0]


def test_no_text_ends_the_script(picture):
    page = picture._repr_html_()
    assert page.count("</script>") == 2
    held = re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1]
    assert json.loads(held)["title"]["of"]["1"] == "x is 1 & </script>"


def test_a_start_that_was_not_measured_is_answered_with_those_that_were(picture):
    with pytest.raises(ValueError, match="x = 5 was not measured; measured: 0, 1, ∞"):
        picture.at(x=5)
    with pytest.raises(ValueError, match="z = 5 was not measured; measured: none of x, y"):
        picture.at(z=5)


@pytest.mark.parametrize(("key", "name"), PICTURES)
def test_every_picture_is_small_and_is_drawn_wherever_it_is_turned(key, name):
    turned = reprolib.paper(key).turn(name)
    assert len(turned._repr_html_()) < LARGEST
    assert turned._repr_html_() == reprolib.paper(key).turn(name)._repr_html_()
    ET.fromstring(turned.svg)
    for layer in turned.data["layers"]:
        for svg in layer["of"].values():
            ET.fromstring(f"<g>{svg}</g>")
            assert not re.search(r"\bnan\b", svg)
    assert not re.search(r"\bnan\b", " ".join(turned.data["title"]["of"].values()))


def test_sliders_and_fingers_turn_it_in_a_browser(browser, picture, tmp_path):
    page_file = tmp_path / "page.html"
    page_file.write_text(f"<!doctype html><meta charset=utf-8>{picture._repr_html_()}", "utf-8")
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto(page_file.as_uri())
    image, told = page.locator("img"), page.locator("p")
    before = image.get_attribute("src")
    page.locator("input").first.fill("0")
    assert told.text_content() == "x is 0 & </script>"
    assert image.get_attribute("alt") == told.text_content()
    assert image.get_attribute("src") != before
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    box = image.bounding_box()
    page.mouse.click(box["x"] + 0.95 * box["width"], box["y"] + 5)
    assert [page.locator("input").nth(i).input_value() for i in (0, 1)] == ["2", "1"]
    page.close()
