"""Fits that tables share: found again by content, and without a trace in the records."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from reprolib.papers.kpm import methods as kpm
from reprolib.papers.simplex import beyond
from reprolib.papers.simplex import methods as simplex
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks.remembered import Remembered


def test_equal_contents_share_one_answer_and_others_have_their_own():
    X, calls = np.arange(6.0).reshape(3, 2), []
    answers = Remembered(size=10)

    def ask(*what):
        return answers.of(what, lambda: calls.append(what) or len(calls))

    assert ask(X, SVC(C=2.0)) == ask(X.copy(), SVC(C=2.0)) == 1
    moved = X.copy()
    moved[2, 1] = np.nextafter(moved[2, 1], np.inf)
    others = [ask(moved, SVC(C=2.0)), ask(X, SVC(C=3.0)), ask(X.reshape(2, 3), SVC(C=2.0))]
    assert others == [2, 3, 4], "the last digit, a setting and the shape all count"


def test_only_the_latest_answers_are_kept():
    answers = Remembered(size=2)
    for number in (1, 2, 1, 3):
        assert answers.of(number, lambda number=number: number) == number
    assert answers.of(1, lambda: "anew") == 1
    assert answers.of(2, lambda: "anew") == "anew"


def test_a_failure_is_not_remembered():
    answers = Remembered(size=2)
    with pytest.raises(ZeroDivisionError):
        answers.of("a", lambda: 1 / 0)
    assert answers.of("a", lambda: 5) == 5


def classes(n_features: int, n_classes: int):
    """Training and test points, overlapping classes."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % n_classes
    X = rng.normal(size=(120, n_features)) + y[:, None]
    return X[:80], y[:80], X[80:], y[80:]


@pytest.mark.parametrize("table2_first", [True, False])
def test_kpm_selects_the_same_dimension_before_and_after_table_2(table2_first, monkeypatch):
    params = {"fold_seed": 0}
    of_table2 = Task("kpm", "table2", "raetsch/heart", "kpm", "headline", 0, params)
    of_selection = Task("kpm", "selection", "raetsch/heart", "kpm", "headline", 0, params)
    split = classes(3, 2)
    monkeypatch.setattr(kpm, "_SELECTED", Remembered(size=10))
    before = [] if table2_first else kpm.selected_dimension(of_selection, *split)
    measured = {m.metric: m for m in kpm.cross_validated(of_table2, *split)}
    (found,) = before or kpm.selected_dimension(of_selection, *split)
    assert found.value == measured["selected D"].value
    assert found.gap == measured["test error"].gap


@pytest.mark.parametrize("method", ["s-ls rbf", "boosting"])
def test_disagreement_is_the_same_with_and_without_table_2_before_it(method, monkeypatch):
    split = classes(3, 4)
    monkeypatch.setattr(beyond, "N_ROUNDS", 6)
    compared = Task("simplex", "disagreement", "uci/landsat", method)

    def disagreement(*earlier: Task):
        for name in ("_CHOSEN", "_HITS"):
            monkeypatch.setattr(simplex, name, Remembered(size=10))
        for task in earlier:
            simplex.table2(task, *split)
        return [(m.reading, m.value) for m in beyond.run_disagreement(compared, *split)]

    others = beyond.READINGS.measured("s-ls rbf", "headline")
    also = {name: changes["grid"] for name, changes in others.items() if "grid" in changes}
    params = {"seed": 0, **({"n_estimators": 6} if method == "boosting" else {"also": also})}
    table2 = Task("simplex", "table2", "uci/landsat", method, "headline", 0, params)
    alone = disagreement()
    assert disagreement(table2) == alone != []


def test_a_fit_of_table_2_is_not_made_again_for_the_disagreement(monkeypatch):
    split = classes(3, 4)
    monkeypatch.setattr(simplex, "_HITS", Remembered(size=10))
    hits = simplex.boosting_hits(*split, seed=0, n_estimators=6)
    monkeypatch.setattr(simplex, "SimplexBoostingClassifier", None)
    assert simplex.boosting_hits(*split, seed=0, n_estimators=6) is hits
