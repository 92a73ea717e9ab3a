"""The order under every choice of sets and measure."""

from __future__ import annotations

import numpy as np
import pytest

import data_fetch
from made_up import KEYS, SETS, made_up, value
from reprolib.rerun.records.task import HEADLINE
from which_method import experiment
from which_method import summaries as views
from which_method.experiment import ALL_COLUMNS
from which_method.methods import METHODS
from which_method.splits import MAX_COLUMNS
from which_method.summaries import CHOICES, KINDS, View


@pytest.fixture(scope="module")
def records():
    return made_up()


def test_kinds_of_sets_are_those_of_the_catalogue():
    about = {name: data_fetch.info(name) for name in experiment.SETS}
    assert set(views.DEGENERATE) | set(views.GENERATED) | set(views.BINARY) <= set(about)
    wide = {name for name, info in about.items() if info.n_features > MAX_COLUMNS}
    assert set(views.WIDE) == wide


@pytest.mark.needs_data(*experiment.SETS)
def test_sets_of_two_classes_are_named_and_degenerate_ones_have_few_rows():
    for name in experiment.SETS:
        data = data_fetch.load(name)
        assert (len(np.unique(data.y)) == 2) == (name in views.BINARY), name
        if len(data.y) > 1000 and data.X.shape[1] < 20:
            few = len(np.unique(data.X, axis=0)) < 200
            assert few == (name in views.DEGENERATE), name


def test_methods_for_two_classes_are_in_no_order_of_all_sets(records):
    assert views.everywhere(records) == [k for k in METHODS if k in KEYS and k != "mkl"]


def test_scores_of_a_view_are_the_records(records):
    methods = views.everywhere(records)
    found = views.scores_of(records, View("heart", lambda n: n == "raetsch/heart"), methods)
    assert found.sets == ["raetsch/heart"]
    expected = [[value(records, "raetsch/heart", k, t) for t in range(3)] for k in methods]
    np.testing.assert_allclose(found.values[0], expected, atol=1e-9)


def test_trees_on_all_columns_take_the_place_of_those_on_components(records):
    methods = views.everywhere(records)
    plain, whole = (
        views.scores_of(records, View("v", trees_on_all_columns=flag), methods)
        for flag in (False, True)
    )
    assert plain.values.shape[2] == 3
    assert whole.values.shape[2] == 1  # one trial is on all columns
    i = whole.sets.index("faces/yale")
    for j in map(methods.index, experiment.TREES):
        assert whole.values[i, j, 0] == 0.95
        whole.values[i, j] = plain.values[i, j, :1]
    np.testing.assert_array_equal(whole.values, plain.values[:, :, :1])


def test_every_choice_and_kind_has_records(records):
    for view in (*CHOICES, *KINDS):
        order = views.ordered(records, view, ["svc", "logistic", "gradient boosting"])
        assert (order.places["low"] <= order.places["high"]).all(), view.name
    assert set(records["reading"]) == {HEADLINE, ALL_COLUMNS}
    assert {name for name in SETS if name in views.WIDE} == {"faces/yale"}
