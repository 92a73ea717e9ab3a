"""Levels of claims, and rules that say which method to run, against known answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reprolib.papers.across import aid, levels, summaries
from reprolib.papers.across.summaries import CHOICES
from reprolib.rerun.verdicts.ordering import Scores, ahead, place_table, resampled_means
from tests.papers.across.made_up import made_up, value


def order(lead, n_sets=6, seed=0):
    """Three methods, the first ahead of the others by so many points on every set."""
    values = np.random.default_rng(seed).normal(0.7, 0.01, (n_sets, 3, 5))
    values[:, 0] += lead / 100
    scores = Scores(values, [f"s{i}" for i in range(n_sets)], ["a", "b", "c"])
    summary, samples = CHOICES[0].summary, resampled_means(scores)
    table = place_table(scores, summary, samples)
    return summaries.Ordered(CHOICES[0], scores, table, ahead(scores, summary, samples))


def test_a_lead_on_every_set_is_no_chance_and_noise_is():
    real = order(10)
    chance = levels.chance_of_claims([real], 40)
    assert len(chance.counts) == 40
    assert chance.level(1.01) == pytest.approx(1 / 41), "the observed order is one of all"
    assert chance.level(0.0) == 1.0
    assert chance.of_any < 0.6, "dealt out anew, a lead is seldom left"


def test_names_that_are_not_dealt_out_leave_the_order(monkeypatch):
    class Same:
        def permutation(self, n):
            return np.arange(n)

    made = order(10)
    default = np.random.default_rng
    monkeypatch.setattr(
        levels.np.random, "default_rng", lambda seed: Same() if seed == 7 else default(seed)
    )
    chance = levels.chance_of_claims([made], 1, seed=7)
    assert chance.largest[0] == made.ahead.to_numpy().max()
    assert chance.counts[0] == (made.ahead.to_numpy() >= 0.95).sum()


def test_levels_over_sets_are_small_for_a_lead_on_all_sets_only(monkeypatch):
    rng = np.random.default_rng(1)
    means = pd.DataFrame({"svc": np.full(12, 80.0), "lda": 80 + rng.normal(size=12)})
    means["mkpm"] = 85 + rng.normal(size=12)
    monkeypatch.setattr(levels, "mean_table", lambda records: means)
    found = levels.levels_over_sets(pd.DataFrame())
    assert found["mkpm"] < 0.005 < 0.1 < found["lda"]


def test_levels_of_sets_are_those_of_holm(monkeypatch):
    half = 2.093024
    table = pd.DataFrame(
        {"difference": [3.0, 2.5, 0.0], "low": 0.0, "high": 2 * half, "trials": 20},
        index=["x", "y", "z"],
    )
    monkeypatch.setattr(levels, "paired_table", lambda *args: table)
    found = levels.levels_of_sets(pd.DataFrame(), "a", "b")
    assert found.to_numpy() == pytest.approx([3 * 0.007361, 2 * 0.021756, 1.0], rel=1e-2)


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
