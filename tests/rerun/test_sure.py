"""What would change a word: found again by trying, and rows and sets by their definitions."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from reprolib.rerun.verdicts import errors, words
from reprolib.rerun.verdicts.chances import chance_of_wrong
from reprolib.rerun.verdicts.designs.splits import splits, splits_of
from reprolib.rerun.verdicts.errors import Error, over_sets
from reprolib.rerun.verdicts.prospect import prospect
from reprolib.rerun.verdicts.row_line import normal_score, row_line
from reprolib.rerun.verdicts.sure import bounds, outcome, tipping

differences = st.floats(-6, 6)
standard_errors = st.floats(0.05, 3)
degrees = st.integers(2, 200)
KINDS = ("better", "at least as good", "same")


def word(kind, favour, error, margin=1.5, by=0.0, n=1):
    """The word of a sentence, as docs/words.md has it."""
    half, half_90, widest = (error.half_width(p) for p in (0.95, 0.9, 1 - 0.05 / n))
    if kind == "better":
        return "holds" if favour - half > by else "fails" if favour + widest < by else "undecided"
    if kind == "at least as good":
        if favour - half_90 > -margin:
            return "holds"
        return "fails" if favour + widest < -margin else "undecided"
    if -margin < favour - half_90 and favour + half_90 < margin:
        return "holds"
    outside = favour + widest < -margin or favour - widest > margin
    return "fails" if outside else "undecided"


@given(st.sampled_from(KINDS), differences, standard_errors, degrees, st.integers(1, 5))
def test_beyond_the_tipping_point_and_only_there_the_word_is_another(kind, d, se, df, n):
    error = Error(se, df)
    found = word(kind, d, error, n=n)
    point = tipping(*bounds(kind, d, error, 1.5, 0.0, n))
    assert (point is None) == (found == "undecided")
    if point is None:
        return
    assume(abs(point.noise - 1) > 1e-6)
    assert point.noise > 1
    assert word(kind, d, Error(se * point.noise * (1 - 1e-9), df), n=n) == found
    assert word(kind, d, Error(se * point.noise * (1 + 1e-9), df), n=n) == "undecided"
    step = 1e-9 * (1 + abs(point.bound))
    if kind == "better":
        tried = [word(kind, d, error, by=point.bound + s, n=n) for s in (-step, step)]
    else:
        sign = 1 if kind == "same" else -1
        tried = [word(kind, d, error, margin=sign * point.bound + s, n=n) for s in (-step, step)]
    assert sum(one == found for one in tried) == 1, "the word changes at the bound"


@given(differences, standard_errors, degrees)
def test_a_printed_number_comes_out_as_the_sentence_same_holds(d, se, df):
    error = Error(se, df)
    as_number = words.of_difference(d, error, 1.5)
    to_hold, to_fail = bounds("same", d, error, 1.5)
    holds, fails = all(one.is_met for one in to_hold), any(one.is_met for one in to_fail)
    assert (as_number == "reproduced") == holds
    assert (as_number == "not reproduced") == (fails and not holds)


def test_equal_equal_but_worse_and_worse_are_told_apart():
    assert outcome("same", -0.2, Error(0.3), 1.5) == "equal"
    assert outcome("same", -0.8, Error(0.3), 1.5) == "equal but worse"
    assert outcome("same", 0.8, Error(0.3), 1.5) == "equal"
    assert outcome("same", -2.5, Error(0.3), 1.5) == "worse"
    assert outcome("same", 2.5, Error(0.3), 1.5) == "better"
    assert outcome("same", -1.3, Error(0.3), 1.5) == "undecided"
    assert outcome("at least as good", 2.5, Error(0.3), 1.5) == "equal"
    assert outcome("at least as good", -0.8, Error(0.3), 1.5) == "equal but worse"


def test_kpm_beside_the_svm_is_equal_but_worse():
    """Table 2 of KPM, six differences of error as measured: inside the band, and above zero."""
    of_sets = [0.2, 1.32, 0.72, 0.48, 0.31, 1.5]
    mean, error = statistics.fmean(of_sets), over_sets(of_sets)
    assert mean + error.half_width(0.9) < 1.5 < 2.015 * 1.5
    assert mean - error.half_width(0.95) > 0
    assert outcome("same", -mean, error, 1.5) == "equal but worse"
    half = stats.ttest_1samp(of_sets, 0).confidence_interval(0.9)
    assert half.high - half.low == pytest.approx(2 * error.half_width(0.9))


@pytest.mark.parametrize("tested", [(0.8, 0.7, 0.6), (0.4, 0.4)])
@pytest.mark.parametrize("in_common", [0.0, 0.6, 1.0])
def test_the_mean_of_settings_of_one_pool_is_in_its_interval_whatever_they_share(tested, in_common):
    """The luck of a pool is in every setting that is drawn from it: no interval is too short."""
    rng, n, trials = np.random.default_rng(6), 2000, 20
    rho = np.array([errors.correlation(share) for share in tested])
    pools = np.sqrt(in_common) * rng.normal(size=(n, 1))
    pools = pools + np.sqrt(1 - in_common) * rng.normal(size=(n, len(tested)))
    splits = rng.normal(size=(trials, n, len(tested)))
    held = []
    for values in np.moveaxis(np.sqrt(rho) * pools + np.sqrt(1 - rho) * splits, 1, 0):
        of_each = [errors.paired(v, r) for v, r in zip(values.T, rho, strict=True)]
        error = errors.of_mean(values.mean(axis=0), of_each, ["orl"] * len(tested))
        held.append(abs(values.mean()) <= error.half_width())
    assert np.mean(held) > 0.94
    if in_common == 1:
        assert np.mean(held) < 0.98


def test_sets_that_all_say_the_same_to_the_last_bit_are_no_certainty():
    assert over_sets([0.5]).standard == math.inf
    assert over_sets([0.5, 0.5, 0.5]).standard == math.inf


@pytest.mark.parametrize("df", [3, 19, math.inf])
def test_z_and_mean_of_a_row_are_in_their_ranges_in_95_of_100_if_noise_is_all_there_is(df):
    rng = np.random.default_rng(1)
    inside, covered, n = 0, 0, 2000
    se = np.array([0.2, 0.5, 1.0, 2.0, 0.7, 0.3])
    sets = list("abcdef")
    for _ in range(n):
        known = se if math.isinf(df) else se * np.sqrt(rng.chisquare(df, 6) / df)
        line = row_line(rng.normal(0, se), [Error(s, df) for s in known], sets)
        inside += line.z_range[0] <= line.z <= line.z_range[1]
        covered += abs(line.difference) <= line.error.half_width()
    assert abs(inside / n - 0.95) < 0.02
    assert 0.93 < covered / n < 0.97, "the interval of a row's mean"


def test_cells_that_share_their_noise_do_not_count_as_many():
    rng, n, inside, covered = np.random.default_rng(2), 2000, 0, 0
    for _ in range(n):
        shared = np.repeat(rng.standard_normal(3), 3)
        line = row_line(shared, [Error(1.0)] * 9, list("aaabbbccc"))
        inside += line.z_range[0] <= line.z <= line.z_range[1]
        covered += abs(line.difference) <= line.error.half_width()
    assert abs(inside / n - 0.95) < 0.02
    assert abs(covered / n - 0.95) < 0.02


def test_cells_without_chance_or_without_interval_are_not_in_the_line():
    line = row_line([0.1, 9.0, 9.0], [Error(0.1), Error(0.0), errors.UNKNOWN], ["a", "b", "c"])
    assert (line.n, line.difference) == (1, 0.1)
    assert row_line([9.0], [errors.UNKNOWN], ["a"]) is None


@given(st.floats(-40, 40), st.integers(1, 200))
def test_a_normal_score_is_as_rare_as_the_ratio_and_never_larger(ratio, df):
    score = normal_score(ratio, df)
    assert abs(score) <= abs(ratio)
    if abs(score) < 30:
        assert stats.norm.sf(abs(score)) == pytest.approx(stats.t.sf(abs(ratio), df), rel=1e-6)


def test_the_chance_of_a_wrong_word_is_what_repeated_draws_say():
    """Of true differences that are all as likely, those behind one word, counted."""
    rng, error = np.random.default_rng(3), Error(0.4, 9)
    true = rng.uniform(-8, 8, 200_000)
    seen = true + error.standard * rng.standard_t(9, len(true))
    for d in (0.4, 0.7, 2.7, 3.5):
        near = true[np.abs(seen - d) < 0.05]
        name = words.of_difference(d, error, 1.5)
        is_wrong = np.abs(near) >= 1.5 if name == "reproduced" else np.abs(near) < 1.5
        assert chance_of_wrong(name, d, error, 1.5) == pytest.approx(is_wrong.mean(), abs=0.02)
    assert chance_of_wrong("undecided", 1.0, error, 1.5) == 0
    assert chance_of_wrong("reproduced", 1.0, Error(0.0), 1.5) == 0


def test_one_printed_run_that_spreads_by_a_point_can_never_be_reproduced():
    """Its own noise is wider than the band: more runs of ours make the word rarer, not likelier."""
    found = prospect(lambda n: Error(math.sqrt(1 + 1 / n), n - 1), 1.5)
    assert found.is_never
    assert found.runs is None


def test_a_number_that_is_not_yet_decided_is_brought_out_by_the_runs_that_are_named():
    def error_at(n):
        return splits_of(1.5, n, 1.5, 100)

    found = prospect(error_at, 1.5)
    assert not found.is_never
    rng, came_out = np.random.default_rng(4), []
    for _ in range(2000):
        theirs = rng.normal(0, 0.15)
        ours = rng.normal(0, 1.5, found.runs)
        error = splits(ours, 1.5, 100)
        came_out.append(words.of_difference(ours.mean() - theirs, error, 1.5) == "reproduced")
    assert np.mean(came_out) > 0.77


@pytest.mark.parametrize("k", [3, 6, 9])
@pytest.mark.parametrize("noise", [(1.0,), (0.2, 3.0)], ids=["equal noise", "unequal noise"])
@pytest.mark.parametrize("between", [0.0, 1.0])
def test_the_mean_over_sets_is_in_its_interval_whatever_splits_share(k, noise, between):
    """Sets differ or not, trials of a set share a pool or not: 95 says 95, or more if unequal."""
    rng, n = np.random.default_rng(5), 4000
    deviation = np.resize(noise, k)
    means = rng.normal(0, between, (n, k)) + rng.normal(0, deviation, (n, k))
    for level in (0.9, 0.95):
        held = [abs(row.mean()) <= over_sets(row).half_width(level) for row in means]
        assert level - 0.02 < np.mean(held), "never too short"
        if len(noise) == 1:
            assert np.mean(held) < level + 0.02


@pytest.mark.parametrize("counts", [(1, 3, 2, 6), (1, 1, 1, 1, 1, 9)])
def test_the_mean_over_cells_weighs_a_set_by_their_number(counts):
    """A guest's table may have unequal ones: as if all sets weighed the same, the last held 85."""
    rng, n = np.random.default_rng(7), 4000
    sets = np.repeat(np.arange(len(counts)), counts)
    held = []
    for values in rng.normal(size=(n, len(counts)))[:, sets]:
        error = errors.of_mean(values, [Error(0.1)] * len(sets), sets)
        held.append(abs(values.mean()) <= error.half_width())
    assert 0.94 < np.mean(held) < 0.99, "never too short"
