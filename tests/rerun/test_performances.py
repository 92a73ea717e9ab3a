"""What the headline counts: the performances of a paper's own method, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from reprolib.rerun.verdicts import judge_paper, numbers
from reprolib.rerun.verdicts.judge import Verdict, performances


def test_mkmmc_reaches_none_of_its_nine_accuracies():
    """Dimensions, most of them fixed by the data, do not hide it."""
    own = performances(judge_paper("mkmmc"), "own")
    assert sum(own.values()) == 9
    assert own["to the digit"] + own["reproduced"] == 0


def test_quotations_and_selections_are_in_no_count_of_performances():
    number = numbers("kpm")[0]
    chosen = replace(number, quantity="selection")
    listed = [
        Verdict(replace(number, role="own"), "not reproduced"),
        Verdict(replace(number, role="baseline"), "undecided"),
        Verdict(replace(number, role="quoted"), "quoted"),
        Verdict(replace(chosen, role="own"), "reproduced"),
        Verdict(replace(chosen, role="own", fixed="the number of classes"), "reproduced"),
    ]
    for role, word in (("own", "not reproduced"), ("baseline", "undecided")):
        assert {w: n for w, n in performances(listed, role).items() if n} == {word: 1}
