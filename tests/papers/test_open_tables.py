"""An estimator of others has the trials that the paper's methods have.

A method of the paper, given as a plain estimator, must have its own value in every open table.
"""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.svm import SVC

import data_fetch
from data_fetch.raetsch import PUBLISHED_SVM
from reprolib import KPMClassifierCV, SimplexRLSClassifierCV
from reprolib.rerun.records import COLUMNS
from reprolib.rerun.records.registry import PAPERS, packaged, paper_module
from reprolib.rerun.records.task import get_protocol
from reprolib.rerun.tasks.open_table import run_on
from reprolib.rerun.verdicts.printed import numbers

_, WIDTH = PUBLISHED_SVM["twonorm"]
#: paper, data set, method, and the method as an estimator.
SAME = {
    "kpm": ("embedded/twonorm", "kpm", KPMClassifierCV(max_components=60, gamma=1 / WIDTH)),
    "mkpm": ("embedded/optdigits", "svm", SVC(C=8.0, gamma=2.0**-10)),
    "simplex": ("embedded/optdigits", "s-ls", SimplexRLSClassifierCV()),
    "keops": ("embedded/p300", "lda", LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
}
NO_RECORDS = pd.DataFrame(columns=COLUMNS)
TABLES = {"kpm": "table2", "simplex": "table2"}


@pytest.mark.parametrize("paper", SAME)
def test_a_method_of_the_paper_has_its_own_value(paper):
    name, method, estimator = SAME[paper]
    table, protocol, dataset = (
        TABLES.get(paper, "table1"),
        get_protocol(paper),
        data_fetch.load(name),
    )
    opened = paper_module(paper, "open_tables").OPEN[table]
    tasks = protocol.stages[0].tasks("full", {name: dataset}, NO_RECORDS)
    task = next(t for t in tasks if (t.table, t.method) == (table, method) and not t.setting)
    (theirs,) = (
        m
        for m in protocol.run(task, dataset)
        if m.metric == opened.metric and m.reading in (None, task.reading)
    )
    (mine,) = run_on(opened, estimator, None, task, dataset)
    assert mine.value == pytest.approx(theirs.value, abs=1e-9)
    assert mine.n_test == theirs.n_test


def test_images_of_a_split_are_those_of_the_paper():
    """1-nearest neighbour among the images themselves, as the paper's split has them."""
    from reprolib.papers.mkmmc.splits import drawn

    dataset = data_fetch.load("embedded/faces")
    opened = paper_module("mkmmc", "open_tables").OPEN["table1"]
    task = next(
        t
        for t in get_protocol("mkmmc").stages[0].tasks("quick", {dataset.name: dataset}, NO_RECORDS)
        if t.method == opened.like
    )
    trial = opened.trial(task, dataset)
    train, test = drawn(dataset.y, task.level, task.trial)
    np.testing.assert_array_equal(trial.X, dataset.X[train])
    np.testing.assert_array_equal(trial.X_test, dataset.X[test])
    assert len(trial.folds) == len(train)


@pytest.mark.parametrize("paper", [p for p in packaged(PAPERS) if paper_module(p, "open_tables")])
def test_what_is_open_is_printed_and_what_is_closed_says_why(paper):
    module = paper_module(paper, "open_tables")
    printed = {(n.table, n.select["metric"]) for n in numbers(paper)}
    for table, opened in module.OPEN.items():
        assert (table, opened.metric) in printed
    for table, why in getattr(module, "CLOSED", {}).items():
        assert table not in module.OPEN
        assert why


class Chooser(ClassifierMixin, BaseEstimator):
    """Remembers what it is given."""

    seen: ClassVar[list] = []

    def __init__(self, k=1, random_state=None):
        self.k = k
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Chooser.seen.append((len(X), self.k, self.random_state))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.k % 2])


def test_a_selection_sees_the_folds_of_the_trial_alone_and_seeds_follow_the_trial():
    y = np.array([0] * 4 + [1] * 16)
    rows = np.arange(20)
    folds = [(rows[rows % 5 != k], rows[rows % 5 == k]) for k in range(2)]
    trial = SimpleNamespace(
        X=rows[:, None], y=y, X_test=rows[:, None], y_test=y, folds=folds, source=None
    )
    opened = paper_module("mkpm", "open_tables").OPEN["table1"]
    opened = dataclasses.replace(opened, trial=lambda task, dataset: trial)
    Chooser.seen.clear()
    (found,) = run_on(opened, Chooser(), {"k": [0, 1]}, SimpleNamespace(trial=7), None)
    assert found.chosen == {"k": 1}
    assert found.value == pytest.approx(0.8)
    assert [n for n, _, _ in Chooser.seen] == [16, 16, 16, 16, 20]
    assert {seed for _, _, seed in Chooser.seen} == {7}
