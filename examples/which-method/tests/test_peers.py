"""Peers beyond the budget, and the study recomputed without the package."""

from __future__ import annotations

import pandas as pd
import pytest

import with_sklearn
from reprolib.rerun.records import load_paper
from which_method import advice, boosters, peers, summaries, wider_grids
from which_method.__main__ import main
from which_method.experiment import MORE_SETS, SETS
from which_method.methods import METHODS


@pytest.fixture(scope="module")
def records():
    return load_paper("which_method")


def test_libraries_have_the_first_trial_of_every_set():
    """Tuned CatBoost where its classes are few, for the time that it takes."""
    table = pd.read_csv(peers.BOOSTERS)
    first = table[table["trial"] == 0].groupby("method")["dataset"].agg(set)
    few = set(pd.read_csv(advice.SETS_FILE).query("classes <= 4")["dataset"])
    every = {*SETS, *MORE_SETS}
    for key in peers.LIBRARIES:
        assert first[key] == (few if key == "catboost tuned" else every), key


def test_libraries_were_tested_on_the_rows_of_the_study(records):
    table = pd.read_csv(peers.BOOSTERS).set_index("dataset")
    of_study = summaries.main_rows(records, "accuracy").query("method == 'svc'")
    n_test = of_study.groupby("dataset")["n_test"].first()
    assert (table["n_test"] == n_test.reindex(table.index)).all()
    hits = table["accuracy"] * table["n_test"]
    assert (hits - hits.round()).abs().max() < 1e-4, "whole numbers of test rows"


def test_a_peer_is_compared_over_the_trials_that_both_have():
    rows = pd.DataFrame(
        [
            ("s", "a", 0, 0.9),
            ("s", "a", 1, 0.1),
            ("s", "svc", 0, 0.8),
            ("t", "a", 0, 0.5),
            ("t", "svc", 0, 0.5),
            ("u", "svc", 0, 0.5),
        ],
        columns=["dataset", "method", "trial", "value"],
    )
    assert peers.by_set(rows, "a").to_dict() == pytest.approx({"s": 10.0, "t": 0.0})


@pytest.mark.parametrize("key", ["simplex rls", "mkpm"])
def test_wider_grids_keep_the_values_of_the_narrow_ones(key):
    wide, narrow = wider_grids.WIDER[key], METHODS[key].grid
    for name in narrow[0]:
        assert {config[name] for config in narrow} < {config[name] for config in wide}


@pytest.mark.needs_data("raetsch/heart")
@pytest.mark.parametrize("key", peers.LIBRARIES)
def test_a_library_gives_its_committed_accuracy(key):
    """Other versions may differ by a few rows of 135."""
    pytest.importorskip(
        key.split()[0], reason="an optional dependency: pip install -e '.[boosters]'"
    )
    table = pd.read_csv(peers.BOOSTERS).set_index(["dataset", "method", "trial"])
    line = boosters.line("raetsch/heart", key, 0)
    stored = table.loc[("raetsch/heart", key, 0), "accuracy"]
    assert line["accuracy"] == pytest.approx(stored, abs=0.04)


def test_a_table_of_libraries_is_completed_and_not_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(boosters, "MAKERS", {"a": boosters.lightgbm})
    monkeypatch.setattr(boosters, "TUNED", {})
    ran = []

    def line(name, key, trial):
        ran.append((name, key, trial))
        return {"dataset": name, "method": key, "trial": trial, "accuracy": 0.5}

    monkeypatch.setattr(boosters, "line", line)
    target = str(tmp_path / "table.csv")
    assert main(["boosters", target, "--sets", "x/y", "--trials", "1"]) == 0
    assert main(["boosters", target, "--sets", "x/y", "x/z", "--trials", "2"]) == 0
    assert len(ran) == len(set(ran)) == len(pd.read_csv(target)) == 4


#: A group set, one with components and a generated one, in seconds; the script takes any number.
QUICK = ("embedded/twonorm", "raetsch/heart", "haxby/subj1", "faces/yale")


@pytest.mark.needs_data(*QUICK)
def test_accuracies_are_those_of_scikit_learn_alone():
    drawn = with_sklearn.sample(6, seed=1, datasets=QUICK)
    for task, committed, found in with_sklearn.recomputed(drawn):
        assert found == pytest.approx(committed, abs=0.005), task
