"""Comparison of methods: intervals against textbook values."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.rerun.verdicts.errors import (
    CORRELATION,
    corrected_interval,
    intervals_by_dataset,
)
from tests.naive import comparison as naive


def test_without_correlation_the_interval_is_the_t_test_turned_round():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 12))
    difference, low, high = corrected_interval(a, b, 0.0)
    expected = stats.ttest_rel(a, b).confidence_interval()
    assert difference == pytest.approx((a - b).mean())
    assert (low, high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("a", "b", "shapes"),
    [
        ([1.0, 2.0], [1.0, 2.0, 3.0], r"\(2,\) and b \(3,\)"),
        ([1.0, 2.0, 3.0], [1.0, 2.0], r"\(3,\) and b \(2,\)"),
        ([1.0], [2.0], r"\(1,\) and b \(1,\)"),
        ([[1.0, 2.0]] * 2, [[1.0, 2.0]] * 2, r"\(2, 2\) and b \(2, 2\)"),
    ],
)
def test_trials_that_do_not_pair_up_are_refused(a, b, shapes):
    with pytest.raises(ValueError, match=f"a has shape {shapes}; give the same two or more"):
        corrected_interval(a, b)


def test_corrected_interval_is_nadeau_and_bengios():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 7))
    expected = naive.nadeau_bengio(a, b, n_train=60, n_test=40)
    assert corrected_interval(a, b, 40 / 100) == pytest.approx(expected)


def test_corrected_interval_holds_its_level_where_the_t_interval_does_not():
    """Simulated differences with the correlation that the correction assumes."""
    rng, n_trials, overlap = np.random.default_rng(5), 5, 0.5
    covered = {"corrected": 0, "plain": 0}
    for _ in range(400):
        shared = rng.normal()
        a = np.sqrt(overlap) * shared + np.sqrt(1 - overlap) * rng.normal(size=n_trials)
        _, low, high = corrected_interval(a, np.zeros(n_trials), overlap)
        covered["corrected"] += low <= 0 <= high
        _, low, high = corrected_interval(a, np.zeros(n_trials), 0.0)
        covered["plain"] += low <= 0 <= high
    assert covered["corrected"] / 400 == pytest.approx(0.95, abs=0.03)
    assert covered["plain"] / 400 < 0.75


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"correlation is 1.0; give a number in \[0, 1\)"):
        corrected_interval([1.0, 2.0], [1.0, 3.0], 1.0)
    with pytest.raises(ValueError, match="the same two or more trials of both"):
        corrected_interval([1.0, 2.0], [1.0])


@pytest.mark.parametrize("overlap", [-0.1, 1.0, 1.5])
def test_a_correlation_is_below_one(overlap):
    with pytest.raises(ValueError, match=f"correlation is {overlap}"):
        corrected_interval([1.0, 2.0], [1.0, 3.0], overlap)


def test_methods_are_compared_over_the_trials_of_both_in_percent():
    values = {
        ("a", "x"): [0.1, 0.2, 0.3],
        ("a", "y"): [0.1, 0.1],
        ("b", "x"): [0.5, 0.6],
        ("b", "y"): [0.5],
        ("a", "z"): [0.9] * 3,
    }
    rows = pd.DataFrame(
        [
            {"dataset": d, "method": m, "trial": t, "value": v, "source": "partial"}
            for (d, m), found in values.items()
            for t, v in enumerate(found)
        ]
    )
    table = intervals_by_dataset(rows, "x", "y")
    assert list(table.index) == ["a"]
    row = table.loc["a"]
    assert (row["x"], row["y"], row["difference"]) == pytest.approx((15.0, 10.0, 5.0))
    assert (row["trials"], row["source"]) == (2, "partial")
    # Of two trials, with one degree of freedom and the correlation of two splits.
    half = 12.7062 * 5.0 * np.sqrt(2) * np.sqrt(1 / 2 + CORRELATION / (1 - CORRELATION))
    assert row["high"] - 5.0 == pytest.approx(half, rel=1e-5)
