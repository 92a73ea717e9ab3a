"""Weights of examples by hand."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.shared.weights import ExampleWeights, example_weights, merge_repeated

Y = np.array([0, 1, 0, 1, 1])


def test_all_rows_count_where_no_weight_is_zero():
    plain = example_weights(Y, None)
    assert (plain.n_samples, plain.rows) == (5, slice(None))
    assert (plain.total, plain.total_repeats) == (5, 5)
    assert plain.relative is None
    assert plain.positions([1, 3]) == [1, 3]
    assert plain.counted([1, 3]).tolist() == [1, 3]
    part = plain.of(np.array([0, 4]))
    assert (part.n_samples, part.total, part.total_repeats) == (2, 2, 2)
    weighted = example_weights(Y, 2.0)
    assert weighted.rows == slice(None)
    assert weighted.unit * weighted.total == 10
    assert weighted.repeat_unit * weighted.total_repeats == 10
    assert weighted.relative.tolist() == [1.0] * 5


def test_rows_of_weight_zero_have_no_position():
    weights = example_weights(Y, [0.0, 2.0, 0.5, 0.0, 1.5], {1: 2.0})
    assert weights.rows.tolist() == [1, 2, 4]
    assert (weights.unit, weights.repeat_unit) == (4.0, 1.0)
    assert (4.0 * weights.values).tolist() == [4.0, 0.5, 3.0]
    assert weights.repeats.tolist() == [2.0, 0.5, 1.5]
    assert (weights.n_samples, 4.0 * weights.total, weights.total_repeats) == (5, 7.5, 4.0)
    np.testing.assert_allclose(weights.relative, [1.6, 0.2, 1.2])
    assert weights.positions(np.array([4, 0, 1])).tolist() == [2, 0]
    assert weights.counted(np.array([4, 0, 1])).tolist() == [4, 1]
    assert weights.select(np.arange(5)).tolist() == [1, 2, 4]
    some = weights.at(np.array([4, 0, 1]))
    assert (some.unit * some.values).tolist() == [3.0, 4.0]
    assert some.repeats.tolist() == [1.5, 2.0]
    assert (some.n_samples, some.rows) == (2, slice(None))


def test_without_sample_weights_examples_that_count_are_counted():
    weights = example_weights(Y, None, {0: 0.0, 1: 3.0})
    assert weights.rows.tolist() == [1, 3, 4]
    assert weights.repeats is None
    assert (weights.total, weights.total_repeats) == (9.0, 3)


@pytest.mark.parametrize("class_weight", [{0: np.inf}, {0: np.nan}, {0: -0.5}, {0: 1e308}])
def test_weights_that_are_no_finite_numbers_together_are_refused(class_weight):
    with pytest.raises(ValueError, match=r"class_weight=.* negative or too large"):
        example_weights(Y, 1e10, class_weight)


def test_shape_of_weights_and_names_of_classes_in_errors():
    with pytest.raises(ValueError, match=r"shape \(4,\); .* of the 5 rows, shape \(5,\)\."):
        example_weights(Y, np.ones(4))
    with pytest.raises(ValueError, match=r"shape \(5, 1\)"):
        example_weights(Y, np.ones((5, 1)))
    many = np.arange(12)
    with pytest.raises(ValueError, match=r"names x, but the classes are \[0, 1, .*, 8, 9\]; name"):
        example_weights(many, None, {"x": 1.0})


def test_equal_rows_are_merged_and_weighted_ones_sorted():
    X, y = np.array([[3.0], [1.0], [2.0]], dtype=np.float32), np.array(["a", "b", "a"])
    same = merge_repeated(X, y, example_weights(y, None))
    assert same[0] is X
    found, labels, weights = merge_repeated(X, y, example_weights(y, [1.0, 2.0, 4.0]))
    assert found.dtype == np.float32
    assert found[:, 0].tolist() == [2.0, 3.0, 1.0]
    assert labels.tolist() == ["a", "a", "b"]
    assert (weights.unit * weights.values).tolist() == [4.0, 1.0, 2.0]
    assert weights.rows == slice(None)
    found, labels, weights = merge_repeated(X, y, example_weights(y, [0.0, 2.0, 4.0]))
    assert (found[:, 0].tolist(), labels.tolist()) == ([2.0, 1.0], ["a", "b"])
    assert (weights.n_samples, (4.0 * weights.values).tolist()) == (2, [4.0, 2.0])


def test_positions_of_a_slice_are_the_rows():
    weights = ExampleWeights(4, slice(None), np.array([1.0, 2.0, 3.0, 4.0]))
    assert weights.at(np.array([3, 1])).values.tolist() == [4.0, 2.0]
    assert weights.at(np.array([3, 1])).repeats is None
