"""The rules behind the words: right at their edges, sharper with data, rarely wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts import words as rules
from reprolib.rerun.verdicts.calibration import (
    chance_of_words,
    expected_false_alarms,
    judged_performances,
    operating_characteristics,
)
from reprolib.rerun.verdicts.errors import Error, one_more_run, splits
from reprolib.rerun.verdicts.errors import test_set as shared_test_set

N_SIMULATED = 3000
#: Deviations of a share of `N_SIMULATED` around 5 %.
SLACK = 4 * math.sqrt(0.05 * 0.95 / N_SIMULATED)

differences = st.floats(-20, 20)
standard_errors = st.floats(1e-3, 20)
degrees = st.integers(1, 200)


def test_edges_of_the_words():
    error = Error(0.5)
    edge = 1.5 - error.half_width(0.9)
    assert rules.of_difference(edge - 1e-9, error, 1.5) == "reproduced"
    assert rules.of_difference(edge + 1e-9, error, 1.5) == "undecided"
    assert rules.of_difference(error.half_width() + 1e-9, error, 1.5) == "not reproduced"
    assert rules.of_difference(0.0, Error(math.inf), 1.5) == "undecided"
    assert rules.of_difference(1.4, Error(0.0), 1.5) == "reproduced"
    assert rules.of_difference(1.6, Error(0.0), 1.5) == "not reproduced"


@given(differences, standard_errors, degrees)
def test_the_same_difference_measured_more_sharply_is_never_less_decided(d, se, df):
    before = rules.of_difference(d, Error(se, df), 1.5)
    after = rules.of_difference(d, Error(se / 2, 4 * df), 1.5)
    assert before == "undecided" or after != "undecided"
    if before == "reproduced":
        assert after == "reproduced"


@given(differences, standard_errors, degrees)
def test_words_do_not_depend_on_the_sign_or_the_unit(d, se, df):
    error = Error(se, df)
    word = rules.of_difference(d, error, 1.5)
    assert rules.of_difference(-d, error, 1.5) == word
    fraction = Error(se / 128, df)
    assert rules.of_difference(d / 128, fraction, 1.5 / 128) == word


@given(standard_errors, degrees)
def test_what_is_detectable_is_found_in_four_of_five(se, df):
    error = Error(se, df)
    beyond = stats.t.sf((error.half_width() - error.detectable) / se, df)
    assert beyond == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("n", [40, 79, 100, 300])
def test_the_range_of_a_selection_holds_one_more_as_often_as_said(n):
    """Of tied candidates too, as dimensions are; by order statistics it is distribution-free."""
    rng = np.random.default_rng(n)
    for draw in (
        rng.normal,
        lambda size: rng.geometric(0.1, size),
        lambda size: rng.integers(4, size=size),
    ):
        inside = 0
        for _ in range(600):
            *ours, one_more = draw(size=n + 1)
            low, high = rules.prediction_range(np.array(ours))
            inside += low <= one_more <= high
        assert inside / 600 > 0.95 - 4 * math.sqrt(0.05 * 0.95 / 600)


def test_fewer_than_forty_draws_have_no_range():
    assert rules.prediction_range(np.arange(39.0)) == (-math.inf, math.inf)
    assert rules.of_selection(3.0, -math.inf, math.inf, 1000) == "undecided"
    assert math.isinf(rules.detectable_shift(np.arange(39.0)))


def test_a_choice_may_tie_with_the_best_if_few_do():
    scores = np.full(50, 0.8)
    scores[[6, 7]] = 0.9, 0.9 - 1e-12
    ties = [choice for choice in range(53) if rules.ties_with_best(scores, choice)]
    assert ties == [7, 8], "counted from one; 0, 51 and 52 were not searched"
    assert not rules.ties_with_best(np.full(50, 0.9), 7), "all are best, which decides nothing"


@pytest.mark.parametrize("searched", [99, 100])
def test_a_random_candidate_may_be_inside_in_one_case_of_five(searched):
    word = rules.of_selection(5.0, 1.0, 20.0, searched)
    assert word == ("reproduced" if searched == 100 else "undecided")


def simulated_words(v, true_difference, rng, factor=1):
    """Words on repetitions of a committed comparison, both sides drawn anew.

    The spreads are those of the records; with ``factor`` times the trials, ours and theirs.
    """
    number, scale = v.number, v.number.margin / rules.MARGIN
    n, N = factor * v.n_trials, factor * number.trials
    shift = true_difference * scale
    for _ in range(N_SIMULATED // (3 if factor > 1 else 1)):
        if number.designs == ("splits",):
            own = number.spread if number.spread is not None else v.spread
            ours, theirs = rng.normal(shift, v.spread, n), rng.normal(0, own, N)
            spread = None if number.spread is None else float(theirs.std(ddof=1))
            error = splits(ours, spread, N)
            difference = float(ours.mean() - theirs.mean())
        elif number.designs[-1] in ("seeds", "cross-validation"):
            k = n // number.folds if number.folds else n
            k = max(k, 20) if number.spread_of else k
            deviation = v.error.standard / math.sqrt(1 + 1 / k)
            ours, theirs = rng.normal(shift, deviation, k), rng.normal(0, deviation)
            error, difference = one_more_run(ours), float(ours.mean() - theirs)
        else:
            n_test, apart = 2000 * factor, true_difference / 100
            q = max((v.error.standard / scale / 100) ** 2 * 2000, apart)
            right = [(q + apart) / 2, (q - apart) / 2, 1 - q]
            only_ours, only_theirs, _ = rng.multinomial(n_test, right)
            error = Error(100 * scale * shared_test_set([q], n_test, 1.0).standard)
            difference = 100 * scale * (only_ours - only_theirs) / n_test
        yield rules.of_difference(difference, error, number.margin)


def comparisons():
    """One committed comparison a paper and design, the one of median error."""
    found = {}
    for paper in PAPERS:
        for v in judged_performances(judge_paper(paper)):
            if v.number.designs != ("runs",) and v.error.standard > 0:
                found.setdefault((paper, v.design), []).append(v)
    for (paper, design), listed in found.items():
        middle = sorted(listed, key=lambda v: v.error.standard / v.margin)[len(listed) // 2]
        yield pytest.param(middle, id=f"{paper}, {design}")


def share(words, word):
    listed = list(words)
    return listed.count(word) / len(listed)


@pytest.mark.parametrize("v", comparisons())
def test_the_words_are_wrong_as_rarely_as_said_and_sharper_with_four_times_the_data(v):
    rng = np.random.default_rng(1)
    equal = list(simulated_words(v, 0.0, rng))
    apart = list(simulated_words(v, 3.0, rng))
    assert share(equal, "not reproduced") <= 0.05 + SLACK
    assert share(apart, "reproduced") <= 0.05 + SLACK
    more_equal = share(simulated_words(v, 0.0, rng, 4), "reproduced")
    more_apart = share(simulated_words(v, 3.0, rng, 4), "not reproduced")
    slack = 4 * math.sqrt(0.25 / (N_SIMULATED // 3))
    assert more_equal >= share(equal, "reproduced") - slack
    assert more_apart >= share(apart, "not reproduced") - slack


@given(standard_errors, degrees, st.floats(0, 10))
def test_chances_of_the_words_add_up_and_keep_their_levels(se, df, true_difference):
    chances = chance_of_words(Error(se, df), 1.5, true_difference)
    assert sum(chances.values()) == pytest.approx(1.0)
    if true_difference >= 1.5:
        assert chances["reproduced"] <= 0.05 + 1e-9
    if true_difference == 0:
        assert chances["not reproduced"] <= 0.05 + 1e-9


def test_the_table_of_characteristics_keeps_the_levels_for_every_paper():
    verdicts = [v for paper in PAPERS for v in judge_paper(paper)]
    frame = operating_characteristics(verdicts)
    assert set(frame.index.get_level_values("paper")) == set(PAPERS)
    assert (frame["equal: not reproduced"] <= 0.05 + 1e-9).all()
    assert (frame["3 points off: reproduced"] <= 0.05 + 1e-9).all()
    n = len(judged_performances(verdicts))
    assert frame["numbers"].sum() == n
    assert 0 < expected_false_alarms(verdicts) <= 0.05 * n
