"""Figures of MKPM show what the records and the model say."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from reprolib.papers.mkpm import figures
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


def test_the_printed_dimension_and_that_of_our_table_are_marked(records):
    panels = {axis.get_title(): axis for axis in figures.accuracy_along_path(records).axes}
    assert list(panels) == ["segment", "dna", "satimage", "fmri"]
    rows = results.select(records, table="table1", dataset="statlog/segment", metric="d")
    ours = results.select(rows, reading="headline")["value"].mean()
    _, _, *marked = panels["segment"].lines
    assert [line.get_xdata()[0] for line in marked] == [451, ours]
    texts = [text.get_text().strip() for text in panels["segment"].texts]
    assert texts == ["training", "test", "printed: 451", f"ours: {ours:.0f}"]


def test_classes_and_data_sets_have_the_names_of_their_documentation(records):
    panels = {axis.get_title(): axis for axis in figures.allocation_along_path(records).axes}
    assert list(panels) == ["segment", "dna", "satimage", "fmri"]
    shown = [text.get_text() for text in panels["segment"].get_legend().get_texts()]
    assert shown[:2] == ["brickface", "sky"]
    assert figures.class_name("haxby/subj1", "class face") == "face"


def test_paths_without_a_table_have_no_dimension_of_ours(records):
    rows = results.select(records, table="path", dataset="statlog/dna")
    (axis,) = figures.accuracy_along_path(rows).axes
    assert [text.get_text().strip() for text in axis.texts][2:] == ["printed: 690"]


def test_a_figure_of_a_table_without_records_is_left_out(records):
    assert paper_figures("mkpm", records[records["table"] == "losses"]) == []
    two = records[records["table"].isin(["path", "bases"])]
    drawn = [figure.draw for figure in paper_figures("mkpm", two)]
    wanted = [figures.accuracy_along_path, figures.allocation_along_path, figures.low_rank_bases]
    assert drawn == wanted


def test_a_budget_is_shown_at_the_nearest_measured_one_with_all_its_dimensions(records):
    picture = figures.accuracy_at_budget(records).at(dataset="segment", d=439)
    d = int(re.search(r"d = (\d+)", repr(picture)).group(1))
    assert abs(d - 439) < 30
    shares = [int(n) for n in re.findall(r">(\d+)</text>", picture.data["layers"][1]["of"]["0 4"])]
    assert sum(shares) == pytest.approx(d, abs=3), "each is rounded"


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
