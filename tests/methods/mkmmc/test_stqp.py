"""The standard quadratic program: maxima against brute force, certificates, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reprolib.methods.mkmmc.stqp import solve_stqp_global, solve_stqp_local
from reprolib.methods.shared.solution import NotOptimalError
from tests.naive.mkmmc import concave_stqp_maximiser, stqp_maximum

KINDS = ["gaussian", "indefinite", "almost concave", "concave", "convex", "clique"]


def random_form(kind, p, seed):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(p, p))
    if kind == "gaussian":
        return B + B.T
    if kind == "indefinite":
        Q = np.linalg.qr(B)[0]
        return (Q * rng.uniform(-1, 1, p)) @ Q.T
    if kind == "almost concave":
        v = rng.normal(size=p)
        return np.outer(v, v) - B @ B.T / p
    if kind == "clique":
        upper = np.triu(rng.random((p, p)) < 0.7, 1).astype(float)
        return upper + upper.T
    return -B @ B.T if kind == "concave" else B @ B.T


def assert_feasible(theta):
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_global_maximum_is_that_of_all_faces(kind, p):
    for seed in range(4):
        M = random_form(kind, p, seed)
        solution = solve_stqp_global(M).require_optimal(1e-8)
        theta = solution.variables["weights"]
        assert_feasible(theta)
        assert -solution.primal_objective == pytest.approx(theta @ M @ theta)
        assert -solution.primal_objective == pytest.approx(stqp_maximum(M), rel=1e-8, abs=1e-8)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(hnp.arrays(np.int8, (5, 5), elements=st.integers(-3, 3)))
def test_global_maximum_of_degenerate_integer_forms(B):
    M = (B + B.T).astype(float)
    solution = solve_stqp_global(M).require_optimal(1e-8)
    assert -solution.primal_objective == pytest.approx(stqp_maximum(M), abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_global_bound_closes_for_eleven_and_twenty_kernels(kind):
    for p in (11, 20):
        solution = solve_stqp_global(random_form(kind, p, p))
        assert solution.status == "optimal"
        assert abs(solution.relative_gap) < 1e-8


def test_global_stopped_early_states_a_true_bound():
    M = random_form("clique", 9, 3)
    solution = solve_stqp_global(M, max_nodes=2)
    assert solution.status == "stopped"
    assert -solution.dual_objective >= stqp_maximum(M) - 1e-12
    with pytest.raises(NotOptimalError, match="stopped with status 'stopped'"):
        solution.require_optimal()


@pytest.mark.parametrize("kind", KINDS)
def test_local_never_loses_and_ends_stationary(kind):
    rng = np.random.default_rng(7)
    M = random_form(kind, 7, 1)
    for start in rng.dirichlet(np.ones(7), size=5):
        solution = solve_stqp_local(M, start, max_iter=5000)
        theta = solution.variables["weights"]
        assert_feasible(theta)
        assert theta @ M @ theta >= start @ M @ start - 1e-12
        assert solution.status == "stationary"
        assert solution.info["residual"] < 1e-4 * np.abs(M).max()
        assert -solution.primal_objective <= stqp_maximum(M) + 1e-9
        assert -solution.dual_objective >= stqp_maximum(M) - 1e-12


def test_local_answer_depends_on_the_start_where_the_global_one_does_not():
    M = np.diag([1.0, 2.0])
    at = [solve_stqp_local(M, s).variables["weights"] for s in ([0.9, 0.1], [0.1, 0.9])]
    np.testing.assert_allclose(at, [[1, 0], [0, 1]], atol=1e-12)
    np.testing.assert_allclose(solve_stqp_global(M).variables["weights"], [0, 1])


@pytest.mark.parametrize("p", [1, 2, 6, 20])
def test_concave_case_is_one_convex_programme(p):
    M = random_form("concave", p, p)
    solution = solve_stqp_global(M).require_optimal(1e-9)
    theta = concave_stqp_maximiser(M)
    assert_feasible(solution.variables["weights"])
    assert -solution.primal_objective == pytest.approx(theta @ M @ theta, abs=1e-8)
    local = solve_stqp_local(M, np.full(p, 1 / p))
    assert local.primal_objective == pytest.approx(solution.primal_objective, abs=1e-8)
    if p < 8:
        assert -solution.primal_objective == pytest.approx(stqp_maximum(M))


def test_identical_kernels_make_a_constant_form():
    solution = solve_stqp_global(np.full((4, 4), 2.5)).require_optimal()
    assert -solution.primal_objective == pytest.approx(2.5)


def test_zero_form():
    solution = solve_stqp_global(np.zeros((3, 3))).require_optimal()
    assert (solution.primal_objective, solution.dual_objective, solution.scale) == (0.0, 0.0, 1.0)
    np.testing.assert_array_equal(solution.variables["weights"], [1.0, 0.0, 0.0])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"M has shape \(2, 3\)"):
        solve_stqp_global(np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"M has shape \(0, 0\)"):
        solve_stqp_global(np.zeros((0, 0)))
    with pytest.raises(ValueError, match=r"M has shape \(2,\)"):
        solve_stqp_global(np.ones(2))
    with pytest.raises(ValueError, match="M is not symmetric"):
        solve_stqp_global([[0.0, 1.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="not finite"):
        solve_stqp_global([[np.nan]])
    with pytest.raises(ValueError, match="give 2 nonnegative weights that sum to one"):
        solve_stqp_local(np.eye(2), [0.5, 0.6])


@pytest.mark.parametrize("seed", range(10))
def test_tied_maxima_are_decided_by_index_not_by_last_digits(seed):
    noise = 1e-15 * np.random.default_rng(seed).normal(size=(4, 4))
    M = np.diag([1.0, 2.0, 2.0, 2.0]) + noise + noise.T
    weights = solve_stqp_global(M).variables["weights"]
    np.testing.assert_array_equal(weights, [0, 1, 0, 0])


def test_asymmetry_is_measured_by_the_largest_entry():
    """A part 1e-8 of it is round-off, and the mean of both sides is taken."""
    asymmetric = solve_stqp_global([[4.0, 1.0], [1.0 + 7.8e-8, -8.0]])
    mean = solve_stqp_global([[4.0, 1.0 + 3.9e-8], [1.0 + 3.9e-8, -8.0]])
    assert asymmetric.primal_objective == pytest.approx(mean.primal_objective, rel=1e-15)
    with pytest.raises(ValueError, match=r"from its transpose by up to 8\.2e-08\. "):
        solve_stqp_global([[4.0, 1.0], [1.0 + 8.2e-8, -8.0]])
    with pytest.raises(ValueError, match=r"by up to 0\.1\. Pass \(M \+ M\.T\) / 2, which"):
        solve_stqp_global([[0.0, 0.1], [0.0, 0.0]])


def test_a_start_is_on_the_simplex_up_to_a_hundred_millionth():
    for start in ([0.5, 0.5 + 0.9e-8], [0.5, 0.5 - 0.9e-8], [0.0, 1.0]):
        theta = solve_stqp_local(np.eye(2), start, max_iter=0).variables["weights"]
        assert theta.sum() == pytest.approx(1.0, abs=1e-15)
        np.testing.assert_allclose(theta, start, rtol=1e-7)
    for start in ([0.5, 0.5 + 1.1e-8], [0.5, 0.5 - 1.1e-8], [-1e-9, 1.0], [1.0], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match="give 2 nonnegative weights that sum to one"):
            solve_stqp_local(np.eye(2), start)
