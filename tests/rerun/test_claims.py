"""Words on claims: known answers on made-up trials, and what the papers say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.rerun import records as results
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, numbers
from reprolib.rerun.verdicts.claim import Cell, Claim, Side
from reprolib.rerun.verdicts.claims import NoRecordError, judge_claim, tipping_of
from reprolib.rerun.verdicts.errors import CORRELATION, Error, paired

RNG = np.random.default_rng(0)
NOISE = RNG.normal(0, 0.002, 30)
SPLIT_LUCK = RNG.normal(0, 0.03, 30)
#: How much farther ahead a method is on a set than in the mean of three.
SETS = {"one": 0.0, "two": 0.002, "three": -0.002}


def claim(
    kind="better",
    *,
    larger_is_better=True,
    designs=("splits",),
    b=("old",),
    by=0.0,
    each=False,
    sets=("one",),
):
    own = replace(numbers("mkmmc")[0], select={"metric": "accuracy"}, results="table1")
    cells = tuple(Cell("table1", name, "", designs, None, 1, own) for name in sets)
    return Claim(
        *("fake", "a claim", "we are better", 1, ("table1",), kind, larger_is_better, 100.0, 1.5),
        *(by, each, "accuracy", "headline", Side({"method": "new"})),
        tuple(Side({"method": name}) for name in b),
        cells,
    )


def rows(method, values, *, dataset="one", reading="headline"):
    table = {
        **dict.fromkeys(results.COLUMNS, ""),
        "table": "table1",
        "dataset": dataset,
        "method": method,
        "metric": "accuracy",
        "reading": reading,
        "n_test": 500,
        "status": "ok",
        "source": "original",
    }
    lines = [{**table, "trial": trial, "value": value} for trial, value in enumerate(values)]
    return pd.DataFrame(lines, columns=results.COLUMNS)


def measured(advantage, *, noise=NOISE, reading="headline", against="old"):
    """A method that is ahead by some share of the points, on three sets."""
    base = 0.8 + SPLIT_LUCK[: len(noise)]
    return pd.concat(
        rows(method, values, dataset=name, reading=reading)
        for name, more in SETS.items()
        for method, values in (("new", base + advantage + more + noise), (against, base))
    )


@pytest.mark.parametrize(
    ("kind", "advantage", "word"),
    [
        ("better", 0.02, "holds"),
        ("better", -0.02, "fails"),
        ("better", 0.0, "undecided"),
        ("at least as good", 0.0, "holds"),
        ("at least as good", -0.005, "holds"),
        ("at least as good", -0.03, "fails"),
        ("same", 0.005, "holds"),
        ("same", 0.03, "fails"),
        ("same", -0.03, "fails"),
    ],
)
def test_words_of_claims(kind, advantage, word):
    assert judge_claim(claim(kind), measured(advantage), []).word == word
    mirrored = claim(kind, larger_is_better=False)
    assert judge_claim(mirrored, measured(-advantage), []).word == word


def test_few_trials_decide_nothing():
    few = measured(0.002, noise=np.array([-0.02, 0.02]))
    for kind in ("better", "at least as good", "same"):
        assert judge_claim(claim(kind), few, []).word == "undecided"
    assert judge_claim(claim("same"), measured(0.0, noise=NOISE[:1]), []).word == "undecided"


def test_differences_are_paired_and_corrected_for_the_rows_that_splits_share():
    verdict = judge_claim(claim(), measured(0.02), [])
    rho = (1 - 0.8) / 2  # two of ten images a person train
    one_set = 100 * NOISE.std(ddof=1) * np.sqrt(1 / 30 + rho / (1 - rho))
    low, high = verdict.interval
    expected = stats.t.ppf(0.975, 29) * one_set
    assert (high - low) / 2 == pytest.approx(expected), "the luck of the splits cancels"
    assert verdict.difference == pytest.approx(100 * (0.02 + NOISE.mean()))


@pytest.mark.parametrize("of_old", [False, True])
def test_a_draw_that_both_sides_share_counts_by_their_difference(of_old):
    """Also the dictionary of Caltech-101's features: what it gives both sides decides nothing."""
    draws, metric = [0.70, 0.74, 0.66, 0.72, 0.68], "accuracy at another draw"
    own = claim()
    (cell,) = own.cells
    select = {"dataset": "one", "method": "new", "metric": "accuracy", "setting": ""}
    number = replace(cell.number, drawn_once=metric, select=select)
    of_draws = [rows("new", draws)]
    if of_old:
        of_draws.append(rows("old", np.add(draws, [0.01, 0.0, -0.01, 0.0, 0.0])))
    table = pd.concat([measured(0.02), *(r.assign(metric=metric) for r in of_draws)])
    changed = replace(own, cells=(replace(cell, number=number),))
    wide, sharp = (judge_claim(c, table, []).weakest.error for c in (changed, own))
    luck = np.var([0.01, 0.0, -0.01, 0.0, 0.0] if of_old else draws, ddof=1)
    assert wide.standard**2 - sharp.standard**2 == pytest.approx(100**2 * luck)


def test_of_several_data_sets_each_is_one_difference_whatever_its_trials():
    for noise in (NOISE, NOISE[:2]):
        verdict = judge_claim(claim(sets=SETS), measured(0.02, noise=noise), [])
        assert verdict.weakest.error.degrees == 2
        of_sets = 100 * (0.02 + noise.mean() + np.array(list(SETS.values())))
        half = stats.ttest_1samp(of_sets, 0).confidence_interval(0.95)
        assert verdict.interval == pytest.approx((half.low, half.high))


def test_equal_but_worse_is_said_beside_the_word():
    behind = judge_claim(claim("same", sets=SETS), measured(-0.008), [])
    assert (behind.word, behind.outcome) == ("holds", "equal but worse")
    assert judge_claim(claim("same", sets=SETS), measured(0.0), []).outcome == "equal"


def test_the_tipping_point_of_a_claim_is_that_of_the_comparison_that_changes_first():
    """The one that is least ahead may be the surest."""
    far = measured(0.02, against="noisy")
    spread = {"one": 0.06, "two": 0.03, "three": 0.04}
    is_rival = far["method"] == "noisy"
    far.loc[is_rival, "value"] -= far.loc[is_rival, "dataset"].map(spread)
    both = pd.concat([measured(0.02), far[is_rival]])
    verdict = judge_claim(claim(b=("old", "noisy"), sets=SETS), both, [])
    near, noisy = verdict.contrasts
    assert verdict.word == "holds"
    assert noisy.difference > near.difference
    assert verdict.tipping == noisy.tipping
    assert noisy.tipping.noise < near.tipping.noise


def test_a_claim_against_several_is_as_good_as_its_weakest_contrast():
    both = pd.concat([measured(0.02), measured(-0.02, against="best")])
    both = both[~((both["method"] == "new") & both.duplicated(["dataset", "method", "trial"]))]
    best = both["method"] == "best"
    both.loc[best, "value"] += 0.04
    verdict = judge_claim(claim(b=("old", "best")), both, [])
    assert [c.word for c in verdict.contrasts] == ["holds", "fails"]
    assert (verdict.word, verdict.weakest.against) == ("fails", "best")


def test_a_claim_that_fails_under_a_reading_holds_with_a_but():
    everything = pd.concat([measured(0.02), measured(-0.02, reading="without a run")])
    verdict = judge_claim(claim(), everything, [])
    assert (verdict.word, verdict.exceptions) == ("holds, but", {"without a run": "fails"})
    assert (
        verdict.word_with_exceptions
        == "holds, but fails in 1 of 1 other variants (“without a run”)"
    )
    assert verdict.n_readings == 1


def test_a_reading_with_fewer_trials_is_no_exception_for_being_undecided():
    few = measured(0.002, noise=NOISE[:2], reading="two trials")
    assert judge_claim(claim(), pd.concat([measured(0.02), few]), []).word == "holds"
    as_many = measured(0.0, reading="another rule")
    assert judge_claim(claim(), pd.concat([measured(0.02), as_many]), []).word == "holds, but"


def without(table, dataset, reading, keep=0):
    """The rows, with only so many trials of a reading on a data set."""
    own = (table["dataset"] == dataset) & (table["reading"] == reading)
    return table[~own | (table["trial"] < keep)]


def test_fewer_trials_are_an_exception_if_their_interval_is_as_narrow():
    """MKPM with N the training size: fewer folds, but the points of the test set decide."""
    sharp = measured(-0.0005, noise=NOISE[:20] / 10, reading="another rule")
    verdict = judge_claim(claim(), pd.concat([measured(0.02), sharp]), [])
    assert verdict.exceptions == {"another rule": "fails"}
    open_still = measured(0.0, noise=NOISE[:20] / 10, reading="another rule")
    verdict = judge_claim(claim(by=0.01), pd.concat([measured(0.02), open_still]), [])
    assert verdict.exceptions == {"another rule": "undecided"}


@pytest.mark.parametrize("n_trials", [0, 1])
def test_a_reading_is_judged_where_it_was_run(n_trials):
    """Batch and averaged online methods are level on UCI's sets; Caltech-101 had a single trial."""
    judged, level = measured(0.02), measured(0.0, reading="averaged")
    for name in ("two", "three"):
        level = without(level, name, "averaged", n_trials)
    verdict = judge_claim(claim(sets=SETS), pd.concat([judged, level]), [])
    assert verdict.exceptions == {"averaged": "undecided"}, "the other sets must not help"
    nowhere = without(level, "one", "averaged", n_trials)
    assert judge_claim(claim(sets=SETS), pd.concat([judged, nowhere]), []).n_readings == 0


def test_a_reading_is_compared_with_the_judged_one_on_the_same_data_sets():
    judged = measured(0.02, noise=NOISE * 20)
    same = judged[judged["dataset"] == "two"].assign(reading="without a run")
    assert judge_claim(claim(sets=("two",)), judged, []).word == "undecided"
    verdict = judge_claim(claim(sets=SETS), pd.concat([judged, same]), [])
    assert (verdict.word, verdict.exceptions) == ("holds", {}), "the set differs, not the reading"
    assert verdict.n_readings == 1


def test_a_path_that_ends_before_is_no_trial():
    both = measured(0.0).assign(path=" ".join(["0.8", "0.7"]), value=np.nan)
    ended = both["trial"] == 3
    both.loc[ended, "path"] = "0.8"
    at = {"a": Side({"method": "new"}, at=1), "b": (Side({"method": "old"}, at=2),)}
    verdict = judge_claim(replace(claim(), **at), both, [])
    assert verdict.difference == pytest.approx(10)


def test_what_a_reading_did_not_measure_is_as_under_the_headline():
    changed = measured(-0.02, reading="other ties")
    of_one_side = changed[changed["method"] == "new"]
    verdict = judge_claim(claim(), pd.concat([measured(0.02), of_one_side]), [])
    assert verdict.exceptions == {"other ties": "fails"}


def test_a_sentence_about_every_data_set_is_judged_on_each():
    both = measured(0.02)
    worse = (both["dataset"] == "two") & (both["method"] == "new")
    both.loc[worse, "value"] -= 0.035
    assert judge_claim(claim("same", sets=SETS), both, []).word != "fails", "in the mean"
    verdict = judge_claim(claim(each=True, sets=SETS), both, [])
    assert (verdict.word, verdict.weakest.against) == ("fails", "old on two")


def test_far_better_is_more_than_better():
    assert judge_claim(claim(by=1.0), measured(0.02), []).word == "holds"
    assert judge_claim(claim(by=3.0), measured(0.02), []).word == "fails"
    assert judge_claim(claim(by=2.0), measured(0.02), []).word == "undecided"


def test_a_test_set_has_the_noise_of_its_points_also_for_a_claim_on_seeds():
    steady = measured(0.01, noise=np.zeros(20))
    verdict = judge_claim(claim(designs=("seeds",)), steady, [])
    assert verdict.word == "undecided", "one point of difference on 500 test points"


def test_a_side_without_records_is_named():
    with pytest.raises(NoRecordError, match="'method': 'missing'"):
        judge_claim(claim(b=("missing",)), measured(0.02), [])


def test_intervals_of_claims_hold_the_truth_as_often_as_they_say():
    """Differences on one pool are correlated as measured; the truth is that of all pools."""
    rng = np.random.default_rng(2)
    for n, correlation in [(10, 0.12), (100, 0.12), (100, CORRELATION)]:
        pools = rng.normal(0, np.sqrt(correlation), (2000, 1))
        drawn = 1.0 + pools + rng.normal(0, np.sqrt(1 - correlation), (2000, n))
        halves = np.array([paired(d).half_width() for d in drawn])
        covered = np.abs(drawn.mean(axis=1) - 1.0) <= halves
        assert covered.mean() >= 0.94
        plain = np.array([paired(d, 0.0).half_width() for d in drawn])
        if n == 100:
            assert (np.abs(drawn.mean(axis=1) - 1.0) <= plain).mean() < 0.65


@pytest.mark.parametrize("kind", ["better", "at least as good", "same"])
def test_an_unknown_error_decides_no_claim(kind):
    assert tipping_of(claim(kind), 50.0, Error(np.inf, 0.0)) is None


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_has_a_word_a_sentence_and_an_interval(paper):
    listed = judge_claims(paper)
    assert len({c.claim.name for c in listed}) == len(listed)
    for c in listed:
        low, high = c.interval
        assert low <= c.difference <= high
        assert len(c.text) > 30
        n_sets = len({cell.dataset for cell in c.claim.cells}) if c.claim.each else 1
        assert len(c.contrasts) == n_sets * len(c.claim.b)


def test_claims_are_judged_under_all_readings_that_the_records_have():
    """Before, 16 of 30 claims had no control, and their word could carry no exception."""
    listed = [c for paper in PAPERS for c in judge_claims(paper)]
    assert len(listed) >= 30
    assert sum(c.n_readings > 0 for c in listed) >= 20
    contrasts = {str(replace(c.claim, name="", text="", page=0, kind="same")) for c in listed}
    assert len(contrasts) == len(listed), "one contrast is one claim"


def test_what_the_papers_claim_and_where_it_fails():
    papers = ("kpm", "mkpm", "simplex", "keops", "mkmmc")
    assert all(len(judge_claims(paper)) >= 2 for paper in papers)
    words = {c.claim.name: c for paper in papers for c in judge_claims(paper)}
    best = words["better than the other methods on all the data sets"]
    assert best.word == "fails", "MKMMC beats its best baseline in no column"
    assert best.weakest.printed > 0
    kernels = words["better than KMMC on all the data sets"]
    assert kernels.word == "undecided", "behind on ORL, but one of three data sets may be by chance"
    assert kernels.exceptions["S_b about the origin"] == "fails"
    flips = words["Table 2: as good as the SVM"]
    assert flips.word == "holds, but"
    assert flips.exceptions == {"half width": "undecided"}
    assert flips.outcome == "equal but worse", "behind on six of six sets"
    assert flips.tipping.bound == pytest.approx(1.20, abs=0.01)
    assert words["fewer frontal electrodes"].word == "holds", "the recording alone is the unit"
    assert words["similar AUC"].word == "undecided", "four of eleven recordings"
    batch = words["batch better than online"]
    assert batch.word == "undecided", "9.5 points on one set, 0.6 to 1.6 on four"
    for name in ("15 a class", "limited C2"):
        assert name not in batch.exceptions, "a single trial has no spread"
    always = words["the best kernel has v = 0"]
    assert always.claim.each, "always is a word about every data set"


def test_a_family_is_counted_setting_by_setting():
    """fMRI: "holds in 30 of 120 preparations", beside the readings of Table 1."""
    parts = [measured(0.0, noise=NOISE * 10)]
    for setting, advantage in (("as it is", 0.0), ("scaled", 0.05), ("lagged", 0.05)):
        parts.append(measured(advantage, noise=NOISE * 10).assign(table="ways", setting=setting))
    verdict = judge_claim(replace(claim(), family="ways"), pd.concat(parts), [])
    words = {"as it is": "undecided", "scaled": "holds", "lagged": "holds"}
    assert (verdict.word, verdict.in_family) == ("undecided", words)
    assert verdict.in_other_variants == "holds in 2 of 3 ways"


def test_a_side_may_stay_within_a_reading_while_others_are_tried():
    """ "More examples help": all rows against 1,500, with d chosen in one way or another."""
    b = Side({"method": "new"}, within="few rows")
    rule = "another rule"
    parts = [
        rows("new", 0.8 + NOISE + gain, dataset=name, reading=reading)
        for name in ("one", "two")
        for reading, gain in (
            ("headline", 0.02),
            ("few rows", 0.0),
            (rule, 0.0),
            (f"few rows, {rule}", 0.02),
            ("a rule of all rows alone", 0.5),
        )
    ]
    verdict = judge_claim(replace(claim(), b=(b,)), pd.concat(parts), [])
    assert verdict.difference == pytest.approx(2.0)
    assert (verdict.word, verdict.exceptions) == ("holds, but", {rule: "fails"})
    assert verdict.n_readings == 1
