"""Comparison of methods: intervals and ranks against textbook values."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.rerun.statistics import (
    RankComparison,
    bayesian_signed_rank,
    compare_ranks,
    corrected_interval,
    indistinct_groups,
    mean_intervals,
    paired_interval,
)
from tests.naive import comparison as naive


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


def test_mean_ranks_are_those_of_counting():
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.integers(0, 5, size=(12, 6)), columns=list("abcdef"))
    expected = naive.mean_ranks(scores.to_numpy())
    comparison = compare_ranks(scores)
    for name, rank in zip(scores.columns, expected, strict=True):
        assert comparison.mean_ranks[name] == pytest.approx(rank)


def test_corrected_interval_is_nadeau_and_bengios():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 7))
    expected = naive.nadeau_bengio(a, b, n_train=60, n_test=40)
    assert corrected_interval(a, b, 40 / 100) == pytest.approx(expected)


def test_without_overlap_nothing_is_corrected():
    a, b = np.random.default_rng(4).normal(size=(2, 5))
    assert corrected_interval(a, b, 0.0) == pytest.approx(paired_interval(a, b))


def test_corrected_interval_holds_its_level_where_the_t_interval_does_not():
    """Simulated differences with the correlation that the correction assumes."""
    rng, n_trials, overlap = np.random.default_rng(5), 5, 0.5
    covered = {"corrected": 0, "plain": 0}
    for _ in range(400):
        shared = rng.normal()
        a = np.sqrt(overlap) * shared + np.sqrt(1 - overlap) * rng.normal(size=n_trials)
        _, low, high = corrected_interval(a, np.zeros(n_trials), overlap)
        covered["corrected"] += low <= 0 <= high
        _, low, high = paired_interval(a, np.zeros(n_trials))
        covered["plain"] += low <= 0 <= high
    assert covered["corrected"] / 400 == pytest.approx(0.95, abs=0.03)
    assert covered["plain"] / 400 < 0.75


def test_indistinct_groups_are_the_maximal_ones():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        ranks = pd.Series(rng.uniform(1, 9, size=9), index=list("abcdefghi"))
        comparison = RankComparison(ranks.sort_values(), 0.01, 2.0, 10)
        found = {frozenset(group) for group in indistinct_groups(comparison)}
        assert found == naive.indistinct_groups(dict(ranks), 2.0)


def test_signed_rank_posterior_is_that_of_the_definition():
    differences = np.array([0.5, 2.0, -1.5, 3.0, 0.2])
    fast = bayesian_signed_rank(differences, 0.4, n_samples=300, seed=6)
    slow = naive.bayesian_signed_rank(differences, 0.4, n_samples=300, seed=6)
    assert (fast.worse, fast.equivalent, fast.better) == pytest.approx(slow)


def test_signed_rank_is_sure_where_all_cases_agree_and_antisymmetric():
    assert bayesian_signed_rank(np.full(20, 5.0), 1.0).better > 0.999
    assert bayesian_signed_rank(np.full(20, 0.1), 1.0).equivalent > 0.999
    z = np.random.default_rng(7).normal(0.5, 1.0, size=15)
    one, other = bayesian_signed_rank(z, 0.2), bayesian_signed_rank(-z, 0.2)
    assert (one.worse, one.better) == pytest.approx((other.better, other.worse))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"test_overlap is 1.0; give a share of rows in \[0, 1\)"):
        corrected_interval([1.0, 2.0], [1.0, 3.0], 1.0)
    with pytest.raises(ValueError, match="two or more finite numbers"):
        bayesian_signed_rank([1.0, np.nan], 0.1)
    with pytest.raises(ValueError, match="rope is -1"):
        bayesian_signed_rank([1.0, 2.0], -1)
    with pytest.raises(ValueError, match="the same two or more trials of both"):
        paired_interval([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="3 cases and 2 methods"):
        compare_ranks(pd.DataFrame(np.ones((3, 2))))
    with pytest.raises(ValueError, match="missing values"):
        compare_ranks(pd.DataFrame([[1.0, 2, np.nan], [1, 2, 3]]))


def test_intervals_of_columns_are_paired_intervals_over_the_rows_of_both():
    rng = np.random.default_rng(3)
    wide = pd.DataFrame(rng.normal(size=(7, 3)), columns=["a", "b", "c"])
    wide.loc[2, "a"] = np.nan
    wide.loc[1:, "c"] = np.nan
    table = mean_intervals(wide.drop(columns="b").sub(wide["b"], axis=0).assign(none=np.nan))
    kept = wide.dropna(subset="a")
    assert tuple(table.loc["a"]) == pytest.approx(paired_interval(kept["a"], kept["b"]))
    assert table.loc["c", "difference"] == pytest.approx(wide.loc[0, "c"] - wide.loc[0, "b"])
    assert table.loc["c", ["low", "high"]].isna().all()
    assert list(table.index) == ["a", "c"]
