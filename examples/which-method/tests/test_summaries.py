"""Tables of the study say what the records say."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from made_up import KEYS, N_TRIALS, SETS, made_up, value
from which_method import summaries
from which_method.experiment import ALL_COLUMNS, CURVE_METHODS
from which_method.methods import METHODS


@pytest.fixture(scope="module")
def records():
    return made_up()


def test_means_are_over_the_trials_in_percent(records):
    scales = {"accuracy": 100, "balanced accuracy": 100, "macro F1": 100, "log loss": 1}
    for metric, scale in scales.items():
        table = summaries.mean_table(records, metric)
        key = "logistic"
        values = [value(records, "uci/pendigits", key, t, metric) for t in range(N_TRIALS)]
        assert table.loc["uci/pendigits", key] == pytest.approx(scale * np.mean(values))
    accuracy = summaries.mean_table(records)
    assert list(accuracy.columns) == [key for key in METHODS if key in KEYS]
    assert np.isnan(accuracy.loc["uci/pendigits", "mkl"])


def test_method_that_failed_in_one_trial_has_no_mean():
    records = made_up(status="failed")
    assert np.isnan(summaries.mean_table(records).loc["raetsch/heart", "mkpm"])


def test_a_failure_on_all_columns_is_none_of_the_main_table():
    records = made_up(status="failed")
    records.loc[records["status"] == "failed", "reading"] = ALL_COLUMNS
    assert summaries.mean_table(records).loc["raetsch/heart", "mkpm"] > 0


def test_a_time_below_the_clock_counts_as_a_tenth_of_a_millisecond(records):
    rows = records.copy()
    own = (rows["dataset"] == "raetsch/heart") & (rows["metric"] == "fit")
    rows.loc[own & (rows["method"] == "svc"), "seconds"] = 0.0
    ratios = summaries.seconds_table(rows, "fit").loc["raetsch/heart"]
    assert ratios["svc"] == 1
    assert ratios["mkpm"] == pytest.approx(0.01 / 1e-4)


@pytest.mark.parametrize("part", ["accuracy", "fit", "prediction"])
def test_times_are_medians_over_those_of_the_fastest(records, part):
    ratios = summaries.seconds_table(records, part)
    expected = [1.0 + KEYS.index(key) for key in ratios.columns]
    assert list(ratios.loc["raetsch/heart"]) == pytest.approx(expected, rel=1e-3)


def test_edges_stand_beside_what_chance_gives(records):
    table = summaries.edges_table(records)
    row = table.loc[("svc", "C")]
    assert (row["lowest"], row["highest"]) == (1.0, 100.0)
    assert row["by chance"] == pytest.approx(100 / 3)
    # Trial 0 has the last configuration of the grid, at the upper end, the others the first.
    assert (row["at lowest"], row["at highest"]) == pytest.approx((0, 100 / 3))
    assert table.loc[("logistic", "C"), "by chance"] == pytest.approx(100 / 9)
    assert "extra trees" not in table.index.get_level_values(0)


def test_paired_table_corrects_for_the_rows_that_trials_share(records):
    row = summaries.paired_table(records, "logistic", "svc").loc["raetsch/heart"]
    a, b = (
        [100 * value(records, "raetsch/heart", key, t) for t in range(N_TRIALS)]
        for key in ("logistic", "svc")
    )
    expected = naive.nadeau_bengio(a, b, n_train=80, n_test=20)  # a correlation of 0.2
    assert (row["difference"], row["low"], row["high"]) == pytest.approx(expected)


def test_differences_are_taken_where_both_methods_go(records):
    found = summaries.differences(records)
    accuracy = summaries.mean_table(records)
    assert set(found) == set(accuracy.columns) - {"svc"}
    for key, line in found.items():
        both = accuracy[[key, "svc"]].dropna()
        assert line.mean == pytest.approx((both[key] - both["svc"]).mean())
        assert line.low <= line.mean <= line.high
    assert (len(found["mkpm"].words), len(found["mkl"].words)) == (len(SETS), 3)


def test_curves_go_by_the_rows_that_were_fitted(records):
    rows = summaries.curve_rows(records)
    assert sorted(set(rows["n"])) == [50, 100, 200, 400, 750]
    assert not rows.duplicated(["dataset", "method", "trial", "n"]).any()
    assert set(rows["method"]) == set(CURVE_METHODS)
    row = rows[(rows["dataset"] == "raetsch/german") & (rows["n"] == 400)]
    values = row.loc[row["method"] == "svc", "value"]
    assert values.mean() == pytest.approx(1 - 1 / np.log(400) + 1 / 200)
