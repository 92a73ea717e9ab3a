"""What stands of a paper: every number and claim is counted once, and in its own place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, judge_paper, numbers
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.standing import counted, standing_of


@pytest.mark.parametrize("paper", PAPERS)
def test_every_performance_is_counted_once_but_for_quotations(paper):
    standing = standing_of(paper)
    of_paper = [v for v in judge_paper(paper) if v.role != "quoted" and v.quantity == "performance"]
    assert sum(standing.own.values()) + sum(standing.baselines.values()) == len(of_paper)
    assert sum(standing.claims.values()) == len(judge_claims(paper))


def test_mkmmc_reaches_none_of_its_nine_accuracies():
    """Dimensions, most of them fixed by the data, do not hide it."""
    standing = standing_of("mkmmc")
    assert sum(standing.own.values()) == 9
    assert standing.own["reproduced"] + standing.own["reproduced in a variant"] == 0


def test_a_selection_is_in_no_count_of_performances():
    number = numbers("kpm")[0]
    chosen = replace(number, quantity="selection")
    listed = [
        Verdict(replace(number, role="own"), "not reproduced"),
        Verdict(replace(number, role="baseline"), "undecided"),
        Verdict(replace(number, role="quoted"), "quoted"),
        Verdict(replace(chosen, role="own"), "reproduced"),
    ]
    standing = counted(listed, [])
    found = [
        {word: n for word, n in counts.items() if n}
        for counts in (standing.own, standing.baselines)
    ]
    assert found == [{"not reproduced": 1}, {"undecided": 1}]
