"""The words on the printed numbers are at least as good as expected."""

from pathlib import Path

from reprolib.rerun.verdicts import judge_table
from reprolib.rerun.verdicts.anyone import worse_than_expected

HERE = Path(__file__).parent


def test_no_word_is_worse_than_expected():
    """Under [expect] of printed.toml."""
    judged = judge_table(HERE / "printed.toml", HERE / "results.csv")
    assert worse_than_expected(judged) == {}
