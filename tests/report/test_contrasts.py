"""Claims as a picture, and chosen numbers under chosen readings."""

from __future__ import annotations

import numpy as np
import pytest

import reprolib
from reprolib.report.contrasts import contrasts_figure
from reprolib.rerun.verdicts import judge_claims
from reprolib.rerun.verdicts.printed import numbers


def dots(axis, marker: str) -> np.ndarray:
    """Positions of the dots of one kind, from the top."""
    return np.array([line.get_xdata()[0] for line in axis.lines if line.get_marker() == marker])


def test_rows_are_the_data_sets_with_ours_and_print_and_the_last_is_their_mean():
    """Against the paper's own table: each diamond is a difference of two of its numbers."""
    name = "Table 2: as good as the SVM"
    (axis,) = reprolib.paper("kpm").contrasts(name).figure.axes
    claim = next(c for c in judge_claims("kpm") if c.claim.name == name)
    printed = {(n.row, n.column): n.value for n in numbers("kpm") if n.table == "table2"}
    sets = [text.get_text() for text in axis.get_yticklabels()]
    assert sets == [*dict.fromkeys(row for row, _ in printed), "Mean"]
    by_set = [printed[row, "KPM"] - printed[row, "SVM"] for row in sets[:-1]]
    np.testing.assert_allclose(dots(axis, "D"), [*by_set, np.mean(by_set)])
    ours = dots(axis, "o")
    np.testing.assert_allclose(ours[-1], [ours[:-1].mean()])
    np.testing.assert_allclose(ours[-1], claim.difference)


def test_the_thick_line_is_the_90_percent_interval_that_decides():
    (claim,) = [c for c in judge_claims("kpm") if c.claim.name.startswith("Table 1")]
    (axis,) = contrasts_figure([claim]).axes
    thick = [line.get_xdata() for line in axis.lines if line.get_linewidth() == 3.0]
    half = claim.weakest.error.half_width(0.9)
    np.testing.assert_allclose(thick[-1], [claim.difference - half, claim.difference + half])


def test_a_sentence_on_every_data_set_has_a_row_for_each():
    name = "better than the other methods on all the data sets"
    (axis,) = reprolib.paper("mkmmc").contrasts(name).figure.axes
    assert [text.get_text() for text in axis.get_yticklabels()] == ["ORL", "Yale", "Coil20"]
    assert (dots(axis, "o") < 0).all()
    assert (dots(axis, "D") > 0).all()


def test_the_word_of_the_claim_stands_above_it():
    axes = reprolib.paper("simplex").contrasts("SC-SVM the best online").figure.axes
    assert axes[0].get_title("right") == "✕ fails"


def test_a_claim_that_is_not_there_or_not_judged_has_no_picture():
    with pytest.raises(ValueError, match="no judged claim 'leave-one-out at no cost'"):
        reprolib.paper("simplex").contrasts("leave-one-out at no cost")


def test_variants_are_the_numbers_of_the_readings():
    kpm = reprolib.paper("kpm")
    tried = kpm.readings("table2")
    not_run = "C: our median"
    names = ("headline", "ties: largest D", "printed", not_run)
    rows = {name: {"reading": name} for name in names}
    columns = {row: {"table": "table2", "row": row, "column": "KPM"} for row in ("Heart", "German")}
    frame = kpm.variants(rows, columns)
    for row in columns:
        lines = tried.loc[row, "KPM"]
        for reading in ("headline", "ties: largest D"):
            assert frame.loc[reading, row] == lines.loc[reading, "ours"].split()[0]
        assert frame.loc["printed", row] == lines["published"].iloc[0].split()[0]
        assert frame.loc[not_run, row] == ""


HEART = {"table": "table2", "row": "Heart", "column": "KPM", "reading": "headline"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"reading": "ties: largest d"}, "reading is 'ties: largest d'; did you mean 'ties: larg"),
        ({"reading": "headlin"}, "reading is 'headlin'; did you mean 'headline'"),
        ({"column": "KPN"}, "column is 'KPN'; did you mean 'KPM'"),
        ({"row": "Hart"}, "row is 'Hart'; did you mean 'Heart'"),
        ({"table": "table3"}, "table is 'table3'; did you mean 'table"),
        ({"raeding": "headline"}, "selects a number is 'raeding'; did you mean 'reading'"),
    ],
)
def test_variants_of_a_name_that_is_none_are_refused_with_the_nearest(change, told):
    """A mistyped reading was an empty cell, as one that was not run."""
    with pytest.raises(ValueError, match=told):
        reprolib.paper("kpm").variants({"": change}, {"Heart": HEART})
