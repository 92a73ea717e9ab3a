"""Fits that tables share: found again by content, and without a trace in the records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from reprolib.papers.kpm import methods as kpm
from reprolib.papers.simplex import beyond
from reprolib.papers.simplex import methods as simplex
from reprolib.papers.simplex.experiment import RUN
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


def forget(monkeypatch):
    """Begin like a new process."""
    for name, value in list(vars(simplex).items()):
        if isinstance(value, Remembered):
            monkeypatch.setattr(simplex, name, Remembered(size=10))


def measured(task: Task, split):
    """Measurements with paths that compare."""
    return [replace(m, path=list(m.path)) for m in RUN[task.table](task, *split)]


def shared_tasks(method: str) -> tuple[Task, list[Task]]:
    """The task of the disagreement, and those of table 2 that make the same fits."""
    compared = Task("simplex", "disagreement", "uci/landsat", method)
    table2 = replace(compared, table="table2", params={"seed": 0, "n_estimators": 6})
    if method == "boosting":
        return compared, [table2]
    tasks = []
    for reading in beyond.READINGS.of_tasks("table2", "", method):
        others = beyond.READINGS.measured(method, reading.name)
        also = {name: c["grid"] for name, c in others.items() if name != reading.name}
        params = {"seed": 0, "also": also, **reading.changes}
        tasks.append(replace(table2, reading=reading.name, params=params))
    return compared, tasks


@pytest.mark.parametrize("method", ["s-ls rbf", "boosting"])
@pytest.mark.parametrize("table2_first", [True, False])
def test_disagreement_and_table_2_are_the_same_alone_and_in_one_process(
    method, table2_first, monkeypatch
):
    split = classes(3, 4)
    monkeypatch.setattr(beyond, "N_ROUNDS", 6)
    compared, table2 = shared_tasks(method)
    tasks = [*table2, compared] if table2_first else [compared, *table2]
    alone = []
    for task in tasks:
        forget(monkeypatch)
        alone.append(measured(task, split))
    forget(monkeypatch)
    assert [measured(task, split) for task in tasks] == alone


@pytest.mark.parametrize("method", ["s-ls rbf", "boosting"])
def test_a_fit_of_table_2_is_not_made_again_for_the_disagreement(method, monkeypatch):
    split = classes(3, 4)
    monkeypatch.setattr(beyond, "N_ROUNDS", 6)
    compared, table2 = shared_tasks(method)
    forget(monkeypatch)
    for task in table2:
        simplex.table2(task, *split)
    for name in ("SimplexRLSClassifier", "SimplexRLSClassifierCV", "SimplexBoostingClassifier"):
        monkeypatch.setattr(simplex, name, None)
    assert beyond.run_disagreement(compared, *split)


def test_seeds_of_an_svm_that_choose_the_same_cost_share_the_fit_on_all_data(monkeypatch):
    split, refits = classes(3, 4), []

    class Counted(OneVsRestClassifier):
        def fit(self, X, y):
            refits.extend([self.estimator.C] * (len(X) == len(split[0])))
            return super().fit(X, y)

    monkeypatch.setattr(simplex, "OneVsRestClassifier", Counted)
    task = Task("simplex", "table2", "uci/landsat", "svm rbf ova")
    tasks = [replace(task, trial=seed, params={"seed": seed}) for seed in range(6)]
    alone = []
    for task in tasks:
        forget(monkeypatch)
        alone += measured(task, split)
    refits.clear()
    forget(monkeypatch)
    assert [m for task in tasks for m in measured(task, split)] == alone
    assert sorted(refits) == sorted({m.chosen["C"] for m in alone})
    assert 1 < len(refits) < len(tasks), "some seeds agree, and not all"
