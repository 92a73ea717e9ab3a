"""The study passes all that a paper has to pass, and lists the tasks that its records have."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from sklearn.neighbors import KNeighborsClassifier

from reprolib import evaluate
from reprolib.report.paper_figures import report_figures
from reprolib.report.style import use_style
from reprolib.rerun.records import load_paper, load_tasks, to_frame
from reprolib.suite import PaperSuite
from reprolib.suite.experiment import loaded
from which_method.experiment import PROTOCOL


@pytest.fixture(scope="module")
def data():
    """Data sets that need no download, loaded once."""
    return loaded(PROTOCOL.datasets("full"))


@pytest.fixture(scope="module")
def drawn():
    """Figures of the committed records, drawn once."""
    use_style()
    made = report_figures("which_method", load_paper("which_method"))
    for figure in made.values():
        figure.canvas.draw()
    yield made
    plt.close("all")


class TestStudy(PaperSuite):
    """`reprolib.suite` says what each test is for."""

    key = "which_method"
    fraction = 0.002

    @pytest.fixture
    def datasets(self, data):
        return data

    @pytest.fixture
    def figures(self, drawn, request):
        asked = request.function.__name__
        if "phone" in asked or "over_each_other" in asked:
            pytest.skip("the tables of all methods are wider than a phone")
        return drawn


def test_its_tables_take_no_estimators_of_others():
    with pytest.raises(ValueError, match="takes no estimators of others"):
        evaluate(KNeighborsClassifier(), "which_method", "accuracy")


def test_committed_tasks_are_on_the_sets_of_the_full_profile():
    assert set(load_tasks("which_method")["dataset"]) == set(PROTOCOL.datasets("full"))


@pytest.mark.parametrize("name", PROTOCOL.datasets("full"))
def test_the_tasks_of_a_set_are_the_committed_ones(name, data):
    """Else the committed records are those of another run."""
    if name not in data:
        pytest.skip(f"needs real data that are not at hand: {name}")
    (stage,) = PROTOCOL.stages
    tasks = stage.tasks("full", {name: data[name]}, to_frame([]))
    committed = load_tasks("which_method").query("dataset == @name")
    assert {task.id for task in tasks} == set(committed["task"])
    assert not any(task.params for task in tasks)
