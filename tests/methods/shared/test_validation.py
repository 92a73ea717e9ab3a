"""Checks that the estimators share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, check_cv

from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.methods.shared.validation import (
    SMALLEST_FEATURE,
    as_numbers,
    check_magnitude,
    encode_labels,
    known_labels,
    list_folds,
    refuse_negative,
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


def test_labels_become_indices_of_sorted_classes():
    classes, indices = encode_labels(KPMClassifier(), Y)
    assert classes.tolist() == ["a", "b"]
    assert indices.tolist() == [1, 0, 1, 0]


def test_labels_that_cannot_be_learned_are_refused():
    with pytest.raises(ValueError, match="one class only, a; KPMClassifier needs at least 2"):
        encode_labels(KPMClassifier(), Y[1::2])
    with pytest.raises(ValueError, match="Unknown label type"):
        encode_labels(MKPMClassifier(), np.linspace(0, 1, 4))


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
@pytest.mark.parametrize("rank", [0, 1, 3, 40])
def test_gram_matrices_are_positive_semidefinite_up_to_round_off(unit, rank):
    X = np.random.default_rng(rank).normal(size=(40, rank))
    K = unit * (X @ X.T)
    assert require_positive_semidefinite(K) is K


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


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_entries_up_to_the_limit_pass(sign):
    values = sign * np.array([1.0, 8.0, -2.0])
    assert check_magnitude(values, "x", 8.0) is values
    with pytest.raises(ValueError, match=r"x has an entry of size 8, .* beyond 7\.5 overflow"):
        check_magnitude(values, "x", 7.5)
    with pytest.raises(ValueError, match="size nan"):
        check_magnitude(np.array([1.0, np.nan]), "x", 8.0)


@pytest.mark.parametrize(("smallest", "largest"), [(-1e-3, 2.0), (-1e-3, -1e-3), (-3.0, 2.0)])
def test_a_negative_eigenvalue_passes_up_to_a_part_of_the_largest_in_size(smallest, largest):
    part = -smallest / max(abs(smallest), abs(largest))
    refuse_negative(smallest, largest, 1.001 * part, "K")
    expected = f"eigenvalue is {smallest:g}, its largest {largest:g}.*add {-smallest:g} to the"
    with pytest.raises(ValueError, match=expected):
        refuse_negative(smallest, largest, 0.999 * part, "K")
    refuse_negative(0.0, 0.0, 0.0, "K")


def test_labels_that_are_unknown_are_named_up_to_five():
    classes = np.array([10, 20])
    assert known_labels([20, 10, 20], classes).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match=r"labels \[0 1 2 3 4\] that .* classes \[10 20\]\."):
        known_labels(np.arange(12), classes)
