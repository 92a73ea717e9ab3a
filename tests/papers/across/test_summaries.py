"""Tables of the study say what the records say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reprolib.papers.across import summaries
from reprolib.papers.across.experiment import ALL_COLUMNS, CURVE_METHODS, TREES
from reprolib.papers.across.methods import METHODS
from reprolib.rerun.verdicts.words import COMPARISONS
from tests.naive import comparison as naive
from tests.papers.across.made_up import KEYS, N_TRIALS, SETS, made_up, value


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
    assert summaries.budget_table(records).loc["mkpm", "failed trials"] == 1


def test_a_failure_on_all_columns_is_none_of_the_main_table():
    records = made_up(status="failed")
    records.loc[records["status"] == "failed", "reading"] = ALL_COLUMNS
    assert summaries.mean_table(records).loc["raetsch/heart", "mkpm"] > 0
    assert summaries.budget_table(records)["failed trials"].sum() == 0


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


def test_budget_counts_every_fit_and_every_failure(records):
    table = summaries.budget_table(records)
    n_tasks = len(SETS) * N_TRIALS
    assert table.loc["mkpm", "fits"] == n_tasks * 28
    assert table.loc["mkpm", "not converged"] == n_tasks * 2
    assert table.loc["mkl", "sets"] == 3
    assert table.loc["svc", "configurations"] == 9
    assert table.loc["extra trees", "configurations"] == 1


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


def test_best_per_set_counts_sets(records):
    accuracy, table = summaries.mean_table(records), summaries.best_per_set(records)
    assert table["best"].sum() == len(SETS)
    worst = (accuracy.max(axis=1) - accuracy["svc"]).idxmax()
    assert table.loc["svc", "lost on"] == worst.split("/")[1]
    assert table.loc["mkl", "sets"] == 3


def test_best_and_within_a_point_on_both_sides(monkeypatch):
    table = pd.DataFrame(
        {"svc": [90.0, 80.0, 70.0], "mkpm": [90.0, 79.0, 68.9], "lda": [89.5, np.nan, 60.0]},
        index=["raetsch/heart", "p300/iib", "uci/letter"],
    )
    monkeypatch.setattr(summaries, "mean_table", lambda records: table)
    found = summaries.best_per_set(table)
    assert found.to_dict("index") == {
        "svc": {"sets": 3, "best": 3, "within a point": 3, "largest loss": 0.0, "lost on": "heart"},
        "mkpm": {
            "sets": 3,
            "best": 1,
            "within a point": 2,
            "largest loss": pytest.approx(1.1),
            "lost on": "letter",
        },
        "lda": {
            "sets": 2,
            "best": 0,
            "within a point": 1,
            "largest loss": 10.0,
            "lost on": "letter",
        },
    }


def test_differences_are_taken_where_both_methods_go(records):
    found = summaries.differences(records)
    accuracy = summaries.mean_table(records)
    assert set(found) == set(accuracy.columns) - {"svc"}
    for key, line in found.items():
        both = accuracy[[key, "svc"]].dropna()
        assert line.mean == pytest.approx((both[key] - both["svc"]).mean())
        assert line.low <= line.mean <= line.high
    table = summaries.difference_table(records)
    assert set(table.index) == set(found)
    counts = table[[f"sets {word}" for word in COMPARISONS]].sum(axis=1)
    assert counts["mkpm"] == len(SETS)
    assert counts["mkl"] == 3


def test_trees_on_all_columns_stand_beside_the_same_trials_on_components(records):
    table = summaries.columns_table(records)
    assert list(table.index) == ["faces/yale"]
    for key in TREES:
        expected = 100 * value(records, "faces/yale", key, 0)
        assert table.loc["faces/yale", (key, "components")] == pytest.approx(expected)
        assert table.loc["faces/yale", (key, ALL_COLUMNS)] == pytest.approx(95.0)


def test_curves_go_by_the_rows_that_were_fitted(records):
    rows = summaries.curve_rows(records)
    assert sorted(set(rows["n"])) == [50, 100, 200, 400, 750]
    assert not rows.duplicated(["dataset", "method", "trial", "n"]).any()
    assert set(rows["method"]) == set(CURVE_METHODS)
    row = rows[(rows["dataset"] == "raetsch/german") & (rows["n"] == 400)]
    values = row.loc[row["method"] == "svc", "value"]
    assert values.mean() == pytest.approx(1 - 1 / np.log(400) + 1 / 200)


def test_differences_along_the_curve_go_by_size(records):
    table = summaries.curve_differences(records, "lda", "svc")
    assert list(table.index) == [50, 100, 200, 400, 10_000]
    np.testing.assert_allclose(table["difference"], 0.0, atol=1e-9)
    assert (table["sets"] == 1).all()
    assert np.isinf(table[["low", "high"]]).all(axis=None), "one set says nothing of others"
