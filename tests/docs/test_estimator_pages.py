"""Every estimator has a page of its own: problem, advice, a picture from code that runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

import reprolib

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "estimators"
ESTIMATORS = [name for name in reprolib.__all__ if hasattr(getattr(reprolib, name), "fit")]


@pytest.fixture(scope="module")
def pages():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        import estimator_pages

        return estimator_pages


def test_every_estimator_has_a_page_and_a_picture_and_nothing_else_has(pages):
    assert sorted(pages.estimators()) == sorted(ESTIMATORS)
    for suffix in (".md", ".py"):
        there = {path.stem for path in PAGES.glob(f"*{suffix}")}
        assert there == set(ESTIMATORS), f"docs/estimators/*{suffix}, by the names in reprolib"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_page_has_the_problem_in_formulas_and_says_when_not_to_use_it(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    sections = re.findall(r"^##? (.*)$", text, flags=re.MULTILINE)
    assert sections[1:] == ["Problem", "When to use it, and when not"]
    assert text.count("$$") >= 2
    assert text.count("$$") % 2 == 0


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_code_of_a_page_draws_its_picture_with_the_estimator(name, pages, tmp_path):
    assert f"{name}(" in (PAGES / f"{name}.py").read_text(encoding="utf-8")
    with mpl.rc_context({"backend": "agg"}):
        pages.draw(name, tmp_path / "picture.png")
    pixels = plt.imread(tmp_path / "picture.png")
    assert pixels[..., :3].std() > 0.05  # not an empty canvas


def test_what_an_estimator_supports_is_read_off_the_code(pages):
    class Online:
        def __init__(self, class_weight=None):
            self.class_weight = class_weight

        def get_params(self):
            return {"class_weight": None}

        def fit(self, X, y, sample_weight=None): ...

        def partial_fit(self, X, y): ...

        def predict_proba(self, X): ...

        def __sklearn_tags__(self):
            tags = reprolib.KPMClassifier().__sklearn_tags__()
            tags.input_tags.sparse = True
            tags.classifier_tags.multi_class = True
            return tags

    assert pages.support(Online) == {
        "classes": "any number",
        "probabilities": "yes",
        "sparse X": "yes",
        "weights": "`sample_weight`, `class_weight`",
        "data in batches": "`partial_fit`",
    }
    assert pages.probabilities(reprolib.KPMClassifier).startswith('with `loss="logistic"`')
    assert all(name in pages.table() for name in ESTIMATORS)


def test_a_page_is_completed_and_others_are_left_alone(pages):
    source = ["# Title\n\n## Problem\n"]
    pages.complete(None, "estimators/MMC", source)
    assert source[0].startswith("# Title\n\n`from reprolib import MMC`")
    assert ".. autoclass:: MMC" in source[0]
    untouched = ["# Title\n"]
    pages.complete(None, "words", untouched)
    assert untouched == ["# Title\n"]
