"""MMC where its eigenproblem leaves a choice: 200 degenerate problems, and last digits."""

import dataclasses
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from reprolib.methods.mkmmc import (
    CONSTRAINTS,
    MMC,
    KernelMMC,
    MultipleKernelMMC,
    bandwidth_grid,
    leave_one_out_collapsed_path,
    leave_one_out_path,
    margin_laplacian,
    nearest_neighbor,
    nearest_neighbor_path,
    nearest_other_path,
    total_laplacian,
)
from reprolib.methods.shared.kernels import gram
from reprolib.papers.mkmmc.experiment import derive
from reprolib.papers.mkmmc.methods import OWN
from reprolib.rerun.records import to_frame
from reprolib.rerun.records.task import Measurement, Task
from reprolib.rerun.tasks.worker import row_of
from tests.naive import mkmmc as naive

N_PROBLEMS = 200


def degenerate_problem(seed):
    """Small whole numbers in one unit: dependent, constant and repeated, classes down to one."""
    rng = np.random.default_rng(seed)
    n, p, c = int(rng.integers(3, 13)), int(rng.integers(1, 7)), int(rng.integers(2, 6))
    X = rng.integers(-2, 3, size=(n, p)).astype(float)
    y = np.concatenate([np.arange(min(c, n)), rng.integers(0, c, size=max(n - c, 0))])
    for column in range(p):
        kind = rng.integers(0, 6)
        if kind == 0:
            X[:, column] = 3.0
        elif kind == 1 and column:
            X[:, column] = X[:, :column] @ rng.integers(-1, 2, size=column)
    if rng.random() < 0.4:
        X[rng.integers(n)] = X[rng.integers(n)]
    if np.ptp(X, axis=0).max() == 0.0:
        X[0, 0] += 1.0
    return X, y[rng.permutation(n)], float(rng.choice([0.0, 1.0, 3.0]))


def nudged(K, seed):
    """The matrix as another processor may have it: other last digits."""
    noise = np.random.default_rng(seed).uniform(-1, 1, size=K.shape)
    return K * (1 + 2e-16 * (noise + noise.T))


def error(ours, reference):
    m = min(len(ours), len(reference))
    return np.max(np.abs(ours[:m] - reference[:m]), initial=0.0) / np.abs(reference).max(initial=0)


def worst_error(constraint, unit):
    worst = 0.0
    for seed in range(N_PROBLEMS):
        X, y, mu = degenerate_problem(seed)
        reference = naive.linear_eigenvalues(X, y, constraint, mu)
        if not np.abs(reference).max(initial=0.0) > 0.0:
            continue
        power = 4 if constraint == "coefficient" else 2 * (constraint == "function")
        K = unit**2 * (X @ X.T)
        A, ours = CONSTRAINTS[constraint](K, margin_laplacian(y, within_weight=mu), len(y))
        assert len(ours) >= len(reference) - 1
        worst = max(worst, error(ours / unit**power, reference))
        assert np.all(np.isfinite(A))
    return worst


@pytest.mark.parametrize("unit", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_kernel_eigenvalues_of_degenerate_problems(constraint, unit):
    assert worst_error(constraint, unit) < 1e-10


@pytest.mark.parametrize("unit", [1e-50, 1.0, 1e50])
def test_eigenvalues_and_directions_of_degenerate_linear_problems(unit):
    for seed in range(N_PROBLEMS):
        X, y, mu = degenerate_problem(seed)
        Q = naive.span(X - X.mean(axis=0))
        form = Q.T @ (naive.between_scatter(X, y) - mu * naive.within_scatter(X, y)) @ Q
        reference = np.linalg.eigvalsh(form)[::-1]
        fitted = MMC(Q.shape[1], within_weight=mu).fit(unit * X, y)
        largest = np.abs(reference).max()
        np.testing.assert_allclose(
            fitted.eigenvalues_ / unit**2, reference, atol=1e-11 * max(largest, np.sum(X**2))
        )
        A = fitted.components_
        np.testing.assert_allclose(A @ A.T, np.eye(len(A)), atol=1e-10)


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_projections_of_degenerate_problems_do_not_hang_on_last_digits(constraint):
    for seed in range(N_PROBLEMS):
        X, y, mu = degenerate_problem(seed)
        K, L = gram(X, kernel="rbf", gamma=0.1), margin_laplacian(y, within_weight=mu)
        here = K @ CONSTRAINTS[constraint](K, L, len(y))[0]
        there = nudged(K, seed) @ CONSTRAINTS[constraint](nudged(K, seed), L, len(y))[0]
        np.testing.assert_allclose(there, here, atol=1e-4 * np.abs(here).max(), err_msg=str(seed))


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_symmetric_points_have_one_projection(constraint):
    angles = np.arange(6) * np.pi / 3
    X, y = np.column_stack([np.cos(angles), np.sin(angles)]), np.array([0, 1, 2, 0, 1, 2])
    for kernel in ("rbf", "linear"):
        K, L = gram(X, kernel=kernel, gamma=1.0), margin_laplacian(y)
        here = K @ CONSTRAINTS[constraint](K, L, 6)[0]
        for seed in range(5):
            other = nudged(K, seed)
            there = other @ CONSTRAINTS[constraint](other, L, 6)[0]
            np.testing.assert_allclose(there, here, atol=1e-7)


@pytest.mark.parametrize("constraint", ["coefficient", "function"])
def test_a_direction_without_scatter_is_zero_and_decides_nothing(constraint):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(60, 3)).astype(float), rng.integers(0, 2, size=60)
    K = gram(X, gamma=0.2)
    options = {"constraint": constraint, "within_weight": 50.0}
    for fitted in (
        KernelMMC(2, gamma=0.2, **options).fit(X, y),
        MultipleKernelMMC(2, gammas=[0.2], **options).fit(X, y),
    ):
        assert fitted.eigenvalues_[0] <= 1e-9
        np.testing.assert_array_equal(fitted.components_[0], 0.0)
        labels = nearest_neighbor_path(fitted.transform(X), y, fitted.transform(X))
        np.testing.assert_array_equal(labels[0], y[0])
    path = leave_one_out_path(K, y, 1, **options)
    assert path[0] == np.mean(np.where(np.arange(60) == 0, y[1], y[0]) == y)


def test_whitened_directions_beyond_c_minus_1_are_ordered_by_length():
    X, y = make_blobs([5, 3, 4, 6], n_features=7, cluster_std=3.0, random_state=3)
    K = gram(X, gamma=0.02)
    A, values = CONSTRAINTS["whitened"](K, margin_laplacian(y), 17)
    np.testing.assert_allclose(values, np.r_[np.ones(3), -np.ones(14)], atol=1e-9)
    lengths = A.T @ K @ A
    for tied in (slice(3), slice(3, 17)):
        block = lengths[tied, tied]
        np.testing.assert_allclose(block, np.diag(np.diag(block)), atol=1e-8 * block.max())
        assert np.all(np.diff(np.diag(block)) > 0)


def test_without_within_scatter_the_directions_without_classes_are_principal_components():
    X, y = make_blobs([5, 3, 4, 6], n_features=7, cluster_std=3.0, random_state=3)
    fitted = MMC(7, within_weight=0.0).fit(X, y)
    np.testing.assert_allclose(fitted.eigenvalues_[3:], 0, atol=1e-9 * fitted.eigenvalues_[0])
    scatter = np.cov(fitted.transform(X)[:, 3:].T)
    np.testing.assert_allclose(scatter, np.diag(np.diag(scatter)), atol=1e-9)
    assert np.all(np.diff(np.diag(scatter)) < 0)


@pytest.mark.parametrize("path", [nearest_neighbor_path, None])
def test_equally_near_points_are_taken_by_index_in_any_basis(path):
    train = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
    y = np.array([3, 1, 2, 0])
    test = np.array([[0.0, 0, 0], [1, 1, 1], [0.1, 0.1, 0.1], [0, 1, 1]])
    for seed in range(50):
        Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
        if path is None:
            labels = nearest_neighbor(1e7 * train @ Q, y, 1e7 * test @ Q)
        else:
            labels = path(1e7 * train @ Q, y, 1e7 * test @ Q)[-1]
        np.testing.assert_array_equal(labels, [3, 3, 3, 1])


def test_equally_near_others_are_taken_by_index_in_any_basis():
    points, y = np.eye(4), np.arange(4)
    for seed in range(50):
        Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))[0]
        np.testing.assert_array_equal(nearest_other_path(points @ Q, y)[-1], [1, 0, 0, 0])


def test_others_tie_up_to_the_tolerance_of_their_dimension():
    points, y = np.array([[0.0, 0.0], [1.0 + 1e-8, 0.0], [-1.0, 0.0]]), np.arange(3)
    assert nearest_other_path(points, y)[:, 0].tolist() == [2, 2]
    assert nearest_other_path(points, y, tol=[1e-6, 1e-12])[:, 0].tolist() == [1, 2]


def test_all_bandwidths_rank_neighbours_as_the_points_do_in_all_dimensions():
    X, y = make_blobs([9, 9, 9, 9], n_features=9, cluster_std=6.0, random_state=3)
    expected = nearest_other_path(X, y)[-1]
    for gamma in bandwidth_grid(X):
        A, _ = CONSTRAINTS["function"](gram(X, gamma=gamma), total_laplacian(36), 36)
        labels = nearest_other_path(gram(X, gamma=gamma) @ A, y)
        np.testing.assert_array_equal(labels[-1], expected)


def test_dimensions_tie_in_hits_though_their_rounded_accuracies_differ():
    paths = [[0.285714, 0.857143], [0.285714, 0.0], [0.285714, 0.0]]
    task = Task("mkmmc", "table1", "faces/orl", "pca", setting="3 train")
    rows = [
        row_of(
            dataclasses.replace(task, trial=trial),
            Measurement(OWN, 0.5, n_test=7, path=path),
            "resampled",
            0.0,
        )
        for trial, path in enumerate(paths)
    ]
    own = [row for row in derive(to_frame(rows)) if row["metric"] == "accuracy"]
    assert [row["chosen"] for row in own] == ['{"n_components": 1}'] * 3
    assert [row["value"] for row in own] == [2 / 7] * 3


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_an_indefinite_or_asymmetric_kernel_is_refused(constraint):
    y = np.array([0, 0, 1, 1])
    K = np.diag([1.0, 1.0, 1.0, -0.5])
    with pytest.raises(ValueError, match=r"precomputed.*smallest eigenvalue is -0\.5"):
        KernelMMC(kernel="precomputed", constraint=constraint).fit(K, y)
    with pytest.raises(ValueError, match="is not symmetric"):
        KernelMMC(kernel="precomputed", constraint=constraint).fit(np.triu(np.ones((4, 4))), y)
    X = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.raises(ValueError, match="'sigmoid' is not positive semidefinite"):
        KernelMMC(kernel="sigmoid", gamma=5.0, coef0=-2.0, constraint=constraint).fit(X, y)


def test_a_large_offset_changes_nothing():
    X, y = make_blobs([5, 3, 4, 6], n_features=3, cluster_std=3.0, random_state=3)
    X = np.round(X * 1024) / 1024
    offset = X + np.array([2.0**36, 0.0, -(2.0**36)])
    constant = np.column_stack([offset, np.full(len(X), 1e11 + 0.1)])
    for estimator in (MMC(2), MultipleKernelMMC(2, normalization="trace")):
        expected = estimator.fit(X, y).transform(X)
        for moved in (offset, constant):
            ours = estimator.fit(moved, y).transform(moved)
            np.testing.assert_allclose(ours, expected, atol=1e-4 * np.abs(expected).max())


def test_constant_features_leave_no_direction():
    X = np.full((7, 2), 0.1) * [1.0, 1e11]
    with pytest.raises(ValueError, match="all rows of X are the same"):
        MMC().fit(X, [0, 1, 0, 1, 0, 1, 0])


def test_leave_one_out_of_the_last_of_a_class():
    K, y = gram(np.arange(4.0)[:, None], gamma=0.5), np.array([0, 1, 1, 1])
    collapsed = leave_one_out_collapsed_path(K, y)
    path = leave_one_out_path(K, y, 1, constraint="whitened")
    assert path.tolist() == collapsed.tolist() == [0.5]


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_degenerate_fits_are_silent_or_value_errors(constraint):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(60):
            X, y, mu = degenerate_problem(seed)
            options = {"constraint": constraint, "within_weight": mu}
            for estimator in (KernelMMC(**options), MultipleKernelMMC(**options)):
                Z = estimator.fit(X, y).transform(X)
                assert Z.shape[1] == len(estimator.get_feature_names_out())
                assert np.all(np.isfinite(Z))


def test_mmc_warns_of_directions_that_are_small_beside_another():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([rng.normal(size=40), y + 0.1 * rng.normal(size=40)])
    with pytest.warns(UserWarning, match="MMC leaves out 1 directions of X"):
        MMC().fit(X * [1e6, 1.0], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MMC(2).fit(X * [1e4, 1.0], y)
        MMC(1).fit(X[:, [1, 1, 1]] + 1e3, y)


def test_an_offset_that_hides_directions_of_function_space_is_refused():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 3)) + np.eye(3)[y]
    options = {"kernel": "linear", "constraint": "function"}
    with pytest.raises(ValueError, match="finds only 1 of 2 directions; subtract"):
        KernelMMC(**options).fit(X + 1e6, y)
    centred = KernelMMC(**options).fit(X - X.mean(axis=0), y)
    np.testing.assert_allclose(centred.eigenvalues_, MMC().fit(X, y).eigenvalues_)


@pytest.mark.parametrize("constraint", ["coefficient", "function", "whitened"])
def test_a_point_that_is_one_of_two_classes_is_an_error_without_itself(constraint):
    X = np.array([0.0, 0.3, 0.7, 1.2, 2.0, 9.0])[:, None]
    y = np.array([0, 0, 0, 0, 0, 1])
    path = leave_one_out_path(gram(X), y, 1, constraint=constraint)
    assert path.tolist() == [5 / 6]
    if constraint == "whitened":
        np.testing.assert_array_equal(path, leave_one_out_collapsed_path(gram(X), y))
    with pytest.raises(ValueError, match="one class|1 class"):
        leave_one_out_path(gram(X), 0 * y, 1, constraint=constraint)
