"""Checks that the estimators share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, check_cv

from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.shared.validation import (
    SMALLEST_FEATURE,
    as_numbers,
    known_labels,
    list_folds,
    require_positive_semidefinite,
    validate_data,
)

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


def test_only_training_data_must_reach_the_smallest_feature():
    tiny = np.full((4, 2), 1e-3 * SMALLEST_FEATURE)
    with pytest.raises(ValueError, match="underflow. Scale the features"):
        validate_data(KPMClassifier(), tiny)
    fitted = KPMClassifier()
    validate_data(fitted, tiny / tiny)
    np.testing.assert_array_equal(validate_data(fitted, tiny, reset=False), tiny)
    np.testing.assert_array_equal(validate_data(KPMClassifier(), 0 * tiny), 0 * tiny)
    assert validate_data(KPMClassifier(), 2e3 * tiny).max() == 2 * SMALLEST_FEATURE
    exactly = np.array([[SMALLEST_FEATURE, 0.0], [-SMALLEST_FEATURE, 0.0]])
    assert validate_data(KPMClassifier(), exactly) is not None
    with pytest.raises(ValueError, match="no entry larger than 1e-63, and"):
        validate_data(KPMClassifier(), -tiny)


def test_numbers_only():
    assert as_numbers([1, 2], "gammas").dtype == np.float64
    with pytest.raises(ValueError, match=r"gammas is \['a'\]; give numbers only"):
        as_numbers(["a"], "gammas")


@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e120])
def test_an_indefinite_matrix_is_refused_with_its_smallest_eigenvalue(unit):
    K = unit * np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(
        ValueError, match=r"X\[3\] is not positive semidefinite.*smallest eigen"
    ) as error:
        require_positive_semidefinite(K, name="X[3]")
    assert f"is {-unit:.6g}, its largest {3 * unit:.6g}" in str(error.value)
    assert require_positive_semidefinite(K + unit * np.eye(2)) is not None


def test_indefiniteness_is_measured_against_the_largest_eigenvalue():
    directions = np.linalg.qr(np.random.default_rng(0).normal(size=(30, 30)))[0]
    for relative, refused in ((-1e-14, False), (-1e-9, True)):
        K = (directions * np.r_[relative, np.zeros(28), 1.0]) @ directions.T
        K = 0.5 * (K + K.T)
        if refused:
            with pytest.raises(ValueError, match="smallest eigenvalue is -1e-09"):
                require_positive_semidefinite(K)
        else:
            require_positive_semidefinite(K)
    with pytest.raises(ValueError, match="smallest eigenvalue is -1, its largest -1"):
        require_positive_semidefinite(-np.eye(3))


def test_labels_that_are_unknown_are_named_up_to_five():
    classes = np.array([10, 20])
    assert known_labels([20, 10, 20], classes).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match=r"labels \[0 1 2 3 4\] that .* classes \[10 20\]\."):
        known_labels(np.arange(12), classes)
