"""The study passes all that a paper has to pass, and lists the tasks that its records have."""

from __future__ import annotations

import pytest
from sklearn.neighbors import KNeighborsClassifier

import data_fetch
from reprolib import evaluate
from reprolib.rerun.records import load_tasks, to_frame
from reprolib.suite import PaperSuite
from which_method.experiment import PROTOCOL


class TestStudy(PaperSuite):
    """`reprolib.suite` says what each test is for."""

    key = "which_method"


def test_its_tables_take_no_estimators_of_others():
    with pytest.raises(ValueError, match="takes no estimators of others"):
        evaluate(KNeighborsClassifier(), "which_method", "accuracy")


def test_committed_tasks_are_on_the_sets_of_the_full_profile():
    assert set(load_tasks("which_method")["dataset"]) == set(PROTOCOL.datasets("full"))


@pytest.mark.parametrize("name", PROTOCOL.datasets("full"))
def test_the_tasks_of_a_set_are_the_committed_ones(name):
    """Else the committed records are those of another run."""
    if not data_fetch.available(name):
        pytest.skip(f"needs real data that are not at hand: {name}")
    (stage,) = PROTOCOL.stages
    tasks = stage.tasks("full", {name: data_fetch.load(name)}, to_frame([]))
    committed = load_tasks("which_method").query("dataset == @name")
    assert {task.id for task in tasks} == set(committed["task"])
    assert not any(task.params for task in tasks)
