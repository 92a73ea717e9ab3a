"""Random codes, decoding of any code, and the scores of a path."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from reprolib.methods.shared.codes import (
    decision_values,
    decode,
    nearness,
    random_code,
)
from reprolib.methods.shared.path_scores import path_scores


def test_random_code_is_the_first_of_the_draws_whose_nearest_words_differ_most():
    def nearest(code):
        words = code.T
        pairs = [(a, b) for i, a in enumerate(words) for b in words[i + 1 :]]
        return min(np.count_nonzero(a != b) for a, b in pairs)

    improved = 0
    for seed in range(5):
        drawn = [random_code(5, 12, seed, n_draws=k) for k in range(3, 30)]
        for before, code in pairwise(drawn):
            assert nearest(code) >= nearest(before)
            assert np.array_equal(code, before) == (nearest(code) == nearest(before))
        improved += nearest(drawn[-1]) > nearest(drawn[0])
    assert improved > 0


def test_a_code_that_is_too_short_is_refused_with_its_numbers():
    with pytest.raises(ValueError, match="length is 2; no random code .* 5 classes apart in 7 dr"):
        random_code(5, 2, 0, n_draws=7)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("seed", range(4))
def test_nearest_code_word_of_any_code(n_classes, seed):
    rng = np.random.default_rng(seed)
    code, scores = rng.choice([-2.0, 0.0, 1.0], size=(5, n_classes)), rng.normal(size=(20, 5))
    squared = ((scores[:, :, np.newaxis] - code) ** 2).sum(axis=1)
    near = nearness(code, scores)
    np.testing.assert_allclose(near - near[:, :1], squared[:, :1] - squared, atol=1e-12)
    np.testing.assert_array_equal(decode(code, scores), np.argmin(squared, axis=1))
    values = decision_values(code, scores)
    expected = near[:, 1] - near[:, 0] if n_classes == 2 else near
    np.testing.assert_array_equal(values, expected)


def test_scores_of_a_path_of_two_classes_are_by_sign_and_tolerance():
    classes, y = np.array([3, 5]), np.array([3, 5, 3, 5])
    values = np.array([[0.0, -1.0], [1.0, 0.5], [0.25, -1.0], [0.75, 2.0]])
    assert path_scores("accuracy", classes, values, y).tolist() == [0.75, 1.0]

    def tolerance(rows):
        assert rows.shape == (4, 1)
        return np.full(len(rows), 0.5)

    assert path_scores("accuracy", classes, values, y, tolerance=tolerance).tolist() == [1.0, 0.75]
    heavy = np.array([1.0, 1.0, 2.0, 1.0])
    found = path_scores("accuracy", classes, values, y, sample_weight=heavy)
    assert found.tolist() == [0.6, 1.0]


def test_scores_of_a_path_of_three_classes_are_by_the_first_largest():
    classes, y = np.array(["a", "b", "c"]), np.array(["a", "b"])
    values = np.zeros((2, 3, 2))
    values[:, :, 0] = [[1.0, 1.0, 0.0], [0.0, 1.0, 0.9]]
    values[:, :, 1] = [[0.0, 0.0, 1.0], [0.9, 1.0, 0.0]]
    assert path_scores("accuracy", classes, values, y).tolist() == [1.0, 0.5]

    def tolerance(rows):
        assert rows.shape == (2, 3)
        return np.full(2, 0.5)

    assert path_scores("accuracy", classes, values, y, tolerance=tolerance).tolist() == [1.0, 0.0]
