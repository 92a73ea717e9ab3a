"""What the pages say of more data and more looks holds, and undecided numbers say the same."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.words import looks
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.designs.seeds import one_more_run
from reprolib.rerun.verdicts.words import of_difference

ROOT = Path(__file__).resolve().parents[2]
WORDS = (ROOT / "docs/words.md").read_text(encoding="utf-8")
DERIVATIONS = " ".join((ROOT / "docs/derivations.md").read_text(encoding="utf-8").split())


def said(pattern: str) -> list[float]:
    """Numbers of a sentence in the derivations."""
    return [float(x) for x in re.search(pattern, DERIVATIONS).groups()]


def test_one_printed_run_that_spreads_comes_out_more_rarely_the_more_runs_we_have():
    two, hundred = said(r"falls from ([\d.]+) % with two runs of ours to ([\d.]+) % with a hundred")
    rng = np.random.default_rng(0)

    def share(n: int) -> float:
        drawn, times = 0, 4000
        for _ in range(times):
            ours, theirs = rng.normal(size=n), rng.normal()
            word = of_difference(ours.mean() - theirs, one_more_run(ours), 1.5)
            drawn += word == "reproduced"
        return 100 * drawn / times

    assert share(2) == pytest.approx(two, abs=1.3)
    assert share(100) == pytest.approx(hundred, abs=0.4)


def test_looking_again_is_wrong_as_often_as_said():
    shares = said(r"in ([\d.]+) % of runs with one look, in ([\d.]+) % with two, and in ([\d.]+) %")
    rng = np.random.default_rng(1)
    for share, at in zip(shares, [(80,), (40, 80), (10, 20, 40, 80)], strict=True):
        wrong = looks(rng, 8000, 1.5, at, 2.0) == 1
        assert 100 * wrong.mean() == pytest.approx(share, abs=1.2)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_undecided_number_says_never_or_not_yet(paper):
    """The page promises nothing that the sentence beside a number denies."""
    assert "ends as" not in WORDS, "not every difference is decided in the end"
    for v in judge_paper(paper):
        if not v.word.startswith("undecided"):
            continue
        (told,) = re.findall("(?:^|[.] )(Never by|Never|Not yet|Hardly)", v.reason)
        if v.quantity == "performance" and told != "Never by":  # there are no more runs
            assert (told == "Never") == (not v.can_be_decided), v.number.id
