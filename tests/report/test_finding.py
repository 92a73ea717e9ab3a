"""The finding on a paper is counted from its verdicts."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from reprolib.report.page import finding
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers


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


def test_a_study_has_no_finding():
    assert finding([]) == []


def test_numbers_that_were_not_run_are_counted():
    verdicts = [Verdict(number, "not run") for number in numbers("kpm")]
    assert "12 not run" in dict(finding(verdicts))["Own method"]
