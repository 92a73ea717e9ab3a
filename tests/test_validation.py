"""Checks that the estimators share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, check_cv

from reprolib.kpm import KPMClassifier
from reprolib.mkpm import MKPMClassifier
from reprolib.validation import as_numbers, encode_labels, list_folds

Y = np.array(["b", "a", "b", "a"])


def test_folds_are_index_pairs_whatever_the_splitter():
    rows = np.arange(4)
    masks = [(rows < 2, rows >= 2)]
    for cv in (KFold(2), masks, [([0, 1], [2, 3])]):
        for train, test in list_folds(check_cv(cv), Y, Y):
            assert np.array_equal(np.sort(np.concatenate([train, test])), rows)


@pytest.mark.parametrize("cv", [[], ["a"], [([0, 9], [1])], np.zeros((2, 2)), [(0, 1)]])
def test_what_is_no_split_is_refused_by_name(cv):
    with pytest.raises(ValueError, match=r"\bcv gives no"):
        list_folds(check_cv(cv), Y, Y)


def test_labels_become_indices_of_sorted_classes():
    classes, indices = encode_labels(KPMClassifier(), Y)
    assert classes.tolist() == ["a", "b"]
    assert indices.tolist() == [1, 0, 1, 0]


def test_labels_that_cannot_be_learned_are_refused():
    with pytest.raises(ValueError, match="one class only, a; KPMClassifier needs at least 2"):
        encode_labels(KPMClassifier(), Y[1::2])
    with pytest.raises(ValueError, match=r"Only binary .* multiclass; give labels of two"):
        encode_labels(KPMClassifier(), np.arange(4) % 3)
    with pytest.raises(ValueError, match="Unknown label type"):
        encode_labels(MKPMClassifier(), np.linspace(0, 1, 4))


def test_numbers_only():
    assert as_numbers([1, 2], "gammas").dtype == np.float64
    with pytest.raises(ValueError, match=r"gammas is \['a'\]; give numbers only"):
        as_numbers(["a"], "gammas")
