"""A picture carries what it shows, and another picture is told from it."""

from __future__ import annotations

import base64
import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_output
from PIL import Image

from reprolib.report.picture import description, png
from tests.notebook_outputs import StaleError, check, differences, same_text

X = np.linspace(0, 5, 40)


def figure(shift=0.0, text="a title", colour="C0", waves=1.0):
    """A line, marks with error bars, bars, an image and contours."""
    made, axes = plt.subplots(1, 3, figsize=(6, 2))
    made.suptitle("above")
    axes[0].plot(X, np.sin(X) + shift, color=colour)
    axes[0].scatter(X[:5], X[:5] ** 2)
    axes[0].errorbar([1, 2], [3, 4 + shift], yerr=[0.1, 0.2], fmt="o")
    axes[0].set(title=text, xlim=(0, 5), ylim=(-2, 26))
    axes[1].bar([1, 2, 3], [4, 5, 6 + shift])
    axes[1].set_yscale("log")
    grid = np.add.outer(np.arange(40), np.arange(40)) * (1.0 + shift)
    axes[2].imshow(grid, vmin=0, vmax=100)
    axes[2].contour(np.cos(waves * grid / 20))
    return made


def shown(**changes):
    made = figure(**changes)
    picture = png(made)
    plt.close(made)
    return picture


def faults(**changes):
    return list(differences(description(shown()), description(shown(**changes))))


def cell(picture):
    data = {"image/png": base64.b64encode(picture).decode(), "text/plain": "<Figure>"}
    output = new_output("display_data", data, metadata={"image/png": {"alt": "a curve"}})
    return new_code_cell(outputs=[output])


def test_the_same_picture_has_no_faults():
    assert faults() == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"shift": 0.5}, "points"),
        ({"text": "another title"}, "“a title” in the file, “another title” now"),
        ({"colour": "red"}, "other colours"),
        ({"waves": 1.5}, "clouds"),
    ],
)
def test_another_picture_has(changes, fault):
    assert fault in "\n".join(faults(**changes))


@pytest.mark.parametrize("shift", [1e-4, -1e-4])
def test_the_last_digits_of_another_processor_are_none(shift):
    assert faults(shift=shift) == []


def test_what_is_carried_along_is_small_and_leaves_the_pixels_as_they_are():
    made, plain = figure(), io.BytesIO()
    made.savefig(plain, format="png", dpi=made.dpi, bbox_inches="tight")
    picture = png(made)
    plt.close(made)
    assert len(picture) < len(plain.getvalue()) + 2000
    pixels = [np.asarray(Image.open(io.BytesIO(p))) for p in (picture, plain.getvalue())]
    assert np.array_equal(*pixels)


def test_a_swapped_or_plain_picture_fails_the_cell_and_is_named():
    now = cell(shown()).outputs
    check(cell(shown()), now, ignored=False)
    with pytest.raises(StaleError, match="picture “a curve”: axes 1: points"):
        check(cell(shown(shift=0.5)), now, ignored=False)
    plain = io.BytesIO()
    Image.new("RGB", (2, 2)).save(plain, "PNG")
    with pytest.raises(StaleError, match="does not say what it shows"):
        check(cell(plain.getvalue()), now, ignored=False)
    with pytest.raises(StaleError, match="the file has 1 pictures, the cell draws 0"):
        check(cell(shown()), [], ignored=False)


def test_a_picture_of_moved_sliders_is_not_compared_with_that_of_the_start():
    saved, now = cell(shown(shift=0.5)), cell(shown()).outputs
    for output, value in [(saved.outputs[0], 7), (now[0], 6)]:
        output.metadata["reprolib"] = {"sliders": {"D": value}}
    check(saved, now, ignored=False)
    now[0].metadata["reprolib"] = {"sliders": {"D": 7}}
    with pytest.raises(StaleError):
        check(saved, now, ignored=False)


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ("KPM  16.43", "KPM 16.43", True),
        ("KPM 16.43", "KPM 16.44", True),
        ("KPM 16.43", "KPM 17.43", False),
        ("KPM 6", "KPM 7", False),
        ("KPM 16.43", "SVM 16.43", False),
        ("KPM -0.5", "KPM 0.5", False),
    ],
)
def test_texts_differ_by_more_than_the_last_digit(before, now, same):
    assert same_text(before, now) == same


def test_a_changed_digit_where_nbval_is_told_to_ignore_outputs_is_found():
    saved = new_code_cell(outputs=[new_output("execute_result", {"text/plain": "KPM 16.43"})])
    now = [new_output("execute_result", {"text/plain": "KPM 19.43"})]
    check(saved, now, ignored=False)
    with pytest.raises(StaleError, match=r"KPM 16.43” in the file, “KPM 19.43” now"):
        check(saved, now, ignored=True)
