"""The parts of MMC by hand: ties, scale constraints, the alternation, thresholds on both sides."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.datasets import make_blobs

from reprolib.methods.mkmmc import (
    MMC,
    KernelMMC,
    MultipleKernelMMC,
    leave_one_out_hits,
    margin_laplacian,
    margin_weights,
)
from reprolib.methods.mkmmc import _alternate as alternation
from reprolib.methods.mkmmc._constraints import (
    by_length,
    get_maximiser,
    idle_to_zero,
    maximise_whitened,
    projected_size,
)
from reprolib.methods.mkmmc._eigenvectors import (
    determined_eigenvectors,
    fix_basis,
    tied_groups,
)
from reprolib.methods.mkmmc._graph import margin_without_point
from reprolib.methods.mkmmc._kernel import largest_rank, numerical_rank
from reprolib.methods.mkmmc._linear import center_columns, check_n_components
from reprolib.methods.mkmmc._nearest import (
    nearest_neighbor,
    nearest_neighbor_path,
)
from reprolib.methods.shared.kernels import center_gram, gram
from tests.naive import mkmmc as naive

# Ties


def test_neighbours_tie_up_to_a_billionth():
    values = np.array([1.0, 1.0 - 0.9e-9, 1.0 - 1.8e-9, 0.5, 0.5 - 1.1e-9, -1.0])
    groups = [(group.start, group.stop) for group in tied_groups(values)]
    assert groups == [(0, 3), (3, 4), (4, 5), (5, 6)]
    assert tied_groups(np.empty(0)) == []


def no_second(Q):
    raise AssertionError("nothing ties")


def test_eigenpairs_are_those_of_the_symmetric_part_largest_first():
    S = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -5.0]])
    rows = np.array([[1.0, 0.0, 0.1], [0.0, -1.0, -2.0]])
    vectors, values = determined_eigenvectors(S, 3, rows, no_second)
    root = np.sqrt(0.5)
    np.testing.assert_allclose(values, [2.5 + root, 2.5 - root, -5.0])
    np.testing.assert_allclose((S + S.T) / 2 @ vectors, vectors * values, atol=1e-12)
    projected = rows @ vectors
    assert np.all(projected[np.argmax(np.abs(projected), axis=0), range(3)] > 0)
    few, first = determined_eigenvectors(S, 1, rows, no_second)
    np.testing.assert_array_equal(few, vectors[:, :1])
    np.testing.assert_array_equal(first, values[:1])


@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_ties_are_settled_by_the_second_criterion_also_where_they_are_cut(n_components):
    """Of the form 3, 1, 1, 0 the second criterion puts the last of the tied directions first."""
    asked = []

    def second(Q):
        asked.append(Q.shape)
        values, rotation = np.linalg.eigh(-(Q.T @ np.diag([0.0, 0.2, 0.9, 0.0]) @ Q))
        return rotation, -values

    vectors, values = determined_eigenvectors(
        np.diag([3.0, 1.0, 1.0, 0.0]), n_components, np.eye(4), second
    )
    assert asked == ([] if n_components == 1 else [(4, 2)])
    np.testing.assert_allclose(vectors, np.eye(4)[:, [0, 2, 1, 3]][:, :n_components], atol=1e-12)
    assert values.tolist() == [3.0, 1.0, 1.0, 0.0][:n_components]


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(("apart", "ties"), [(0.9e-9, True), (1.1e-9, False)])
def test_eigenvalues_tie_for_the_size_of_the_largest(size, apart, ties):
    asked = []

    def second(Q):
        asked.append(Q.shape[1])
        return np.eye(Q.shape[1]), np.linspace(1.0, 0.5, Q.shape[1])

    form = size * np.diag([-1.0, 0.5, 0.5 - apart])
    determined_eigenvectors(form, 3, np.eye(3), second)
    assert asked == ([2] if ties else [])


def test_signs_follow_the_sample_of_largest_projection_and_idle_vectors_stay():
    rows = np.array([[1.0, 2.0, 0.0], [-3.0, 2.0, 0.0]])
    fixed = fix_basis(np.eye(3), [slice(0, 1), slice(1, 2), slice(2, 3)], rows)
    np.testing.assert_array_equal(fixed, np.diag([-1.0, 1.0, 1.0]))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("seed", range(5))
def test_full_ties_are_rotated_to_the_samples_one_after_the_other(seed, unit):
    """The largest has a first coordinate only, the largest of what is left two, and so on."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    plane = np.array([[0.0, 0.5], [2.0, 0.1], [-1.0, 1.0], [1e-9, -1e-9]])
    samples = unit * np.column_stack([plane, np.zeros((4, 2))]) @ Q.T
    basis = fix_basis(np.eye(4), [slice(0, 4)], samples)
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-12)
    found = samples @ basis / unit
    length = np.hypot(2.0, 0.1)
    np.testing.assert_allclose(found[1], [length, 0.0, 0.0, 0.0], atol=1e-12)
    along = np.array([-2.0 + 0.1, 2.0 + 0.1]) / length  # inner and outer product of the two
    np.testing.assert_allclose(found[2], [along[0], along[1], 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found[:, 2:], 0.0, atol=1e-12)
    apart = fix_basis(np.eye(4), [slice(0, 1), slice(1, 2), slice(2, 4)], samples)
    np.testing.assert_array_equal(np.abs(apart[:, :2]), np.eye(4)[:, :2])


@pytest.mark.parametrize(("nearer", "first"), [(0.9e-10, 0), (1.1e-10, 1)])
def test_points_are_equally_near_up_to_a_part_of_the_farthest(nearer, first):
    """The farthest is 100 away, and so are 1e-10 the largest difference that is a tie."""
    train = np.array([[1.0], [-1.0 + nearer], [100.0]])
    assert nearest_neighbor(train, [0, 1, 2], np.zeros((1, 1))).tolist() == [first]


@pytest.mark.parametrize("unit", [1e-160, 1e-3, 1.0, 1e150])
def test_the_nearest_in_every_dimension_is_the_first_of_the_equally_near(unit):
    rng = np.random.default_rng(0)
    train, test = rng.integers(0, 3, size=(30, 4)) * unit, rng.integers(0, 3, size=(20, 4)) * unit
    train[:, 2:] += 1e-14 * unit * rng.normal(size=(30, 2))
    path = nearest_neighbor_path(train, np.arange(30), test)
    for m in range(1, 5):
        labels = nearest_neighbor(train[:, :m], np.arange(30), test[:, :m])
        np.testing.assert_array_equal(path[m - 1], labels)


def test_nothing_is_near_where_there_is_no_training_point():
    with pytest.raises(ValueError, match="no training point"):
        nearest_neighbor_path(np.empty((0, 2)), [], np.zeros((1, 2)))


@pytest.mark.parametrize("between", ["mean", "origin"])
@pytest.mark.parametrize("mu", [0.0, 1.0, 7.0])
def test_the_margin_without_a_point_is_that_of_the_others(mu, between):
    X = np.random.default_rng(0).normal(size=(12, 4)) + 50.0
    y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 3, 0, 1, 4])
    without = margin_without_point(X, y, mu, between)
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        L = margin_laplacian(y[rest], within_weight=mu, between=between)
        np.testing.assert_allclose(without(i), X[rest].T @ L @ X[rest], atol=1e-10)


def test_about_the_origin_nothing_is_centred():
    """X(2B - I)X' with B_ij = 1/n_k inside class k: the criterion that the authors ran."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 5)) + 3.0, np.repeat([0, 1, 2], 4)
    B = np.equal.outer(y, y) / 4
    criterion = X.T @ (2 * B - np.eye(12)) @ X
    values, vectors = np.linalg.eigh(criterion)
    fitted = MMC(3, between="origin").fit(X, y)
    np.testing.assert_allclose(fitted.eigenvalues_, values[::-1][:3])
    np.testing.assert_allclose(np.abs(fitted.components_), np.abs(vectors.T[::-1][:3]), atol=1e-9)
    np.testing.assert_allclose(fitted.transform(X), X @ fitted.components_.T)
    kernel = KernelMMC(3, kernel="linear", constraint="function", between="origin").fit(X, y)
    np.testing.assert_allclose(kernel.eigenvalues_, fitted.eigenvalues_)
    np.testing.assert_allclose(np.abs(kernel.transform(X)), np.abs(fitted.transform(X)), atol=1e-9)


@pytest.mark.parametrize("constraint", ["coefficient", "function"])
def test_points_are_left_out_about_the_origin_as_by_brute_force(constraint):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 4)
    X = rng.normal(size=(12, 3)) + y[:, None]
    K = gram(X, gamma=0.3)

    def fit(K, y):
        model = KernelMMC(3, kernel="precomputed", constraint=constraint, between="origin")
        return model.fit(K, y).components_.T

    expected = naive.leave_one_out_predictions(fit, K, y, 3) == y
    hits = leave_one_out_hits(K, y, 3, range(12), constraint=constraint, between="origin")
    np.testing.assert_array_equal(np.array(list(hits)).T, expected)


def test_the_largest_rank_is_sought_until_it_is_enough():
    rng = np.random.default_rng(0)
    grams = [X @ X.T for X in (rng.normal(size=(9, r)) for r in (2, 5, 3, 7))]
    assert [largest_rank(grams, enough) for enough in (1, 2, 3, 5, 6, 7, 8)] == [
        2,
        2,
        5,
        5,
        7,
        7,
        7,
    ]
    for size in (1.0, 1e-200, 1e200):
        for constant in (np.full((9, 9), size), np.zeros((9, 9))):
            with pytest.raises(ValueError, match="all training points coincide"):
                largest_rank([*grams, constant], 2)


# Scale constraints


def test_whitened_directions_are_ordered_by_variance_with_squared_lengths_of_its_inverse():
    rotation, values = by_length(np.array([1.0, 4.0, 2.0]))(np.eye(3))
    np.testing.assert_allclose(np.abs(rotation), np.eye(3)[:, [1, 2, 0]], atol=1e-12)
    np.testing.assert_allclose(values, [1.0, 0.5, 0.25])


@pytest.mark.parametrize("ridge", [0.0, 0.1, 2.0])
def test_a_ridge_is_in_units_of_the_mean_variance(ridge):
    """Against the generalised eigenproblem in coordinates of the centred kernel."""
    X, y = make_blobs([5, 3, 4, 6], n_features=7, cluster_std=3.0, random_state=3)
    K, L = gram(X, gamma=0.05), margin_laplacian(y)
    A, values = maximise_whitened(K, L, 3, ridge=ridge)
    centred = center_gram(K)
    variances = np.sort(np.linalg.eigvalsh(centred))[1:]
    total = centred @ centred + ridge * np.mean(variances) * centred
    np.testing.assert_allclose(A.T @ total @ A, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(A.T @ K @ L @ K @ A, np.diag(values), atol=1e-9)
    np.testing.assert_allclose(A.sum(axis=0), 0.0, atol=1e-9)
    H = np.linalg.svd(centred)[0][:, :-1]
    best = eigh(H.T @ centred @ L @ centred @ H, H.T @ total @ H, eigvals_only=True)[::-1]
    np.testing.assert_allclose(values, best[:3], rtol=1e-6)
    fitted = KernelMMC(3, gamma=0.05, constraint="whitened", ridge=ridge).fit(X, y)
    np.testing.assert_allclose(fitted.eigenvalues_, values)


def test_a_ridge_without_a_scatter_is_refused_with_its_size():
    with pytest.raises(ValueError, match=r"ridge is 0\.5 with constraint 'function'; only"):
        get_maximiser("function", 0.5)


@pytest.mark.parametrize(("scatter", "kept"), [(0.9e-10, 0.0), (1.1e-10, 1.0)])
@pytest.mark.parametrize("size", [1.0, 1e20])
def test_directions_without_scatter_for_the_size_of_the_problem_are_zero(size, scatter, kept):
    """Two points a and -a have the scatter 2 a^2."""
    features = size * (np.array([[1.0], [-1.0]]) * scatter / np.sqrt(2.0) + 0.25)
    assert idle_to_zero(np.array([[1.0]]), features, size).tolist() == [[kept]]


def test_sizes_of_all_projections_by_constraint():
    K = np.diag([3.0, 4.0])
    sizes = [projected_size(K, name) for name in ("coefficient", "function", "whitened")]
    np.testing.assert_allclose(sizes, [5.0, np.sqrt(7.0), np.sqrt(2.0)])


@pytest.mark.filterwarnings("ignore:MMC leaves out")
@pytest.mark.parametrize(("small", "rank"), [(1.1e-5, 2), (0.9e-5, 1)])
def test_directions_of_a_hundred_thousandth_of_the_spread_do_not_count(small, rank):
    """Their eigenvalues are 1e-10 of the largest."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, small], [0.0, -small]]), [0, 0, 1, 1]
    assert numerical_rank(X @ X.T) == rank
    assert MMC(1).fit(X, y).components_.shape == (1, 2)
    if rank == 2:
        assert MMC(2).fit(X, y).components_.shape == (2, 2)
    else:
        expected = "n_components is 2, but the training data span 1 dimensions; give an integer "
        with pytest.raises(ValueError, match=expected + "from 1 to 1, or None"):
            MMC(2).fit(X, y)


def test_round_off_of_a_large_constant_is_no_dimension():
    centred = np.diag([1.0, -1.0, 0.0])
    K = 1e12 + np.outer(centred.diagonal(), centred.diagonal())
    assert numerical_rank(K) == 1
    noise = 1e-5 * np.outer([1.0, 1.0, -2.0], [1.0, 1.0, -2.0])  # 3 eps 1e12 are 7e-4
    with pytest.raises(ValueError, match="the Gram matrix is constant"):
        numerical_rank(1e12 + noise)


def test_number_of_directions():
    assert check_n_components(None, 5, 3) == 3
    assert check_n_components(None, 3, 5) == 2
    assert check_n_components(3, 2, 3) == 3


def test_means_are_corrected_once():
    """The sum of these is 0, then 1: what the first mean forgets, the second finds."""
    X = np.array([[1e16, 0.1], [1.0, 0.1], [-1e16, 0.1], [1.0, 0.1]])
    centred, mean = center_columns(X)
    truth = sum(map(Fraction, X[:, 0])) / 4
    assert abs(Fraction(mean[0]) - truth) < Fraction(1, 10) < abs(Fraction(X[:, 0].mean()) - truth)
    assert mean[1] == 0.1
    np.testing.assert_array_equal(centred[:, 1], 0.0)
    np.testing.assert_allclose(centred[[1, 3], 0], 0.5, atol=0.1)


@pytest.mark.parametrize("within_weight", [-0.5, np.nan])
def test_a_weight_of_the_scatter_inside_is_not_negative(within_weight):
    with pytest.raises(ValueError, match=f"within_weight is {within_weight}; give a number >= 0"):
        margin_weights([0, 0, 1], within_weight=within_weight)
    with pytest.raises(ValueError, match="within is 'both'; give 'scatter' or 'covariance'"):
        margin_weights([0, 0, 1], within="both")


# The alternation. The kernels of these are numbers: the combined one is theta_1.

KERNELS = np.array([[[1.0]], [[0.0]]])


def maximiser(values):
    """Answers in turn, with the thetas asked for."""
    asked, answers = [], iter(values)

    def maximise(K, L, n_components):
        asked.append(float(K[0, 0]))
        return np.ones((1, 1)), np.array(next(answers))

    return maximise, asked


@pytest.mark.parametrize(("gain", "accepted"), [(0.39, False), (0.41, True)])
def test_the_alternation_ends_when_it_gains_less_than_the_part_of_its_size(gain, accepted):
    """Eigenvalues 3 and -1 are of size 4, a tenth of which is the least gain."""
    first = [3.0, -1.0]
    maximise, asked = maximiser([first] + [[2.0 + gain]] * 40)
    targets = iter(np.array([[1.0, 0.0], [1.0, 0.0]]))
    found = alternation.alternate(
        KERNELS,
        np.eye(1),
        1,
        maximise,
        lambda M, theta: next(targets),
        [0.5, 0.5],
        tol=0.1,
    )
    assert found.converged
    assert found.n_iter == (2 if accepted else 1)
    np.testing.assert_allclose(found.objective_path, [2.0, 2.0 + gain][: found.n_iter])
    assert found.weights.tolist() == ([1.0, 0.0] if accepted else [0.5, 0.5])
    assert asked[:2] == [0.5, 1.0]


def test_an_alternation_that_goes_on_gaining_has_not_converged():
    maximise, _ = maximiser([[float(k)] for k in range(9)])
    found = alternation.alternate(
        KERNELS, np.eye(1), 1, maximise, lambda M, theta: theta[::-1], [0.3, 0.7], max_iter=3
    )
    assert (found.converged, found.n_iter) == (False, 3)
    assert found.objective_path.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(("behind", "first"), [(0.39, 0), (0.41, 1)])
def test_the_first_run_within_the_tolerance_of_the_best_is_taken(behind, first):
    runs = [
        alternation.Alternation(
            np.ones(1), np.ones((1, 1)), np.array([3.0, -1.0]), np.array([0.0, objective]), 1, True
        )
        for objective in (2.0 - behind, 2.0, 1.9)
    ]
    assert alternation.first_run(runs, 0.1) is runs[first]


def test_the_form_of_the_weights_is_symmetric_and_that_of_the_traces():
    rng = np.random.default_rng(0)
    grams, A, L = rng.normal(size=(3, 4, 4)), rng.normal(size=(4, 2)), rng.normal(size=(4, 4))
    M = alternation.weight_matrix(grams, L, A)
    traces = [[np.trace(A.T @ s.T @ L @ t @ A) for t in grams] for s in grams]
    np.testing.assert_allclose(M, (np.array(traces) + np.transpose(traces)) / 2)


@pytest.mark.parametrize("estimator", [MMC(), KernelMMC(), MultipleKernelMMC()])
def test_two_points_have_a_direction_and_one_has_none(estimator):
    X, y = np.array([[0.0, 1.0], [3.0, 5.0]]), [0, 1]
    Z = estimator.fit(X, y).transform(X)
    assert Z.shape == (2, 1)
    assert abs(Z[0, 0] - Z[1, 0]) > 0.1
    with pytest.raises(ValueError, match=r"minimum of 2|one sample|\[0\]"):
        estimator.fit(X[:1], y[:1])
