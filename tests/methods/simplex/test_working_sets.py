"""The descent and the interior-point method in turn: what each of them is asked for."""

import numpy as np
import pytest

from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.solution import Solution
from reprolib.methods.simplex import SimplexConeSVC, svc, svm_working_set
from reprolib.methods.simplex.svm_solver import ConeDual
from reprolib.methods.simplex.svm_working_set import FeatureAccess, KernelAccess


def solution(gap, iterations=0, status="iteration limit", n=4):
    return Solution({"A": np.zeros((n, 2))}, 1.0, 1.0 - gap, status, iterations, scale=1.0)


class FakeAccess:
    """Remembers what the descent is asked for; every other method is of a linear kernel."""

    def __init__(self, X, first, fits=True):
        self.linear, self.first, self.room, self.asked = FeatureAccess(X), first, fits, []

    def descend(self, dual, *, tol, max_iter, seed):
        self.asked.append((tol, max_iter, seed))
        return self.first

    def fits(self, n_rows):
        return self.room

    def __getattr__(self, name):
        return getattr(self.linear, name)


def run(monkeypatch, parts, latest, first, fits=True, **settings):
    """Solve with given answers of the interior-point method and of the certificates."""
    asked, certificates = [], iter(latest)

    def interior_point(dual, gram, *, tol, max_iter):
        asked.append((tol, max_iter))
        return parts[len(asked) - 1]

    def certify(dual, A, product, iterations, tol):
        return next(certificates)

    monkeypatch.setattr(svm_working_set, "solve_simplex_svm_interior_point", interior_point)
    monkeypatch.setattr(svm_working_set, "certify_multipliers", certify)
    X = np.random.default_rng(0).normal(size=(4, 2))
    access = FakeAccess(X, first, fits)
    dual = ConeDual(np.eye(2)[[0, 1, 0, 1]], 1.0)
    best = svm_working_set.solve_simplex_svm_working_set(dual, access, **settings)
    return best, access.asked, asked


def test_every_round_of_the_interior_point_method_is_twice_as_precise(monkeypatch):
    parts = [solution(0.0, n, "optimal") for n in (7, 5, 3)]
    latest = [solution(0.3), solution(-0.1), solution(0.05, status="optimal")]
    best, descents, asked = run(
        monkeypatch, parts, latest, solution(0.5, 10), tol=0.08, max_iter=100, seed=6
    )
    assert descents == [(0.08, 10, 6)]
    np.testing.assert_allclose(asked, [(0.04, 90), (0.02, 83), (0.01, 78)])
    assert (best.relative_gap, best.iterations) == (pytest.approx(0.05), 25)


def test_the_best_answer_is_that_of_the_smallest_gap_in_size(monkeypatch):
    parts = [solution(0.0, 1, "optimal"), solution(0.0, 1)]
    latest = [solution(-0.1), solution(0.2)]
    best, _, asked = run(monkeypatch, parts, latest, solution(0.5, 10), tol=1e-3)
    assert best.relative_gap == pytest.approx(-0.1)
    assert len(asked) == 2, "a part that was not solved is the last"
    assert best.iterations == 12


def test_iterations_are_those_of_both_methods_together(monkeypatch):
    parts, latest = [solution(0.0, 4, "optimal")] * 9, [solution(0.1)] * 9
    best, descents, asked = run(
        monkeypatch, parts, latest, solution(0.5, 10), tol=1e-3, max_iter=18
    )
    assert [n for _, n in asked] == [8, 4]
    assert best.iterations == 18
    _, descents, asked = run(monkeypatch, parts, latest, solution(0.5, 3), max_iter=3)
    assert (descents, asked) == ([(1e-4, 3, 0)], [])


def test_without_room_for_the_examples_the_descent_has_all_iterations(monkeypatch):
    _, descents, asked = run(monkeypatch, [], [], solution(0.5, 10), fits=False, max_iter=50)
    assert [n for _, n, _ in descents] == [10, 50]
    assert asked == []


def kernel_access(n, rows=None, most_rows=10):
    return KernelAccess(rows, rows, np.ones(n), most_rows)


@pytest.mark.parametrize(("n", "patience"), [(255, 10), (256, 20), (511, 20), (512, 30)])
def test_patience_is_ten_visits_of_every_example(n, patience):
    assert kernel_access(n).patience() == patience
    assert FeatureAccess(np.zeros((n, 2))).patience() == 10


def test_blocks_of_a_kernel_are_for_as_many_rows_as_fit():
    access = kernel_access(20, most_rows=10)
    assert access.fits(10)
    assert not access.fits(11)


@pytest.mark.parametrize("n", [1, 999, 1000, 2500])
def test_products_take_a_thousand_rows_of_the_kernel_at_a_time_and_no_idle_ones(n):
    seen, A = [], np.zeros((n + 5, 2))
    A[:n] = np.random.default_rng(0).normal(size=(n, 2))

    def rows(indices):
        seen.append(len(indices))
        return (1.0 + indices[:, None]) * np.ones(n + 5)

    product = kernel_access(n + 5, rows).times(A)
    np.testing.assert_allclose(product, np.tile((1.0 + np.arange(n)) @ A[:n], (n + 5, 1)))
    assert sum(seen) == n
    assert max(seen) <= 1000
    assert len(seen) == 1 + n // 1000


@pytest.mark.parametrize(("n", "stored"), [(10, True), (11, False)])
def test_the_gram_matrix_is_stored_if_it_fits_in_the_cache(n, stored):
    """Ten rows of ten numbers of eight bytes are 0.0008 MB."""
    svm, X = SimplexConeSVC(cache_size=8.1e-4, gamma=0.5), np.arange(float(n))[:, None]
    access, everything = svc._gram_access(svm, X), np.arange(n)
    assert access.most_rows == 10
    assert (access.block(everything) is access.block(everything)) is stored
    K = np.exp(-0.5 * (X - X.T) ** 2)
    np.testing.assert_allclose(access.diagonal, 1.0)
    np.testing.assert_allclose(access.rows(np.array([3, 1])), K[[3, 1]])
    np.testing.assert_allclose(access.block(np.array([3, 1])), K[np.ix_([3, 1], [3, 1])])


def test_the_seed_of_the_descent_is_that_of_the_stored_runs(monkeypatch):
    seeds = []

    def solve(dual, access, *, tol, max_iter, seed):
        seeds.append((tol, max_iter, seed))
        raise KeyboardInterrupt

    monkeypatch.setattr(svc, "solve_simplex_svm_working_set", solve)
    with pytest.raises(KeyboardInterrupt):
        SimplexConeSVC(tol=0.3, max_iter=17).fit([[0.0], [1.0]], [0, 1])
    assert seeds == [(0.3, 17, 209652396)]


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_every_kernel_is_the_same_one_when_it_is_given(kernel):
    rng = np.random.default_rng(2)
    X, y, X_new = rng.normal(size=(24, 3)), np.arange(24) % 3, rng.normal(size=(5, 3))
    ours = SimplexConeSVC(kernel=kernel, gamma=0.5, tol=1e-9).fit(X, y)
    K, K_new = gram(X, kernel=kernel, gamma=0.5), gram(X_new, X, kernel=kernel, gamma=0.5)
    given = SimplexConeSVC(kernel="precomputed", tol=1e-9).fit(K, y)
    expected = ours.decision_function(X_new)
    np.testing.assert_allclose(given.decision_function(K_new), expected, atol=2e-3)
    assert hasattr(ours, "coef_") == (kernel == "linear")


@pytest.mark.parametrize(("n_features", "rank"), [(2, 2), (1000, 1000), (1001, 3)])
def test_the_factor_of_thin_data_is_the_data_themselves(n_features, rank):
    X = np.random.default_rng(0).normal(size=(5, n_features))
    part = FeatureAccess(X).factored(np.array([0, 3, 4]))
    chosen = X[[0, 3, 4]]
    assert part.factor.shape == (3, rank)
    np.testing.assert_allclose(part.factor @ part.factor.T, chosen @ chosen.T)
    np.testing.assert_allclose(part.times(np.eye(3)), chosen @ chosen.T)
    np.testing.assert_allclose(part.diagonal, np.sum(chosen**2, axis=1))
