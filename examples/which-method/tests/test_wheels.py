"""Tables out of wheels: one rule makes numbers of cells, and says where a gap was."""

from __future__ import annotations

import bz2
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import data_fetch
from data_fetch import catalog as catalogs
from which_method.wheels import LAYOUTS, Layout, as_numbers, load_from_wheel


def cells(**columns):
    return pd.DataFrame(columns, dtype=str)


def test_numbers_stay_and_texts_become_indicators():
    X, names = as_numbers(cells(a=["1", "-2.5"], b=["x", "y"], c=["u", "u"]))
    assert names == ["a", "b y", "c u"]
    np.testing.assert_array_equal(X, [[1, 0, 1], [-2.5, 1, 1]])


def test_a_gap_among_numbers_is_the_median_and_said():
    X, names = as_numbers(cells(a=["1", "?", "3", "9"]))
    assert names == ["a", "a missing"]
    np.testing.assert_array_equal(X, [[1, 0], [3, 1], [3, 0], [9, 0]])


def test_a_gap_among_texts_is_a_value_of_its_own():
    X, names = as_numbers(cells(a=["x", "", "y"]))
    assert names == ["a missing", "a x", "a y"]
    np.testing.assert_array_equal(X, [[0, 1, 0], [1, 0, 0], [0, 0, 1]])


@given(st.lists(st.sampled_from(["a", "b", "c", "?"]), min_size=2, max_size=20))
def test_indicators_tell_every_value_from_every_other(column):
    """Nothing is lost: rows are equal if and only if their cells are."""
    X, _ = as_numbers(cells(a=column))
    for i, one in enumerate(column):
        for j, other in enumerate(column):
            assert np.array_equal(X[i], X[j]) == (one == other)


def wheel(tmp_path, **files):
    path = tmp_path / "some.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return {"some.whl": path}


@pytest.mark.parametrize(
    ("files", "layout"),
    [
        ({"a_dat": "1, 2, no\n3, 4, yes\n"}, Layout(("a.dat",))),
        ({"a_csv": "p,k,q,r\n1,no,2,7\n3,yes,4,8\n"}, Layout(("a.csv",), "k", ("p", "q"))),
        ({"a_ts": "#c\n@Data\n1,2:no\n", "b_ts": "@data\n3:4:yes\n"}, Layout(("a.ts", "b.ts"))),
        ({"a_bz2": bz2.compress(b"p,q,k\n1,2,no\n3,4,yes\n")}, Layout(("a.bz2",), "k")),
    ],
)
def test_every_format_is_read(tmp_path, monkeypatch, files, layout):
    monkeypatch.setitem(LAYOUTS, "x/y", layout)
    data = load_from_wheel("x/y", wheel(tmp_path, **files))
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(data.y, [0, 1])


def test_a_wheel_without_the_table_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"some\.whl has not the table keel/sonar as expected"):
        load_from_wheel("keel/sonar", wheel(tmp_path, a_dat=""))
    with pytest.raises(ValueError, match="no table 'keel/none'; there are keel/abalone"):
        load_from_wheel("keel/none", {})


def test_every_table_is_in_the_catalog():
    catalog = catalogs.default_catalog()
    loader = "which_method.wheels:load_from_wheel"
    assert {n for n, entry in catalog.entries.items() if entry.loader == loader} == set(LAYOUTS)
    assert sum("imbalanced" in str(at.members) for at in LAYOUTS.values()) == 9


@pytest.mark.needs_data("survey/penguins")
def test_penguins_are_three_species_with_their_gaps():
    data = data_fetch.load("survey/penguins")
    assert list(np.bincount(data.y)) == [152, 68, 124]
    assert data.X[:, list(data.feature_names).index("body_mass_g missing")].sum() == 2
