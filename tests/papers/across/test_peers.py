"""Peers beyond the budget, and the study recomputed without the package."""

from __future__ import annotations

import pandas as pd
import pytest

from benchmarks import boosters
from reprolib.papers.across import peers
from reprolib.papers.across.experiment import SETS
from reprolib.rerun.records import load_paper
from tests.naive import across_sklearn


@pytest.fixture(scope="module")
def records():
    return load_paper("across")


def test_peers_are_compared_on_the_same_trials_of_all_sets(records):
    rows = peers.accuracies(records)
    trials = rows[rows["method"].isin(peers.PEERS)].groupby(["method", "dataset"])["trial"]
    assert set(trials.groups) == {(key, name) for key in peers.PEERS for name in SETS}
    assert len({tuple(sorted(t)) for _, t in trials}) == 1


def test_libraries_were_tested_on_the_rows_of_the_study(records):
    table = pd.read_csv(peers.BOOSTERS).set_index("dataset")
    of_study = records.query("method == 'svc' and table == 'accuracy' and metric == 'accuracy'")
    n_test = of_study.groupby("dataset")["n_test"].first()
    assert (table["n_test"] == n_test.reindex(table.index)).all()
    hits = table["accuracy"] * table["n_test"]
    assert (hits - hits.round()).abs().max() < 1e-4, "whole numbers of test rows"


@pytest.mark.needs_data("raetsch/heart")
@pytest.mark.parametrize("key", peers.LIBRARIES)
def test_a_library_gives_its_committed_accuracy(key):
    """Other versions may differ by a few rows of 135."""
    pytest.importorskip(key, reason="an optional dependency: pip install 'reprolib[boosters]'")
    table = pd.read_csv(peers.BOOSTERS).set_index(["dataset", "method", "trial"])
    line = boosters.line("raetsch/heart", key, 0)
    stored = table.loc[("raetsch/heart", key, 0), "accuracy"]
    assert line["accuracy"] == pytest.approx(stored, abs=0.04)


def test_a_table_of_libraries_is_completed_and_not_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(boosters, "MAKERS", {"a": boosters.lightgbm})
    ran = []

    def line(name, key, trial):
        ran.append((name, key, trial))
        return {"dataset": name, "method": key, "trial": trial, "accuracy": 0.5}

    monkeypatch.setattr(boosters, "line", line)
    target = str(tmp_path / "table.csv")
    assert boosters.main([target, "--sets", "x/y", "--trials", "1"]) == 0
    assert boosters.main([target, "--sets", "x/y", "x/z", "--trials", "2"]) == 0
    assert len(ran) == len(set(ran)) == len(pd.read_csv(target)) == 4


#: A group set, one with components and a generated one, in seconds; the script takes any number.
QUICK = ("embedded/twonorm", "raetsch/heart", "haxby/subj1", "faces/yale")


@pytest.mark.needs_data(*QUICK)
def test_accuracies_are_those_of_scikit_learn_alone():
    drawn = across_sklearn.sample(6, seed=1, datasets=QUICK)
    for task, committed, found in across_sklearn.recomputed(drawn):
        assert found == pytest.approx(committed, abs=0.005), task
