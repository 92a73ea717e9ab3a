"""The basis of a constant and nested components, by hand and by naive formulas."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.kpm.nested_basis import (
    LEFT_OUT_RADIUS,
    RADIUS,
    NestedBasis,
    independent_columns,
    require_certified_path,
)
from reprolib.methods.shared.solution import NotOptimalError, Solution

Y = np.array([1.0, -1.0, 1.0, -1.0])
LARGEST = np.finfo(float).max
SHAPE = "V has shape {}, y {} and weights {}; expected \\(n, D\\), \\(n,\\) and \\(n,\\)."


@pytest.mark.parametrize(
    ("V", "y", "weights"),
    [
        ((4,), (4,), (4,)),
        ((4, 2, 1), (4,), (4,)),
        ((3, 2), (4,), (4,)),
        ((5, 2), (4,), (4,)),
        ((4, 2), (4, 1), (4,)),
        ((4, 2), (4,), (3,)),
        ((4, 2), (4,), (5,)),
    ],
)
def test_arrays_that_do_not_fit_are_named_with_their_shapes(V, y, weights):
    escaped = [str(shape).replace("(", "\\(").replace(")", "\\)") for shape in (V, y, weights)]
    with pytest.raises(ValueError, match=SHAPE.format(*escaped)):
        NestedBasis.from_arrays(np.ones(V), np.ones(y), np.ones(weights))


def test_a_negative_weight_is_refused_with_the_smallest():
    with pytest.raises(ValueError, match=r"minimum of -2; leave out points of weight zero"):
        NestedBasis.from_arrays(np.ones((4, 1)), Y, np.array([1.0, -2.0, 3.0, -1.0]))


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-3, 1.0, 7.0, 8.0, 1e300, LARGEST])
@pytest.mark.parametrize("others", [1e-3, 1.0, 3.0, 1000.0])
def test_weights_are_taken_in_a_power_of_two_that_gives_them_a_mean_between_one_and_two(
    size, others
):
    with np.errstate(over="ignore"):
        weights = np.clip(size * np.array([1.0, others] * 2), 5e-324, LARGEST)
    basis = NestedBasis.from_arrays(np.arange(4.0)[:, np.newaxis], Y, weights)
    np.testing.assert_array_equal(basis.weights * basis.weight_unit, weights)
    assert 1.0 <= basis.weights.mean() < 2.0
    assert np.frexp(basis.weight_unit)[0] == 0.5


def test_columns_are_taken_in_powers_of_two_next_to_their_largest_entry():
    V = np.array([[3.0, 0.1, 0.0, 0.25], [-5.0, 0.02, 0.0, -0.5], [1.0, 0.0, 0.0, 0.0]])
    basis = NestedBasis.from_arrays(V, Y[:3])
    assert basis.column_exponents.tolist() == [3, -3, 0, 0]


def weighted_problem():
    """A last column that lies 1e-10 outside of the span of those before it; weights."""
    rng = np.random.default_rng(0)
    V, y, w = rng.normal(size=(12, 3)), rng.choice([-1.0, 1.0], 12), rng.uniform(8.0, 16.0, 12)
    V[:, 1] = 2.0 - 3.0 * V[:, 0] + 1e-10 * rng.normal(size=12)
    return V, y, w


def test_what_is_left_out_is_kept_in_units_of_its_root_mean_square():
    V, y, w = weighted_problem()
    basis = NestedBasis.from_arrays(V, y, w)
    assert basis.kept.tolist() == [0, 1, 3]
    assert basis.dropped.tolist() == [2]
    root = np.sqrt(w)[:, np.newaxis]
    before = np.column_stack([np.ones(12), V[:, 0]])
    multiples = np.linalg.lstsq(root * before, root[:, 0] * V[:, 1], rcond=None)[0]
    outside = (V[:, 1] - before @ multiples) / np.sqrt(np.average(V[:, 1] ** 2, weights=w))
    np.testing.assert_allclose(basis.dropped_signed[0], y * outside, rtol=1e-3, atol=1e-14)


@pytest.mark.parametrize("norm", [0.0, 0.5 * RADIUS, 3.0 * RADIUS])
def test_slack_bounds_what_a_dual_point_gives_for_functions_of_the_first_components(norm):
    V, y, w = weighted_problem()
    basis = NestedBasis.from_arrays(V, y, w)
    dual = np.random.default_rng(1).uniform(size=12)
    radius = 2.0 * max(norm, RADIUS)
    parts = basis.signed @ dual
    left_out = LEFT_OUT_RADIUS * abs(basis.dropped_signed[0] @ dual)
    expected = {
        1: radius * np.hypot(parts[0], parts[1]),
        2: radius * np.hypot(parts[0], parts[1]) + left_out,
        3: radius * np.linalg.norm(parts) + left_out,
    }
    assert left_out > 0.0
    for d, value in expected.items():
        assert basis.slack(dual, d, norm) == pytest.approx(value, rel=1e-12)
        assert basis.dropped_slack(dual, d) == pytest.approx((d > 1) * left_out, rel=1e-12)
        c = np.zeros(3)
        c[: basis.size(d)] = parts[: basis.size(d)] / np.linalg.norm(parts[: basis.size(d)])
        assert abs(dual @ (radius * c @ basis.signed)) <= basis.slack(dual, d, norm) * (1 + 1e-12)


@pytest.mark.parametrize(("distance", "n_kept"), [(0.5e-9, 1), (2e-9, 2)])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_column_is_kept_if_it_lies_farther_from_the_span_than_its_tolerance(
    distance, n_kept, size
):
    columns = size * np.array([[1.0, 1.0], [0.0, distance], [0.0, 0.0]])
    _, _, kept = independent_columns(columns)
    assert len(kept) == n_kept


def test_path_breaks_at_the_first_solution_whose_gap_is_open():
    good, bad = (Solution({}, 1.0, 1.0 - gap, "optimal", scale=2.0) for gap in (1e-8, 3e-6))
    assert require_certified_path([good, good], 1e-6) == [good, good]
    with pytest.raises(NotOptimalError, match="^2 components: ") as caught:
        require_certified_path([good, bad, good], 1e-6)
    assert caught.value.n_certified == 1
