"""The allocation of dimensions against enumeration, and its certificates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reprolib.methods.mkpm.allocation import (
    allocation_objective,
    is_convex,
    solve_allocation,
    solve_allocation_dp,
    solve_allocation_greedy,
)
from tests.naive.mkpm import best_allocation

small_integers = arrays(
    np.int64,
    st.tuples(st.integers(1, 4), st.integers(2, 5)),
    elements=st.integers(0, 6),
)


def non_increasing(decrements):
    """G_l(d) with the given decrements; integers, so that sums are exact and ties occur."""
    total = decrements.sum(axis=1, keepdims=True)
    return np.hstack([total, total - np.cumsum(decrements, axis=1)]).astype(float)


@settings(derandomize=True, deadline=None, max_examples=120)
@given(small_integers)
def test_dp_equals_enumeration_at_every_total(decrements):
    objectives = non_increasing(decrements)
    solution = solve_allocation_dp(objectives)
    for total, allocation in enumerate(solution.variables["allocation_path"]):
        lowest, optimal = best_allocation(objectives, total)
        assert solution.variables["objective_path"][total] == lowest
        assert tuple(allocation) in optimal


@settings(derandomize=True, deadline=None, max_examples=60)
@given(small_integers)
def test_ties_give_the_last_bits_the_fewest_dimensions(decrements):
    objectives = non_increasing(decrements)
    for total, allocation in enumerate(
        solve_allocation_dp(objectives).variables["allocation_path"]
    ):
        _, optimal = best_allocation(objectives, total)
        assert tuple(allocation) == min(optimal, key=lambda a: a[::-1])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(small_integers)
def test_greedy_equals_dp_on_convex_objectives(decrements):
    objectives = non_increasing(-np.sort(-decrements, axis=1))
    assert is_convex(objectives)
    greedy, exact = solve_allocation_greedy(objectives), solve_allocation_dp(objectives)
    np.testing.assert_array_equal(
        greedy.variables["objective_path"], exact.variables["objective_path"]
    )
    np.testing.assert_array_equal(
        allocation_objective(objectives, greedy.variables["allocation_path"]),
        exact.variables["objective_path"],
    )


def test_best_allocations_are_not_nested():
    objectives = non_increasing(np.array([[3, 0, 0], [0, 0, 10]]))
    path = solve_allocation(objectives).variables["allocation_path"]
    np.testing.assert_array_equal(path[[2, 3]], [[2, 0], [0, 3]])


def test_allocations_sum_to_the_total_and_certify_the_value():
    rng = np.random.default_rng(0)
    objectives = non_increasing(rng.exponential(size=(5, 40)))
    solution = solve_allocation(objectives, 120).require_optimal(1e-12)
    path = solution.variables["allocation_path"]
    np.testing.assert_array_equal(path.sum(axis=1), np.arange(121))
    assert path.min() >= 0
    assert path.max() <= 40
    np.testing.assert_allclose(
        allocation_objective(objectives, path), solution.variables["objective_path"], rtol=1e-12
    )
    assert np.all(np.diff(solution.variables["objective_path"]) <= 1e-12)


def test_greedy_refuses_objectives_that_are_not_convex():
    with pytest.raises(ValueError, match=r"convex .* use solve_allocation_dp"):
        solve_allocation_greedy([[3.0, 3.0, 0.0]])


TIES = [(7e-12, [1, 0]), (9e-12, [0, 1]), (0.0, [1, 0]), (-9e-12, [1, 0])]


@pytest.mark.parametrize(("more", "first"), TIES)
@pytest.mark.parametrize("solve", [solve_allocation_dp, solve_allocation_greedy])
def test_sums_tie_up_to_a_part_of_the_objectives_without_dimensions(solve, more, first):
    """These are 8 in sum, so that 8e-12 is the largest difference that is a tie."""
    solution = solve([[4.0, 3.0, 2.5], [-4.0, -5.0 - more, -5.0 - more]], 1)
    assert solution.scale == 8.0
    assert solution.variables["allocation_path"].tolist() == [[0, 0], first]
    assert solution.variables["objective_path"][1] == pytest.approx(-1.0, abs=1e-11)
    assert solution.primal_objective == pytest.approx(-1.0, abs=1e-11)


def test_equal_decrements_of_three_bits_go_to_the_first_ones_one_after_the_other():
    objectives = [[3.0, 2.0, 1.0], [3.0, 1.0, 0.0], [3.0, 2.0, 1.9]]
    path = solve_allocation_greedy(objectives).variables["allocation_path"].tolist()
    assert path == [[0, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [2, 2, 0], [2, 2, 1], [2, 2, 2]]


@pytest.mark.parametrize("solve", [solve_allocation, solve_allocation_dp, solve_allocation_greedy])
def test_budgets_from_nothing_to_the_capacity(solve):
    objectives = [[4.0, 1.0, 0.0], [5.0, 3.0, 2.5]]
    for max_total, allocation, objective in ((0, [0, 0], 9.0), (4, [2, 2], 2.5)):
        solution = solve(objectives, max_total).require_optimal(1e-12)
        assert len(solution.variables["allocation_path"]) == max_total + 1
        assert solution.variables["allocation_path"][-1].tolist() == allocation
        assert solution.primal_objective == solution.dual_objective == objective
    with pytest.raises(ValueError, match="max_total is -1, but 2 bits of at most 2 dimensions"):
        solve(objectives, -1)


def test_objectives_of_the_wrong_shape():
    with pytest.raises(ValueError, match=r"shape \(3,\); it needs one row"):
        solve_allocation(np.zeros(3))
    for shape in ((2, 0), (0, 3)):
        with pytest.raises(
            ValueError, match=rf"shape \({shape[0]}, {shape[1]}\); it needs one row"
        ):
            solve_allocation(np.zeros(shape))
    assert solve_allocation([[2.0]]).primal_objective == 2.0
