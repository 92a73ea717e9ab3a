"""What the headline counts: the performances of a paper's own method, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from reprolib.rerun.verdicts import judge_paper, numbers
from reprolib.rerun.verdicts.judge import Verdict, own_performances


def test_mkmmc_reaches_none_of_its_nine_accuracies():
    """Dimensions, most of them fixed by the data, do not hide it."""
    own = own_performances(judge_paper("mkmmc"))
    assert sum(own.values()) == 9
    assert own["reproduced"] + own["reproduced in a variant"] == 0


def test_baselines_quotations_and_selections_are_in_no_count_of_performances():
    number = numbers("kpm")[0]
    chosen = replace(number, quantity="selection")
    listed = [
        Verdict(replace(number, role="own"), "not reproduced"),
        Verdict(replace(number, role="baseline"), "undecided"),
        Verdict(replace(number, role="quoted"), "quoted"),
        Verdict(replace(chosen, role="own"), "reproduced"),
        Verdict(replace(chosen, role="own", fixed="the number of classes"), "reproduced"),
    ]
    assert {w: n for w, n in own_performances(listed).items() if n} == {"not reproduced": 1}
