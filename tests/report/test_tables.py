"""Tables of published numbers beside ours."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.report import tables
from reprolib.rerun import records as results
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.judge import Outcome, Verdict, judge_paper
from reprolib.rerun.verdicts.printed import in_printed_order, numbers
from reprolib.rerun.verdicts.words import JUDGED, WORDS


def test_readings_of_a_paper_without_results_are_an_empty_table(tmp_path):
    assert tables.readings("kpm", "table2", tmp_path).empty


def test_verdicts_show_difference_and_half_width():
    frame = tables.verdict_frame(judge_paper("kpm"))
    frame = frame[frame["table"] == "table2"]
    assert {"half-width", "trials", "source", "verdict"} <= set(frame.columns)
    for _, row in frame.iterrows():
        published, ours = (float(row[name].split(" ")[0]) for name in ("published", "ours"))
        assert ours - published == pytest.approx(float(row["difference"]), abs=0.011)


def test_texts_of_differences_and_half_widths():
    assert tables.difference_text(0.316, 2) == "+0.32"
    assert tables.difference_text(-1.0, 0) == "-1.0"
    assert tables.difference_text(np.nan, 2) == "–"
    assert tables.half_width_text(0.456, 2) == "0.46"
    assert tables.half_width_text(np.inf, 2) == "∞"
    assert tables.half_width_text(np.nan, 2) == "–"


def test_a_line_for_every_reading_of_a_number_with_its_own_verdict():
    frame = tables.readings("kpm", "table2")
    assert frame.index.names == ["row", "column", "reading"]
    banana = frame.loc["Banana", "KPM"]
    assert banana.index[0] == "random partitions"
    assert {"headline", "centred", "half width"} <= set(banana.index)
    assert set(frame["verdict"]) <= set(JUDGED)
    assert not (frame.drop(columns="surely") == "–").any(axis=None)


def test_a_credit_names_the_reading_its_value_and_how_many_were_tried():
    number = numbers("kpm")[0]
    ends = (-0.3, 0.3)
    good = Outcome(
        "reproduced", 10.7, 0.4, ends, ends, None, Error(0.15), 10, "partial", Error(0.1)
    )
    verdict = Verdict(
        number,
        "reproduced in a variant",
        ours=12.0,
        reading="centred",
        n_readings=6,
        readings={"centred": good},
    )
    frame = tables.verdict_frame([verdict, Verdict(number, "undecided")])
    assert frame["reading"].tolist() == ["centred: 10.70 ± 0.40 (one of 6 tried)", ""]


def test_scoreboard_begins_with_the_own_method_of_every_paper():
    frame = tables.scoreboard(PAPERS)
    kinds = [
        "own, performance",
        "own, selection",
        "baseline, performance",
        "baseline, selection",
        "quoted",
    ]
    for paper in PAPERS:
        listed = list(frame.loc[paper].index)
        assert listed == [kind for kind in kinds if kind in listed]
    assert (frame[list(WORDS)].sum(axis=1) == frame["published"]).all()


def test_numbers_are_judged_once_until_the_results_change(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(judge, "load_paper", lambda *a: asked.append(a) or results.to_frame([]))
    monkeypatch.setattr(judge, "numbers", lambda paper: [])
    folder = tmp_path / "kpm"
    folder.mkdir()
    for _ in range(2):
        judge_paper("kpm", tmp_path)
    assert len(asked) == 1
    (folder / "records.csv").write_text("changed")
    judge_paper("kpm", tmp_path)
    assert len(asked) == 2


def test_data_sets_stand_in_printed_order_and_others_last():
    datasets = ["uci/letter", "z", "embedded/optdigits", "uci/landsat"]
    expected = ["uci/landsat", "uci/letter", "embedded/optdigits", "z"]
    assert in_printed_order("simplex", datasets) == expected


def test_a_spread_that_is_missing_is_left_out_and_one_digit_is_least():
    assert tables.number_text(1.25, np.nan, 1) == "1.2"
    assert tables.half_width_text(0.46, 0) == "0.5"
    assert tables.difference_text(0.46, 0) == "+0.5"
