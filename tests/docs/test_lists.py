"""The lists in docs/ are those that `make lists` writes, and what the catalogue says is so."""

from __future__ import annotations

import numpy as np
import pytest

import data_fetch
import reprolib
from data_fetch.catalog import default_catalog
from tools import write_lists


def test_the_committed_lists_are_those_of_the_code_and_the_records():
    for path, text in write_lists.pages().items():
        assert path.read_text(encoding="utf-8") == text, f"docs/{path.name}: run `make lists`"
        assert text.count(write_lists.BEGIN) == text.count(write_lists.END) == 1


def test_what_an_estimator_supports_is_read_off_the_code():
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

    assert write_lists.support(Online) == {
        "classes": "any number",
        "probabilities": "yes",
        "sparse X": "yes",
        "weights": "`sample_weight`, `class_weight`",
        "data in batches": "`partial_fit`",
    }
    assert write_lists.probabilities(reprolib.KPMClassifier).startswith('with `loss="logistic"`')


@pytest.mark.parametrize("name", ["embedded/optdigits", "embedded/waveform"])
def test_the_catalog_counts_the_classes(name):
    assert len(np.unique(data_fetch.load(name).y)) == default_catalog().entry(name).classes


@pytest.mark.needs_data("statlog/segment", "uci/pendigits", "faces/yale")
@pytest.mark.parametrize("name", ["statlog/segment", "uci/pendigits", "faces/yale"])
def test_the_catalog_counts_the_classes_of_real_data(name):
    assert len(np.unique(data_fetch.load(name).y)) == default_catalog().entry(name).classes
