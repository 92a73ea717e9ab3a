"""The scoreboard shows each verdict."""

from __future__ import annotations

import pytest

from reprolib.report.charts import by_kind, scoreboard
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import Verdict, judge_claims, judge_paper, numbers


def marks(drawing):
    return [shape for group in drawing.groups if group.kind == "mark" for shape in group.shapes]


@pytest.fixture(scope="module")
def rows():
    verdicts = {paper: judge_paper(paper) for paper in PAPERS}
    return by_kind(verdicts, {paper: judge_claims(paper) for paper in PAPERS})


def test_it_has_a_mark_for_every_number_and_claim_and_none_hides_another(rows):
    drawn = marks(scoreboard(rows))
    words = [v.word for paper in PAPERS for v in (*judge_paper(paper), *judge_claims(paper))]
    assert sorted(mark.word for mark in drawn) == sorted(words)
    assert len({(mark.x, mark.y) for mark in drawn}) == len(words)


def test_each_paper_is_named_once_its_claims_and_own_method_first(rows):
    assert [row.name.split(",")[0].lower() for row in rows if row.name] == list(PAPERS)
    starts = [i for i, row in enumerate(rows) if row.name]
    assert {(rows[i].kind, rows[i + 1].kind) for i in starts} == {("claims", "own, performance")}


def test_a_long_line_goes_on_in_the_next():
    listed = [Verdict(numbers("kpm")[0], "reproduced")] * 100
    drawn = marks(scoreboard(by_kind({"kpm": listed}, {})))
    assert len({mark.y for mark in drawn}) == 3
