"""What a quick run cannot decide is said, number by number."""

from __future__ import annotations

import dataclasses

import pytest

from reprolib.report.limits import TOO_WIDE, limits, limits_text, places
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.words import WORDS

FULL = [v for v in judge_paper("kpm") if v.word != TOO_WIDE]
OWN = [v for v in FULL if v.role != "quoted"]


def with_words(words, n_trials=2):
    """Verdicts of a run in which the first numbers that can be run have these words."""
    given = dict(zip((v.number.id for v in OWN), words, strict=False))
    changed = {"n_trials": n_trials}
    return [
        dataclasses.replace(v, word=given[v.number.id], **changed) if v.number.id in given else v
        for v in FULL
    ]


def test_the_word_of_a_wide_interval_is_one_of_the_words():
    assert TOO_WIDE in WORDS


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_that_can_be_run_is_counted_once(paper):
    verdicts = judge_paper(paper)
    found = limits(verdicts, verdicts)
    ids = [v.number.id for part in (found.decided, found.too_few, found.missing) for v in part]
    can_run = [v.number.id for v in verdicts if v.role != "quoted" and not v.number.not_run]
    assert sorted(ids) == sorted(can_run)
    assert found.n_decided_by_full == len(found.other_word) == 0


def test_open_numbers_are_named_with_what_a_full_run_decides():
    run = with_words([TOO_WIDE, TOO_WIDE, "not reproduced"])
    found = limits(run, FULL)
    text = "\n".join(
        limits_text(found, "quick", "`reprolib reproduce kpm --full` (about 12 minutes)")
    )
    assert "The quick profile has 2 to 100 trials a number, the full one 40 to 100" in text
    assert "the paper 100." in text
    assert f"It decides {len(OWN) - 2} of {len(OWN)} numbers: " in text
    assert f"Too few trials to decide 2: {places(v.number for v in OWN[:2])}." in text
    assert "`reprolib reproduce kpm --full` (about 12 minutes), on the data of the " in text
    assert "committed results, decides 2 of these 2." in text
    assert f"1 of the {len(OWN) - 2} have another word in the committed full results" in text


def test_numbers_without_records_are_named_with_the_reason():
    first, *rest = OWN
    none = dataclasses.replace(first, word="not run", n_trials=0, reason="no data at hand")
    text = "\n".join(limits_text(limits([none, *rest], []), "quick", "`--full`"))
    assert f"Not run 1 (no data at hand): {places([first.number])}." in text
    assert "`--full` has more trials." in text, "without committed results nothing is promised"


def test_a_run_of_nothing_is_told_without_a_fault():
    assert limits_text(limits([], []), "quick", "`--full`")[0] == (
        "This run measured no number that can be judged."
    )
