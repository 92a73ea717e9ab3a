"""The forest plot of a paper shows every number with its interval."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from reprolib.report.forest import forest_figure, forest_table
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.judge import Outcome, Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers

KPM = {n.id: n for n in numbers("kpm")}


def made_up() -> list[Verdict]:
    """A performance with a reading, a selection, and a number that was not run."""
    ends = (-0.3, 0.3)
    other = Outcome("reproduced", 10.7, 0.4, ends, ends, 0.4, Error(0.15), 10, "partial")
    return [
        Verdict(
            KPM["table1/Banana/KPM"],
            "undecided",
            ours=11.0,
            interval=(-0.73, 1.27),
            readings={"centred": other},
        ),
        Verdict(KPM["table1/Banana/selected D"], "reproduced", ours=15.5, interval=(-3.0, 3.0)),
        Verdict(KPM["table1/Banana/Best of 6"], "quoted"),
        Verdict(KPM["table2/Banana/SVM"], "undecided", ours=11.0, interval=(-np.inf, np.inf)),
    ]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_has_a_line_with_the_interval_around_ours(paper):
    verdicts = judge_paper(paper)
    frame = forest_table(verdicts)
    named = set(zip(frame["table"], frame["row"], frame["column"], strict=True))
    assert named == {(v.number.table, v.number.row, v.number.column) for v in verdicts}
    means = frame[(frame["quantity"] == "performance") & np.isfinite(frame["low"])]
    assert ((means["low"] + means["high"]) / 2).to_numpy() == pytest.approx(means["ours"])
    assert means["published"].between(0, 100).all()


@pytest.mark.parametrize("paper", PAPERS)
def test_lines_are_grouped_by_role_and_row(paper):
    frame = forest_table(judge_paper(paper))
    groups = frame[["quantity", "role", "table", "row"]].apply(tuple, axis=1)
    assert (groups != groups.shift()).sum() == groups.nunique()
    assert frame["role"].iloc[0] == "own"


def test_figure_draws_published_ours_interval_and_readings():
    figure = forest_figure(made_up())
    performance, selection = figure.axes
    assert [axis.get_title() for axis in figure.axes] == ["performance", "selection"]
    labels = [label.get_text() for label in performance.get_yticklabels()]
    assert labels == [
        "own, table1",
        "Banana, KPM",
        "baseline, table2",
        "Banana, SVM",
        "quoted, table1",
        "Banana, Best of 6",
    ]
    marks = [tuple(at) for c in performance.collections for at in c.get_offsets()]
    assert set(marks) == {(10.7, 1), (10.73, 1), (11.0, 1), (10.69, 3), (11.0, 3), (10.73, 5)}
    (interval,) = performance.lines
    assert list(interval.get_xdata()) == pytest.approx([10.0, 12.0])
    hollow = [c for c in performance.collections if len(c.get_facecolors()) == 0]
    assert {tuple(at) for c in hollow for at in c.get_offsets()} >= {(10.7, 1), (11.0, 1)}
    assert list(selection.lines[0].get_xdata()) == pytest.approx([12.0, 18.0])
    plt.close(figure)


@pytest.mark.parametrize("paper", PAPERS)
def test_figure_of_a_paper_is_drawn(paper):
    figure = forest_figure(judge_paper(paper))
    figure.draw_without_rendering()
    assert {axis.get_title() for axis in figure.axes} <= {"performance", "selection"}
    plt.close(figure)


def test_numbers_without_records_of_ours_still_have_a_line(tmp_path):
    figure = forest_figure(judge_paper("kpm", tmp_path))
    figure.draw_without_rendering()
    labels = [tick.get_text() for axis in figure.axes for tick in axis.get_yticklabels()]
    assert sum("," in label and "table" not in label for label in labels) == len(KPM)
    plt.close(figure)
