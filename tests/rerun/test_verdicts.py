"""Verdicts on made-up numbers whose answer is known, and the printed numbers themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.report import tables
from reprolib.rerun import records as results
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import (
    _score_paths,
    count_words,
    credit_readings,
    judge,
    judge_paper,
)
from reprolib.rerun.verdicts.printed import Number, numbers, paper_entry
from tests.naive import verdicts as naive


def number(**changes) -> Number:
    fields = {
        "paper": "fake",
        "table": "table1",
        "row": "Coins",
        "column": "Mean",
        "value": 20.0,
        "spread": 2.0,
        "kind": "mean",
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
    fields = {"kind": "selected", "quantity": "selection", "scale": 1, "value": 15, "spread": None}
    return number(**{**fields, **changes})


def records(
    values, *, reading="headline", source="original", status="ok", n_test=100, metric="error"
):
    rows = [
        {
            **dict.fromkeys(results.COLUMNS, ""),
            "table": "table1",
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


def test_mean_inside_the_welch_interval_is_reproduced():
    ours = np.array([0.19, 0.21, 0.20, 0.22, 0.185])
    verdict = judge(number(), records(ours))
    assert verdict.word == "reproduced"
    assert verdict.difference == pytest.approx(0.1)
    assert verdict.half_width == pytest.approx((verdict.interval[1] - verdict.interval[0]) / 2)
    assert (verdict.role, verdict.quantity, verdict.reading) == ("own", "performance", "headline")
    low, high = verdict.interval
    assert (low + high) / 2 == pytest.approx(100 * ours.mean() - 20.0)
    edge = stats.ttest_ind_from_stats(
        20.0, 2.0, 100, 20.0 + (high - low) / 2, 100 * ours.std(ddof=1), 5, equal_var=False
    )
    assert edge.pvalue == pytest.approx(0.05, abs=1e-9)


def test_far_by_less_than_one_published_deviation_is_close():
    assert judge(number(), records([0.2150, 0.2151, 0.2149])).word == "close"


def test_far_by_less_than_a_percentage_point_is_close_without_a_printed_spread():
    ours = records([0.2090, 0.2091, 0.2089])
    assert judge(number(spread=None), ours).word == "close"
    assert judge(number(spread=None, value=20.95), ours).word == "close"
    assert judge(number(spread=None, value=23.0), ours).word == "not reproduced"


def test_one_test_set_is_judged_by_the_binomial_interval():
    one = number(kind="test_set", spread=None, trials=1, value=20.0)
    assert judge(one, records([0.23], n_test=100)).word == "compatible", "too wide to say more"
    assert judge(one, records([0.205], n_test=10_000)).word == "reproduced"
    assert judge(one, records([0.23], n_test=100_000)).word == "not reproduced"
    verdict = judge(one, records([0.23], n_test=10_000))
    expected = 1.959964 * 100 * np.sqrt((0.23 * 0.77 + 0.2 * 0.8) / 10_000)
    assert (verdict.interval[1] - verdict.interval[0]) / 2 == pytest.approx(expected, rel=1e-6)


def test_selected_dimension_is_judged_by_our_selections():
    selected = selection(searched=60)
    verdict = judge(selected, records([11, 14, 15, 18, 30]))
    assert verdict.word == "reproduced"
    low, high = np.percentile([11, 14, 15, 18, 30], [2.5, 97.5])
    assert verdict.interval == pytest.approx((low - 15, high - 15))
    assert judge(selected, records([20, 21, 22, 23, 24])).word == "not reproduced"


def test_selections_over_half_of_the_search_are_only_compatible():
    assert judge(selection(searched=30), records([11, 14, 15, 18, 30])).word == "compatible"


def test_selection_of_the_same_mean_score_is_reproduced():
    scores = {"table": "table1", "dataset": "real/coins", "method": "mean", "metric": "score"}
    chosen = records([16, 16])
    paths = records([np.nan, np.nan], metric="score")
    flat = " ".join(["0.5"] * 14 + ["0.75"] * 2)
    paths["path"] = [flat, flat]
    both = pd.concat([chosen, paths])
    tied = selection(value=15, scores=scores)
    assert judge(tied, both).word == "reproduced"
    assert judge(selection(value=14, scores=scores), both).word == "not reproduced"
    assert judge(selection(value=15, searched=16), both).word == "not reproduced", "no path named"
    other_reading = both.assign(reading=np.where(both["metric"] == "score", "other", "headline"))
    assert judge(tied, other_reading).word == "not reproduced"


def test_mean_of_selections_must_satisfy_both_rules():
    counts = number(quantity="selection", scale=1, value=12.0, spread=4.0, searched=64, trials=10)
    ours = np.array([9.0, 10, 11, 12, 13, 14, 10, 12])
    assert judge(counts, records(ours)).word == "reproduced"
    assert judge(number(**{**vars(counts), "searched": 11}), records(ours)).word == "compatible"
    outside_all = number(**{**vars(counts), "value": 9.0, "spread": 20.0})
    assert judge(outside_all, records([10.0, 11, 12, 13])).word == "close"


def test_method_with_seeds_is_judged_by_the_prediction_of_one_run():
    one = number(kind="seeded", spread=None, trials=1, value=65.15)
    seeds = records([0.45, 0.62, 0.49, 0.56, 0.54], n_test=2000)
    assert judge(one, seeds).word == "compatible"
    assert judge(number(**{**vars(one), "kind": "test_set"}), seeds).word == "not reproduced"
    assert judge(one, records([0.532], n_test=2000)).half_width == np.inf


def test_a_quotation_is_no_reproduction_but_shows_ours():
    quoted = number(role="quoted", quoted="from elsewhere")
    verdict = judge(quoted, records([0.2, 0.21, 0.19]))
    assert (verdict.word, verdict.reason) == ("quoted", "from elsewhere")
    assert verdict.ours == pytest.approx(20.0)
    not_run = judge(number(role="quoted", quoted="from elsewhere", not_run="no data"), records([]))
    assert (not_run.word, not_run.reason) == ("quoted", "from elsewhere; not run: no data")


def with_readings(row, *readings, controls=()):
    """Verdicts on numbers of one row, from values under the headline and under readings."""
    return credit_readings(
        [
            judge(
                number(column=column, select={"metric": column}),
                pd.concat(
                    [records(row[column], metric=column)]
                    + [records(r[column], metric=column, reading=name) for name, r in readings]
                ),
            )
            for column in row
        ],
        controls,
    )


HIT, MISS, WIDE = [0.199, 0.20, 0.201], [0.3, 0.301, 0.299], [0.1, 0.2, 0.3]


def test_a_reading_is_credited_for_the_row_that_it_brings_out():
    first, second = with_readings(
        {"a": MISS, "b": HIT}, ("good", {"a": HIT, "b": HIT}), ("bad", {"a": MISS, "b": HIT})
    )
    assert (first.word, first.reading) == ("reproduced under a reading", "good")
    assert first.ours == pytest.approx(30.0), "the headline stays"
    assert first.readings["good"].ours == pytest.approx(20.0)
    assert (second.word, second.reading) == ("reproduced", "headline")
    assert first.n_readings == second.n_readings == 2


def test_a_number_that_is_compatible_under_the_credited_reading_keeps_its_word():
    first, second = with_readings({"a": MISS, "b": MISS}, ("good", {"a": HIT, "b": WIDE}))
    assert (first.word, first.reading) == ("reproduced under a reading", "good")
    assert second.readings["good"].word == "compatible"
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
def test_every_printed_number_is_listed_once_and_selects_records(paper):
    listed = numbers(paper)
    assert len({n.id for n in listed}) == len(listed) > 0
    for n in listed:
        assert {"dataset", "method", "metric"} <= set(n.select) or n.not_run, n.id


@pytest.mark.parametrize("paper", PAPERS)
def test_committed_results_judge_every_number_and_explain_every_miss(paper):
    verdicts = judge_paper(paper)
    assert len(verdicts) == len(numbers(paper))
    assert sum(count_words(verdicts).values()) == len(verdicts)
    told = ("not reproduced", "quoted", "not run")
    unexplained = [v.number.id for v in verdicts if v.word in told and not v.reason]
    assert unexplained == []


@pytest.mark.parametrize("paper", PAPERS)
def test_readings_that_may_yet_be_credited_have_as_many_trials_as_the_headline(paper):
    """Others may have fewer: with more trials, too, they would not bring out their row."""
    records, rows = results.load_paper(paper), {}
    for v in judge_paper(paper):
        if v.word not in ("quoted", "not run"):
            rows.setdefault((v.number.table, v.number.row), []).append(v)
    short = [
        f"{row[0].number.id}, {reading}"
        for row in rows.values()
        for reading in {name for v in row for name in v.readings}
        if not any(_excludes(v, reading, records) for v in row)
        and any(v.readings[reading].n_trials < v.n_trials for v in row)
    ]
    assert short == []


def _excludes(verdict, reading, records):
    """Whether a number lies outside under a reading, or has a performance that it moves away."""
    outcome = verdict.readings.get(reading)
    if outcome is None or outcome.word not in ("reproduced", "compatible"):
        return True
    if verdict.quantity == "selection" or verdict.headline_word in ("reproduced", "compatible"):
        return False
    number = verdict.number
    rows = results.select(records, table=number.results, **number.select)
    values = number.scale * rows.pivot_table(index="trial", columns="reading", values="value")
    moved = (values[reading] - values["headline"]).mean()
    return moved * (number.value - verdict.ours) <= 0


@pytest.mark.parametrize("paper", PAPERS)
def test_every_reading_in_the_records_is_told_and_the_other_way_round(paper):
    told = {entry["name"] for entry in paper_entry(paper)["readings"]}
    measured = set(results.load_paper(paper)["reading"]) - {"headline"}
    assert measured == told - {"headline"}


@pytest.mark.parametrize("paper", PAPERS)
def test_tables_show_value_trials_and_source(paper):
    for table in paper_entry(paper)["tables"]:
        frame = tables.published_beside_ours(paper, table)
        ran = frame[frame["ours"] != "–"]
        assert (ran["trials"] > 0).all()
        assert set(ran["source"]) <= {"original", "partial", "resampled"}


def test_number_text_rounds_and_shows_missing_values():
    assert tables.number_text(10.734, 0.421, 2) == "10.73 ± 0.42"
    assert tables.number_text(15.0, None, 0) == "15"
    assert tables.number_text(np.nan, None, 2) == "–"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_second_pair_of_eyes_finds_the_same_words(paper):
    judged = {(v.number.table, v.number.row, v.number.column): v.word for v in judge_paper(paper)}
    assert naive.recounted(paper) == judged


def test_of_equally_good_readings_the_first_by_name_is_credited_and_else_the_better_one():
    (tied,) = with_readings({"a": MISS}, ("second", {"a": HIT}), ("first", {"a": HIT}))
    assert (tied.word, tied.reading) == ("reproduced under a reading", "first")
    half, whole = ("a half", {"a": HIT, "b": WIDE}), ("the whole", {"a": HIT, "b": HIT})
    for verdict in with_readings({"a": MISS, "b": MISS}, half, whole):
        assert verdict.reading == "the whole"


def test_two_trials_have_a_spread_and_one_has_none():
    assert judge(number(), records([0.2, 0.22])).spread == pytest.approx(np.sqrt(2))
    assert np.isnan(judge(number(), records([0.2])).spread)


def test_difference_is_ours_minus_published_and_the_largest_test_set_counts():
    assert judge(number(), records([0.21, 0.23])).difference == pytest.approx(2.0)
    one = number(kind="test_set", spread=None, trials=1)
    both = pd.concat([records([0.2], n_test=100), records([0.2], n_test=10_000)])
    expected = 1.959964 * 100 * np.sqrt(2 * 0.16 / 10_000)
    assert judge(one, both).half_width == pytest.approx(expected, rel=1e-6)


def test_selections_have_the_range_of_theirs_minus_the_printed_one():
    verdict = judge(selection(searched=60), records([11, 14, 15, 18, 30]))
    assert verdict.interval == pytest.approx((11.3 - 15, 28.8 - 15))


@pytest.mark.parametrize(("searched", "word"), [(39, "reproduced"), (36, "compatible")])
def test_selections_must_cover_less_than_half_of_what_was_searched(searched, word):
    """18.5 wide with both ends, 11.3 to 28.8."""
    assert judge(selection(searched=searched), records([11, 14, 15, 18, 30])).word == word


def test_why_a_number_has_no_record_is_told_of_its_own_data_and_method_alone():
    nothing = "no record of it in these results"
    embedded = records([0.2], source="embedded").assign(dataset="embedded/x")
    real = records([0.2]).assign(method="other")
    assert judge(number(), pd.concat([embedded, real])).reason == nothing
    failed = records([np.nan], status="failed: x")
    for changes in ({"method": "other"}, {"dataset": "real/dice"}, {"table": "table2"}):
        assert judge(number(), failed.assign(**changes)).reason == nothing
    assert judge(number(), pd.concat([failed, real])).reason == "failed: x"


def test_paths_of_scores_are_cut_at_the_shortest_and_empty_ones_left_out():
    rows = pd.DataFrame({"path": ["1 2 3", "", "4 5"]})
    assert _score_paths(rows).tolist() == [[1, 2], [4, 5]]
    assert len(_score_paths(rows[1:2])) == len(_score_paths(None)) == 0
