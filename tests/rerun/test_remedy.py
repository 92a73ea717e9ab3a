"""What an undecided number would need: the sentence beside it keeps its promise."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from reprolib.rerun.verdicts.designs.splits import splits
from reprolib.rerun.verdicts.judge import judge
from reprolib.rerun.verdicts.words import of_difference
from tests.rerun.test_verdicts import number, records


def splits_of(n, mean, spread):
    """Records of an even number of splits with exactly this mean and standard deviation, in %."""
    signs = np.tile([-1.0, 1.0], n // 2)
    return records((mean + spread * signs / signs.std(ddof=1)) / 100)


@pytest.mark.parametrize(
    ("mean", "spread", "printed_spread"),
    [(20.9, 3.0, 2.0), (20.9, 3.0, None), (20.0, 5.0, 2.0), (26.0, 9.0, 2.0)],
)
def test_with_as_many_splits_as_are_named_an_equal_number_comes_out_in_four_of_five(
    mean, spread, printed_spread
):
    """The difference that was seen has no say: only the noise."""
    printed = number(spread=printed_spread)
    verdict = judge(printed, splits_of(10, mean, spread))
    assert verdict.word.startswith("undecided")
    (named,) = re.findall(r"Not yet: with (\d+) splits of ours .* \(we have 10\)", verdict.reason)
    rng, came_out, n_theirs = np.random.default_rng(0), [], printed.trials
    for n in (int(named), int(named) // 8):
        words = []
        for _ in range(400):
            theirs = rng.normal(0, (printed_spread or spread) / np.sqrt(n_theirs))
            error = splits(rng.normal(0, spread, n), printed_spread, n_theirs)
            difference = rng.normal(0, spread / np.sqrt(n)) - theirs
            words.append(of_difference(difference, error, 1.5) == "reproduced")
        came_out.append(np.mean(words))
    assert came_out[0] > 0.74
    assert came_out[1] < 0.8


def test_where_the_printed_mean_is_too_unsure_no_number_of_splits_is_named():
    printed = number(spread=5.0, trials=25)
    verdict = judge(printed, splits_of(10, 21.0, 3.0))
    assert verdict.word == "undecided"
    unsure = stats.t.ppf(0.95, 24) * 5.0 / np.sqrt(25)
    assert "Never: the printed mean of 25 alone" in verdict.reason
    assert f"± {unsure:.2g} (90 %)" in verdict.reason
    assert judge(printed, splits_of(100_000, 21.0, 3.0)).word == "undecided"
