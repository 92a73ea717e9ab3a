"""Levels of claims, and rules that say which method to run, against known answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from made_up import made_up, value
from which_method import aid, levels


def test_levels_over_sets_are_small_for_a_lead_on_all_sets_only(monkeypatch):
    rng = np.random.default_rng(1)
    means = pd.DataFrame({"svc": np.full(12, 80.0), "lda": 80 + rng.normal(size=12)})
    means["mkpm"] = 85 + rng.normal(size=12)
    monkeypatch.setattr(levels, "mean_table", lambda records: means)
    found = levels.levels_over_sets(pd.DataFrame())
    assert found["mkpm"] < 0.005 < 0.1 < found["lda"]


def test_a_policy_is_chosen_without_the_set_on_which_it_is_judged():
    accuracy = pd.DataFrame({"a": [90.0, 10.0, 10.0], "b": [50.0, 20.0, 20.0]}, ["x", "y", "z"])
    values, chosen = aid.left_out(accuracy)
    assert list(chosen) == ["b", "a", "a"]
    assert list(values) == [50.0, 10.0, 10.0]


def test_a_policy_is_right_within_a_point_of_the_best():
    best = pd.Series([90.0, 80.0, 70.0], ["x", "y", "z"])
    policies = {"one": best - [1.0, 0.0, 3.0], "other": best - [0.0, 1.1, 2.0]}
    found = aid.judged(best, policies, "one")
    assert list(found["right on"]) == ["2 of 3", "1 of 3"]
    assert list(found["largest loss"]) == [3.0, 2.0]
    assert list(found["worst, minus one"]) == [0.0, -1.1]


def test_of_two_methods_the_one_with_the_better_inner_accuracy_is_judged():
    """Never the one with the better test, which would be kinder."""
    records = made_up()
    rows = records[(records["dataset"] == "raetsch/heart") & (records["table"] == "accuracy")]
    rows = rows[rows["method"].isin(["svc", "logistic"])]
    inner = rows[rows["metric"] == "accuracy"].assign(metric="cross-validated accuracy")
    inner["value"] = (inner["method"] == "logistic").astype(float)
    found = aid.by_inner_accuracy(pd.concat([rows, inner]), ["svc", "logistic"])
    expected = [value(rows, "raetsch/heart", "logistic", t, "accuracy") for t in range(3)]
    assert found["raetsch/heart"] == pytest.approx(100 * np.mean(expected))
