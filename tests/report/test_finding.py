"""The finding on a paper is counted from its verdicts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from reprolib.report.finding import finding
from reprolib.report.forest_svg import forest_svg
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("paper", PAPERS)
def test_three_lines_count_every_number(paper):
    verdicts = judge_paper(paper)
    lines = dict(finding(verdicts))
    assert list(lines) == ["Own method", "Baselines", "Readings"]
    counted = {
        heading: sum(map(int, re.findall(r", (\d+) numbers?: ", lines[heading])))
        for heading in ("Own method", "Baselines")
    }
    roles = [v.role for v in verdicts]
    assert counted == {"Own method": roles.count("own"), "Baselines": roles.count("baseline")}


def _performance(**changes):
    first = next(v for v in judge_paper("kpm") if v.quantity == "performance" and v.role == "own")
    return replace(first, **changes)


def test_the_extremes_are_the_largest_miss_and_what_may_be_hidden():
    verdicts = [
        _performance(word="reproduced", interval=(-1.0, 1.0)),
        _performance(word="undecided", detectable=4.0),
        _performance(word="not reproduced", ours=30.0),
    ]
    own = dict(finding(verdicts))["Own method"]
    assert "Largest difference of a missed performance: +19.27" in own
    assert "Largest difference that could have been missed: 4.00" in own


def test_a_credit_names_its_reading():
    credited = _performance(word="reproduced under a reading", reading="slow")
    assert "under “slow”" in dict(finding([credited]))["Readings"]
    assert "none reproduces" in dict(finding([_performance()]))["Readings"]


def test_a_study_has_no_finding_and_no_forest_plot():
    assert finding([]) == []
    assert forest_svg([], "performance") == ""


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("quantity", ["performance", "selection"])
def test_the_forest_plot_has_a_line_for_every_number_and_its_readings(paper, quantity):
    listed = [v for v in judge_paper(paper) if v.quantity == quantity]
    text = forest_svg(judge_paper(paper), quantity)
    if not listed:
        assert text == ""
        return
    root = ET.fromstring(text)
    lines = [group for group in root.iter(f"{SVG}g") if group.get("class") == "line"]
    assert len(lines) == len(listed)
    assert len(list(root.iter(f"{SVG}use"))) == sum(v.n_trials > 0 for v in listed)
    assert len(list(root.iter(f"{SVG}circle"))) == sum(len(v.readings) for v in listed)


def test_equal_values_lie_at_equal_places_and_larger_ones_to_the_right():
    verdicts = [
        _performance(ours=10.73, interval=(-1.0, 1.0), readings={}),
        _performance(ours=12.0, interval=(0.0, 2.0), readings={}),
    ]
    root = ET.fromstring(forest_svg(verdicts, "performance"))
    bars = [p.get("d") for p in root.iter(f"{SVG}path") if p.get("class") == "published"]
    marks = [float(use.get("x")) for use in root.iter(f"{SVG}use")]
    assert bars[0] == bars[1]
    assert bars[0].startswith(f"M{marks[0]}")
    assert marks[1] > marks[0]


def test_a_run_without_usable_records_is_drawn_and_told():
    verdicts = [Verdict(number, "not run") for number in numbers("kpm")]
    root = ET.fromstring(forest_svg(verdicts, "performance"))
    assert len(list(root.iter(f"{SVG}use"))) == 0
    assert "12 not run" in dict(finding(verdicts))["Own method"]
