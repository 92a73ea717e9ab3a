"""Comparison of methods: intervals and ranks against textbook values."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.comparison import compare_ranks, paired_interval


def test_paired_interval_is_the_t_test_turned_round():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 12))
    difference, low, high = paired_interval(a, b)
    expected = stats.ttest_rel(a, b).confidence_interval()
    assert difference == pytest.approx((a - b).mean())
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_critical_difference_is_that_of_the_tables():
    # Demsar (2006), table 5: q_0.05 is 2.728 for five methods.
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.normal(size=(30, 5)), columns=list("abcde"))
    assert compare_ranks(scores).critical_difference == pytest.approx(
        2.728 * np.sqrt(5 * 6 / (6 * 30)), abs=1e-3
    )


def test_a_method_that_always_wins_has_rank_one():
    scores = pd.DataFrame({"a": [3.0, 3, 3, 3, 3], "b": [1.0, 2, 1, 2, 1], "c": [2.0, 1, 2, 1, 1]})
    comparison = compare_ranks(scores)
    assert comparison.mean_ranks.index[0] == "a"
    assert comparison.mean_ranks["a"] == 1
    assert comparison.mean_ranks.sum() == pytest.approx(6)
    assert comparison.p_value < 0.05
    assert comparison.n_cases == 5


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="the same two or more trials of both"):
        paired_interval([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="3 cases and 2 methods"):
        compare_ranks(pd.DataFrame(np.ones((3, 2))))
    with pytest.raises(ValueError, match="missing values"):
        compare_ranks(pd.DataFrame([[1.0, 2, np.nan], [1, 2, 3]]))
