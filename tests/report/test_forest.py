"""The forest plot of a paper shows every number with its interval."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection

from reprolib.report.charts import forest_figure, forests
from reprolib.report.drawing import svg
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.judge import Outcome, Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers

SVG = "{http://www.w3.org/2000/svg}"
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
            n_trials=10,
            readings={"centred": other},
        ),
        Verdict(KPM["table1/Banana/selected D"], "reproduced", ours=15.5, interval=(-3.0, 3.0)),
        Verdict(KPM["table1/Banana/Best of 6"], "quoted"),
        Verdict(KPM["table2/Banana/SVM"], "undecided", ours=11.0, interval=(-np.inf, np.inf)),
    ]


def of(drawing, form, kind=""):
    return [s for s in drawing.shapes if s.form == form and (not kind or s.kind == kind)]


def lines(drawing):
    return [group for group in drawing.groups if group.kind == "line"]


def legend(drawing):
    return [group.shapes[0].text for group in drawing.groups if group.kind == "legend"]


def test_numbers_stand_below_the_headings_of_their_role_and_table():
    drawn = forests(made_up())
    assert list(drawn) == ["performance", "selection"]
    wanted = ["own, table1", "Banana, KPM", "baseline, table2", "Banana, SVM", "quoted, table1"]
    texts = [text.text for text in of(drawn["performance"], "text")]
    assert [text for text in texts if text in wanted] == wanted


def test_a_line_shows_published_ours_interval_and_readings_on_one_scale():
    first, selection = lines(forests(made_up())["performance"])[0], forests(made_up())["selection"]
    kinds = [(shape.form, getattr(shape, "kind", "")) for shape in first.shapes]
    wanted = [("text", ""), ("line", "interval"), ("ring", ""), ("line", "published"), ("mark", "")]
    assert kinds == wanted
    _, interval, ring, printed, mark = first.shapes
    places = [interval.start[0], ring.x, printed.start[0], mark.x, interval.end[0]]
    values = [10.0, 10.7, 10.73, 11.0, 12.0]
    slope, start = np.polyfit(values, places, 1)
    assert slope > 0
    assert places == pytest.approx(slope * np.array(values) + start, abs=0.1)
    assert "under “centred”" in ring.title
    assert len(of(selection, "line", "published")) == 2, "one number, and its entry in the legend"


def test_the_legend_names_what_is_there_and_nothing_else():
    drawn = forests(made_up())
    selection = ["published", "ours: reproduced", "95 % interval of ours"]
    assert legend(drawn["selection"]) == selection
    assert "ours under another reading" in legend(drawn["performance"])
    quoted = forests([Verdict(KPM["table1/Banana/Best of 6"], "quoted")])
    assert legend(quoted["performance"]) == ["published"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_of_a_paper_has_a_line_with_all_that_is_known_of_it(paper):
    verdicts = judge_paper(paper)
    drawn = forests(verdicts)
    assert set(drawn) == {v.quantity for v in verdicts}
    for quantity, drawing in drawn.items():
        listed = [v for v in verdicts if v.quantity == quantity]
        shapes = [shape for line in lines(drawing) for shape in line.shapes]
        forms = [shape.form for shape in shapes]
        assert len(lines(drawing)) == len(listed)
        assert forms.count("mark") == sum(v.n_trials > 0 for v in listed)
        assert forms.count("ring") == sum(len(v.readings) for v in listed)
        for line in lines(drawing):
            by_kind = {getattr(shape, "kind", "") or shape.form: shape for shape in line.shapes}
            if "interval" in by_kind:
                low, high = by_kind["interval"].start[0], by_kind["interval"].end[0]
                assert low - 0.2 <= by_kind["mark"].x <= high + 0.2, line.title  # in tenths
        headings = [text.text for text in of(drawing, "text", "name")]
        assert len(headings) == len(set(headings)), "numbers of one role and table stand together"
        across = [s.x for s in shapes if s.form in ("mark", "ring")]
        assert all(0 < x < drawing.width for x in across)
        assert all(0 < text.y < drawing.height for text in of(drawing, "text"))


def test_page_and_figure_show_the_same():
    drawing = forests(made_up())["performance"]
    root = ET.fromstring(svg(drawing, "light"))
    figure = forest_figure(made_up())
    axis = figure.axes[0]
    figure.draw_without_rendering()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert sorted(text.get_text() for text in axis.texts) == sorted(texts)
    in_svg = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(f"{SVG}circle")]
    in_svg += [(float(use.get("x")), float(use.get("y"))) for use in root.iter(f"{SVG}use")]
    marks = [c for c in axis.collections if not isinstance(c, LineCollection)]
    in_figure = [tuple(place) for c in marks for place in c.get_offsets().tolist()]
    plt.close(figure)
    assert len(in_svg) == len(in_figure)
    in_panel = forests(made_up(), 360)["performance"]
    assert len(list(in_panel.shapes)) == len(list(drawing.shapes))


def test_numbers_without_records_of_ours_still_have_a_line(tmp_path):
    drawn = forests(judge_paper("kpm", tmp_path))
    assert sum(len(lines(drawing)) for drawing in drawn.values()) == len(KPM)
    assert not any(of(drawing, "mark") for drawing in drawn.values())


def test_a_study_without_printed_numbers_has_no_forest():
    assert forests([]) == {}
