"""Anyone's table, compared digit by digit where the splits are those of print."""

from __future__ import annotations

import pandas as pd
import pytest

from reprolib.rerun.verdicts import judge_table

PRINTED = """
[units]
printed = "percent"
[tables.t]
exact = true
trials = 4
[tables.t.rows]
A = { dataset = "d" }
[tables.t.columns]
M = { method = "m" }
[tables.t.values]
A = [VALUE]
"""
OURS = [70.0, 72.0, 71.0, 70.5]  # mean 70.875


@pytest.mark.parametrize(
    ("value", "values", "word"),
    [
        ("70.88", OURS, "to the digit"),
        ("70.87", OURS, "to the digit"),
        ("70.89", OURS, "reproduced"),
        ("72.40", OURS, "not reproduced"),
        ("70.88", OURS[:3], "undecided"),
    ],
)
def test_on_the_splits_of_print_a_table_is_compared_by_its_digits(tmp_path, value, values, word):
    """An exact half may have been rounded up or down; without a split there is an interval."""
    (tmp_path / "p.toml").write_text(PRINTED.replace("VALUE", value), encoding="utf-8")
    ours = pd.DataFrame(
        {"dataset": "d", "method": "m", "trial": range(len(values)), "value": values}
    )
    judged = judge_table(tmp_path / "p.toml", ours)
    assert judged.words() == {"t/A/M": word}
    assert (judged.verdicts[0].half_width == 0) == (word != "undecided")
