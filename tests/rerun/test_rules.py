"""Every rule of a verdict on plain numbers whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from reprolib.rerun.verdicts import rules


@pytest.mark.parametrize(
    ("inside", "sharp", "near", "word"),
    [
        (True, True, True, "reproduced"),
        (True, True, False, "reproduced"),
        (True, False, True, "compatible"),
        (False, True, True, "close"),
        (False, True, False, "not reproduced"),
        (False, False, False, "not reproduced"),
    ],
)
def test_word_depends_on_interval_sharpness_and_difference(inside, sharp, near, word):
    assert rules.word_of(inside=inside, sharp=sharp, near=near) == word


def test_an_interval_must_be_as_sharp_as_1_5_points_or_a_published_deviation():
    assert rules.sharpest_needed(100, None) == 1.5
    assert rules.sharpest_needed(1, None) == pytest.approx(0.015)
    assert rules.sharpest_needed(100, 0.4) == 1.5
    assert rules.sharpest_needed(100, 4.75) == 4.75
    assert rules.sharpest_needed(1, 264.6) == 264.6


def test_close_is_within_a_point_or_a_published_deviation():
    assert rules.closest_needed(100, None) == 1.0
    assert rules.closest_needed(1, None) == pytest.approx(0.01)
    assert rules.closest_needed(100, 2.07) == 2.07


def test_means_over_trials_are_compared_by_welch():
    ours = np.array([19.0, 21.0, 20.0, 22.0, 18.5])
    half = rules.mean_half_width(ours, 2.0, 100)
    edge = stats.ttest_ind_from_stats(
        20.0, 2.0, 100, 20.0 + half, ours.std(ddof=1), 5, equal_var=False
    )
    assert edge.pvalue == pytest.approx(0.05, abs=1e-9)


def test_a_spread_that_is_not_printed_is_taken_to_be_ours():
    ours = np.array([19.0, 21.0, 20.0])
    assert rules.mean_half_width(ours, None, 20) == pytest.approx(
        rules.mean_half_width(ours, ours.std(ddof=1), 20)
    )


def test_one_trial_has_the_published_spread_or_no_interval():
    one = np.array([20.0])
    assert rules.mean_half_width(one, 2.0, 100) == pytest.approx(
        stats.t.ppf(0.975, 99 * 1.01**2 / (1 + 0.01**2)) * 2.0 * np.sqrt(1.01), rel=1e-6
    )
    assert rules.mean_half_width(one, None, 100) == np.inf
    assert rules.mean_half_width(one, 0.0, 100) == 0.0


def test_fewer_trials_never_make_a_sharper_interval():
    rng = np.random.default_rng(0)
    halves = [
        np.median([rules.mean_half_width(rng.normal(20, 2, n), 2.0, 100) for _ in range(200)])
        for n in (1, 2, 5, 10, 20)
    ]
    assert halves[1:] == sorted(halves[1:], reverse=True)
    assert halves[0] > halves[2]


def test_one_test_set_has_the_binomial_interval():
    expected = 1.959964 * np.sqrt((0.23 * 0.77 + 0.2 * 0.8) / 10_000)
    assert rules.binomial_half_width(0.23, 0.2, 10_000) == pytest.approx(expected, rel=1e-6)


def test_prediction_of_a_seeded_run_has_the_seeds_and_the_test_set_in_it():
    ours = np.array([0.50, 0.60, 0.55, 0.52, 0.58])
    seeds = stats.t.ppf(0.975, 4) * ours.std(ddof=1) * np.sqrt(1 + 1 / 5)
    assert rules.one_run_half_width(ours, 0.6, 10**12) == pytest.approx(seeds, rel=1e-6)
    same = np.full(5, 0.55)
    noise = rules.binomial_half_width(0.55, 0.6, 500)
    assert rules.one_run_half_width(same, 0.6, 500) == pytest.approx(noise)
    both = rules.one_run_half_width(ours, 0.6, 500)
    assert both > max(noise, 0.8 * seeds)
    assert rules.one_run_half_width(ours[:1], 0.6, 500) == np.inf


def test_prediction_covers_a_further_seed_in_95_of_100_cases():
    rng = np.random.default_rng(1)
    n_test, hits, n_repeats = 500, 0, 2000
    for _ in range(n_repeats):
        truth = np.clip(rng.normal(0.6, 0.05, 6), 0, 1)
        measured = rng.binomial(n_test, truth) / n_test
        half = rules.one_run_half_width(measured[1:], measured[0], n_test)
        hits += abs(measured[1:].mean() - measured[0]) <= half
    assert 0.945 < hits / n_repeats < 0.995


def test_a_range_of_selections_must_hold_less_than_half_of_the_candidates():
    assert rules.covers_less_than_half(30.0, 33.0, 40)
    assert not rules.covers_less_than_half(13.0, 160.0, 160), "MKMMC's 13 to 160"
    assert not rules.covers_less_than_half(1.0, 20.0, 40), "half is not less than half"
    assert rules.covers_less_than_half(1.0, 19.0, 40)
    assert not rules.covers_less_than_half(1.0, 1.0, 2)


def test_central_range_leaves_out_five_in_a_hundred():
    low, high = rules.central_range(np.arange(1001.0))
    assert (low, high) == (25.0, 975.0)


def test_choices_of_equal_mean_score_tie():
    mean = np.array([0.5, 0.7, 0.9, 0.9 - 4e-7, 0.8])
    assert rules.ties_with_best(mean, 3)
    assert rules.ties_with_best(mean, 4), "rounding of the recorded paths"
    assert not rules.ties_with_best(mean, 5)
    one_hit_of_all_trials = 1 / (1360 * 20)
    assert not rules.ties_with_best(np.array([0.9, 0.9 - one_hit_of_all_trials]), 2)


@pytest.mark.parametrize("choice", [0, -3, 6, 100])
def test_what_was_not_searched_ties_with_nothing(choice):
    assert not rules.ties_with_best(np.full(5, 0.5), choice)


def row_gain(words, readings, trials=None, reading_trials=None):
    trials = trials or [20] * len(words)
    return rules.row_gain(words, trials, readings, reading_trials or trials)


def test_a_reading_that_brings_out_the_row_gains_what_the_headline_missed():
    assert row_gain(["not reproduced", "reproduced"], ["reproduced", "reproduced"]) == 1
    assert row_gain(["compatible", "close"], ["reproduced", "reproduced"]) == 2
    assert row_gain(["not reproduced", "close"], ["reproduced", "compatible"]) == 1
    assert row_gain(["reproduced", "compatible"], ["reproduced", "compatible"]) == 0


def test_compatible_numbers_earn_nothing_and_only_block_what_the_headline_reproduces():
    assert row_gain(["close", "not reproduced"], ["compatible", "compatible"]) == 0
    assert row_gain(["close", "not reproduced"], ["compatible", "reproduced"]) == 1
    assert row_gain(["close", "reproduced"], ["reproduced", "compatible"]) == 0


@pytest.mark.parametrize(
    ("words", "readings", "why"),
    [
        (["close", "reproduced"], ["reproduced", "compatible"], "lost a reproduced number"),
        (["close", "reproduced"], ["reproduced", "close"], "lost a number altogether"),
        (["close", "close"], ["reproduced", "close"], "leaves a number outside"),
        (["close", "close"], ["reproduced", None], "was not run for the whole row"),
    ],
)
def test_a_reading_that_does_not_bring_out_the_row_gains_nothing(words, readings, why):
    assert row_gain(words, readings) == 0, why


def test_a_reading_with_fewer_trials_gains_nothing():
    words, readings = ["not reproduced", "reproduced"], ["reproduced", "reproduced"]
    assert row_gain(words, readings, [20, 20], [20, 5]) == 0
    assert row_gain(words, readings, [20, 20], [20, 40]) == 1


def test_the_first_and_the_last_choice_were_searched():
    assert rules.ties_with_best(np.full(5, 0.5), 1)
    assert rules.ties_with_best(np.full(5, 0.5), 5)


def test_a_published_mean_of_one_trial_adds_its_variance_and_no_degrees_of_freedom():
    ours = np.array([19.0, 21.0, 20.0])
    a, b = 1 / 3, 4.0
    degrees = (a + b) ** 2 / (a**2 / 2)
    expected = stats.t.ppf(0.975, degrees) * np.sqrt(a + b)
    assert rules.mean_half_width(ours, 2.0, 1) == pytest.approx(expected)
    normal = stats.norm.ppf(0.975) * np.sqrt(4.0 + 4.0)
    assert rules.mean_half_width(np.array([20.0]), 2.0, 1) == pytest.approx(normal)


def test_two_trials_of_ours_have_a_spread():
    ours = np.array([19.0, 21.0])
    degrees = (1 + 1) ** 2 / (1**2 / 1 + 1**2 / 1)
    expected = stats.t.ppf(0.975, degrees) * np.sqrt(2)
    assert rules.mean_half_width(ours, None, 2) == pytest.approx(expected)
    assert np.isfinite(rules.one_run_half_width(ours / 100, 0.2, 100))


def test_binomial_variance_is_that_of_fractions_and_of_one_point_at_least():
    assert rules.binomial_variance(0.5, 0.2, 10) == pytest.approx((0.25 + 0.16) / 10)
    assert rules.binomial_variance(0.5, 0.5, 0) == rules.binomial_variance(0.5, 0.5, 1) == 0.5
    assert rules.binomial_variance(1.2, -0.1, 10) == 0.0
