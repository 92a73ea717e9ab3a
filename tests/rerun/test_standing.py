"""What stands of a paper: every number and claim is counted once, and in its own place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, judge_paper, numbers
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.standing import counted, standing_of


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_is_counted_once_but_for_quotations(paper):
    standing = standing_of(paper)
    kinds = (standing.own, standing.baselines, standing.selections, standing.fixed)
    of_paper = [v for v in judge_paper(paper) if v.role != "quoted"]
    assert sum(sum(kind.values()) for kind in kinds) == len(of_paper)
    assert sum(standing.claims.values()) == len(judge_claims(paper))


def test_mkmmc_reaches_none_of_its_nine_accuracies_and_its_dimensions_do_not_hide_it():
    """Of 82 numbers that were "reproduced" 35 were dimensions, most fixed by the data."""
    standing = standing_of("mkmmc")
    assert sum(standing.own.values()) == 9
    assert standing.own["reproduced"] + standing.own["reproduced in a variant"] == 0
    assert standing.fixed["reproduced"] > standing.selections["reproduced"]


def test_a_selection_is_in_no_count_of_performances_and_a_fixed_one_is_apart():
    number = numbers("kpm")[0]
    chosen = replace(number, quantity="selection")
    listed = [
        Verdict(replace(number, role="own"), "not reproduced"),
        Verdict(replace(number, role="baseline"), "undecided"),
        Verdict(replace(number, role="quoted"), "quoted"),
        Verdict(replace(chosen, role="own"), "reproduced"),
        Verdict(replace(chosen, role="own", fixed="the number of classes"), "reproduced"),
    ]
    standing = counted(listed, [])
    found = [
        {word: n for word, n in counts.items() if n}
        for counts in (standing.own, standing.baselines, standing.selections, standing.fixed)
    ]
    one = {"reproduced": 1}
    assert found == [{"not reproduced": 1}, {"undecided": 1}, one, one]
