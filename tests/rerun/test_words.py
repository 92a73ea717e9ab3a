"""The rules behind the words: right at their edges, sharper with data, rarely wrong."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts import words as rules
from reprolib.rerun.verdicts.calibration import (
    judged_performances,
    operating_characteristics,
)
from reprolib.rerun.verdicts.chances import chance_of_words
from reprolib.rerun.verdicts.designs import DESIGNS, drawn_once, partial_pool
from reprolib.rerun.verdicts.designs.base import Repeated
from reprolib.rerun.verdicts.designs.selection import prediction_range, sure_range
from reprolib.rerun.verdicts.errors import Error, summed
from reprolib.rerun.verdicts.evidence import gathered, pseudo_values
from reprolib.rerun.verdicts.judge import outcome

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
    assert rules.of_difference(error.half_width() + 1e-9, error, 1.5) == "undecided, differs"
    assert rules.of_difference(1.5 + error.half_width() - 1e-9, error, 1.5) == "undecided, differs"
    assert rules.of_difference(1.5 + error.half_width() + 1e-9, error, 1.5) == "not reproduced"
    assert rules.of_difference(0.0, Error(math.inf), 1.5) == "undecided"
    assert rules.of_difference(1.4, Error(0.0), 1.5) == "reproduced"
    assert rules.of_difference(1.6, Error(0.0), 1.5) == "not reproduced"


@given(differences, standard_errors, degrees)
def test_the_same_difference_measured_more_sharply_goes_towards_the_right_word(d, se, df):
    before = rules.of_difference(d, Error(se, df), 1.5)
    after = rules.of_difference(d, Error(se / 2, 4 * df), 1.5)
    if before in ("reproduced", "not reproduced"):
        assert after == before
    if before == "undecided, differs":
        assert after != "undecided"


@pytest.mark.parametrize("true_difference", [0.0, 1.2, 2.0])
def test_the_right_word_becomes_certain_with_data_and_the_wrong_one_never_likely(true_difference):
    """Means of n splits on either side, n from 5 to 500: one spread of 3 points, as of faces."""
    rng = np.random.default_rng(0)
    right, wrong = "reproduced", "not reproduced"
    if true_difference > 1.5:
        right, wrong = wrong, right
    shares = []
    for n in (5, 20, 50, 200, 500, 5000):
        means = rng.normal(0.0, 3.0 / math.sqrt(n), (N_SIMULATED, 2))
        spreads = 3.0 * np.sqrt(rng.chisquare(n - 1, (N_SIMULATED, 2)) / (n - 1))
        found = [
            rules.of_difference(
                true_difference + a - b, summed([Error(s / math.sqrt(n), n - 1) for s in both]), 1.5
            )
            for (a, b), both in zip(means, spreads, strict=True)
        ]
        shares.append(found.count(right) / N_SIMULATED)
        assert found.count(wrong) / N_SIMULATED <= 0.05 + SLACK, f"n = {n}"
    assert shares[-1] > 0.99, f"the right word in {shares}"
    assert all(b >= a - SLACK for a, b in itertools.pairwise(shares)), f"the right word in {shares}"


@given(differences, standard_errors, degrees)
def test_words_do_not_depend_on_the_sign_or_the_unit(d, se, df):
    error = Error(se, df)
    word = rules.of_difference(d, error, 1.5)
    assert rules.of_difference(-d, error, 1.5) == word
    fraction = Error(se / 128, df)
    assert rules.of_difference(d / 128, fraction, 1.5 / 128) == word


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
            low, high = prediction_range(np.array(ours))
            inside += low <= one_more <= high
        assert inside / 600 > 0.95 - 4 * math.sqrt(0.05 * 0.95 / 600)


def test_fewer_than_forty_draws_have_no_range():
    few, many = np.arange(39.0), np.arange(100.0)
    assert prediction_range(few) == sure_range(few) == (-math.inf, math.inf)
    (low, high), (low_90, high_90) = prediction_range(many), sure_range(many)
    assert low < low_90 < high_90 < high


@pytest.mark.parametrize("n", [40, 57, 100, 300])
def test_the_sure_range_of_a_selection_leaves_out_a_tenth_at_most_as_often_as_said(n):
    rng = np.random.default_rng(n)
    ends = [sure_range(rng.random(n)) for _ in range(N_SIMULATED)]
    for share_beyond in ([low for low, _ in ends], [1 - high for _, high in ends]):
        assert np.mean(np.array(share_beyond) > 0.1) <= 0.05 + SLACK


@pytest.mark.parametrize("n", [2, 3, 5, 20])
@pytest.mark.parametrize("theirs", [0.3, 1.0, 3.0])
def test_few_splits_of_ours_are_never_kinder(n, theirs):
    """With Welch and Satterthwaite's degrees of freedom 8 % of pairs of splits were kind."""
    rng = np.random.default_rng(n)
    words = simulated_words("splits", Repeated(1.0, theirs, n, 20), 1.5, rng, 1.5)
    assert share(words, "reproduced") <= 0.05 + SLACK


#: Printed selections that the size of the data does not fix, with our draws of each.
SELECTIONS = [
    pytest.param(v.number, gathered(v.number, records, frozenset())[v.reading], id=v.number.id)
    for paper in PAPERS
    for records in [load_paper(paper)]
    for v in judge_paper(paper)
    if v.quantity == "selection" and v.n_trials > 1 and not v.number.fixed
]


@pytest.mark.parametrize(("number", "evidence"), SELECTIONS)
def test_fewer_draws_of_a_selection_are_never_kinder(number, evidence):
    """Of draws from ours, four times as many are reproduced as often, if it is more than 5 %."""
    rng = np.random.default_rng(0)
    least = 40 if number.designs == ("selection",) else 2
    kind = []
    for n in (least, 4 * least, 16 * least):
        drawn = (rng.choice(evidence.values, n) for _ in range(200))
        samples = [replace(evidence, values=values, trials=np.arange(n)) for values in drawn]
        kind.append(share((outcome(number, sample).word for sample in samples), "reproduced"))
    slack = 4 * math.sqrt(0.05 * 0.95 / 200)
    assert all(few <= max(0.05, more) + slack for few, more in itertools.pairwise(kind)), kind


@pytest.mark.parametrize(("number", "evidence"), SELECTIONS)
def test_a_subset_of_the_draws_is_no_kinder_than_all(number, evidence):
    """Unless ours is within the margin, so that the kind word would be right."""
    if abs(evidence.mean - number.value) < number.margin:
        return
    rng, n = np.random.default_rng(0), len(evidence.values)
    for size in range(2, n, max(1, n // 8)):
        chosen = [rng.choice(n, size, replace=False) for _ in range(100)]
        subsets = [
            replace(evidence, values=evidence.values[i], trials=evidence.trials[i]) for i in chosen
        ]
        kind = share((outcome(number, subset).word for subset in subsets), "reproduced")
        assert kind <= 0.05, f"{kind:.0%} of subsets of {size}"


def test_pseudo_values_cover_what_is_no_mean_of_the_runs():
    """A count of features that are strong enough in the runs together, ten draws behind each."""
    rng = np.random.default_rng(0)
    strengths = np.linspace(0.0, 2.0, 64)

    def kept(runs):
        level = runs.mean(axis=0) + rng.normal(0, 0.1, (10, 64))
        return float((level > 1.0).sum(axis=1).mean())

    covered = []
    for _ in range(1000):
        runs = strengths + rng.normal(0, 1, (11, 1)) * 0.3 + rng.normal(0, 0.3, (11, 64))
        ours = runs[:4]
        without = np.array([kept(np.delete(ours, i, axis=0)) for i in range(4)])
        values = pseudo_values(kept(ours), without)
        half = partial_pool.partial_pool(values, 11).half_width()
        covered.append(abs(kept(ours) - kept(runs)) < half)
    assert np.mean(covered) > 0.92
    values = np.array([1.0, 4.0, 7.0])
    means = [np.delete(values, i).mean() for i in range(3)]
    np.testing.assert_allclose(pseudo_values(4.0, np.array(means)), values)


@pytest.mark.parametrize(("of_runs", "of_draws"), [(1.0, 1.0), (0.3, 3.0)])
@pytest.mark.parametrize("is_count", [False, True])
def test_a_claim_on_few_recordings_has_them_alone_as_its_unit(of_runs, of_draws, is_count):
    """Four recordings, twenty draws of each: their spread holds the noise of the draws already."""
    rng = np.random.default_rng(0)
    strengths = rng.normal(0, 0.5, 64)

    def kept(draws):
        level = draws.mean(axis=0)
        return float((level > 0.3).sum(axis=-1).mean() if is_count else level.mean())

    values, halves = [], []
    for _ in range(1500):
        runs = strengths + rng.normal(0, of_runs, (4, 1, 64))
        draws = runs + rng.normal(0, of_draws, (4, 20, 64))
        values.append(kept(draws))
        without = np.array([kept(np.delete(draws, i, axis=0)) for i in range(4)])
        units = pseudo_values(values[-1], without)
        halves.append(partial_pool.error_of_claim(units).half_width())
    covered = np.mean(np.abs(np.array(values) - np.mean(values)) <= halves)
    assert 0.93 < covered < 0.97, covered


def test_all_runs_of_a_pool_leave_no_error_and_one_run_leaves_it_unknown():
    assert partial_pool.partial_pool(np.arange(11.0), 11).standard == 0
    assert math.isinf(partial_pool.partial_pool(np.array([1.0]), 11).standard)


#: By design, a comparison as the papers have them: spread of ours, of theirs, trials.
USUAL = {
    "splits": Repeated(2.0, 3.0, 20, 20),
    "cross-validation": Repeated(0.5, 0.5, 20, 1),
    "seeds": Repeated(0.5, 0.5, 20, 1),
    "test set": Repeated(20.0, 20.0, 2000, 1),
    "runs": Repeated(0.5, 0.5, 12, 12),
    "selection": Repeated(3.0, 3.0, 79, 1),
}


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_the_interval_of_every_design_holds_the_true_difference_as_often_as_said(name, shift):
    """A design without a simulation of its own is no design."""
    rng = np.random.default_rng(2)
    ends = [DESIGNS[name].simulate(USUAL[name], shift, rng) for _ in range(N_SIMULATED)]
    covered = np.mean([low <= shift <= high for low, high, _, _ in ends])
    assert abs(covered - 0.95) < SLACK + 0.005, covered


@pytest.mark.parametrize(
    "simulate",
    [lambda rng: partial_pool.simulate(4, 11, rng), lambda r: drawn_once.simulate(40, r)],
)
def test_so_do_those_of_a_partial_pool_and_of_a_choice_made_once(simulate):
    rng = np.random.default_rng(0)
    ends = [simulate(rng) for _ in range(N_SIMULATED)]
    assert abs(np.mean([low <= 0 <= high for low, high, _, _ in ends]) - 0.95) < SLACK


def simulated_words(design, of, shift, rng, margin, n=N_SIMULATED):
    """Words on repetitions of a comparison, both sides drawn anew."""
    for _ in range(n):
        yield rules.word_of(*DESIGNS[design].simulate(of, shift, rng), margin)


def as_committed(v, factor):
    """Design and size of a committed comparison, with ``factor`` times the trials of both sides."""
    number = v.number
    n, trials = factor * v.n_trials, factor * number.trials
    if number.designs == ("splits",):
        own = v.spread if number.spread is None else number.spread
        is_printed = number.spread is not None
        return "splits", Repeated(v.spread, own, n, trials, is_printed, number.scale)
    if number.designs[-1] in ("seeds", "cross-validation"):
        k = n // number.folds if number.folds else n
        k = max(k, 20) if number.spread_of else k
        own = v.error.standard / math.sqrt(1 + 1 / k)
        return number.designs[-1], Repeated(own, own, k, 1, False, number.scale)
    of_one_point = v.error.standard * math.sqrt(2000)
    return "test set", Repeated(of_one_point, 0.0, 2000 * factor, 1, False, number.scale)


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
    rng, twice = np.random.default_rng(1), 2 * v.margin
    (design, once), (_, more) = as_committed(v, 1), as_committed(v, 4)
    equal = list(simulated_words(design, once, 0.0, rng, v.margin))
    apart = list(simulated_words(design, once, twice, rng, v.margin))
    assert share(equal, "not reproduced") <= 0.05 + SLACK
    assert share(apart, "reproduced") <= 0.05 + SLACK
    few = N_SIMULATED // 3
    more_equal = share(simulated_words(design, more, 0.0, rng, v.margin, few), "reproduced")
    more_apart = share(simulated_words(design, more, twice, rng, v.margin, few), "not reproduced")
    slack = 4 * math.sqrt(0.25 / few)
    assert more_equal >= share(equal, "reproduced") - slack
    assert more_apart >= share(apart, "not reproduced") - slack


@given(standard_errors, degrees, st.floats(0, 10))
def test_chances_of_the_words_add_up_and_keep_their_levels(se, df, true_difference):
    chances = chance_of_words(Error(se, df), 1.5, true_difference)
    assert sum(chances.values()) == pytest.approx(1.0)
    if true_difference >= 1.5:
        assert chances["reproduced"] <= 0.05 + 1e-9
    if true_difference == 0:
        assert chances["not reproduced"] + chances["undecided, differs"] <= 0.05 + 1e-9
    if true_difference <= 1.5:
        assert chances["not reproduced"] <= 0.05 + 1e-9


def test_the_table_of_characteristics_keeps_the_levels_in_the_worst_cell():
    verdicts = [v for paper in PAPERS for v in judge_paper(paper)]
    frame = operating_characteristics(verdicts)
    assert set(frame.index.get_level_values("paper")) == set(PAPERS)
    assert (frame["1 off: not reproduced, worst"] <= 0.05 + 1e-9).all()
    assert (frame["3 off: reproduced, worst"] <= 0.05 + 1e-9).all()
    assert (frame["3 off: reproduced"] <= frame["3 off: reproduced, worst"]).all()
    assert (frame["0 off: reproduced"] >= frame["0 off: reproduced, worst"]).all()
    assert frame["numbers"].sum() == len(judged_performances(verdicts))
