"""The pictures of the verdicts show each of them."""

from __future__ import annotations

import pytest

from reprolib.report.scoreboard import (
    by_kind,
    by_table,
    data_behind,
    scoreboard,
    scoreboard_figure,
)
from reprolib.report.sharpness import sharpness_figure, sharpness_table
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers
from reprolib.rerun.verdicts.words import MARGIN


@pytest.fixture(scope="module")
def verdicts():
    return {paper: judge_paper(paper) for paper in PAPERS}


def marks(drawing):
    return [shape for group in drawing.groups if group.kind == "mark" for shape in group.shapes]


@pytest.mark.parametrize("rows", [by_table, lambda verdicts: by_kind(verdicts, {})])
def test_scoreboard_has_a_mark_for_every_number_and_none_hides_another(verdicts, rows):
    drawn = marks(scoreboard(rows(verdicts)))
    words = [v.word for listed in verdicts.values() for v in listed]
    assert sorted(mark.word for mark in drawn) == sorted(words)
    assert len({(mark.x, mark.y) for mark in drawn}) == len(words)


def test_rows_name_every_table_and_its_data(verdicts):
    rows = by_table(verdicts)
    tables = [(v.number.paper, v.number.table) for listed in verdicts.values() for v in listed]
    assert [row.kind for row in rows] == [table for _, table in dict.fromkeys(tables)]
    assert [row.name.split(",")[0].lower() for row in rows if row.name] == list(verdicts)
    assert all("trial" in row.note for row in rows)
    texts = [shape.text for shape in scoreboard(rows).shapes if shape.form == "text"]
    assert {row.note for row in rows} <= set(texts)


def test_the_figure_of_a_notebook_has_every_mark(verdicts):
    axes = scoreboard_figure(verdicts).axes[0]
    n_legend = len({v.word for listed in verdicts.values() for v in listed})
    n_marks = sum(len(c.get_offsets()) for c in axes.collections)
    assert n_marks - n_legend == sum(map(len, verdicts.values()))


def test_a_long_table_goes_on_in_the_next_line():
    listed = [Verdict(numbers("kpm")[0], "reproduced")] * 100
    drawn = marks(scoreboard(by_table({"kpm": listed})))
    assert len({mark.y for mark in drawn}) == 3


def test_data_behind_lists_sources_with_their_trials():
    number = numbers("kpm")[0]
    listed = [
        Verdict(number, "reproduced", source="partial", n_trials=1),
        Verdict(number, "reproduced", source="resampled", n_trials=20),
        Verdict(number, "undecided", source="resampled", n_trials=5),
        Verdict(number, "not run"),
    ]
    assert data_behind(listed) == "partial, 1 trial; resampled, 5 to 20 trials"


def test_undecided_numbers_lie_below_the_diagonal_and_misses_above(verdicts):
    frame = sharpness_table(verdicts)
    inside = frame["difference"] <= frame["half-width"] + 1e-9
    assert "not reproduced" not in set(frame.loc[inside, "verdict"])
    assert "undecided" not in set(frame.loc[~inside, "verdict"])
    assert (frame.loc[frame["verdict"] == "reproduced", "difference"] < MARGIN).all()
    marks = sum(len(c.get_offsets()) for c in sharpness_figure(verdicts).axes[0].collections)
    assert marks == len(frame)


def test_the_line_of_the_sharpness_picture_is_where_both_axes_are_equal(verdicts):
    axes = sharpness_figure(verdicts).axes[0]
    (line,) = axes.lines
    axes.figure.draw_without_rendering()
    drawn = line.get_transform().transform(line.get_xydata())
    (x0, y0), (x1, y1) = drawn
    for value in (0.0, 0.02, 0.1, 0.5, 1.5, 7.0, 20.0):
        x, y = axes.transData.transform((value, value))
        assert (x - x0) * (y1 - y0) == pytest.approx((y - y0) * (x1 - x0), abs=1e-6 * (x1 - x0))


def test_undecided_numbers_have_hollow_marks(verdicts):
    axes = sharpness_figure(verdicts).axes[0]
    marks = {c.get_label(): c for c in axes.collections}
    assert len(marks["undecided"].get_facecolors()) == 0
    assert len(marks["reproduced"].get_facecolors()) == 1
