"""Bootstrap over sets and trials, places and differences, against loops and known answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reprolib.papers.across import uncertainty
from reprolib.papers.across.uncertainty import (
    LEAST_ERROR,
    Scores,
    ahead,
    difference,
    error_ratio,
    mean_rank,
    median_rank,
    place_table,
    resampled_means,
    stretch,
)
from tests.naive import across_bootstrap as naive


def scores(n_sets=5, n_methods=4, n_trials=6, overlap=0.3, seed=0):
    values = np.random.default_rng(seed).uniform(0.5, 1.0, (n_sets, n_methods, n_trials)).round(3)
    sets = [f"s{i}" for i in range(n_sets)]
    return Scores(values, np.full(n_sets, overlap), sets, [f"m{i}" for i in range(n_methods)])


def test_resamples_are_those_of_loops():
    made = scores()
    expected = naive.resampled_means(made.values, made.overlap, 20, seed=3)
    np.testing.assert_allclose(resampled_means(made, 20, seed=3), expected, atol=1e-7)


def test_spread_of_a_resampled_mean_is_the_corrected_standard_error():
    one_set = scores(n_sets=1, n_trials=10, overlap=0.4, seed=1)
    drawn = resampled_means(one_set, 20_000)[:, 0, 0]
    sample = one_set.values[0, 0]
    expected = np.sqrt((1 / 10 + 0.4 / 0.6) * np.var(sample, ddof=1))
    assert drawn.std() == pytest.approx(expected, rel=0.03)
    assert drawn.mean() == pytest.approx(sample.mean(), abs=0.01)


@pytest.mark.parametrize(
    ("n_trials", "overlap", "squared"), [(1, 0.0, 1), (1, 0.5, 2), (2, 0.5, 6), (5, 0.2, 2.8125)]
)
def test_stretch_by_hand(n_trials, overlap, squared):
    assert stretch(n_trials, np.array([overlap])) ** 2 == pytest.approx([squared])


def test_one_trial_has_no_spread():
    one_trial = scores(n_trials=1)
    assert np.isfinite(stretch(1, one_trial.overlap)).all()
    drawn = resampled_means(one_trial, 10)
    assert set(drawn.ravel()) <= set(one_trial.values.ravel().round(9))


@pytest.mark.parametrize("name", ["mean_rank", "median_rank", "error_ratio"])
def test_summaries_are_those_of_counting(name):
    table = scores(n_sets=7, seed=2).means().round(1)
    if name == "error_ratio":
        table[0, 0] = 1.0
        expected = naive.error_ratio(table, LEAST_ERROR)
    else:
        expected = getattr(naive, name)(table)
    np.testing.assert_allclose(getattr(uncertainty, name)(table), expected)
    stacked = getattr(uncertainty, name)(np.stack([table, table[::-1]]))
    np.testing.assert_allclose(stacked, [expected, expected])


def test_a_method_that_is_best_everywhere_is_surely_first():
    values = scores().values
    values[:, 0] = 0.99
    best = Scores(values, np.full(5, 0.3), [f"s{i}" for i in range(5)], ["a", "b", "c", "d"])
    samples = np.minimum(resampled_means(best, 200), 0.98)
    samples[:, :, 0] = 0.99
    table = place_table(best, mean_rank, samples)
    assert list(table.loc["a"]) == [1.0, 1.0, 1.0]
    share = ahead(best, mean_rank, samples)
    assert (share.loc["a", ["b", "c", "d"]] == 1.0).all()
    assert (share.to_numpy() + share.to_numpy().T <= 1.0).all()


def test_interval_of_a_place_holds_ninety_five_per_cent_of_the_resamples():
    made = scores(seed=4)
    samples = resampled_means(made, 2000)
    table = place_table(made, mean_rank, samples)
    for m, name in enumerate(made.methods):
        drawn = sorted(naive.ranks([-r for r in naive.mean_rank(s)])[m] for s in samples)
        assert table.loc[name, "low"] == pytest.approx(drawn[50], abs=0.5)
        assert table.loc[name, "high"] == pytest.approx(drawn[1949], abs=0.5)
    assert (table["low"] < table["high"]).all()


def test_equal_methods_are_nowhere_ahead():
    values = scores().values
    values[:, 1] = values[:, 0]
    twins = Scores(values, np.full(5, 0.3), [f"s{i}" for i in range(5)], ["a", "b", "c", "d"])
    for summary in (mean_rank, median_rank, error_ratio):
        share = ahead(twins, summary, resampled_means(twins, 100))
        assert share.loc["a", "b"] == share.loc["b", "a"] == 0.0


def test_difference_counts_sets_on_both_sides_of_the_region():
    values = np.zeros((4, 2, 3))
    values[:, 1] = 0.8
    values[:, 0] = np.array([0.79, 0.805, 0.84, 0.70])[:, np.newaxis]
    four = Scores(values, np.zeros(4), list("wxyz"), ["a", "b"])
    samples = resampled_means(four, 500)
    for rope, shares in [
        (0.5, (0.5, 0.25, 0.25)),
        (1.0, (0.25, 0.5, 0.25)),
        (5.0, (0.25, 0.75, 0)),
    ]:
        found = difference(four, "a", "b", rope, samples)
        assert found.mean == pytest.approx((-1 + 0.5 + 4 - 10) / 4)
        assert found.low < found.mean < found.high
        assert (found.worse[0], found.equivalent[0], found.better[0]) == shares
        assert found.equivalent[1] <= found.equivalent[0] <= found.equivalent[2]


def test_in_a_region_of_no_size_only_equal_scores_are_equivalent():
    values = np.full((3, 2, 2), 0.8)
    values[:, 0] = np.array([0.8, 0.799, 0.801])[:, np.newaxis]
    three = Scores(values, np.zeros(3), list("xyz"), ["a", "b"])
    found = difference(three, "a", "b", 0, resampled_means(three, 50))
    third = pytest.approx(1 / 3)
    assert (found.worse[0], found.equivalent[0], found.better[0]) == (third, third, third)


def test_ends_of_a_difference_hold_ninety_five_per_cent_of_the_resamples():
    made = scores()
    samples = np.zeros((1001, 5, 4))
    samples[:, :, 0] = np.arange(1001)[:, np.newaxis] / 1000 - 0.5
    found = difference(made, "m0", "m1", 10.0, samples)
    assert (found.low, found.high) == (pytest.approx(-47.5), pytest.approx(47.5))
    assert found.worse[1:] == found.equivalent[1:] == found.better[1:] == (0.0, 1.0)


def test_a_region_of_negative_size_is_refused():
    made = scores()
    message = "rope is -1; give a difference >= 0 that counts as none."
    with pytest.raises(ValueError, match=message):
        difference(made, "m0", "m1", -1, resampled_means(made, 5))


def rows_of(made: Scores) -> pd.DataFrame:
    return pd.DataFrame(
        {"dataset": s, "method": m, "trial": t, "value": made.values[i, j, t]}
        for i, s in enumerate(made.sets)
        for j, m in enumerate(made.methods)
        for t in range(made.values.shape[2])
    )


def test_scores_take_the_trials_that_all_have_on_all_sets():
    made = scores()
    rows = rows_of(made)
    overlap = pd.Series(made.overlap, index=made.sets)
    missing = (rows["method"] == "m1") & (rows["dataset"] == "s2") & (rows["trial"] == 4)
    found = Scores.of(rows[~missing].sample(frac=1.0, random_state=0), overlap, made.methods)
    np.testing.assert_array_equal(found.values, made.values[:, :, [0, 1, 2, 3, 5]])
    assert (found.sets, found.methods) == (made.sets, made.methods)
    with pytest.raises(ValueError, match="no trial has all"):
        Scores.of(rows[rows["method"] != "m1"], overlap, made.methods)
