from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, make_blobs, make_moons
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import scale

from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.kpm.hinge_lp._highs import BOUND
from reprolib.methods.kpm.logistic_path import solve_logistic_path
from reprolib.methods.kpm.square_path import solve_square_path
from reprolib.methods.shared.kernels import gram, gram_eigh
from tests.fuzz.hinge_paths import hinge_problem
from tests.methods.kpm.fallback import solve_by_highs
from tests.naive import kpm as naive

PATHS = [solve_hinge_lp_path, solve_by_highs]
LOSS_PATHS = [*PATHS, solve_square_path, solve_logistic_path]
examples = settings(derandomize=True, deadline=None, max_examples=25)


def overlapping(n=60, seed=0, gap=1.0):
    """Two Gaussian classes in the plane and the eigenvectors of their rbf Gram matrix."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + gap * y[:, np.newaxis]
    _, V = gram_eigh(gram(X, gamma=0.5))
    return np.sqrt(n) * V, y


def duplicated(n=80, seed=0):
    """Few distinct points, many of them with both labels, as in flare_solar."""
    rng = np.random.default_rng(seed)
    sites = rng.integers(0, 2, size=(20, 5)).astype(float)
    which = rng.integers(0, len(sites), size=n)
    y = np.where(rng.random(n) < 0.3 + 0.4 * (sites[which].sum(axis=1) > 2), 1.0, -1.0)
    eigenvalues, V = gram_eigh(gram(sites[which], gamma=0.05), rank_tol=1e-10)
    assert len(eigenvalues) < n / 2
    return np.sqrt(n) * V, y


def values(V, solution):
    beta = solution.variables["beta"]
    return V[:, : len(beta)] @ beta + solution.variables["intercept"]


def objectives(solutions):
    return np.array([solution.primal_objective for solution in solutions])


@pytest.mark.parametrize("solve", PATHS)
@pytest.mark.parametrize("make", [overlapping, duplicated])
def test_path_agrees_with_linprog_and_glpk_and_is_certified(solve, make):
    V, y = make()
    D = min(30, V.shape[1])
    solutions = solve(V, y, D)
    w = np.ones(len(y))
    for d in range(1, D + 1, 4):
        solution = solutions[d - 1].require_optimal()
        assert len(solution.variables["beta"]) == d
        for reference in (naive.hinge_lp_linprog, naive.hinge_lp_glpk):
            expected = reference(V[:, :d], y, w)
            assert solution.primal_objective == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("solve", PATHS)
@given(seed=st.integers(0, 10**6), n=st.integers(5, 8), D=st.integers(1, 3))
@examples
def test_brute_force_over_vertices(solve, seed, n, D):
    rng = np.random.default_rng(seed)
    V, y, w = rng.normal(size=(n, D)), rng.choice([-1.0, 1.0], n), rng.uniform(0.5, 2.0, n)
    y[:2] = 1.0, -1.0
    expected = naive.hinge_lp_brute_force(V, y, w)
    assert solve(V, y, weights=w)[-1].primal_objective == pytest.approx(expected, abs=1e-7)


@given(seed=st.integers(0, 10**6), gap=st.floats(0.0, 2.0))
@examples
def test_dual_point_is_feasible_and_objective_non_increasing(seed, gap):
    V, y = overlapping(n=40, seed=seed, gap=gap)
    solutions = solve_hinge_lp_path(V, y, 20)
    for d, solution in enumerate(solutions, start=1):
        a = solution.variables["dual"]
        assert a.min() >= 0.0
        assert a.max() <= 1.0
        assert np.abs(V[:, :d].T @ (y * a)).max() <= 1e-6
        assert abs(y @ a) <= 1e-7
        assert abs(solution.relative_gap) <= 1e-7
    assert np.all(np.diff(objectives(solutions)) <= 1e-7)


@given(seed=st.integers(0, 10**6))
@examples
def test_invariances(seed):
    V, y = overlapping(n=30, seed=seed, gap=0.7)
    rng = np.random.default_rng(seed)
    D = 12
    plain = solve_hinge_lp_path(V, y, D)
    order = rng.permutation(len(y))
    permuted = solve_hinge_lp_path(V[order], y[order], D)
    flipped = solve_hinge_lp_path(V, -y, D)
    scaled = solve_hinge_lp_path(V * rng.uniform(0.1, 10.0, V.shape[1]), y, D)
    assert objectives(scaled) == pytest.approx(objectives(plain), abs=1e-7)
    for a, b, c in zip(plain, permuted, flipped, strict=True):
        np.testing.assert_allclose(values(V, a)[order], values(V[order], b), atol=1e-6)
        np.testing.assert_allclose(values(V, a), -values(V, c), atol=1e-6)


@pytest.mark.parametrize("solve", LOSS_PATHS)
def test_duplicates_equal_weights(solve):
    V, y = overlapping(n=40, gap=0.5)
    counts = np.arange(40) % 3 + 1
    repeated = np.repeat(np.arange(40), counts)
    weighted = solve(V[:, :25], y, weights=counts)
    expanded = solve(V[repeated, :25], y[repeated])
    assert objectives(weighted) == pytest.approx(objectives(expanded), rel=1e-8, abs=1e-7)
    for a, b in zip(weighted, expanded, strict=True):
        np.testing.assert_allclose(values(V, a), values(V, b), atol=1e-5)


@pytest.mark.parametrize("gap", [0.0, 0.8, 3.0])
def test_both_paths_return_the_same_function_also_where_the_optimum_is_not_unique(gap):
    V, y = overlapping(n=60, gap=gap)
    ours, theirs = (solve(V, y, 40) for solve in PATHS)
    zero_loss = objectives(ours) < 1e-6
    assert zero_loss.any() or gap == 0.0
    for a, b in zip(ours, theirs, strict=True):
        assert a.info["canonical"]
        assert b.info["canonical"]
        np.testing.assert_allclose(values(V, a), values(V, b), atol=1e-6)


@pytest.mark.parametrize("D", [2, 6, 12])
@pytest.mark.parametrize("gap", [1.0, 3.0])
def test_reported_optimum_has_least_mean_square(D, gap):
    V, y = overlapping(n=40, gap=gap)
    w = np.ones(len(y))
    solution = solve_hinge_lp_path(V, y, D)[-1]
    expected = naive.least_square_optimum(V[:, :D], y, w)
    np.testing.assert_allclose(values(V, solution), expected, atol=2e-3)
    assert np.sum(values(V, solution) ** 2) <= np.sum(expected**2) * (1 + 1e-4)


def test_where_the_classes_become_separable_no_other_solver_is_needed():
    """Vertices of norm 1e6 and more have no certificate there; the separating point does."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 2)), rng.choice([-1.0, 1.0], 150)
    V = np.sqrt(150) * gram_eigh(gram(X, gamma=2.0))[1][:, :120]
    solutions = solve_hinge_lp_path(V, y)
    separable = [s for s in solutions if s.info["canonical"] and s.dual_objective == 0.0]
    assert len(separable) > 20
    assert {s.info["solver"] for s in separable} == {"simplex"}
    for solution in separable[::10]:
        margins = y * values(V, solution)
        assert margins.min() > 1.0 - 1e-8


@pytest.mark.parametrize("seed", [0, 1])
def test_points_with_both_labels_differ_in_nothing_but_the_sign(seed):
    """Like the Titanic benchmark: few distinct points, each with both labels, a wide kernel."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid([-1.87, -0.92, 0.03, 0.98], [-0.23, 4.37], [-1.92, 0.52]), -1)
    counts = rng.integers(1, 40, size=(2, 16)).astype(float)
    _, V = gram_eigh(gram(grid.reshape(16, 3), gamma=0.01))
    V, y = np.vstack([V, V]), np.repeat([-1.0, 1.0], 16)
    last = solve_hinge_lp_path(V, y, weights=counts.ravel())[-1].require_optimal(1e-7)
    assert last.info["solver"] == "simplex"
    assert last.primal_objective == pytest.approx(2 * counts.min(axis=0).sum(), rel=1e-7)


def test_majority_predictor_is_the_optimum_of_useless_components():
    y = np.where(np.arange(30) < 20, 1.0, -1.0)
    V = np.tile([[1.0], [-1.0]], (15, 1))
    solution = solve_hinge_lp_path(V, y)[0]
    assert solution.primal_objective == pytest.approx(20.0)
    np.testing.assert_allclose(values(V, solution), 1.0)


def test_a_constant_component_adds_nothing():
    V, y = overlapping(n=40)
    with_constant = np.hstack([np.full((40, 1), 3.0), V[:, :4], V[:, :1] + 2.0])
    solutions = solve_hinge_lp_path(with_constant, y)
    plain = solve_hinge_lp_path(V, y, 4)
    assert solutions[0].variables["beta"][0] == 0.0
    assert objectives(solutions)[1:5] == pytest.approx(objectives(plain))
    assert objectives(solutions)[5] == pytest.approx(objectives(plain)[-1])


def test_more_components_than_points():
    V, y = overlapping(n=10)
    rng = np.random.default_rng(0)
    solutions = solve_hinge_lp_path(np.hstack([V, rng.normal(size=(10, 5))]), y)
    assert objectives(solutions)[-1] == pytest.approx(0.0, abs=1e-7)


def path_of_a_narrow_kernel(gamma):
    """Of the README's data, a width far too small; and the number of points."""
    X, labels = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(X, labels)
    rows, _ = next(iter(folds))
    _, V = gram_eigh(gram(scale(X)[rows], gamma=gamma))
    return solve_hinge_lp_path(np.sqrt(len(V)) * V[:, :5], 2.0 * labels[rows] - 1.0), len(V)


def test_an_answer_inside_of_the_bound_stands_among_others_at_the_bound():
    path, n = path_of_a_narrow_kernel(5.0)
    assert {solution.info.get("bound") for solution in path} == {None, BOUND}
    assert path[-2].info["holds_within"] == BOUND
    losses = objectives(path)
    assert np.all(np.diff(losses) <= 1e-7 * n)


def test_where_the_loss_would_rise_all_answers_are_held_to_the_bound():
    """Rounding decides which of them reach it: the last three, two or, on Nehalem, all five."""
    path, n = path_of_a_narrow_kernel(10.0)
    assert {solution.info["holds_within"] for solution in path} == {BOUND}
    assert path[-1].info["bound"] == BOUND
    losses = objectives(path)
    assert np.all(np.diff(losses) <= 1e-7 * n)


@pytest.mark.parametrize("n", [200, 400])
@pytest.mark.parametrize("noise", [0.2, 0.3])
def test_no_answer_of_the_simplex_method_on_two_half_circles_needs_repair(n, noise):
    """A repair is two runs of HiGHS and takes as long as all other answers together.

    Twelve of 60 were, when functions beyond 2e5 margins were solved again within that bound.
    """
    X, labels = make_moons(n, noise=noise, random_state=0)
    V = np.sqrt(n) * gram_eigh(gram(X, gamma=1.0), rank_tol=0.0)[1][:, :60]
    path = solve_hinge_lp_path(V, 2.0 * labels - 1.0)
    assert [solution.info["solver"] for solution in path] == 60 * ["simplex"]


@pytest.mark.parametrize("seed", range(8))
def test_an_almost_diagonal_gram_matrix_gives_one_certified_path(seed):
    """Functions of size 1e7 and more lower the loss there: all answers must bound them alike."""
    n, D = 150 - 10 * seed, 20
    X, labels = make_blobs(n, 6, centers=2, cluster_std=5 + seed, random_state=seed)
    V = np.sqrt(n) * gram_eigh(gram(X))[1][:, :D]
    assert len(solve_hinge_lp_path(V, 2.0 * labels - 1.0)) == D


#: Of `hinge_problem`, by what broke their paths.
ILL_POSED = {
    "HiGHS does not end by itself": 96,
    "only the simplex method with presolve, or interior points without, end": 99,
    "only interior points without presolve end": 158,
    "a dual point proves an optimum among small functions only": 171,
}


@pytest.mark.parametrize("seed", ILL_POSED.values(), ids=ILL_POSED)
def test_ill_posed_programmes_give_one_certified_path(seed):
    V, y = hinge_problem(seed)
    assert len(solve_hinge_lp_path(V, y)) == V.shape[1]


@pytest.mark.parametrize("solve", LOSS_PATHS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"V": np.full((20, 2), np.nan)}, "NaN or infinity"),
        ({"V": np.zeros((19, 2))}, "expected \\(n, D\\)"),
        ({"y": np.arange(20.0)}, "labels must be -1 and 1"),
        ({"weights": np.zeros(20)}, "weight zero"),
        ({"weights": np.full(20, np.inf)}, "NaN or infinity"),
    ],
)
def test_bad_arrays(solve, change, message):
    rng = np.random.default_rng(0)
    arrays = {"V": rng.normal(size=(20, 2)), "y": np.tile([1.0, -1.0], 10)} | change
    with pytest.raises(ValueError, match=message):
        solve(**arrays)


@pytest.mark.parametrize("solve", PATHS)
@pytest.mark.parametrize("max_components", [0, 4])
def test_max_components_out_of_range(solve, max_components):
    with pytest.raises(ValueError, match="between 1 and 3"):
        solve(np.eye(4)[:, :3], np.array([1.0, -1.0, 1.0, -1.0]), max_components)


def test_square_path_is_least_squares():
    V, y = overlapping(n=40)
    w = np.linspace(1.0, 3.0, 40)
    for d, solution in enumerate(solve_square_path(V, y, 8, w), start=1):
        A = np.hstack([V[:, :d], np.ones((40, 1))])
        z = np.linalg.lstsq(np.sqrt(w)[:, np.newaxis] * A, np.sqrt(w) * y, rcond=None)[0]
        np.testing.assert_allclose(values(V, solution), A @ z, atol=1e-8)
        assert abs(solution.relative_gap) < 1e-10


@pytest.mark.parametrize("gap", [0.5, 3.0])
def test_logistic_path_is_stationary_and_certified(gap):
    V, y = overlapping(n=40, gap=gap)
    ridge = 1e-6
    for d, solution in enumerate(solve_logistic_path(V, y, 12, ridge=ridge), start=1):
        f = values(V, solution)
        gradient = -y / (1.0 + np.exp(y * f)) + ridge * f
        A = np.hstack([V[:, :d], np.ones((40, 1))])
        assert np.abs(A.T @ gradient).max() < 1e-3
        assert abs(solution.relative_gap) <= 1e-7


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 30),
    kind=st.sampled_from(["random", "integer", "columns of many sizes"]),
)
@settings(examples, max_examples=100)
def test_of_the_functions_without_loss_it_is_the_shortest(seed, n, kind):
    """By nonnegative least squares, in orthonormal columns: the least mean square, once for all."""
    rng = np.random.default_rng(seed)
    y, weights = np.where(np.arange(n) % 2 == 0, 1.0, -1.0), rng.uniform(0.5, 2.0, n)
    V = rng.normal(size=(n, n // 2))
    if kind == "integer":
        V = np.round(V)
    if kind == "columns of many sizes":
        V *= 10.0 ** rng.uniform(-3, 3, size=n // 2)
    V[:, 0] = y * rng.integers(1, 4, size=n)
    Q = np.linalg.qr(np.sqrt(weights)[:, np.newaxis] * np.column_stack([np.ones(n), V]))[0]
    Q /= np.sqrt(weights)[:, np.newaxis]
    last = solve_hinge_lp_path(V, y, weights=weights)[-1]
    assert last.primal_objective == pytest.approx(0.0, abs=1e-9)
    expected = Q @ naive.least_norm_point(y[:, np.newaxis] * Q, np.ones(n))
    np.testing.assert_allclose(values(V, last), expected, atol=1e-6 * np.abs(expected).max())
