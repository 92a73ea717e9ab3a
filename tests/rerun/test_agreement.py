"""How recomputed records are compared with committed ones."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from reprolib.rerun.checks.compare import (
    GAP_FACTOR,
    GAP_FLOOR,
    TOLERANCE,
    compare,
    difference,
    same,
)
from reprolib.rerun.records import COLUMNS
from tests.rerun import made_up

NAN = float("nan")


def row(**changes):
    return made_up.row(
        gap=changes.pop("gap", 1e-9), path=changes.pop("path", "0.5 0.25"), **changes
    )


def changed(**changes) -> list[str]:
    return [line.split()[0] for line in difference(row(), row(**changes))]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("value", 0.26),
        ("value", NAN),
        ("value", float("inf")),
        ("n_test", 101),
        ("gap", 1e-3),
        ("gap", -1.0),
        ("gap", NAN),
        ("path", "0.5"),
        ("path", "0.5 half"),
        ("source", "partial"),
        ("status", "failed: x"),
        ("chosen", '{"C": 0.003}'),
        ("chosen", '{"D": 0.002}'),
        ("chosen", "{"),
    ],
)
def test_every_column_that_a_verdict_or_a_figure_reads_is_compared(column, value):
    assert changed(**{column: value}) == [made_up.COLUMNS[column]]


def test_time_is_not_compared():
    assert difference(row(seconds=1.0), row(seconds=2.0)) == []


@pytest.mark.parametrize("number", [0.0, 0.25, 1.0, -3.0, 4000.0])
def test_value_just_within_the_tolerance_agrees_and_just_beyond_does_not(number):
    step = TOLERANCE * max(1.0, abs(number))
    for sign in (-1, 1):
        assert same(number, number + 0.99 * sign * step)
        assert not same(number, number + 1.02 * sign * step)


@pytest.mark.parametrize("C", [1e-7, 0.002, 5.0, 1e6])
def test_tolerance_of_a_hyperparameter_is_relative_however_small_it_is(C):
    inside, beyond = (json.dumps({"C": C * (1 + f * TOLERANCE)}) for f in (0.99, 1.02))
    assert difference(row(chosen=json.dumps({"C": C})), row(chosen=inside)) == []
    assert len(difference(row(chosen=json.dumps({"C": C})), row(chosen=beyond))) == 1


@pytest.mark.parametrize(
    ("gap", "other", "agree"),
    [
        (1e-13, GAP_FLOOR, True),
        (1e-13, 0.99 * GAP_FACTOR * GAP_FLOOR, True),
        (1e-13, 1.01 * GAP_FACTOR * GAP_FLOOR, False),
        (0.01, 0.099, True),
        (0.01, 0.101, False),
        (1.0, 1e-9, False),
        (float("inf"), float("inf"), True),
        (float("inf"), 1.0, False),
        (NAN, NAN, True),
        (None, NAN, True),
        (None, 1e-9, False),
    ],
)
def test_of_a_gap_only_the_class_counts_in_both_directions(gap, other, agree):
    assert (difference(row(gap=gap), row(gap=other)) == []) is agree
    if gap is not None:
        assert (difference(row(gap=other), row(gap=gap)) == []) is agree


def test_missing_values_agree_with_missing_values():
    assert difference(row(value=NAN, path=""), row(value=NAN, path="")) == []


def test_numbers_agree_inside_of_lists_and_dicts():
    assert same({"a": [1, 2.0]}, {"a": [1.0, 2.0 + 1e-9]})
    assert same(float("inf"), float("inf"))
    assert not same(0.1, 0.1 + 1 / 20_000)
    assert not same([1.0], [1.0, 2.0])
    assert not same({"D": 3}, {"D": 4})
    assert not same(1.0, "1.0")


@pytest.mark.parametrize("other", [1.0, "1", None, [2], {"1": 1}, {}, []])
@pytest.mark.parametrize("one", [[1], {"a": 1}])
def test_lists_dicts_and_the_rest_differ_without_an_error(one, other):
    assert not same(one, other)
    assert not same(other, one)
    assert same(one, one)


def lines(rows, committed):
    return compare(pd.DataFrame(rows, columns=COLUMNS), pd.DataFrame(committed, columns=COLUMNS))


def test_records_are_joined_by_their_keys_whatever_their_order():
    rows = [row(metric=name, value=i / 10) for i, name in enumerate("abc")]
    assert lines(rows, rows[::-1]) == []
    assert lines(rows, [*rows[:2], row(metric="c", value=0.1)]) == [
        "t/d/m/headline/0 c: value 0.2, committed 0.1"
    ]


def test_a_record_on_one_side_only_is_named():
    both, more = row(), row(reading="nicer", task=row()["task"])
    foreign = "t/d/m/headline/0 error (nicer): a committed record that its task does not make"
    assert lines([both], [both, more]) == [foreign]
    assert lines([both], []) == ["t/d/m/headline/0 error: no such committed record"]
    assert lines([], []) == []
