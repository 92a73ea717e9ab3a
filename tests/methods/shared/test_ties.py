"""The rule for ties against its definition, and what a user relies on: units, order, no loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reprolib.methods.shared.ties import (
    SOLVED,
    first_largest,
    first_within,
    in_order,
    last_largest,
    stretches,
    tied,
)
from tests.naive.ties import equally_good, sorted_with_ties

#: Eighths: sums and differences of them are exact, so that a difference equals the tolerance.
EIGHTHS = st.integers(-40, 40).map(lambda k: k / 8)
ROWS = st.integers(1, 8).flatmap(lambda k: arrays(float, k, elements=EIGHTHS))
TOLERANCES = st.integers(0, 12).map(lambda k: k / 8)
#: Units that a number of the rows can have without round-off.
UNITS = st.integers(-300, 300).map(lambda k: 2.0**k)


@given(ROWS, TOLERANCES)
def test_as_defined(values, tolerance):
    equal = equally_good(values, tolerance)
    assert np.flatnonzero(tied(values, tolerance)).tolist() == equal
    assert first_largest(values, tolerance) == first_within(values, tolerance) == equal[0]
    assert last_largest(values, tolerance) == equal[-1]
    assert in_order(values, tolerance).tolist() == sorted_with_ties(values, tolerance)


@given(arrays(float, (4, 5), elements=EIGHTHS), arrays(float, 4, elements=TOLERANCES))
def test_every_row_has_a_tolerance_of_its_own(values, tolerances):
    rows = list(zip(values, tolerances, strict=True))
    for rule in (first_largest, last_largest, tied, in_order):
        np.testing.assert_array_equal(rule(values, tolerances), [rule(*row) for row in rows])


def test_every_row_has_a_size_of_its_own():
    near = np.array([[1.0, 1.0 + SOLVED / 2], [1e-3, 1e-3 + SOLVED / 2], [1e3, 1e3 + SOLVED]])
    assert first_largest(near).tolist() == [0, 1, 0]


@given(arrays(float, 6, elements=st.floats(-1.0, 1.0)), UNITS)
def test_another_unit_changes_no_answer(values, unit):
    """By default; entries so small that they underflow are zero in both."""
    values = np.where(np.abs(values) < 1e-3, 0.0, values)
    np.testing.assert_array_equal(tied(unit * values), tied(values))


@given(arrays(float, 6, elements=st.floats(-1e6, 1e6)), st.floats(0.0, 1.0), st.randoms())
def test_the_choice_loses_no_more_than_the_tolerance_in_any_order(values, tolerance, random):
    shuffled = values.copy()
    random.shuffle(shuffled)
    for rows in (values, shuffled):
        for rule in (first_largest, last_largest):
            assert rows[rule(rows, tolerance)] >= values.max() - tolerance
    np.testing.assert_array_equal(
        np.sort(values[tied(values, tolerance)]), np.sort(shuffled[tied(shuffled, tolerance)])
    )


@given(ROWS, st.randoms())
def test_the_best_value_does_not_depend_on_the_order_where_nothing_ties(values, random):
    values = np.unique(values)
    random.shuffle(values)
    assert values[first_largest(values)] == values[last_largest(values)] == values.max()
    assert values[in_order(values, 0.0)].tolist() == sorted(values)


@given(arrays(float, 6, elements=EIGHTHS), st.integers(0, 2**32 - 1))
def test_last_digits_change_no_answer(values, seed):
    """That is what the rule is for: another processor, the same choice."""
    scale = np.abs(values).max()
    moved = values + 1e-13 * scale * np.random.default_rng(seed).uniform(-1.0, 1.0, 6)
    for rule in (first_largest, last_largest):
        assert rule(moved) == rule(values)
    tolerance = SOLVED * scale
    np.testing.assert_array_equal(in_order(moved, tolerance), in_order(values, tolerance))


@given(ROWS, TOLERANCES)
def test_stretches_begin_where_the_next_value_is_farther_than_the_tolerance(values, tolerance):
    ascending = np.sort(values)
    number = stretches(ascending, tolerance)
    np.testing.assert_array_equal(np.diff(number) == 1, np.diff(ascending) > tolerance)
    assert number[0] == 0
    assert set(np.diff(number)) <= {0, 1}


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_values_tie_within_a_billionth_of_the_largest_in_size(unit):
    for part, expected in ((0.5, 0), (2.0, 1)):
        assert first_largest(unit * np.array([1.0, 1.0 + part * SOLVED])) == expected
        assert first_largest(unit * np.array([0.0, part * SOLVED, -1.0])) == expected


def test_an_infinite_score_ties_with_nothing_else():
    """A scorer such as the log loss gives -inf; it must not make all others equal."""
    assert first_largest([-np.inf, 0.5, 0.7]) == 2
    assert first_largest([0.5, np.inf, np.inf]) == 1
