"""Each part of the interior-point method against the sentence that says what it does."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from reprolib.methods.simplex import kronecker_ipm as ipm
from reprolib.methods.simplex.kronecker_qp import times_code_gram


def small_problem(seed=0, n=6, n_classes=3):
    """K, linear terms, bounds of every kind (none, closed, finite), a start inside of them."""
    rng = np.random.default_rng(seed)
    X, B = rng.normal(size=(n, 2)), rng.normal(size=(n, n_classes))
    U = rng.uniform(0.5, 2.0, size=(n, n_classes))
    U[0], U[:, 1] = 0.0, np.inf
    start = np.where(np.isfinite(U), 0.3 * U, 0.7)
    return X, B, U, start


def iterate(seed=0):
    X, B, U, start = small_problem(seed)
    return ipm._Iterate(ipm.FactoredGram.of_features(X), B, U, start), X @ X.T, B, U


def test_first_columns_of_a_factor_and_what_they_miss_of_the_diagonal():
    X = np.array([[3.0, 4.0], [1.0, 2.0], [0.0, 5.0]])
    gram = ipm.FactoredGram.of_features(X)
    assert gram.first_rank == 2
    L, missing = gram.leading(1)
    assert (L.tolist(), missing.tolist()) == ([[3.0], [1.0], [0.0]], [16.0, 4.0, 25.0])
    assert gram.leading(2)[1].tolist() == [0.0, 0.0, 0.0]
    beyond = ipm.FactoredGram(gram.times, X, np.array([24.0, 6.0, 25.0]), 2)
    assert beyond.leading(2)[1].tolist() == [0.0, 1.0, 0.0], "round-off below zero is cut"


@pytest.mark.parametrize("more", [0, 1])
def test_wide_data_begin_with_their_principal_components(more):
    p = ipm.FIRST_COMPONENTS + more
    X = np.random.default_rng(0).normal(size=(5, p))
    gram = ipm.FactoredGram.of_features(X).divided(2.0)
    L, missing = gram.leading(3)
    rule = (ipm.SLOW_WIDE_SOLVE, ipm.WIDE_PRECISIONS) if more else (ipm.SLOW_SOLVE, ipm.PRECISIONS)
    assert (gram.slow_solve, gram.precisions) == rule
    assert gram.first_rank == ipm.FIRST_COMPONENTS
    np.testing.assert_allclose(gram.factor @ gram.factor.T, X @ X.T / 2.0)
    largest = np.linalg.eigvalsh(X @ X.T / 2.0)[-3:]
    expected = largest.sum() if more else np.sum(X[:, :3] ** 2) / 2.0
    assert np.sum(L**2) == pytest.approx(expected)
    np.testing.assert_allclose(missing, np.sum(X**2, axis=1) / 2.0 - np.sum(L**2, axis=1))


def test_a_gram_matrix_in_another_unit():
    X, Z = np.array([[3.0, 4.0], [1.0, 2.0]]), np.array([[1.0, -1.0], [0.5, 2.0]])
    K = X @ X.T
    ours = ipm.FactoredGram.of_matrix(K).divided(4.0)
    np.testing.assert_allclose(ours.times(Z), K @ Z / 4.0)
    np.testing.assert_allclose(ours.factor @ ours.factor.T, K / 4.0)
    np.testing.assert_allclose(ours.diagonal, [25.0 / 4.0, 5.0 / 4.0])
    assert ours.first_rank == ipm.FIRST_RANK


def test_the_missing_diagonal_is_added_to_that_of_the_system():
    rng = np.random.default_rng(0)
    L, D, missing = rng.normal(size=(7, 2)), rng.uniform(0.1, 9, (7, 3)), rng.uniform(0.1, 9, 7)
    inverse = ipm._Preconditioner(L, missing, D, np.ones((7, 3), dtype=bool))
    Z = rng.normal(size=D.shape)
    image = (D + missing[:, None]) * Z + times_code_gram(L @ (L.T @ Z))
    np.testing.assert_allclose(inverse(image), Z, atol=1e-12)


@pytest.mark.parametrize(("weight", "counts"), [(0.9e-3, False), (1.1e-3, True)])
def test_rows_that_the_diagonal_makes_negligible_are_left_out(weight, counts):
    """For a factor of one column the systems of the classes are numbers."""
    L, D = np.array([[1.0], [0.5]]), np.ones((2, 2))
    D[1] = 0.25 / weight
    inverse = ipm._Preconditioner(L, np.zeros(2), D, np.ones((2, 2), dtype=bool))
    expected = 1.0 / (1.0 + (weight if counts else 0.0) + 0.5)
    np.testing.assert_allclose(inverse.inverses, expected, rtol=1e-12)


def test_the_smallest_entry_of_the_diagonal_is_a_millionth_and_closed_entries_have_no_weight():
    D, is_open = np.array([[0.0, 1e-7], [2e-6, 5.0]]), np.array([[True, True], [True, False]])
    inverse = ipm._Preconditioner(np.ones((2, 1)), np.zeros(2), D, is_open)
    np.testing.assert_allclose(inverse.weights, [[1e6, 1e6], [5e5, 0.0]])


def test_an_iterate_begins_with_equal_products_of_slack_and_room():
    X, B, U = np.eye(2), np.array([[3.0, 0.0], [0.0, -1.0]]), np.array([[2.0, np.inf], [0.0, 4.0]])
    at = ipm._Iterate(ipm.FactoredGram.of_features(X), B, U, np.array([[0.5, 1.0], [9.0, 1.0]]))
    assert at.A.tolist() == [[0.5, 1.0], [0.0, 1.0]]
    # with two classes, A G has the rows (a - b, b - a)
    assert at.product.tolist() == [[-0.5, 0.5], [-1.0, 1.0]]
    assert at.rooms.tolist() == [[[0.5, 1.0], [1.0, 1.0]], [[1.5, 1.0], [1.0, 3.0]]]
    size, least = (3.5 + 0.5 + 2.0) / 3, 0.5
    np.testing.assert_allclose(
        (at.slacks * at.rooms).ravel() / (size * least), [1, 1, 0, 1, 1, 0, 0, 1]
    )
    assert at.complementarity() == pytest.approx(5 * size * least)
    np.testing.assert_allclose(at.newton_diagonal()[0], [4.0 + 4.0 / 9.0, 1.0])


@pytest.mark.parametrize("seed", range(4))
def test_newton_direction_solves_the_linearised_conditions(seed):
    """Those of the module's head, with a dense solve in place of conjugate gradients."""
    at, K, B, U = iterate(seed)
    rng = np.random.default_rng(seed + 50)
    moves = [0.1 * mask * rng.uniform(size=mask.shape) for mask in (at.open, at.live, at.live)]
    expected = [at.A + 0.5 * moves[0], at.slacks + 0.5 * moves[1], at.rooms + 0.5 * moves[2]]
    at.advance(*moves, 0.5)
    for now, then in zip((at.A, at.slacks, at.rooms), expected, strict=True):
        np.testing.assert_allclose(now, then)
    np.testing.assert_allclose(at.product, times_code_gram(K @ at.A))
    is_open, target = U > 0, 0.3
    n, n_classes = U.shape
    G = times_code_gram(np.eye(n_classes))
    seen = []

    def solve(right, precision):
        seen.append(precision)
        system = (np.kron(K, G) + np.diag(at.newton_diagonal().ravel()))[is_open.ravel()]
        dA = np.zeros(n * n_classes)
        dA[is_open.ravel()] = np.linalg.solve(
            system[:, is_open.ravel()], right.ravel()[is_open.ravel()]
        )
        return dA.reshape(n, n_classes), 17

    dA, of_slacks, of_rooms, steps = at.direction(solve, target, 0.25)
    assert (steps, seen) == (17, [0.25])
    finite = is_open & np.isfinite(U)
    for side, live in enumerate((is_open, finite)):
        product = (at.slacks * of_rooms + at.rooms * of_slacks + at.slacks * at.rooms)[side]
        np.testing.assert_allclose(product[live], target)
        sign = (1.0, -1.0)[side]
        np.testing.assert_allclose(of_rooms[side], np.where(live, sign * dA, 0.0))
    P, Q = at.slacks + of_slacks
    gradient = times_code_gram(K @ (at.A + dA)) - B
    np.testing.assert_allclose(gradient[is_open], (P - Q)[is_open], atol=1e-12)


def test_the_longest_step_keeps_slacks_and_rooms_from_falling_below_zero():
    at, _, _, _ = iterate()
    at.live = np.ones_like(at.live)
    at.slacks, at.rooms = np.full(at.live.shape, 2.0), np.full(at.live.shape, 3.0)
    still = np.zeros(at.live.shape)
    assert at.longest_step(still, still) == 1.0
    assert at.longest_step(still - 1.0, still + 5.0) == 1.0
    falling = still.copy()
    falling[0, 2, 1] = -4.0
    assert at.longest_step(falling, still) == 0.5
    assert at.longest_step(still, falling) == 0.75
    assert at.longest_step(2.0 * falling, falling) == 0.25
    at.live[0, 2, 1] = False
    assert at.longest_step(falling, falling) == 1.0


def minimised(monkeypatch, gaps, *, tol=1e-3, max_iter=40, cg_steps=()):
    """Run with given (gap, objective) pairs; A counts the steps; also what every step is given."""
    given, cg_steps = [], [*cg_steps, *[0] * 99]

    def step(at, rank, excess):
        given.append((rank, excess))
        at.A = np.full(at.A.shape, float(len(given)))
        return cg_steps[len(given) - 1]

    monkeypatch.setattr(ipm, "_newton_step", step)
    X, B, U, start = small_problem()
    pairs = iter(gaps)
    gram = ipm.FactoredGram(lambda Z: X @ (X.T @ Z), X, np.sum(X**2, axis=1), 100)
    A, iterations = ipm.minimise_interior_point(
        gram, B, U, start, gap=lambda A, product: next(pairs), tol=tol, max_iter=max_iter
    )
    return A[1, 1], iterations, given


@pytest.mark.parametrize(("gap", "stops"), [(0.5, True), (-0.5, True), (0.51, False)])
def test_the_method_stops_at_its_tolerance_on_either_side(monkeypatch, gap, stops):
    pairs = [(9.0, 2.0), (gap, 2.0), (0.0, 2.0)]
    at, iterations, _ = minimised(monkeypatch, pairs, tol=0.25)
    assert (at, iterations) == ((1.0, 1) if stops else (2.0, 2))


def test_an_objective_of_zero_says_nothing_about_a_gap(monkeypatch):
    _, iterations, _ = minimised(monkeypatch, [(0.0, 0.0), (1e-9, -1.0), (0.0, 1e-3)], tol=0.5)
    assert iterations == 2


def test_the_answer_is_the_iterate_of_the_smallest_relative_gap(monkeypatch):
    pairs = [(4.0, 1.0), (3.0, 1.0), (-2.0, 1.0), (1.0, 0.4), (2.0, 1.0), (5.0, 1.0)]
    assert minimised(monkeypatch, pairs, max_iter=6)[:2] == (2.0, 6)


@pytest.mark.parametrize("n_better", [0, 3])
def test_patience_ends_eleven_steps_after_the_smallest_gap(monkeypatch, n_better):
    """Ten steps without a smaller gap are borne."""
    gaps = [(10.0 - i, 1.0) for i in range(1 + n_better)] + [(20.0, 1.0)] * 30
    assert minimised(monkeypatch, gaps)[1] == n_better + 11
    recovered = [(10.0, 1.0)] + [(10.0, 1.0)] * 10 + [(9.0, 1.0)] + [(10.0, 1.0)] * 30
    assert minimised(monkeypatch, recovered)[1] == 22


def test_a_gap_that_is_not_finite_ends_the_method(monkeypatch):
    at, iterations, _ = minimised(monkeypatch, [(5.0, 1.0), (np.nan, 1.0)])
    assert iterations == 1
    assert at == 0.7, "the start"


def test_columns_are_doubled_after_solves_of_twenty_five_steps(monkeypatch):
    gaps = [(10.0 - i, 1.0) for i in range(6)]
    _, _, given = minimised(monkeypatch, gaps, max_iter=6, cg_steps=[24, 25, 49, 50, 0])
    assert [rank for rank, _ in given] == [100, 100, 200, 400, 1200, 1200]


def test_a_step_is_told_the_gap_over_the_sum_of_complementarity(monkeypatch):
    at, _, _, _ = iterate()
    _, _, given = minimised(monkeypatch, [(-7.0, 1.0)], max_iter=1)
    assert given[0][1] == pytest.approx(7.0 / at.complementarity())


@pytest.mark.parametrize(
    ("excess", "precision"), [(0.5, 0.03), (1.0, 0.03), (10.0, 0.003), (10.1, 0.03 / 10.1)]
)
def test_a_step_corrects_the_predictor_and_waits_where_the_solves_err(
    monkeypatch, excess, precision
):
    """Mehrotra: the cube of the share of mu that the predictor leaves; all of it at an excess."""
    at, _, _, _ = iterate()
    mu = at.complementarity() / np.count_nonzero(at.live)
    before = at.slacks, at.rooms
    calls, direction = [], at.direction

    def recorded(solve, target, precision):
        answer = direction(solve, target, precision)
        calls.append((target, precision, answer))
        return answer

    monkeypatch.setattr(at, "direction", recorded)
    ipm._newton_step(at, 2, excess)
    (first, first_precision, (_, of_slacks, of_rooms, _)), (target, second_precision, answer) = (
        calls
    )
    assert (first, first_precision) == (0.0, 0.1)
    assert second_precision == pytest.approx(precision)
    slacks, rooms = before
    longest = 1.0
    for values, changes in ((slacks, of_slacks), (rooms, of_rooms)):
        for value, change, live in zip(*map(np.ravel, (values, changes, at.live)), strict=True):
            longest = min(longest, -value / change) if live and change < 0 else longest
    left = [
        (s + longest * ds) * (r + longest * dr)
        for s, ds, r, dr, live in zip(
            *map(np.ravel, (slacks, of_slacks, rooms, of_rooms, at.live)), strict=True
        )
        if live
    ]
    aim = mu if excess > 10.0 else np.mean(left) ** 3 / mu**2
    np.testing.assert_allclose((target + of_slacks * of_rooms)[at.live], aim)
    made = (at.slacks - slacks)[at.live] / answer[1][at.live]
    smallest = np.min([at.slacks[at.live] / slacks[at.live], at.rooms[at.live] / rooms[at.live]])
    np.testing.assert_allclose(made, made[0])
    assert smallest == pytest.approx(0.01) or made[0] == pytest.approx(0.99)


def conjugate_gradients(M, right, precision, scale=1.0, inverse=lambda R: R):
    return ipm._conjugate_gradients(lambda Z: M @ Z, inverse, right, precision, scale)


@pytest.mark.parametrize("n_distinct", [1, 2, 4])
def test_conjugate_gradients_take_a_step_for_every_eigenvalue(n_distinct):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    M, right = (Q * (1.0 + np.arange(8) % n_distinct)) @ Q.T, rng.normal(size=(8, 2))
    solution, steps = conjugate_gradients(M, right, 1e-10)
    assert steps == n_distinct
    np.testing.assert_allclose(M @ solution, right, atol=1e-9)
    exact, once = conjugate_gradients(M, right, 1e-10, inverse=lambda R: np.linalg.solve(M, R))
    assert once == 1
    np.testing.assert_allclose(M @ exact, right, atol=1e-9)


def test_conjugate_gradients_stop_at_the_first_residual_that_is_small_in_its_scale(monkeypatch):
    M, right = np.diag([1.0, 10.0, 100.0]), np.ones((3, 1))
    scale = np.sqrt(np.diag(M))[:, None]
    sizes = []
    for steps in range(4):
        monkeypatch.setattr(ipm, "LONGEST_SOLVE", steps)
        solution, made = conjugate_gradients(M, right, 0.0, scale)
        assert made == steps
        sizes.append(np.linalg.norm((right - M @ solution) / scale) / np.linalg.norm(right / scale))
    monkeypatch.setattr(ipm, "LONGEST_SOLVE", 300)
    assert conjugate_gradients(M, right, 1.0, scale)[1] == 0
    for steps in (1, 2):
        assert conjugate_gradients(M, right, 1.001 * sizes[steps], scale)[1] == next(
            k for k, size in enumerate(sizes) if size <= 1.001 * sizes[steps]
        )
        assert conjugate_gradients(M, right, 0.999 * min(sizes[: steps + 1]), scale)[1] > steps


def test_a_direction_without_curvature_is_an_error():
    with pytest.raises(LinAlgError, match="curvature"):
        conjugate_gradients(np.zeros((2, 2)), np.ones((2, 1)), 0.1)
