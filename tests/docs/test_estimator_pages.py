"""Every estimator has a page of its own: problem, advice, an example that runs and draws."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

import reprolib

PAGES = Path(__file__).parents[2] / "docs" / "estimators"
ESTIMATORS = [name for name in reprolib.__all__ if hasattr(getattr(reprolib, name), "fit")]


def text_of(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_every_estimator_has_a_page_and_nothing_else_has():
    there = {path.stem for path in PAGES.iterdir()}
    assert there == set(ESTIMATORS), "docs/estimators/*.md, by the names in reprolib"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_page_has_the_problem_in_formulas_and_says_when_not_to_use_it(name):
    text = text_of(name)
    assert re.findall(r"^## (.*)$", text, flags=re.MULTILINE) == [
        "Problem",
        "When to use it, and when not",
        "Example",
        "Parameters, attributes and methods",
    ]
    assert text.count("$$") >= 2
    assert text.count("$$") % 2 == 0
    assert f"`from reprolib import {name}`" in text
    assert f"autoclass:: reprolib.{name}\n" in text


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_code_of_a_page_draws_a_picture_with_the_estimator(name, monkeypatch, tmp_path):
    (code,) = re.findall(r"^```\{code-cell\} python\n(.*?)^```$", text_of(name), re.M | re.S)
    assert f"{name}(" in code
    with mpl.rc_context({"backend": "agg"}):
        monkeypatch.setattr(plt, "show", lambda: plt.savefig(tmp_path / "picture.png", dpi=60))
        exec(compile(code, name, "exec"), {"__name__": name})
        plt.close("all")
    pixels = plt.imread(tmp_path / "picture.png")
    assert pixels[..., :3].std() > 0.05  # not an empty canvas
