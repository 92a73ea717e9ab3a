"""Differences and places against loops, known answers, and the coverage that they promise."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import naive
from reprolib.rerun.verdicts.errors import CORRELATION, Error, paired
from which_method import ordering as uncertainty
from which_method.ordering import (
    LEAST_ERROR,
    Scores,
    difference_of_rows,
    mean_rank,
    of_comparison,
    over_sets,
    place_table,
    resampled_means,
)


def scores(n_sets=5, n_methods=4, n_trials=6, seed=0):
    values = np.random.default_rng(seed).uniform(0.5, 1.0, (n_sets, n_methods, n_trials)).round(3)
    sets = [f"s{i}" for i in range(n_sets)]
    return Scores(values, sets, [f"m{i}" for i in range(n_methods)])


def test_resamples_are_those_of_loops():
    made = scores()
    expected = naive.resampled_means(made.values, CORRELATION, 20, seed=3)
    np.testing.assert_allclose(resampled_means(made, 20, seed=3), expected, atol=1e-7)


def test_spread_of_a_resampled_mean_is_the_corrected_standard_error():
    one_set = scores(n_sets=1, n_trials=10, seed=1)
    drawn = resampled_means(one_set, 20_000)[:, 0, 0]
    sample = one_set.values[0, 0]
    assert drawn.std() == pytest.approx(paired(sample).standard, rel=0.03)
    assert drawn.mean() == pytest.approx(sample.mean(), abs=0.01)


def test_one_trial_has_no_spread():
    one_trial = scores(n_trials=1)
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
    best = Scores(values, [f"s{i}" for i in range(5)], ["a", "b", "c", "d"])
    samples = np.minimum(resampled_means(best, 200), 0.98)
    samples[:, :, 0] = 0.99
    table = place_table(best, mean_rank, samples)
    assert list(table.loc["a"]) == [1.0, 1.0, 1.0]


def test_interval_of_a_place_holds_ninety_five_per_cent_of_the_resamples():
    made = scores(seed=4)
    samples = resampled_means(made, 2000)
    table = place_table(made, mean_rank, samples)
    for m, name in enumerate(made.methods):
        drawn = sorted(naive.ranks([-r for r in naive.mean_rank(s)])[m] for s in samples)
        assert table.loc[name, "low"] == pytest.approx(drawn[50], abs=0.5)
        assert table.loc[name, "high"] == pytest.approx(drawn[1949], abs=0.5)
    assert (table["low"] < table["high"]).all()


def compared(means, noise=0.0):
    """Method a minus b on as many sets, in points, with a little noise between two trials."""
    return over_sets({f"s{i}": mean + noise * np.array([-1, 1]) for i, mean in enumerate(means)})


def test_every_set_has_its_word_and_the_mean_over_the_sets_has_its_own():
    found = compared([-4.0, 0.5, 1.4, 1.6])
    assert list(found.words) == ["worse", "equivalent", "equivalent", "better"]
    assert found.mean == pytest.approx(-0.125)
    assert found.word == "undecided"
    assert compared([-4.0, -4.1, -3.9]).word == "worse"
    assert compared([0.4, 0.5, 0.6]).word == "equivalent"
    assert list(compared([4.0, 0.0], noise=9.0).words) == ["undecided", "undecided"]


def test_with_one_set_nothing_is_said_of_others():
    found = compared([5.0])
    assert found.word == "undecided"
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert list(found.words) == ["better"]


def simulated(rng, n_sets, between):
    """Differences of 20 correlated trials of sets that differ; no difference over all sets."""
    pools = 2.0 * np.sqrt(0.1) * rng.normal(size=(n_sets, 1)) + between * rng.normal(
        size=(n_sets, 1)
    )
    trials = pools + 2.0 * np.sqrt(0.9) * rng.normal(size=(n_sets, 20))
    return {f"s{i}": of_set for i, of_set in enumerate(trials)}


@pytest.mark.parametrize(("n_sets", "between"), [(6, 0.0), (6, 1.0), (6, 3.0), (20, 1.0)])
def test_intervals_over_sets_cover_at_their_rate(n_sets, between):
    rng, n = np.random.default_rng(n_sets), 600
    found = [over_sets(simulated(rng, n_sets, between)) for _ in range(n)]
    covered = np.mean([d.low <= 0 <= d.high for d in found])
    assert covered == pytest.approx(0.95, abs=4 * np.sqrt(0.05 * 0.95 / n))


def rows_of(made: Scores) -> pd.DataFrame:
    return pd.DataFrame(
        {"dataset": s, "method": m, "trial": t, "value": made.values[i, j, t]}
        for i, s in enumerate(made.sets)
        for j, m in enumerate(made.methods)
        for t in range(made.values.shape[2])
    )


def test_rows_are_compared_on_every_set_by_all_trials_that_both_have_there():
    made = scores(n_trials=4)
    rows = rows_of(made)
    points = 100 * (made.values[:, 0] - made.values[:, 1])
    same = difference_of_rows(rows, "m0", "m1")
    whole = over_sets(dict(zip(made.sets, points.round(7), strict=True)))
    assert (same.mean, same.error) == (whole.mean, whole.error)
    assert same.words.equals(whole.words)
    fewer = rows[~((rows["dataset"] == "s2") & (rows["trial"] > 1) & (rows["method"] == "m1"))]
    means = [t.mean() if i != 2 else t[:2].mean() for i, t in enumerate(points)]
    found = difference_of_rows(fewer, "m0", "m1")
    assert found.mean == pytest.approx(np.mean(means))
    assert found.high - found.mean == pytest.approx(paired(np.array(means), 0.0).half_width())
    with pytest.raises(ValueError, match="m0 and m9 have no trial in common"):
        difference_of_rows(rows, "m0", "m9")


def test_scores_take_the_trials_that_all_have_on_all_sets():
    made = scores()
    rows = rows_of(made)
    missing = (rows["method"] == "m1") & (rows["dataset"] == "s2") & (rows["trial"] == 4)
    found = Scores.of(rows[~missing].sample(frac=1.0, random_state=0), made.methods)
    np.testing.assert_array_equal(found.values, made.values[:, :, [0, 1, 2, 3, 5]])
    assert (found.sets, found.methods) == (made.sets, made.methods)
    with pytest.raises(ValueError, match="no trial has all"):
        Scores.of(rows[rows["method"] != "m1"], made.methods)


@pytest.mark.parametrize(
    ("difference", "standard", "word"),
    [
        (1.0, 0.2, "equivalent"),
        (-1.0, 0.2, "equivalent"),
        (2.0, 0.2, "better"),
        (-2.0, 0.2, "worse"),
        (2.0, 2.0, "undecided"),
        (0.0, math.inf, "undecided"),
    ],
)
def test_words_for_one_method_beside_another(difference, standard, word):
    assert of_comparison(difference, Error(standard), 1.5) == word
