"""Rules that every figure keeps: what a reader needs to read it."""

from __future__ import annotations

import itertools
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

import data_fetch
from tests import all_figures

SOURCES = ("original", "partial", "resampled", "embedded")


@pytest.fixture(scope="module", params=all_figures.KEYS)
def figures(request):
    """Key of a paper, and its figures as drawn."""
    made = all_figures.figures_of(request.param)
    for figure in made.values():
        figure.canvas.draw()
    yield request.param, made
    plt.close("all")


def axes_of(figures):
    """Caption and axis of all that shows data, colour bars apart."""
    for caption, figure in figures[1].items():
        for axis in figure.axes:
            if axis.get_label() != "<colorbar>" and axis.has_data():
                yield caption, axis


def texts_of(figure):
    found = [*figure.texts]
    for axis in figure.axes:
        found += [axis.title, axis.xaxis.label, axis.yaxis.label, *axis.texts]
        found += [*axis.get_xticklabels(), *axis.get_yticklabels()]
    legends = [*figure.legends, *(a.get_legend() for a in figure.axes if a.get_legend())]
    return [t.get_text() for t in found] + [t.get_text() for g in legends for t in g.get_texts()]


def test_every_number_drawn_is_finite_or_left_out_and_most_are_in_sight(figures):
    for caption, axis in axes_of(figures):
        low, high = np.sort(axis.get_ylim())
        for line in axis.lines:
            x, y = np.ma.filled(np.ma.asarray(line.get_xydata(), dtype=float), np.nan).T
            assert not np.isinf(y).any(), caption
            inside = y[np.isfinite(y) & np.isfinite(x)]
            if line.get_transform() == axis.transData and len(inside) > 2:
                assert np.mean((low <= inside) & (inside <= high)) > 0.5, caption


def test_an_axis_with_a_scale_says_what_it_shows(figures):
    """A label, names instead of numbers, a title, or the label of the axis that it shares."""
    for caption, axis in axes_of(figures):
        for side in (axis.xaxis, axis.yaxis):
            shown = axis.axison and any(
                t.get_visible() and t.get_text() for t in side.get_ticklabels()
            )
            names = [t.get_text() for t in side.get_ticklabels()]
            named = any(re.search("[A-Za-z]", name.replace("\\mathdefault", "")) for name in names)
            row = (
                {a.get_ylabel() for a in axis.figure.axes}
                if side is axis.yaxis
                else {a.get_xlabel() for a in axis.figure.axes}
            )
            assert not shown or side.label.get_text() or named or axis.get_title() or any(row), (
                caption,
                names,
            )


def test_lines_with_different_labels_can_be_told_apart(figures):
    for caption, axis in axes_of(figures):
        told = {
            line.get_label(): (to_hex(line.get_color()), line.get_linestyle(), line.get_marker())
            for line in axis.lines
            if not line.get_label().startswith("_")
        }
        for one, other in itertools.combinations(told, 2):
            assert told[one] != told[other], (caption, one, other)


def test_labelled_lines_have_a_legend(figures):
    for caption, figure in figures[1].items():
        labelled = {text for axis in figure.axes for text in axis.get_legend_handles_labels()[1]}
        legends = [*figure.legends, *(a.get_legend() for a in figure.axes if a.get_legend())]
        said = {t.get_text() for legend in legends for t in legend.get_texts()}
        assert len(labelled) < 2 or labelled <= said, caption


def test_no_text_shows_what_only_code_should_see(figures):
    """No value that is missing, and no name with an underscore but those of the data sets."""
    names = {part for name in data_fetch.names() for part in name.split("/")}
    for caption, figure in figures[1].items():
        for text in texts_of(figure):
            plain = re.sub(r"\$[^$]*\$", "", text)
            assert not re.search(r"\bnan\b|\bNone\b|\binf\b", plain), (caption, text)
            assert set(re.findall(r"[a-z]{2,}_[a-z_]+", plain)) <= names, (caption, text)


def test_figures_of_records_name_the_source_of_their_data(figures):
    key, made = figures
    if key == all_figures.EXAMPLES:
        pytest.skip("of invented data")
    for caption, figure in made.items():
        assert any(source in text for text in texts_of(figure) for source in SOURCES), caption
