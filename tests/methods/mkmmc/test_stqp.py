"""The standard quadratic program: maxima against brute force, certificates, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reprolib.methods.mkmmc import stqp
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
    M = stqp._check_form([[4.0, 1.0], [1.0 + 7.8e-8, -8.0]])
    assert M[0, 1] == M[1, 0] == pytest.approx(1.0 + 3.9e-8, rel=1e-15)
    with pytest.raises(ValueError, match=r"from its transpose by up to 8\.2e-08\. "):
        solve_stqp_global([[4.0, 1.0], [1.0 + 8.2e-8, -8.0]])
    with pytest.raises(ValueError, match=r"by up to 0\.1\. Pass \(M \+ M\.T\) / 2, which"):
        solve_stqp_global([[0.0, 0.1], [0.0, 0.0]])


def test_a_start_is_on_the_simplex_up_to_a_hundred_millionth():
    for start in ([0.5, 0.5 + 0.9e-8], [0.5, 0.5 - 0.9e-8], [0.0, 1.0]):
        theta = stqp._check_simplex(start, 2)
        assert theta.sum() == pytest.approx(1.0, abs=1e-15)
        np.testing.assert_allclose(theta, start, rtol=1e-7)
    for start in ([0.5, 0.5 + 1.1e-8], [0.5, 0.5 - 1.1e-8], [-1e-9, 1.0], [1.0], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match="give 2 nonnegative weights that sum to one"):
            stqp._check_simplex(start, 2)


def test_a_climb_of_no_steps_is_its_start_with_its_residual():
    solution = solve_stqp_local(np.diag([1.0, 2.0]), [0.9, 0.1], max_iter=0)
    assert (solution.status, solution.iterations) == ("stopped", 0)
    np.testing.assert_allclose(solution.variables["weights"], [0.9, 0.1])
    assert solution.primal_objective == pytest.approx(-0.83)
    assert solution.dual_objective == -2.0
    assert solution.info["residual"] == pytest.approx(0.9 - 0.83)
    assert solution.scale == 2.0


def test_a_climb_counts_the_step_that_finds_nothing_to_gain():
    M = np.diag([1.0, 2.0])
    at_rest = solve_stqp_local(M, [1.0, 0.0])
    assert (at_rest.status, at_rest.iterations) == ("stationary", 1)
    moved = solve_stqp_local(M, [0.9, 0.1], max_iter=1)
    assert (moved.status, moved.iterations) == ("stopped", 1)
    assert moved.variables["weights"] @ M @ moved.variables["weights"] > 0.83


@pytest.mark.parametrize(("tol", "status"), [(0.99, "stopped"), (1.01, "stationary")])
def test_a_gain_is_weighed_by_the_largest_entry(tol, status):
    """From the middle, 2 x^2 + y^2 falls by 3/4 - 2/3 to its minimum, for a largest entry of 2."""
    solution = solve_stqp_local(np.diag([-2.0, -1.0]), [0.5, 0.5], max_iter=1, tol=tol / 24)
    assert solution.status == status


@pytest.mark.parametrize("p", [2, 5])
def test_a_form_is_split_into_its_concave_and_its_convex_part(p):
    M = random_form("gaussian", p, 3)
    concave, convex = stqp._split(M)
    np.testing.assert_allclose(concave + convex, M, atol=1e-12)
    Z = np.linalg.qr(np.column_stack([np.ones(p), np.eye(p)[:, 1:]]))[0][:, 1:]
    curvatures = np.linalg.eigvalsh(Z.T @ M @ Z)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(Z.T @ concave @ Z), np.minimum(curvatures, 0.0), atol=1e-12
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(Z.T @ convex @ Z), np.maximum(curvatures, 0.0), atol=1e-12
    )
    np.testing.assert_allclose(convex @ np.ones(p), 0.0, atol=1e-12)
    assert stqp._largest_curvature(M) == pytest.approx(curvatures[-1])


def test_the_most_convex_edge_is_the_first_of_the_most_curved():
    """Along the edge of i and j, M curves by M_ii + M_jj - 2 M_ij."""
    M = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.5], [2.0, 1.5, 3.0]])
    assert stqp._most_convex_edge(M) == (0, 1)  # 3, 0 and 2
    assert stqp._most_convex_edge(M - 4 * np.diag([1.0, 0.0, 1.0])) is None  # -1, -4 and -2
    assert stqp._most_convex_edge(np.zeros((3, 3))) == (0, 1), "a flat edge counts"
    M[1, 2] = M[2, 1] = 1.0 + 1e-13
    assert stqp._most_convex_edge(M) == (0, 1), "a tie but for round-off"


@pytest.mark.parametrize(("theta", "bound"), [([1.0, 0.0], 1.0), ([0.5, 0.5], -0.5)])
def test_a_concave_form_is_below_its_tangent(theta, bound):
    """At (1, 0) the tangent of -|x|^2 is 1 - 2 x_1, which is largest at (0, 1)."""
    assert stqp._linear_bound(-np.eye(2), np.array(theta)) == bound


def test_of_two_values_within_round_off_the_first_is_kept():
    search = stqp._FaceSearch(np.diag([1.0, 0.5, 1.0 + 0.9e-12, 1.0 + 1.5e-12]), 1e-9)
    assert search.theta.tolist() == [0.0, 0.0, 1.0, 0.0]
    search._offer([3], np.ones(1))
    assert search.theta.tolist() == [0.0, 0.0, 1.0, 0.0]
    search.best -= 1e-12
    search._offer([1, 3], np.array([0.0, 1.0]))
    assert search.theta.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert search.best == 1.0 + 1.5e-12


@pytest.mark.parametrize(("beyond", "given_up"), [(0.99e-3, True), (1.01e-3, False)])
def test_a_face_is_given_up_within_the_tolerance_and_its_bound_remembered(beyond, given_up):
    search = stqp._FaceSearch(np.diag([1.0, 0.5]), 1e-3)
    assert search._give_up(0.5)
    assert search._give_up(0.25)
    assert search.bound == 0.5
    assert search._give_up(1.0 + beyond) is given_up
    assert search.bound == (1.0 + beyond if given_up else 0.5)


@pytest.mark.parametrize("max_nodes", [0, 1, 2, 3])
def test_faces_are_counted_up_to_the_limit(max_nodes):
    M = random_form("clique", 9, 3)
    solution = solve_stqp_global(M, max_nodes=max_nodes)
    assert (solution.status, solution.iterations) == ("stopped", max_nodes)
    assert -solution.dual_objective <= M.max()


def test_kernels_beyond_the_first_of_equal_ones_have_no_weight_in_a_polished_answer():
    """The maximum of -x'x + 2 x_1 is at a vertex, that of -x'x - x_3 on the edge of the others."""
    M = -np.eye(3)
    np.testing.assert_allclose(
        stqp._maximise_concave(M, np.array([2.0, 0.0, 0.0])), [1.0, 0.0, 0.0], atol=1e-12
    )
    found = stqp._maximise_concave(M, np.array([0.0, 0.0, -1.0]))
    np.testing.assert_allclose(found, [0.5, 0.5, 0.0], atol=1e-12)
    inside = stqp._maximise_concave(M, np.array([0.0, 0.3, -0.3]))
    np.testing.assert_allclose(inside, np.array([0.0, 0.15, -0.15]) + 1 / 3, atol=1e-12)
    assert stqp._maximise_concave(-np.eye(1), np.zeros(1)).tolist() == [1.0]


@pytest.mark.parametrize("rest", [0.9e-7, 1e-6, 1e-4])
def test_small_weights_of_a_solver_are_polished_away(rest):
    M, linear = -np.eye(3), np.array([0.0, 0.0, -1.0])
    theta = np.array([0.5 + rest, 0.5 - 2 * rest, rest])
    np.testing.assert_allclose(stqp._polish(M, linear, theta), [0.5, 0.5, 0.0], atol=1e-15)


def visited(M, face, kept, tol=1e-9):
    search = stqp._FaceSearch(np.asarray(M, dtype=float), tol)
    return search.visit(face, kept), search


CONVEX_EDGE = [[0.0, 3.0, -1.0], [3.0, 0.0, 0.5], [-1.0, 0.5, 0.0]]


def test_a_face_with_a_convex_edge_loses_one_of_its_ends():
    """The form curves up between 0 and 2 only; what is kept does not go."""
    assert visited(CONVEX_EDGE, [0, 1, 2], [])[0] == [([0, 1], []), ([1, 2], [2])]
    assert visited(CONVEX_EDGE, [0, 1, 2], [0])[0] == [([0, 1], [0])]
    assert visited(CONVEX_EDGE, [0, 1, 2], [1])[0] == [([0, 1], [1]), ([1, 2], [1, 2])]


def test_a_face_whose_kept_indices_curve_up_is_empty():
    children, search = visited(CONVEX_EDGE, [0, 1, 2], [0, 2])
    assert children == []
    assert search.bound == -np.inf, "it has no maximiser to bound"
    assert visited(CONVEX_EDGE, [0, 1, 2], [0, 1])[0] != []


def test_a_concave_face_is_settled():
    children, search = visited(CONVEX_EDGE, [0, 1], [])
    assert children == []
    assert search.best == pytest.approx(1.5)
    np.testing.assert_allclose(search.theta, [0.5, 0.5, 0.0], atol=1e-9)
    assert search.best <= search.bound == pytest.approx(1.5)


def test_a_face_that_curves_up_along_no_edge_loses_each_index_in_turn():
    """M = v v' - 3 I curves by 1 along v, and by -2 or less along the edges."""
    v = np.array([1.0, 1.0, -1.0, -1.0])
    children, search = visited(np.outer(v, v) - 3 * np.eye(4), [0, 1, 2, 3], [])
    assert children == [
        ([1, 2, 3], []),
        ([0, 2, 3], [0]),
        ([0, 1, 3], [0, 1]),
        ([0, 1, 2], [0, 1, 2]),
    ]
    assert search.best >= -0.75 - 1e-9, "the value in the middle at least"
    kept, _ = visited(np.outer(v, v) - 3 * np.eye(4), [0, 1, 2, 3], [1, 2])
    assert kept == [([1, 2, 3], [1, 2]), ([0, 1, 2], [1, 2, 0])]
    settled, search = visited(np.outer(v, v) - 3 * np.eye(4), [0, 1, 2, 3], [], tol=2.0)
    assert settled == []
    assert search.bound == pytest.approx(0.0, abs=1e-6), "1 more than the maximum of v v' - 4 I"


def test_weights_of_every_size_survive_the_polish():
    """x = (0.6, 0.3999, 0.0001, 0) is the maximiser of -x'x + 2 y'x for y = x - e_4 / 2."""
    x = np.array([0.6, 0.3999, 1e-4, 0.0])
    linear = 2.0 * (x - [0.0, 0.0, 0.0, 0.5])
    noisy = x + np.array([-1e-6, 0.0, 0.0, 1e-6])
    np.testing.assert_allclose(stqp._polish(-np.eye(4), linear, noisy), x, atol=1e-15)
