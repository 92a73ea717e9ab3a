"""What an undecided number would need: the sentence beside it keeps its promise."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from reprolib.rerun.verdicts.judge import judge
from tests.rerun.test_verdicts import number, records


def splits_of(n, mean, spread):
    """Records of an even number of splits with exactly this mean and standard deviation, in %."""
    signs = np.tile([-1.0, 1.0], n // 2)
    return records((mean + spread * signs / signs.std(ddof=1)) / 100)


@pytest.mark.parametrize("printed_spread", [2.0, None])
@pytest.mark.parametrize(("mean", "spread"), [(20.9, 3.0), (20.0, 5.0), (26.0, 9.0)])
def test_as_many_splits_as_are_named_decide_and_a_third_do_not(mean, spread, printed_spread):
    printed = number(spread=printed_spread)
    verdict = judge(printed, splits_of(10, mean, spread))
    assert verdict.word.startswith("undecided")
    (named,) = re.findall(r"About (\d+) splits of ours would decide \(we have 10\)", verdict.reason)
    decided = judge(printed, splits_of(int(named), mean, spread)).word
    assert decided in ("reproduced", "not reproduced")
    third = judge(printed, splits_of(int(named) // 6 * 2, mean, spread)).word
    assert third.startswith("undecided")


def test_where_the_printed_mean_is_too_unsure_no_number_of_splits_is_named():
    printed = number(spread=5.0, trials=25)
    verdict = judge(printed, splits_of(10, 21.0, 3.0))
    assert verdict.word == "undecided"
    unsure = stats.norm.ppf(0.975) * 5.0 / np.sqrt(25)
    assert "No number of splits decides: the printed mean of 25 alone" in verdict.reason
    assert f"± {unsure:.2g} (95 %)" in verdict.reason
    assert judge(printed, splits_of(100_000, 21.0, 3.0)).word == "undecided"
