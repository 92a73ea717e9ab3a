"""The forest plot of a paper shows every number with its interval."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.report.forest import forests
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers

KPM = {n.id: n for n in numbers("kpm")}


def made_up() -> list[Verdict]:
    """Performances with finite and infinite intervals, a selection, and a quotation."""
    return [
        Verdict(
            KPM["table1/Banana/KPM"],
            "undecided",
            ours=11.0,
            interval=(-1.23, 1.77),
            interval_90=(-0.93, 1.47),
            n_trials=10,
        ),
        Verdict(
            KPM["table1/Banana/selected D"],
            "reproduced",
            ours=15.5,
            interval=(-3.0, 4.0),
            interval_90=(-2.0, 3.0),
            n_trials=10,
        ),
        Verdict(KPM["table1/Banana/Best of 6"], "quoted"),
        Verdict(
            KPM["table2/Banana/SVM"],
            "undecided",
            ours=11.0,
            interval=(-np.inf, np.inf),
            interval_90=(-np.inf, np.inf),
            n_trials=1,
        ),
    ]


def of(drawing, form, kind=""):
    shapes = [shape for group in drawing.groups for shape in group.shapes]
    return [s for s in shapes if s.form == form and (not kind or s.kind == kind)]


def lines(drawing):
    return [group for group in drawing.groups if group.kind == "line"]


def legend(drawing):
    texts = [shape for group in drawing.groups if group.kind == "legend" for shape in group.shapes]
    return [shape.text for shape in texts if shape.form == "text"]


def test_numbers_stand_below_the_headings_of_their_role_and_table():
    drawn = forests(made_up())
    assert list(drawn) == ["performance", "selection"]
    wanted = ["the paper's method, Table 1", "Banana, KPM", "baselines, Table 2", "Banana, SVM"]
    texts = [text.text for text in of(drawn["performance"], "text")]
    assert [text for text in texts if text in wanted] == wanted


def test_a_line_shows_the_difference_and_both_intervals_beside_the_band_that_decides():
    drawing = forests(made_up())["performance"]
    first, second = lines(drawing)
    _, thin, thick, mark = first.shapes
    assert (thin.kind, thick.kind, mark.word) == ("thin", "thick", "undecided")
    (zero,) = of(drawing, "line", "zero")
    band = of(drawing, "band")[0]
    inside = [band.x, zero.start[0], mark.x, thick.end[0], band.x + band.width, thin.end[0]]
    assert inside == sorted(inside), "90 % ends inside the band, 95 % beyond it"
    # On a scale like a logarithm away from zero, in margins.
    bent = np.arcsinh(np.array([-1.0, 0.0, (11.0 - 10.73) / 1.5, 1.47 / 1.5, 1.0, 1.77 / 1.5]))
    slope, start = np.polyfit(bent, inside, 1)
    assert inside == pytest.approx(slope * bent + start, abs=0.15)
    assert second.shapes[1].start[0] < second.shapes[3].x < second.shapes[1].end[0]
    assert second.shapes[1].start[0] > 0, "an unknown interval ends at the edge of the plot"


def test_the_legend_names_what_is_there_and_nothing_else():
    common = ["90 % interval", "95 % interval", "what counts as reproduced"]
    assert legend(forests(made_up())["selection"]) == ["reproduced", *common]
    assert legend(forests(made_up())["performance"]) == ["undecided", *common]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_that_was_run_has_a_line_and_a_phone_shows_all_of_it(paper):
    run = [v for v in judge_paper(paper) if v.n_trials and v.word != "quoted"]
    drawn = forests(judge_paper(paper))
    assert set(drawn) == {v.quantity for v in run}
    for quantity, drawing in drawn.items():
        listed = [v for v in run if v.quantity == quantity]
        assert len(lines(drawing)) == len(listed)
        for line in lines(drawing):
            _, thin, thick, mark = line.shapes
            places = [thin.start[0], thick.start[0], mark.x, thick.end[0], thin.end[0]]
            assert np.diff(places).min() >= -0.2, line.title  # in tenths
            assert 0 < places[0] <= places[-1] <= drawing.width
        headings = [text.text for text in of(drawing, "text", "name")]
        assert len(headings) == len(set(headings)), "numbers of one role and table stand together"
        assert all(0 < text.y < drawing.height for text in of(drawing, "text"))
        assert drawing.width < 400


def test_a_study_without_printed_numbers_has_no_forest():
    assert forests([]) == {}
