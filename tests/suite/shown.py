"""A paper's figures and its notebook: what a reader needs to read them."""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator, Mapping

import nbformat
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

import data_fetch
from reprolib.report.notebook import MARK
from reprolib.report.picture import description

SOURCES = ("original", "partial", "resampled", "embedded")
#: Pixels: width of a figure on a phone, and height of its letters there.
PHONE, LEGIBLE = 400, 7.5
#: Characters that say what a picture shows.
ALT_LENGTH = 25


def axes_of(figures: Mapping[str, Figure]) -> Iterator[tuple[str, Axes]]:
    """Caption and axis of all that shows data, colour bars apart."""
    for caption, figure in figures.items():
        for axis in figure.axes:
            if axis.get_label() != "<colorbar>" and axis.has_data():
                yield caption, axis


def legends_of(figure: Figure) -> list[Legend]:
    """Legends of a figure and of its axes."""
    of_axes = (axis.get_legend() for axis in figure.axes)
    return [*figure.legends, *(legend for legend in of_axes if legend is not None)]


def texts_of(figure: Figure) -> list[str]:
    """All texts of a figure."""
    return [text.get_text() for text in text_artists(figure)]


def text_artists(figure: Figure) -> list[Text]:
    """What draws the texts of a figure."""
    found = [*figure.texts]
    for axis in figure.axes:
        found += [axis.title, axis.xaxis.label, axis.yaxis.label, *axis.texts]
        found += [*axis.get_xticklabels(), *axis.get_yticklabels()]
    return [*found, *(text for legend in legends_of(figure) for text in legend.get_texts())]


def labels_that_collide(figure: Figure) -> Iterator[tuple[str, str]]:
    """Pairs of titles, labels and names of ticks that are drawn over each other."""
    found = [*figure.texts]
    for axis in figure.axes:
        if axis.get_visible() and axis.axison:
            found += [axis.title, axis.xaxis.label, axis.yaxis.label]
            for side in (axis.xaxis, axis.yaxis):
                low, high = sorted(side.get_view_interval())
                ticks = zip(side.get_majorticklocs(), side.get_ticklabels(), strict=False)
                found += [label for place, label in ticks if low <= place <= high]
    straight = [text for text in found if text.get_rotation() in (0, 90)]
    seen = [(t, t.get_window_extent()) for t in straight if t.get_visible() and t.get_text()]
    for (one, a), (other, b) in itertools.combinations(seen, 2):
        overlap = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(overlap) > 2:
            yield one.get_text(), other.get_text()


def is_told(axis: Axes, side: Axis) -> bool:
    """Whether a side of an axis shows no scale, or something says what the scale is of."""
    labels = [t.get_text() for t in side.get_ticklabels() if t.get_visible()]
    if not axis.axison or not any(labels):
        return True
    of_figure = axis.figure.axes
    shared = [a.get_ylabel() if side is axis.yaxis else a.get_xlabel() for a in of_figure]
    names = [t.get_text().replace("\\mathdefault", "") for t in side.get_ticklabels()]
    has_names = any(re.search("[A-Za-z]", name) for name in names)
    return bool(side.label.get_text() or has_names or axis.get_title() or any(shared))


class FigureTests:
    """Of figures by caption, as drawn."""

    def test_every_number_drawn_is_finite_or_left_out_and_most_are_in_sight(self, figures):
        """No curve runs out of its axes."""
        for caption, axis in axes_of(figures):
            low, high = np.sort(axis.get_ylim())
            for line in axis.lines:
                x, y = np.ma.filled(np.ma.asarray(line.get_xydata(), dtype=float), np.nan).T
                assert not np.isinf(y).any(), caption
                inside = y[np.isfinite(y) & np.isfinite(x)]
                if line.get_transform() == axis.transData and len(inside) > 2:
                    assert np.mean((low <= inside) & (inside <= high)) > 0.5, caption

    def test_an_axis_with_a_scale_says_what_it_shows(self, figures):
        """A label, names instead of numbers, a title, or the label of the axis that it shares."""
        for caption, axis in axes_of(figures):
            for side in (axis.xaxis, axis.yaxis):
                assert is_told(axis, side), f"{caption}: an axis without a label"

    def test_lines_with_different_labels_can_be_told_apart(self, figures):
        """By colour, dashes or marks."""
        for caption, axis in axes_of(figures):
            labelled = {str(line.get_label()): line for line in axis.lines}
            looks = {
                label: (to_hex(line.get_color()), line.get_linestyle(), line.get_marker())
                for label, line in labelled.items()
                if not label.startswith("_")
            }
            for one, other in itertools.combinations(looks, 2):
                assert looks[one] != looks[other], (caption, one, other)

    def test_labelled_lines_have_a_legend(self, figures):
        """Where there are two or more."""
        for caption, figure in figures.items():
            labelled = {
                text for axis in figure.axes for text in axis.get_legend_handles_labels()[1]
            }
            said = {t.get_text() for legend in legends_of(figure) for t in legend.get_texts()}
            assert len(labelled) < 2 or labelled <= said, caption

    def test_no_text_shows_what_only_code_should_see(self, figures):
        """No value that is missing, and no name with an underscore but those of the data sets."""
        names = {part for name in data_fetch.names() for part in name.split("/")}
        for caption, figure in figures.items():
            for text in texts_of(figure):
                plain = re.sub(r"\$[^$]*\$", "", text)
                assert not re.search(r"\bnan\b|\bNone\b|\binf\b", plain), (caption, text)
                assert set(re.findall(r"[a-z]{2,}_[a-z_]+", plain)) <= names, (caption, text)

    def test_a_phone_shows_every_text_in_a_legible_size(self, figures):
        """A figure no wider than `reprolib.report.style.WIDTH` has texts of `SMALL` or larger."""
        for caption, figure in figures.items():
            pixels = PHONE / figure.get_tightbbox().width / 72  # of a point
            for text in text_artists(figure):
                if text.get_visible() and text.get_text().strip():
                    size = float(text.get_fontsize()) * pixels
                    assert size >= LEGIBLE, f"{caption}: “{text.get_text()}” has {size:.1f} pixels"

    def test_no_labels_are_drawn_over_each_other(self, figures):
        """Fewer ticks, shorter names, or a line break."""
        for caption, figure in figures.items():
            assert not list(labels_that_collide(figure)), caption

    def test_figures_of_records_name_the_source_of_their_data(self, figures):
        """`reprolib.report.style.note_source` writes it."""
        for caption, figure in figures.items():
            assert any(source in text for text in texts_of(figure) for source in SOURCES), caption


def pictures(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Outputs that are pictures; a notebook that was not executed yet has none."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output for output in outputs if "image/png" in output.get("data", {})]


class NotebookTests:
    """Of the notebook; ``pytest --nbval`` compares its outputs."""

    def test_notebook_is_valid_and_shows_no_error(self, notebook):
        """As Jupyter reads it."""
        nbformat.validate(notebook)
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        errors = [output.ename for output in outputs if output.output_type == "error"]
        assert not errors, f"{errors}; execute it anew"

    def test_displayed_formulas_are_paragraphs(self, notebook):
        """Inside a paragraph the pages of a site pair their dollars wrongly from there on."""
        texts = [cell.source for cell in notebook.cells if "$$" in cell.source]
        for paragraph in "\n\n".join(texts).split("\n\n"):
            if "$$" in paragraph:
                assert re.fullmatch(r"\$\$.*\$\$", paragraph.strip(), re.DOTALL), paragraph
                assert paragraph.count("$$") == 2

    def test_every_picture_has_an_alternative_text(self, notebook):
        """For those who cannot see it: `reprolib.report.notebook.show`."""
        for picture in pictures(notebook):
            alt = picture.metadata.get("image/png", {}).get("alt", "")
            assert len(alt) > ALT_LENGTH, "show(figure, alt) displays a figure with a text"

    def test_every_picture_says_what_it_shows_and_was_drawn_where_its_sliders_start(self, notebook):
        """Without that nothing could tell a stale picture; executing it anew writes them so."""
        for picture in pictures(notebook):
            shown = description(base64.b64decode(picture["data"]["image/png"]))
            assert shown is not None, "show(figure, alt) writes into the picture what it draws"
            assert shown["axes"]
            moved = picture.metadata.get(MARK, {}).get("moved")
            assert not moved, "execute it anew"
