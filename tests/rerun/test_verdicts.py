"""Verdicts on made-up numbers whose answer is known, and the printed numbers themselves."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.report import tables
from reprolib.rerun import records as results
from reprolib.rerun.printed.schema import Pool
from reprolib.rerun.records.registry import PAPERS, printed_of
from reprolib.rerun.verdicts import Number, judge_claims, judge_paper, numbers
from reprolib.rerun.verdicts.claim import claims_of
from reprolib.rerun.verdicts.claims import NoRecordError, judge_claim
from reprolib.rerun.verdicts.judge import credit_readings, judge
from reprolib.rerun.verdicts.printed import controls
from reprolib.rerun.verdicts.row_line import line_of
from tests.naive import verdicts as naive


def number(**changes) -> Number:
    fields = {
        "paper": "fake",
        "table": "table1",
        "row": "Coins",
        "column": "Mean",
        "value": 20.0,
        "spread": 2.0,
        "designs": ("splits",),
        "role": "own",
        "quantity": "performance",
        "trials": 100,
        "scale": 100,
        "digits": 2,
        "select": {"dataset": "real/coins", "method": "mean", "metric": "error"},
        "results": "table1",
    }
    return Number(**{**fields, **changes})


def selection(**changes) -> Number:
    fields = {
        "designs": ("selection",),
        "quantity": "selection",
        "scale": 1,
        "value": 15,
        "spread": None,
    }
    return number(**{**fields, **changes})


def records(
    values,
    *,
    reading="headline",
    source="original",
    status="ok",
    n_test=100,
    metric="error",
    table="table1",
    setting="",
):
    rows = [
        {
            **dict.fromkeys(results.COLUMNS, ""),
            "table": table,
            "setting": setting,
            "dataset": "real/coins",
            "method": "mean",
            "metric": metric,
            "reading": reading,
            "trial": trial,
            "value": value,
            "n_test": n_test,
            "source": source,
            "status": status,
        }
        for trial, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=results.COLUMNS)


def test_a_difference_that_is_surely_small_is_reproduced():
    ours = np.array([0.199, 0.201, 0.200, 0.202, 0.1985] * 4)
    verdict = judge(number(), records(ours))
    assert (verdict.word, verdict.design) == ("reproduced", "independent splits")
    assert verdict.margin == pytest.approx(1.5)
    assert (verdict.role, verdict.quantity, verdict.reading) == ("own", "performance", "headline")
    low, high = verdict.interval
    assert (low + high) / 2 == pytest.approx(verdict.difference)
    assert verdict.difference == pytest.approx(100 * ours.mean() - 20.0)
    deviation = np.hypot(100 * ours.std(ddof=1) / np.sqrt(20), 2.0 / np.sqrt(100))
    assert verdict.half_width == pytest.approx(stats.t.ppf(0.975, 20 - 1) * deviation)


def test_where_no_spread_is_printed_ours_stands_for_it_as_sure_as_we_know_it():
    ours = np.array([0.199, 0.204, 0.2, 0.206])
    verdict = judge(number(spread=None, trials=25), records(ours))
    deviation = 100 * ours.std(ddof=1) * np.sqrt(1 / 4 + 1 / 25)
    assert verdict.half_width == pytest.approx(stats.t.ppf(0.975, 3) * deviation)


def test_a_small_difference_is_reproduced_also_where_it_is_significant():
    verdict = judge(number(spread=0.1), records([0.2090, 0.2091, 0.2089]))
    assert verdict.word == "reproduced"
    assert min(verdict.interval) > 0, "the difference is beside the word"


def test_the_printed_spread_does_not_make_it_easier():
    ours = records([0.2332, 0.2331, 0.2333] * 5)
    assert judge(number(spread=5.0), ours).word == "not reproduced", "3.3 points off"
    assert judge(number(spread=5.0, trials=10), ours).word == "undecided"


@pytest.mark.parametrize("wide", [[0.40, 0.62, 0.49, 0.36, 0.74], [0.2, 0.5]])
def test_instability_buys_no_better_word(wide):
    one = number(designs=("seeds",), spread=None, trials=1, value=65.0)
    steady = records([0.530, 0.531, 0.529, 0.53, 0.53])
    assert judge(one, steady).word == "not reproduced"
    assert judge(one, records(wide)).word == "undecided"


def test_folds_of_one_partition_are_one_cross_validation():
    folds = number(designs=("cross-validation",), folds=5, spread=None, trials=1)
    one = [0.15, 0.25, 0.2, 0.22, 0.18]
    assert judge(folds, records(one)).half_width == np.inf
    verdict = judge(
        folds, records([x + d for d in (0, 0.001, -0.001, 0.002) for x in one] + one[:3])
    )
    means = 100 * np.array([0.2, 0.201, 0.199, 0.202])
    expected = stats.t.ppf(0.975, 3) * means.std(ddof=1) * np.sqrt(1 + 1 / 4)
    assert verdict.half_width == pytest.approx(expected), "three folds of a fifth are left out"


def shared(q, *, reading="other", n_test=1000):
    """Records of a disagreement between two of our runs."""
    return records([q], metric="disagreement", n_test=n_test, reading=reading).assign(
        table="disagreement"
    )


def test_a_shared_test_set_has_the_variance_of_a_disagreement():
    one = number(designs=("test set",), spread=None, trials=1)
    ours = records([0.21], n_test=1000)
    verdict = judge(one, pd.concat([ours, shared(0.03), shared(0.01, reading="third")]))
    assert verdict.half_width == pytest.approx(1.959964 * 100 * np.sqrt(0.02 / 1000), rel=1e-6)
    assert judge(one, ours).half_width == pytest.approx(
        1.959964 * 100 * np.sqrt((0.21 + 0.20) / 1000), rel=1e-6
    ), "at most all errors are on other points"
    exact = judge(one, pd.concat([ours, shared(0.0)]))
    assert exact.half_width == pytest.approx(1.959964 * 100 / 1000, rel=1e-6), "one point"


def test_a_control_says_nothing_of_what_the_text_leaves_open():
    one = number(designs=("test set",), spread=None, trials=1)
    both = pd.concat([records([0.21], n_test=1000), shared(0.01), shared(0.5, reading="control")])
    kept = judge(one, both, frozenset({"control"})).half_width
    assert kept == pytest.approx(1.959964 * 100 * np.sqrt(0.01 / 1000), rel=1e-6)


def test_of_two_designs_the_wider_interval_counts():
    both = number(designs=("test set", "seeds"), spread_of="parts", spread=None, trials=1)
    rows = [records([0.21], n_test=1000), shared(0.0)]
    parts = records([0.19, 0.23, 0.2], reading="parts")
    verdict = judge(both, pd.concat([*rows, parts]))
    deviation = 100 * np.std([0.19, 0.23, 0.2], ddof=1)
    expected = stats.t.ppf(0.975, 2) * deviation * np.sqrt(4 / 3)
    assert verdict.half_width == pytest.approx(expected)
    assert verdict.design == "shared test set or one more run"


def test_a_choice_that_is_made_once_adds_its_luck_on_both_sides():
    once = number(drawn_once="error at another choice", spread=0.1)
    ours, other = records([0.2, 0.201, 0.199] * 10), [0.20, 0.22, 0.19, 0.21] * 10
    drawn = pd.concat([ours, records(other, metric="error at another choice")])
    sharp, wide = judge(once, ours), judge(once, drawn)
    luck = 2 * (100 * np.std(other, ddof=1)) ** 2
    assert wide.error.standard**2 == pytest.approx(sharp.error.standard**2 + luck)
    assert (sharp.word, wide.word) == ("reproduced", "undecided")


def test_runs_that_both_sides_share_have_the_spread_of_what_is_open():
    runs = number(designs=("runs",), spread=None, trials=1)
    ours, other = [0.1, 0.3, 0.2, 0.25], [0.11, 0.29, 0.22, 0.25]
    verdict = judge(runs, pd.concat([records(ours), records(other, reading="other")]))
    deviation = 100 * np.subtract(ours, other).std(ddof=1)
    assert verdict.half_width == pytest.approx(stats.t.ppf(0.975, 3) * deviation / 2)
    alone = judge(runs, records(ours))
    assert alone.half_width > 5 * verdict.half_width, "as if the runs were others"


DRAWS = [*range(11, 31)] * 2


def test_a_selection_is_judged_by_the_range_of_one_more():
    verdict = judge(selection(value=15), records([14, 15, 16, 17] * 10))
    assert verdict.word == "reproduced", "all within 3, a fifth of 15"
    assert verdict.interval == pytest.approx((14 - 15, 17 - 15))
    assert judge(selection(value=15), records(DRAWS)).word == "undecided", "11 to 30"
    assert judge(selection(value=31), records(DRAWS)).word == "undecided, differs"
    assert judge(selection(value=38), records(DRAWS)).word == "not reproduced", "all below 30.4"
    assert judge(selection(value=15), records(DRAWS[:39])).word == "undecided", "few draws"
    assert judge(selection(value=0), records([0])).word == "undecided", "one draw"
    assert judge(selection(value=2), records([3] * 40)).word == "undecided, differs", "one step"


def test_a_mean_of_selections_has_a_fifth_of_the_printed_value_as_margin():
    counts = number(quantity="selection", scale=1, value=12.0, spread=1.0, trials=10)
    ours = records([11.0, 12, 11, 12, 13, 12, 12, 12])
    assert judge(counts, ours).word == "reproduced"
    assert judge(replace(counts, value=14.2), ours).word == "undecided, differs"
    assert judge(replace(counts, value=18.0), ours).word == "not reproduced"


def test_some_of_the_papers_runs_are_as_sure_as_runs_are_alike():
    ours = records([80.0, 82, 81, 79, 80, 81, 80, 82, 81, 80])  # mean 80.6
    left_out = (82.8, 81.1, 80.1, 78.4)
    without = pd.concat([records([x], reading=f"without run {i}") for i, x in enumerate(left_out)])
    of_pool = Pool(without="without run", of=11)
    printed = number(value=84.0, spread=1.0, trials=10, scale=1, stated_margin=1.5)
    alone = judge(printed, pd.concat([ours, without]))
    within = judge(replace(printed, pool=of_pool), pd.concat([ours, without]))
    assert (alone.word, within.word) == ("not reproduced", "undecided")
    worth = 4 * 80.6 - 3 * np.array(left_out)
    spread = worth.std(ddof=1) * np.sqrt(1 / 4 - 1 / 11)
    assert within.error.standard == pytest.approx(np.hypot(alone.error.standard, spread))
    assert "4 of the paper's 11 runs" in within.reason
    quick = judge(replace(printed, pool=of_pool), ours)
    assert (quick.word, quick.half_width) == ("undecided", np.inf)
    assert "left out one by one" in quick.reason


def test_a_quotation_is_no_reproduction_but_shows_ours():
    quoted = number(role="quoted", quoted="from elsewhere")
    verdict = judge(quoted, records([0.2, 0.21, 0.19]))
    assert (verdict.word, verdict.reason) == ("quoted", "from elsewhere")
    assert verdict.ours == pytest.approx(20.0)
    not_run = judge(number(role="quoted", quoted="from elsewhere", not_run="no data"), records([]))
    assert (not_run.word, not_run.reason) == ("quoted", "from elsewhere; not run: no data")


def with_readings(row, *readings, controls=(), **more):
    """Verdicts on numbers of one row, from values under the headline and under readings."""
    return credit_readings(
        [
            judge(
                number(column=column, select={"metric": column}, **more),
                pd.concat(
                    [records(row[column], metric=column)]
                    + [records(r[column], metric=column, reading=name) for name, r in readings]
                ),
            )
            for column in row
        ],
        controls,
    )


HIT, MISS, WIDE = [0.199, 0.20, 0.201], [0.3, 0.301, 0.299], [0.1, 0.2, 0.31]


def test_a_reading_is_credited_for_the_row_that_it_brings_out():
    first, second = with_readings(
        {"a": MISS, "b": HIT}, ("good", {"a": HIT, "b": HIT}), ("bad", {"a": MISS, "b": HIT})
    )
    assert (first.word, first.reading) == ("reproduced in a variant", "good")
    assert first.ours == pytest.approx(30.0), "the headline stays"
    assert first.readings["good"].ours == pytest.approx(20.0)
    assert (second.word, second.reading) == ("reproduced", "headline")
    assert first.n_readings == second.n_readings == 2


def test_a_number_that_is_undecided_under_the_credited_reading_keeps_its_word():
    first, second = with_readings({"a": MISS, "b": MISS}, ("good", {"a": HIT, "b": WIDE}))
    assert (first.word, first.reading) == ("reproduced in a variant", "good")
    assert second.readings["good"].word == "undecided"
    assert (second.word, second.reading) == ("not reproduced", "headline")


def test_an_experiment_that_is_no_reading_of_the_text_is_neither_counted_nor_credited():
    (verdict,) = with_readings({"a": MISS}, ("easy data", {"a": HIT}), controls={"easy data"})
    assert (verdict.word, verdict.n_readings) == ("not reproduced", 0)
    assert verdict.readings["easy data"].word == "reproduced"


def test_a_reading_that_loses_a_number_is_not_credited():
    first, second = with_readings({"a": MISS, "b": HIT}, ("swap", {"a": HIT, "b": MISS}))
    assert [first.word, second.word] == ["not reproduced", "reproduced"]


def test_two_readings_do_not_share_a_row():
    verdicts = with_readings(
        {"a": MISS, "b": MISS}, ("one", {"a": HIT, "b": MISS}), ("two", {"a": MISS, "b": HIT})
    )
    assert [v.word for v in verdicts] == ["not reproduced", "not reproduced"]


def test_a_reading_with_fewer_trials_is_not_credited():
    (verdict,) = with_readings({"a": MISS}, ("few", {"a": HIT[:2]}))
    assert verdict.word == "not reproduced"
    assert verdict.readings["few"].word == "reproduced"


DIGITS, NEAR = [0.19, 0.21, 0.2], [0.195, 0.212, 0.2]


EXACT = {"exact": True, "trials": 3, "spread": None}


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (20.0, "to the digit"),
        (20.004, "to the digit"),
        (20.006, "reproduced"),
        (21.5, "reproduced"),
        (21.51, "not reproduced"),
    ],
)
def test_on_the_papers_own_splits_the_difference_is_known(value, word):
    verdict = judge(number(value=value, **EXACT), records(DIGITS, source="original"))
    assert (verdict.word, verdict.half_width) == (word, 0.0)


def test_without_all_of_the_papers_splits_there_is_an_interval():
    for ours in (
        records(DIGITS, source="resampled"),
        records([*DIGITS, 0.2], source="original"),
        records(DIGITS[:2], source="original"),
    ):
        assert judge(number(**EXACT), ours).half_width > 0
    assert judge(number(), records(DIGITS, source="original")).half_width > 0, "left to chance"


def test_what_leaves_nothing_to_chance_may_be_one_reading():
    """KPM's Table 1 at its printed D and C, for whoever has all published realisations."""
    printed = number(exact=("as printed",), trials=3, judged="others")
    verdict = judge(printed, records(DIGITS, source="original", reading="as printed"))
    assert (verdict.word, verdict.readings["as printed"].word) == ("not run", "to the digit")
    assert not verdict.is_credited
    verdict = judge(printed, records(DIGITS, source="original", reading="others"))
    assert verdict.half_width > 0, "D chosen by folds is left to chance"


def test_a_selection_on_the_papers_own_splits_has_no_interval():
    for value, word in ((14, "to the digit"), (15, "reproduced"), (20, "not reproduced")):
        ours = records([14], metric="dimension", source="original")
        chosen = selection(
            value=value, exact=True, trials=1, digits=0, select={"metric": "dimension"}
        )
        assert judge(chosen, ours).word == word


def test_a_row_is_to_the_digit_under_a_reading_only_as_a_whole():
    both = with_readings({"a": NEAR, "b": NEAR}, ("found", {"a": DIGITS, "b": DIGITS}), **EXACT)
    assert [(v.word, v.reading) for v in both] == [("to the digit", "found")] * 2
    assert [v.shown.ours for v in both] == [pytest.approx(20.0)] * 2, "the run behind the word"
    assert [v.ours for v in both] == [pytest.approx(20.2333, abs=1e-3)] * 2, "the judged run"
    lucky = {"a": DIGITS, "b": NEAR}
    for v in with_readings({"a": NEAR, "b": NEAR}, ("lucky", lucky), **EXACT):
        assert (v.word, v.reading) == ("reproduced", "headline")


def test_a_reading_does_not_take_digits_from_a_number():
    other = ("other", {"a": NEAR, "b": NEAR})
    first, second = with_readings({"a": DIGITS, "b": MISS}, other, **EXACT)
    assert [first.word, second.word] == ["to the digit", "not reproduced"]


def test_explanation_and_other_readings_go_with_a_miss():
    both = pd.concat([records([0.30, 0.30]), records([0.20, 0.21], reading="centred")])
    verdict = judge(number(explanation="centring explains it"), both)
    assert verdict.word == "not reproduced"
    assert verdict.reason == "centring explains it"
    assert {name: o.ours for name, o in verdict.readings.items()} == {
        "centred": pytest.approx(20.5)
    }
    assert judge(number(explanation="unused"), records([0.2, 0.2])).reason == ""


def test_embedded_failed_and_missing_records_are_never_a_reproduction():
    assert judge(number(), records([0.2, 0.2], source="embedded")).word == "not run"
    assert "embedded" in judge(number(), records([0.2], source="embedded")).reason
    failed = judge(number(), records([np.nan], status="failed: NotOptimalError: gap"))
    assert (failed.word, failed.reason) == ("not run", "failed: NotOptimalError: gap")
    assert judge(number(), records([])).reason == "no record of it in these results"
    assert judge(number(not_run="no data"), records([0.2, 0.2])).reason == "no data"


@pytest.mark.parametrize("paper", PAPERS)
def test_readings_that_may_yet_be_credited_have_as_many_trials_as_the_headline(paper):
    """Others may have fewer: with more trials, too, they would not bring out their row.

    Where other draws than the headline's are judged, other readings were not run on these.
    """
    records, rows, not_of_text = results.load_paper(paper), {}, controls(paper)
    for v in judge_paper(paper):
        if v.word not in ("quoted", "not run") and v.number.judged == "headline":
            rows.setdefault((v.number.table, v.number.row), []).append(v)
    short = [
        f"{row[0].number.id}, {reading}"
        for row in rows.values()
        for reading in {name for v in row for name in v.readings} - not_of_text
        if not any(_excludes(v, reading, records) for v in row)
        and any(v.readings[reading].n_trials < v.n_trials for v in row)
    ]
    assert short == []


def _excludes(verdict, reading, records):
    """Whether a number lies outside under a reading, or has a performance that it moves away."""
    outcome = verdict.readings.get(reading)
    if outcome is None or outcome.word not in ("reproduced", "undecided") or verdict.number.pool:
        return True
    if verdict.quantity == "selection" or verdict.judged_word in ("reproduced", "undecided"):
        return False
    number = verdict.number
    rows = results.select(records, table=number.results, **number.select)
    values = number.scale * rows.pivot_table(index="trial", columns="reading", values="value")
    moved = (values[reading] - values[number.judged]).mean()
    return moved * (number.value - verdict.ours) <= 0


@pytest.mark.parametrize("n_trials", [1, 2])
@pytest.mark.parametrize("paper", PAPERS)
def test_a_quick_run_is_judged_and_says_that_it_decides_little(paper, n_trials):
    """A quick run has one or two trials a cell: verdicts and claims are made, and none is sure."""
    records = results.load_paper(paper)
    few = records[records["trial"] < n_trials]
    verdicts = [judge(n, few, controls(paper)) for n in numbers(paper)]
    judged = [v for v in verdicts if v.n_trials == 1 and v.number.designs == ("splits",)]
    assert all(v.judged_word == "undecided" and np.isinf(v.half_width) for v in judged)
    for claim in claims_of(printed_of(paper), numbers(paper)):
        with contextlib.suppress(NoRecordError):
            judge_claim(claim, few, numbers(paper))


def test_number_text_rounds_and_shows_missing_values():
    assert tables.number_text(10.734, 0.421, 2) == "10.73 ± 0.42"
    assert tables.number_text(15.0, None, 0) == "15"
    assert tables.number_text(np.nan, None, 2) == "–"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_second_pair_of_eyes_finds_the_same_words(paper):
    judged = {(v.number.table, v.number.row, v.number.column): v.word for v in judge_paper(paper)}
    assert naive.recounted(paper) == judged
    words = naive.recounted_claims(paper)
    assert words == {c.claim.name: c.word for c in judge_claims(paper)}
    for (table, method), (n, mean, z) in naive.recounted_lines(paper).items():
        own = [v for v in judge_paper(paper) if v.number.table == table]
        line = line_of(v for v in own if v.number.select["method"] == method)
        assert (line.n, line.difference, line.z) == pytest.approx((n, mean, z)), (table, method)


def test_of_equally_good_readings_the_first_by_name_is_credited_and_else_the_better_one():
    (tied,) = with_readings({"a": MISS}, ("second", {"a": HIT}), ("first", {"a": HIT}))
    assert (tied.word, tied.reading) == ("reproduced in a variant", "first")
    half, whole = ("a half", {"a": HIT, "b": WIDE}), ("the whole", {"a": HIT, "b": HIT})
    for verdict in with_readings({"a": MISS, "b": MISS}, half, whole):
        assert verdict.reading == "the whole"


def test_two_trials_have_a_spread_and_one_has_none():
    assert judge(number(), records([0.2, 0.22])).spread == pytest.approx(np.sqrt(2))
    assert np.isnan(judge(number(), records([0.2])).spread)


def test_why_a_number_has_no_record_is_told_of_its_own_data_and_method_alone():
    nothing = "no record of it in these results"
    embedded = records([0.2], source="embedded").assign(dataset="embedded/x")
    real = records([0.2]).assign(method="other")
    assert judge(number(), pd.concat([embedded, real])).reason == nothing
    failed = records([np.nan], status="failed: x")
    for changes in ({"method": "other"}, {"dataset": "real/dice"}, {"table": "table2"}):
        assert judge(number(), failed.assign(**changes)).reason == nothing
    assert judge(number(), pd.concat([failed, real])).reason == "failed: x"
