"""Figures of MKPM show what the records and the model say."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from reprolib.methods.mkpm import MKPMClassifier
from reprolib.papers.mkpm import example, figures
from reprolib.report.paper_figures import paper_figures
from reprolib.rerun import records as results


@pytest.fixture(scope="module")
def records():
    return results.load_paper("mkpm")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_the_committed_records_have_every_figure(records):
    """They are drawn in `tests/report/test_figures.py`."""
    assert len(paper_figures("mkpm", records)) == len(figures.FIGURES)


def test_printed_dimension_and_every_criterion_are_marked(records):
    panels = {axis.get_title(): axis for axis in figures.accuracy_along_path(records).axes}
    lines = {line.get_label(): line for line in panels["dna"].lines}
    assert list(lines["printed d-hat"].get_xdata()) == [690, 690]
    assert list(lines["d by cross-validation"].get_xdata()) == [715]
    rows = results.select(
        records,
        table="table1",
        dataset="statlog/dna",
        metric="d",
        reading="N is the training size",
    )
    assert list(lines["d by training error"].get_xdata()) == [rows["value"].mean()]


def test_classes_and_data_sets_have_the_names_of_their_documentation(records):
    panels = {axis.get_title(): axis for axis in figures.allocation_along_path(records).axes}
    assert list(panels) == ["segment", "dna", "satimage", "fmri"]
    shown = [text.get_text() for text in panels["segment"].get_legend().get_texts()]
    assert shown[:2] == ["brickface", "sky"]
    assert figures.class_name("haxby/subj1", "class face") == "face"


def test_example_at_any_dimension():
    X, y = example.rings(120, seed=0)
    model = MKPMClassifier(40, gamma=1.0).fit(X, y)
    figure = example.at_dimension(model, X, y, X, y, 40)
    assert figure.axes[0].get_title() == "d = 40"
    shares = [text.get_text().split(": ")[1] for text in figure.legends[0].get_texts()]
    assert shares == [str(share) for share in model.allocation_]
    beyond = example.at_dimension(model, X, y, X, y, 10_000)
    assert beyond.axes[0].get_title() == figure.axes[0].get_title()


def test_a_single_data_set_has_a_legend(records):
    figure = figures.accuracy_along_path(records[records["dataset"] == "statlog/dna"])
    assert len(figure.axes) == 1
    assert "test accuracy" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_figure_of_a_table_without_records_is_left_out(records):
    assert paper_figures("mkpm", records[records["table"] == "losses"]) == []
    two = records[records["table"].isin(["path", "bases"])]
    drawn = [figure.draw for figure in paper_figures("mkpm", two)]
    wanted = [figures.accuracy_along_path, figures.allocation_along_path, figures.low_rank_bases]
    assert drawn == wanted


def test_a_budget_is_shown_at_the_nearest_measured_one_with_all_its_dimensions(records):
    accuracy, shares = figures.at_budget(records, "statlog/segment", 451).axes
    d = int(re.search(r"d = (\d+)", accuracy.get_title()).group(1))
    assert abs(d - 451) < 30
    assert sum(bar.get_width() for bar in shares.patches) == d


def test_runs_that_share_training_data_widen_the_interval(records):
    """Plain intervals would call two more differences clear than claims would."""
    differences = figures.haxby_differences(records)
    clear = differences[(differences["low"] > 0) | (differences["high"] < 0)]
    assert list(clear.index) == [("raw, twelve runs", "simplex RLS")]


def test_gains_of_sharing_are_drawn_with_fmri_on_an_axis_of_its_own(records):
    gains = figures.sharing_gains(records)
    statlog, fmri = figures.sharing_figure(records).axes
    shown = [text.get_text() for axis in (statlog, fmri) for text in axis.get_yticklabels()]
    assert shown == [", ".join(line) for line in gains.index.droplevel("minus").unique()]
    assert all(label.startswith("fmri") for label in shown[-3:])
    marks = [container.lines[0].get_xdata() for container in statlog.containers]
    expected = gains["difference"].to_numpy()[:18]
    np.testing.assert_allclose(np.ravel(marks, order="F").astype(float), expected.astype(float))
