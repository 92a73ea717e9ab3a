"""Docstrings reach the pages of the site as they are read in the code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def as_rst(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    sys.modules.pop("plain_text", None)
    from plain_text import as_rst

    return as_rst


def test_a_name_that_ends_in_an_underscore_is_no_link(as_rst):
    assert as_rst(["The weights coef_ of |f|."]) == [r"The weights coef\_ of \|f\|."]


def test_an_example_is_shown_as_it_is_typed(as_rst):
    example = [">>> model.selected_[:2].all()", "np.True_", "", "Its weights coef_."]
    assert as_rst(example) == [*example[:3], r"Its weights coef\_."]


def test_a_formula_is_a_literal_block(as_rst):
    assert as_rst(["Minimises", "", "    |w|_1 + C", "", "over w_."])[:5] == [
        "Minimises",
        "",
        "::",
        "",
        "    |w|_1 + C",
    ]
