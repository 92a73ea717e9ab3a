from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, make_blobs, make_moons
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import scale

from reprolib.methods.kpm.hinge_lp import _solve, solve_hinge_lp_path
from reprolib.methods.kpm.hinge_lp._canonical import canonical_optimum
from reprolib.methods.kpm.hinge_lp._certificate import RawAnswer, certify
from reprolib.methods.kpm.hinge_lp._highs import BOUND, bounded_single, highs_single
from reprolib.methods.kpm.hinge_lp._least_norm import least_norm_active_set
from reprolib.methods.kpm.logistic_path import solve_logistic_path
from reprolib.methods.kpm.nested_basis import NestedBasis, independent_columns
from reprolib.methods.kpm.square_path import solve_square_path
from reprolib.methods.shared.kernels import gram, gram_eigh
from reprolib.methods.shared.solution import NotOptimalError
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


@pytest.mark.parametrize("size", [1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("gap", [1.0, 3.0])
def test_canonical_optimum_does_not_hang_on_the_round_off_of_dual_variables(gap, size):
    V, y = overlapping(n=40, gap=gap)
    solution = solve_hinge_lp_path(V, y, 12)[-1]
    basis = NestedBasis.from_arrays(V[:, :12], y)
    dual = solution.variables["dual"]
    noise = size * np.random.default_rng(0).random(40)
    noisy = np.where(dual < 0.5, dual + noise, dual - noise)
    margins = y * values(V, solution)
    c = basis.signed @ margins / 40
    c, found, _ = canonical_optimum(basis.signed, basis.weights, c, noisy, 1e-9)
    assert found
    np.testing.assert_allclose(c @ basis.signed, margins, atol=1e-6)


def test_independent_columns_see_round_off_of_large_multiples():
    """Nearly dependent columns before it make the round-off of a dependent one look like more."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(30, 12)))[0]
    graded = np.triu(-np.ones((12, 12)), 1) + np.eye(12)
    columns = Q @ np.linalg.matrix_power(graded, 3)
    dependent = columns @ rng.normal(size=(12, 3)) * 1e-6
    Q2, _, kept = independent_columns(np.hstack([columns, dependent]))
    assert list(kept) == list(range(12))
    assert Q2.shape == (30, 12)


@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(1, 40),
    size=st.integers(1, 15),
    kind=st.sampled_from(["random", "integer", "rows of many sizes"]),
)
@settings(examples, max_examples=200)
def test_least_norm_point_is_that_of_nonnegative_least_squares(seed, n_rows, size, kind):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(n_rows, size))
    if kind == "integer":
        H = np.round(H)
    if kind == "rows of many sizes":
        H *= 10.0 ** rng.uniform(-3, 3, size=(n_rows, 1))
    h = H @ rng.normal(size=size) - rng.uniform(size=n_rows) * rng.integers(0, 2, n_rows)
    expected = naive.least_norm_point(H, h)
    for guess in (np.empty(0, dtype=np.int64), rng.integers(0, n_rows, size)):
        t, active, solved = least_norm_active_set(H, h, guess)
        assert solved
        np.testing.assert_allclose(t, expected, rtol=1e-6, atol=1e-8 * np.linalg.norm(expected))
        np.testing.assert_allclose(H[active] @ t, h[active], rtol=1e-9, atol=1e-9)


def test_least_norm_point_satisfies_its_optimality_conditions():
    rng = np.random.default_rng(0)
    H = rng.normal(size=(30, 6))
    h = H @ rng.normal(size=6) - rng.uniform(0.0, 1.0, 30)
    t, active, _ = least_norm_active_set(H, h, np.empty(0, dtype=np.int64))
    multipliers = np.linalg.lstsq(H[active].T, t, rcond=None)[0]
    assert (H @ t - h).min() >= -1e-9
    assert multipliers.min() >= -1e-9
    np.testing.assert_allclose(H[active].T @ multipliers, t, atol=1e-9)
    nothing_to_do, *_ = least_norm_active_set(H, -np.ones(30), np.arange(4))
    assert np.array_equal(nothing_to_do, np.zeros(6))


def test_contradicting_rows_have_no_least_norm_point():
    H = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    *_, solved = least_norm_active_set(H, np.ones(3), np.array([0]))
    assert not solved


def test_the_guess_does_not_change_the_canonical_optimum():
    V, y = overlapping(n=40, gap=3.0)
    basis = NestedBasis.from_arrays(V[:, :12], y)
    solution = solve_hinge_lp_path(V, y, 12)[-1]
    c = basis.signed @ (y * values(V, solution)) / 40
    rng = np.random.default_rng(0)
    expected, *_ = canonical_optimum(basis.signed, basis.weights, c, np.zeros(40), 1e-9)
    for size in (1, 5, 40):
        guess = rng.permutation(40)[:size]
        found, *_ = canonical_optimum(basis.signed, basis.weights, c, np.zeros(40), 1e-9, guess)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


def test_the_optimum_of_a_wrong_dual_point_is_looked_for_again():
    """Seen on flare_solar: a vertex whose gap was open led to an optimum of ten times the norm."""
    rng = np.random.default_rng(5)
    y = np.repeat([-1.0, 1.0], 20)
    V = rng.normal(size=(40, 6)) + 2.0 * y[:, np.newaxis]
    basis = NestedBasis.from_arrays(V, y)
    solution = solve_hinge_lp_path(V, y)[-1]
    assert solution.dual_objective == 0.0
    far, longer = np.full(7, 1e6), []
    for point in range(40):
        wrong = np.where(np.arange(40) == point, 0.5, 0.0) * basis.weights
        first, found, _ = canonical_optimum(basis.signed, basis.weights, far, wrong, 1e-9)
        answer = RawAnswer(far, wrong, "optimal", 1)
        (again,) = certify(basis, [6], [answer], "", 1e-9)
        longer.append(found and np.linalg.norm(first) > 1.01 * solution.info["norm"])
        assert again.info["norm"] == pytest.approx(solution.info["norm"], rel=1e-6)
        np.testing.assert_allclose(basis.signed @ again.variables["dual"], 0.0, atol=1e-9)
    assert sum(longer) > 10


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
    basis = NestedBasis.from_arrays(V, y, counts.ravel())
    np.testing.assert_array_equal(basis.signed[:, :16], -basis.signed[:, 16:])
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


def test_fallback_repairs_answers_without_certificate(monkeypatch):
    V, y = overlapping(n=60, gap=0.5)
    expected = objectives(solve_hinge_lp_path(V, y, 10))

    def broken(GT, weights, targets, tol):
        m, n = GT.shape
        return np.zeros((m, m)), np.zeros((m, n)), np.full(m, -1), np.zeros(0, np.int64)

    monkeypatch.setattr(_solve, "simplex_path", broken)
    repaired = solve_hinge_lp_path(V, y, 10)
    assert {solution.info["solver"] for solution in repaired} == {"highs"}
    assert objectives(repaired) == pytest.approx(expected, rel=1e-7)


def test_singular_basis_falls_back_to_highs(monkeypatch):
    V, y = overlapping(n=40)

    def singular(*arguments):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(_solve, "simplex_path", singular)
    assert solve_hinge_lp_path(V, y, 3)[-1].info["solver"] == "highs"


def test_bounded_fallback_is_certified_and_not_marked_where_the_bound_plays_no_part():
    V, y = overlapping(n=60, gap=0.5)
    expected = objectives(solve_hinge_lp_path(V, y, 8))
    basis = NestedBasis.from_arrays(V[:, :8], y)
    for d in (1, 8):
        solution = bounded_single(basis, d).require_optimal(1e-6)
        assert "bound" not in solution.info
        assert solution.primal_objective == pytest.approx(expected[d - 1], rel=1e-6)


@pytest.mark.parametrize("solve", [highs_single, bounded_single])
def test_the_certificate_of_every_fallback_can_be_held_to_the_bound(solve):
    V, y = overlapping(n=60, gap=0.5)
    assert _solve._is_optimal_within_bound(solve(NestedBasis.from_arrays(V, y), 2))


def test_an_answer_inside_of_the_bound_stands_among_others_at_the_bound():
    """The README's data, a width far too small: the loss rises, and all are held to the bound."""
    X, labels = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(X, labels)
    rows, _ = next(iter(folds))
    _, V = gram_eigh(gram(scale(X)[rows], gamma=10.0))
    path = solve_hinge_lp_path(np.sqrt(len(V)) * V[:, :5], 2.0 * labels[rows] - 1.0)
    assert {solution.info.get("bound") for solution in path} == {None, BOUND}
    losses = objectives(path)
    assert np.all(np.diff(losses) <= 1e-7 * len(V))


def test_bounded_fallback_follows_a_tiny_difference_only_up_to_the_bound():
    x, y = np.array([[1.0], [1e-9], [-1e-9]]), np.array([1.0, 1.0, -1.0])
    bounded = bounded_single(NestedBasis.from_arrays(x, y), 1).require_optimal(1e-6)
    assert 1.9 < bounded.primal_objective < 2.0
    assert bounded.info["bound"] == BOUND
    assert 0.1 * BOUND < values(x, bounded)[0] < 10.0 * BOUND
    (found,) = solve_hinge_lp_path(x, y)
    assert found.primal_objective <= bounded.primal_objective * (1 + 1e-6)


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


def test_raises_if_no_solver_certifies(monkeypatch):
    V, y = overlapping(n=40)
    stuck = solve_hinge_lp_path(V, y, 1)[0]
    unproved = replace(stuck, primal_objective=5.0, dual_objective=0.0)
    monkeypatch.setattr(_solve, "certify", lambda *arguments: [unproved])
    monkeypatch.setattr(_solve, "highs_single", lambda basis, d: unproved)
    monkeypatch.setattr(_solve, "bounded_single", lambda basis, d: unproved)
    with pytest.raises(NotOptimalError, match="relative duality gap"):
        solve_hinge_lp_path(V, y, 1)


def test_raises_if_the_objective_rises(monkeypatch):
    V, y = overlapping(n=40)
    best, *_, worst = solve_hinge_lp_path(V, y, 8)[::-1]
    monkeypatch.setattr(_solve, "certify", lambda *arguments: [best, worst])
    with pytest.raises(NotOptimalError, match="rises from"):
        solve_hinge_lp_path(V, y, 2)


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


def test_nested_basis_is_orthonormal_and_gives_back_coefficients():
    V, y = overlapping(n=30)
    w = np.linspace(1.0, 2.0, 30)
    basis = NestedBasis.from_arrays(V[:, :5], y, w)
    np.testing.assert_allclose((basis.signed * w) @ basis.signed.T, w.sum() * np.eye(6), atol=1e-9)
    coordinates = np.random.default_rng(0).normal(size=(3, 6))
    margins = basis.margins(*basis.coefficients(coordinates))
    np.testing.assert_allclose(margins, coordinates @ basis.signed, atol=1e-9)


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
