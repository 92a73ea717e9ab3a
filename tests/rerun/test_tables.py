"""Tables of published numbers beside ours."""

from __future__ import annotations

import pandas as pd

from reprolib.rerun import tables

RECORDS = pd.DataFrame({"source": ["partial", "original", "partial"]})


def test_sources_stand_in_the_corner_of_a_table():
    frame = pd.DataFrame({"a": [1]})
    assert tables.with_source(frame, RECORDS).columns.name == "source: original, partial"
    assert frame.columns.name is None
    pairs = pd.DataFrame({("a", "b"): [1], ("a", "c"): [2]})
    shown = tables.with_source(pairs, RECORDS)
    assert list(shown.columns) == list(pairs.columns)
    assert shown.columns.names == ["source: original, partial", None]


def test_readings_of_a_paper_without_results_are_an_empty_table(tmp_path):
    assert tables.readings("kpm", "table2", tmp_path).empty


def test_readings_name_their_source():
    frame = tables.readings("kpm", "table2")
    assert list(frame.columns[:3]) == ["source", "published", "headline"]
