"""A claim under all readings: sorted, the judged one marked, green where the sentence is true."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

import reprolib
from reprolib.report.all_readings import AllReadings, Reading, of_claim
from reprolib.rerun.verdicts import judge_claims

OWN = Reading("as described", -1.0, 3.0, 1.0, "undecided", True)
OTHERS = [
    Reading("scaled", 0.5, 1.5, 1.0, "holds"),
    Reading("raw", -4.0, -2.0, -3.0, "fails"),
    Reading("one trial", -math.inf, math.inf, 2.0, "undecided"),
]
PICTURE = AllReadings([OWN, *OTHERS], (0.0, math.inf), "others: 1 holds", 1)


def places(picture: AllReadings, colour: str) -> list[float]:
    """Where lines of a colour stand."""
    found = re.findall(rf'<path d="(M[^"]*V[^"]*)" stroke="{colour}"', picture.svg)
    return [float(x) for path in found for x in re.findall(r"M(\S+) ", path)]


def test_readings_stand_from_the_lowest_to_the_highest_and_the_judged_one_is_black():
    own, below, above = (places(PICTURE, c) for c in ("#222222", "#c64f00", "#00805d"))
    assert [len(x) for x in (own, below, above)] == [1, 1, 1]
    assert below < own < above, "ties are sorted by name"
    assert "nearest to the text" in PICTURE.svg


def test_an_unknown_interval_goes_from_edge_to_edge_and_bends_no_axis():
    assert "inf" not in PICTURE.svg
    assert "nan" not in PICTURE.svg
    far = Reading("wild", -1e6, 1e6, 1.5, "undecided")
    wild = replace(PICTURE, readings=[*PICTURE.readings, far])
    assert ">−5<" in PICTURE.svg or ">−2<" in PICTURE.svg
    assert not re.search(r">−?\d{3,}<", wild.svg)


def test_it_says_its_number_to_those_who_cannot_see_it():
    alt = "Intervals of 4 variants: -3 to +2; nearest to the text +1"
    assert PICTURE.alternative == alt
    page = PICTURE._repr_html_()
    assert alt in page
    assert "others: 1 holds" in page
    assert len(page) < 4000, "KEOPS has eighteen of them"


@pytest.mark.parametrize("key", ["kpm", "mkpm", "mkmmc", "simplex", "keops"])
def test_every_judged_claim_has_one_line_for_each_reading_that_was_counted(key):
    for c in judge_claims(key):
        picture = of_claim(c, 1)
        assert len(picture.readings) == 1 + c.n_readings + len(c.in_family)
        assert sum(r.is_headline for r in picture.readings) == 1
        for r in picture.readings:
            low, high = picture.band
            if r.word == "holds":
                assert low <= r.low, (c.claim.name, r)
                assert r.high <= high, (c.claim.name, r)
            if r.word == "fails":
                assert r.high < low or r.low > high, (c.claim.name, r)


def test_a_notebook_shows_the_pictures_and_a_printed_table_their_words():
    claims, judged = reprolib.paper("kpm").claims(), judge_claims("kpm")
    assert claims._repr_html_().count("<img ") == len(judged)
    told = claims.to_string()
    assert all(f"others: {c.in_other_variants}" in told for c in judged)
