"""What stands once: the line of a method, a sentence above its comparisons, one cause."""

from __future__ import annotations

import pytest

from reprolib.report.printed_tables import FORMATS, printed_tables
from reprolib.report.tables import by_sentence, errors_text, one_cause
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, judge_paper


def test_each_method_of_a_printed_table_has_a_line_below_it_in_every_format():
    table = next(t for t in printed_tables("kpm") if t.key == "table2")
    assert [line.partition(":")[0] for line in table.lines[:2]] == ["KPM", "SVM"]
    assert "more runs could decide 6 of 6" in table.lines[0]
    assert "expected to be wrong" in table.lines[-1]
    for ending in sorted(FORMATS.keys() - {"csv"}):
        text = table.text(ending)
        assert text.count("expected to be wrong") == 1, ending
        assert text.count("in the mean") == 2, ending


def test_numbers_that_are_compared_exactly_have_no_line():
    assert not next(t for t in printed_tables("mkmmc") if t.key == "table1").lines


@pytest.mark.parametrize("paper", PAPERS)
def test_a_sentence_stands_once_and_its_comparisons_below_it(paper):
    listed = by_sentence(judge_claims(paper))
    texts = [c.text for c, _ in listed]
    assert len(listed) == len(judge_claims(paper))
    for place, (c, sentence) in enumerate(listed):
        is_first = texts.index(c.text) == place
        assert sentence == (c.text if is_first and texts.count(c.text) > 1 else "")
        assert is_first or texts[place - 1] == c.text, "together"


def test_the_cause_of_many_undecided_claims_is_said_once():
    told = one_cause(judge_claims("keops"))
    assert told.startswith("14 of 18 claims are undecided for one cause: 7 of the paper's 11")
    assert not one_cause(judge_claims("kpm"))


def test_the_ratio_of_errors_stands_where_print_has_few():
    by_name = {v.number.id: errors_text(v) for v in judge_paper("simplex")}
    assert by_name["table2/SVM rbf batch ova (ho)/Pendigit"] == "1.67 times the errors"
    assert by_name["table2/SC-SVM Online (ho)/Letter"] == "", "print has many"
