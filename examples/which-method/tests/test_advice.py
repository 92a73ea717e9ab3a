"""The advice as a function of the data: it finds a law that is there, and none that is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from reprolib.rerun.records import load_paper
from reprolib.rerun.verdicts.errors import paired
from which_method import advice, aid, levels, peers
from which_method.summaries import mean_table, with_trees_on_all_columns

N_SETS = 68
PROJECT = Path(__file__).parents[1]


def made_up(rng, slope=0.0, n=N_SETS):
    """Facts of sets, and differences of two methods, the first of which grows with columns."""
    names = [f"s{i}" for i in range(n)]
    known = pd.DataFrame(rng.normal(size=(n, len(advice.FACTS))), names, list(advice.FACTS))
    noise = rng.normal(size=(n, 2)) * rng.choice([1.0, 3.0], size=(n, 1))
    points = pd.DataFrame(noise, names, ["a", "b"])
    points["a"] += slope * known["columns"]
    weights = pd.Series(rng.choice([0.7, 0.94], n), names)
    return points, known, weights


def test_slopes_are_those_of_weighted_least_squares():
    points, known, weights = made_up(np.random.default_rng(0), slope=2.0)
    found = advice.slopes(points, known, weights, n_deals=50)
    model = LinearRegression().fit(known, points, sample_weight=weights)
    for i, key in enumerate(points):
        for j, fact in enumerate(known):
            assert found.loc[(key, fact), "slope"] == pytest.approx(model.coef_[i, j])
    assert found.loc[("a", "columns"), "level"] == pytest.approx(1 / 51)


def test_intervals_of_slopes_cover_where_sets_differ_in_noise():
    """A set of three trials is noisier than one of twenty."""
    rng, hits = np.random.default_rng(1), []
    for _ in range(400):
        points, known, weights = made_up(rng, slope=1.0)
        line = advice.slopes(points, known, weights, n_deals=1).loc[("a", "columns")]
        hits.append(line["low"] <= 1.0 <= line["high"])
    assert 0.925 <= np.mean(hits) <= 0.985


def test_chance_alone_seldom_gives_a_starred_slope():
    """One family of slopes in twenty, whatever their number."""
    rng, n, starred = np.random.default_rng(2), 200, 0
    for seed in range(n):
        found = advice.slopes(*made_up(rng), n_deals=99, seed=seed)
        starred += (found["level"] <= 0.05).any()
    assert starred <= 0.05 * n + 3 * np.sqrt(0.05 * 0.95 * n)


def test_the_function_finds_what_depends_on_the_facts_and_never_sees_the_judged_set():
    rng = np.random.default_rng(3)
    _, known, weights = made_up(rng)
    lead = 5 * known["columns"]
    accuracy = pd.DataFrame({"a": 80 + lead, "b": 80 - lead})
    values, chosen = advice.advised(accuracy, known, weights)
    assert (values == accuracy.max(axis=1)).mean() > 0.95
    other = accuracy.copy()
    other.iloc[0] = [0.0, 100.0] if chosen.iloc[0] == "a" else [100.0, 0.0]
    assert advice.advised(other, known, weights)[1].iloc[0] == chosen.iloc[0]


def test_facts_are_of_all_sets_and_weights_grow_with_the_trials():
    records = load_paper("which_method")
    known, weights = advice.facts(records), advice.weights(records)
    assert list(known.columns) == list(advice.FACTS)
    assert set(known.index) == set(weights.index)
    assert len(known) == N_SETS
    assert weights["raetsch/heart"] == pytest.approx(1 / (1 + 1.3 / 20))
    assert weights["keel/sonar"] == pytest.approx(1 / (1 + 1.3 / 3))
    assert 2 ** known.loc["keel/sonar", "columns"] == pytest.approx(60)


@pytest.mark.parametrize("between", [0.5, 2.0])
def test_means_over_sets_of_few_and_of_many_trials_are_covered(between):
    """Student's t, although sets of three trials are noisier than those of twenty."""
    rng, hits = np.random.default_rng(4), []
    trials = np.array([20] * 19 + [3] * 49)
    for _ in range(1000):
        noise = rng.normal(size=N_SETS) * 2.3 / np.sqrt(trials)
        means = 0.3 + between * rng.normal(size=N_SETS) + noise
        hits.append(abs(means.mean() - 0.3) <= paired(means, correlation=0.0).half_width())
    assert 0.93 <= np.mean(hits) <= 0.97


def test_levels_of_pairs_say_who_is_ahead_and_hold_their_level():
    rng = np.random.default_rng(5)
    accuracy = pd.DataFrame(rng.normal(80, 3, size=(N_SETS, 3)), columns=["a", "b", "c"])
    accuracy["a"] += 5
    found = levels.levels_of_pairs(accuracy, n_turns=999)
    assert found.loc["a", "b"] == found.loc["a", "c"] == pytest.approx(1 / 1000)
    assert found.loc["b", "a"] == 1.0
    claims = 0
    for _ in range(200):
        noise = pd.DataFrame(rng.normal(size=(N_SETS, 4)))
        claims += (levels.levels_of_pairs(noise, n_turns=199) <= 0.05).any(axis=None)
    assert claims <= 0.05 * 200 + 3 * np.sqrt(0.05 * 0.95 * 200)


def test_a_sentence_says_what_it_gains_and_how_often_it_was_wrong():
    found = aid.told(pd.Series([2.0, 2.0, 3.0, -1.0, -1.5, 2.5]))
    assert (found["sets"], found["wrong on"], found["worst"]) == (6, 1, -1.5)
    assert found["points"].startswith("+1.2 (")


def test_probabilities_of_the_page_are_those_of_the_records():
    """Mean log loss in the README."""
    losses = mean_table(load_paper("which_method"), "log loss").dropna(axis=1)
    keys = ["simplex rls", "random forest", "logistic"]
    assert list(losses.mean().sort_values().index[:3]) == keys
    assert losses.mean()[keys].round(2).tolist() == [0.54, 0.56, 0.57]
    assert losses.shape[1] == 9
    for key in keys[1:]:
        lead = (losses[key] - losses["simplex rls"]).to_numpy()
        assert paired(lead, correlation=0.0).half_width() > lead.mean()


def test_the_readme_gives_the_advice_of_the_notebook():
    """Whose cells assert every number of it."""
    notebook = (PROJECT / "notebooks/which_method.ipynb").read_text(encoding="utf-8")
    cells = json.loads(notebook)["cells"]
    readme = plain((PROJECT / "README.md").read_text(encoding="utf-8"))
    advised = re.findall(r"^\d\. (.*)$", "".join(cells[0]["source"]), flags=re.MULTILINE)
    assert len(advised) == 3
    assert not [sentence for sentence in advised if plain(sentence) not in readme]


def plain(text):
    """Words without the addresses of links."""
    return " ".join(re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text).split())


def test_trees_on_all_columns_are_before_the_boosters_of_the_page():
    """LightGBM, XGBoost and scikit-learn's gradient boosting in the README."""
    records = load_paper("which_method")
    rows, whole = peers.accuracies(records), with_trees_on_all_columns(records)
    trees = whole[whole["method"] == "extra trees"]
    rows = pd.concat([rows[rows["method"] != "extra trees"], trees])
    for key in (
        "gradient boosting untuned",
        "lightgbm",
        "lightgbm tuned",
        "xgboost",
        "xgboost tuned",
    ):
        assert aid.told(peers.by_set(rows, "extra trees", key))["word"] == "better"
