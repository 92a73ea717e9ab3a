"""A paper's notebook can be read on every page made of it."""

from __future__ import annotations

import base64
import re

import nbformat
import pytest

from reprolib.report.notebook import MARK
from reprolib.report.picture import description
from reprolib.rerun.records.registry import home
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.suite.shared import OfPaper

#: Characters that say what a picture shows.
ALT_LENGTH = 25


def pictures(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Outputs that are pictures; a notebook that was not executed yet has none."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output for output in outputs if "image/png" in output.get("data", {})]


class NotebookTests(OfPaper):
    """Of the notebook; ``pytest --nbval`` compares its outputs."""

    @pytest.fixture
    def notebook(self, paper) -> nbformat.NotebookNode:
        """The notebook that printed.toml names."""
        path = home(paper).project / "notebooks" / str(paper_entry(paper)["paper"]["notebook"])
        assert path.is_file(), f"there is no {path}"
        return nbformat.read(path, as_version=4)

    def test_notebook_is_valid_and_shows_no_error(self, notebook):
        """As Jupyter reads it."""
        nbformat.validate(notebook)
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        errors = [output.ename for output in outputs if output.output_type == "error"]
        assert not errors, f"{errors}; `reprolib renew-notebooks` writes the outputs anew"

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
        """Without that nothing could tell a stale picture; `renew-notebooks` writes them so."""
        for picture in pictures(notebook):
            shown = description(base64.b64decode(picture["data"]["image/png"]))
            assert shown is not None, "show(figure, alt) writes into the picture what it draws"
            assert shown["axes"]
            moved = picture.metadata.get(MARK, {}).get("moved")
            assert not moved, "`reprolib renew-notebooks` resets"
