"""MMC, kernel MMC and multiple kernel MMC against the printed formulas, and bad input."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reprolib.methods.mkmmc import (
    CONSTRAINTS,
    MMC,
    KernelMMC,
    MultipleKernelMMC,
    bandwidth_grid,
    leave_one_out_collapsed_path,
    leave_one_out_path,
    margin_laplacian,
    margin_weights,
    nearest_neighbor_path,
    nearest_other_path,
    total_laplacian,
)
from reprolib.methods.shared.kernels import center_gram, gram
from reprolib.methods.shared.solution import NotOptimalWarning
from tests.naive import mkmmc as naive


@pytest.fixture
def blobs():
    X, y = make_blobs([5, 3, 4, 6], n_features=7, cluster_std=3.0, random_state=3)
    return X, y


def distances(P, Q=None):
    Q = P if Q is None else Q
    return np.sqrt(np.sum((P[:, None] - Q) ** 2, axis=2))


def test_graph_weights_are_equation_7(blobs):
    y = blobs[1]
    np.testing.assert_allclose(margin_weights(y), naive.graph_weights(y))


@pytest.mark.parametrize("mu", [0.0, 1.0, 3.5])
def test_laplacian_is_the_difference_of_scatters(blobs, mu):
    X, y = blobs
    S_b = naive.between_scatter(X, y)
    L = margin_laplacian(y, within_weight=mu)
    np.testing.assert_allclose(X.T @ L @ X, S_b - mu * naive.within_scatter(X, y), atol=1e-9)
    L = margin_laplacian(y, within_weight=mu, within="covariance")
    np.testing.assert_allclose(X.T @ L @ X, S_b - mu * naive.within_covariance(X, y), atol=1e-9)


def test_linear_mmc_takes_no_memory_of_n_by_n():
    X, y = np.random.default_rng(0).normal(size=(5000, 3)), np.arange(5000) % 4
    tracemalloc.start()
    MMC().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * 5000**2


def test_pairwise_sums_are_twice_the_traces(blobs):
    X, y = blobs
    K = gram(X, gamma=0.05)
    A = np.random.default_rng(0).normal(size=(len(y), 3))
    L = margin_laplacian(y)
    pairwise = naive.pairwise_objective(K @ A, naive.graph_weights(y))
    assert pairwise == pytest.approx(2 * np.trace(A.T @ K @ L @ K @ A))


def test_total_laplacian_is_pca(blobs):
    X, _ = blobs
    centered = X - X.mean(axis=0)
    np.testing.assert_allclose(X.T @ total_laplacian(len(X)) @ X, centered.T @ centered)


@pytest.mark.parametrize(
    ("within", "scatter"),
    [("scatter", naive.within_scatter), ("covariance", naive.within_covariance)],
)
def test_mmc_directions_maximise_the_trace(blobs, within, scatter):
    X, y = blobs
    S = naive.between_scatter(X, y) - scatter(X, y)
    mmc = MMC(n_components=3, within=within).fit(X, y)
    A = mmc.components_.T
    np.testing.assert_allclose(A.T @ A, np.eye(3), atol=1e-12)
    assert np.trace(A.T @ S @ A) == pytest.approx(np.linalg.eigvalsh(S)[-3:].sum())
    np.testing.assert_allclose(mmc.transform(X), (X - X.mean(axis=0)) @ A)


@pytest.mark.parametrize("mu", [0.0, 1.0, 10.0])
def test_at_most_c_minus_1_eigenvalues_are_positive(blobs, mu):
    X, y = blobs
    eigenvalues = MMC(n_components=7, within_weight=mu).fit(X, y).eigenvalues_
    assert np.count_nonzero(eigenvalues > 1e-9) <= 3


def test_linear_kernel_mmc_is_mmc(blobs):
    X, y = blobs
    ours = KernelMMC(3, kernel="linear", constraint="function").fit(X, y)
    linear = MMC(3).fit(X, y)
    np.testing.assert_allclose(ours.eigenvalues_, linear.eigenvalues_)
    new = X[:5] + 1.0
    np.testing.assert_allclose(
        distances(ours.transform(new), ours.transform(X)),
        distances(linear.transform(new), linear.transform(X)),
        atol=1e-8,
    )


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_constraints_hold(blobs, constraint):
    X, y = blobs
    K = gram(X, gamma=0.02)
    A = KernelMMC(3, gamma=0.02, constraint=constraint).fit(X, y).components_.T
    metric = {
        "coefficient": np.eye(len(K)),
        "function": K,
        "whitened": K @ total_laplacian(len(K)) @ K,
    }
    np.testing.assert_allclose(A.T @ metric[constraint] @ A, np.eye(3), atol=1e-7)


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_no_feasible_direction_does_better(blobs, constraint):
    X, y = blobs
    K, L = gram(X, gamma=0.02), margin_laplacian(y)
    fitted = KernelMMC(1, gamma=0.02, constraint=constraint).fit(X, y)
    best = fitted.objective_
    A = fitted.components_.T
    assert best == pytest.approx(np.trace(A.T @ K @ L @ K @ A), rel=1e-6)
    metric = {"coefficient": np.eye(len(K)), "function": K, "whitened": K @ total_laplacian(18) @ K}
    for a in np.random.default_rng(0).normal(size=(200, len(K))):
        value = (a @ K @ L @ K @ a) / (a @ metric[constraint] @ a)
        assert value <= best + 1e-8


def test_ridge_whitening_of_a_linear_kernel_is_discriminant_analysis(blobs):
    X, y = blobs
    ours = KernelMMC(3, kernel="linear", constraint="whitened").fit(X, y).transform(X)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    theirs = lda.transform(X)[:, :3]
    theirs = theirs - theirs.mean(axis=0)
    theirs /= np.linalg.norm(theirs, axis=0)
    np.testing.assert_allclose(np.abs(np.sum(ours * theirs, axis=0)), 1, atol=1e-6)


def test_whitened_objective_is_c_minus_1_for_every_full_rank_kernel(blobs):
    X, y = blobs
    for gamma in (0.01, 0.1, 1.0):
        fitted = KernelMMC(3, gamma=gamma, constraint="whitened").fit(X, y)
        np.testing.assert_allclose(fitted.eigenvalues_, 1, atol=1e-6)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_precomputed_kernel_gives_the_same_answer(blobs, constraint, center):
    X, y = blobs
    train, test = X[::2], X[1::2]
    options = {"constraint": constraint, "center": center}
    ours = KernelMMC(2, gamma=0.05, **options).fit(train, y[::2])
    pre = KernelMMC(2, kernel="precomputed", **options).fit(gram(train, gamma=0.05), y[::2])
    np.testing.assert_allclose(
        ours.transform(test), pre.transform(gram(test, train, gamma=0.05)), atol=1e-8
    )


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_centring_is_that_of_the_gram_matrix(blobs, constraint):
    X, y = blobs
    K, new = gram(X, gamma=0.05), gram(X + 0.5, X, gamma=0.05)
    ours = KernelMMC(3, kernel="precomputed", constraint=constraint, center=True).fit(K, y)
    other = KernelMMC(3, kernel="precomputed", constraint=constraint).fit(center_gram(K), y)
    np.testing.assert_allclose(
        distances(ours.transform(new), ours.transform(K)),
        distances(other.transform(center_gram(K, new)), other.transform(center_gram(K))),
        atol=1e-6,
    )


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
@pytest.mark.parametrize("weight_step", ["local", "global"])
def test_one_kernel_is_kernel_mmc(blobs, constraint, weight_step):
    X, y = blobs
    multiple = MultipleKernelMMC(gammas=[0.05], constraint=constraint, weight_step=weight_step)
    single = KernelMMC(gamma=0.05, constraint=constraint)
    np.testing.assert_allclose(
        multiple.fit(X, y).transform(X), single.fit(X, y).transform(X), atol=1e-6
    )
    assert multiple.single_kernel_


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
@pytest.mark.parametrize("weight_step", ["local", "global"])
@pytest.mark.parametrize("normalization", [None, "trace"])
def test_objective_never_decreases_and_is_attained(blobs, constraint, weight_step, normalization):
    X, y = blobs
    options = {"weight_step": weight_step, "normalization": normalization}
    fitted = MultipleKernelMMC(constraint=constraint, **options).fit(X, y)
    assert np.all(np.diff(fitted.objective_path_) > 0)
    assert fitted.kernel_weights_.min() >= 0
    assert fitted.kernel_weights_.sum() == pytest.approx(1)
    grams = [gram(X, gamma=g) for g in fitted.gammas_]
    if normalization:
        grams = [K / np.trace(center_gram(K)) for K in grams]
    K, A = np.tensordot(fitted.kernel_weights_, grams, axes=1), fitted.components_.T
    attained = np.trace(A.T @ K @ margin_laplacian(y) @ K @ A)
    assert attained == pytest.approx(fitted.objective_path_[-1], rel=1e-5)


def test_no_other_weights_of_the_kernels_do_better_in_the_found_directions(blobs):
    """Where the length of a direction does not depend on the weights."""
    X, y = blobs
    options = {"weight_step": "global", "normalization": "trace", "tol": 1e-10}
    model = MultipleKernelMMC(3, constraint="coefficient", **options).fit(X, y)
    grams = [gram(X, gamma=g) for g in model.gammas_]
    grams = np.array([K / np.trace(center_gram(K)) for K in grams])
    L, A = margin_laplacian(y), model.components_.T

    def objective(weights):
        K = np.tensordot(weights, grams, axes=1)
        return np.trace(A.T @ K @ L @ K @ A)

    others = np.random.default_rng(0).dirichlet(np.full(len(grams), 0.3), size=300)
    best = objective(model.kernel_weights_)
    assert max(map(objective, [*others, *np.eye(len(grams))])) <= best * (1 + 1e-6)


def test_no_weight_step_is_the_uniform_average(blobs):
    X, y = blobs
    average = MultipleKernelMMC(weight_step="none").fit(X, y)
    np.testing.assert_allclose(average.kernel_weights_, 1 / 11)
    assert not average.single_kernel_
    assert len(average.objective_path_) == 1


def test_restarts_do_not_lose_and_are_seeded(blobs):
    X, y = blobs
    one = MultipleKernelMMC(normalization="trace", constraint="function").fit(X, y)
    options = {"normalization": "trace", "constraint": "function", "n_restarts": 4}
    several = [MultipleKernelMMC(**options, random_state=5).fit(X, y) for _ in range(2)]
    assert several[0].objective_path_[-1] >= one.objective_path_[-1]
    np.testing.assert_array_equal(several[0].kernel_weights_, several[1].kernel_weights_)


def test_stopping_early_warns(blobs):
    with pytest.warns(NotOptimalWarning, match="still gains after max_iter = 1") as caught:
        MultipleKernelMMC(max_iter=1).fit(*blobs)
    assert caught[0].filename == __file__, "the line that calls fit"


def test_bandwidth_grid_is_the_papers(blobs):
    X, _ = blobs
    sigma = np.mean(distances(X)[np.triu_indices(len(X), 1)])
    np.testing.assert_allclose(1 / bandwidth_grid(X), sigma**2 * 2.0 ** np.arange(-5, 6))


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_leave_one_out_is_a_refit_without_the_point(blobs, constraint):
    X, y = blobs
    K = gram(X, gamma=0.02)
    n_components = 3

    def fit(K_rest, y_rest):
        return CONSTRAINTS[constraint](K_rest, margin_laplacian(y_rest), n_components)[0]

    expected = naive.leave_one_out_predictions(fit, K, y, n_components)
    path = leave_one_out_path(K, y, n_components, constraint=constraint)
    np.testing.assert_allclose(path, (expected == y).mean(axis=1))


@pytest.mark.parametrize("constraint", ["coefficient", "function"])
def test_leave_one_out_with_a_repeated_point_is_a_refit_without_it(blobs, constraint):
    X, y = blobs[0][[*range(18), 4]], np.append(blobs[1], blobs[1][4])
    K = gram(X, gamma=0.02)

    def fit(K_rest, y_rest):
        return CONSTRAINTS[constraint](K_rest, margin_laplacian(y_rest), 3)[0]

    expected = naive.leave_one_out_predictions(fit, K, y, 3)
    path = leave_one_out_path(K, y, 3, constraint=constraint)
    np.testing.assert_allclose(path, (expected == y).mean(axis=1))


def test_more_directions_than_the_widest_kernel_spans_are_refused(blobs):
    X, y = blobs
    gammas = [1e-9, 0.05]
    assert (
        MultipleKernelMMC(17, gammas=gammas, weight_step="none").fit(X, y).eigenvalues_.size == 17
    )
    with pytest.raises(ValueError, match="n_components is 18, but the training data span 17"):
        MultipleKernelMMC(18, gammas=gammas).fit(X, y)


@pytest.mark.parametrize("gamma", [0.005, 0.02, 0.2])
def test_collapsed_leave_one_out_is_the_refit(blobs, gamma):
    X, y = blobs
    K = gram(X, gamma=gamma)
    path = leave_one_out_path(K, y, 3, constraint="whitened")
    np.testing.assert_allclose(leave_one_out_collapsed_path(K, y), path)


def test_collapsed_leave_one_out_needs_full_rank(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="18 points has rank 7"):
        leave_one_out_collapsed_path(X @ X.T, y)
    K = gram(X[[*range(18), 4]], gamma=0.02)
    with pytest.raises(ValueError, match="19 points has rank 17"):
        leave_one_out_collapsed_path(K, np.append(y, y[4]))


def test_collapsed_leave_one_out_cannot_find_a_class_of_one(blobs):
    X, y = blobs
    y = np.where(np.arange(len(y)) == 0, 9, y)
    path = leave_one_out_path(gram(X, gamma=0.02), y, 4, constraint="whitened")
    collapsed = leave_one_out_collapsed_path(gram(X, gamma=0.02), y)
    np.testing.assert_allclose(collapsed, path)
    assert collapsed.max() <= 17 / 18


def test_nearest_neighbor_path_is_one_classifier_a_dimension(blobs):
    X, y = blobs
    train, test = X[::2], X[1::2]
    path = nearest_neighbor_path(train, y[::2], test)
    for m in range(1, X.shape[1] + 1):
        knn = KNeighborsClassifier(1, algorithm="brute").fit(train[:, :m], y[::2])
        np.testing.assert_array_equal(path[m - 1], knn.predict(test[:, :m]))


def test_nearest_other_is_the_second_nearest(blobs):
    X, y = blobs
    path = nearest_other_path(X, y)
    for m in range(1, X.shape[1] + 1):
        D = distances(X[:, :m])
        np.testing.assert_array_equal(path[m - 1], y[np.argsort(D, axis=1)[:, 1]])


def test_goes_before_any_classifier(blobs):
    X, y = blobs
    for step in (MMC(), KernelMMC(gamma=0.01), MultipleKernelMMC()):
        pipeline = make_pipeline(step, KNeighborsClassifier(1)).fit(X, y)
        assert pipeline.score(X, y) == 1.0


# Bad input and faults


def test_class_with_one_example_is_accepted(blobs):
    X, y = blobs
    y = np.where(np.arange(len(y)) == 0, 9, y)
    for within in ("scatter", "covariance"):
        assert MMC(within=within).fit(X, y).transform(X).shape == (18, 4)
    path = leave_one_out_path(gram(X), y, 4, constraint="coefficient")
    assert path.max() <= 17 / 18


def test_duplicate_images_are_accepted(blobs):
    X, y = np.repeat(blobs[0], 2, axis=0), np.repeat(blobs[1], 2)
    for constraint in CONSTRAINTS:
        Z = KernelMMC(gamma=0.02, constraint=constraint).fit(X, y).transform(X)
        np.testing.assert_allclose(Z[::2], Z[1::2], atol=1e-9)


def test_more_dimensions_than_points(blobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 50)), np.array([0, 0, 1, 1, 2, 2])
    assert MMC(5).fit(X, y).components_.shape == (5, 50)
    with pytest.raises(ValueError, match="training data span 5 dimensions"):
        MMC(6).fit(X, y)
    with pytest.raises(ValueError, match="training data span 5 dimensions"):
        KernelMMC(6).fit(X, y)


def test_rank_deficient_kernel_limits_the_dimension(blobs):
    X, y = blobs
    K = X[:, :2] @ X[:, :2].T
    assert KernelMMC(kernel="precomputed").fit(K, y).components_.shape == (2, 18)
    with pytest.raises(ValueError, match="training data span 2 dimensions"):
        KernelMMC(3, kernel="precomputed").fit(K, y)


def test_zero_and_constant_kernels_are_refused(blobs):
    y = blobs[1]
    for K in (np.zeros((18, 18)), np.ones((18, 18))):
        with pytest.raises(ValueError, match="the Gram matrix is constant"):
            KernelMMC(kernel="precomputed").fit(K, y)
    with pytest.raises(ValueError, match="the Gram matrix is constant"):
        MultipleKernelMMC(gammas=[0.1, 1e-30]).fit(*blobs)


def test_identical_kernels_are_as_good_as_one(blobs):
    X, y = blobs
    single = KernelMMC(gamma=0.05).fit(X, y)
    for weight_step in ("local", "global"):
        same = MultipleKernelMMC(gammas=[0.05] * 3, weight_step=weight_step).fit(X, y)
        np.testing.assert_allclose(same.eigenvalues_, single.eigenvalues_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ridge": 0.1}, "only 'whitened' divides by a scatter"),
        ({"gammas": [1.0, 0.0]}, "give at least one positive number"),
        ({"gammas": [0.5, -1.0]}, r"gammas is \[0\.5, -1\.0\]; give at least one positive"),
        ({"gammas": []}, r"gammas is \[\]; give at least one positive number"),
        ({"gammas": [1.0, np.inf]}, "gammas"),
    ],
)
def test_bad_options_are_named(blobs, options, message):
    with pytest.raises(ValueError, match=message):
        MultipleKernelMMC(**options).fit(*blobs)


def test_equal_rows_have_no_bandwidth():
    with pytest.raises(ValueError, match="all rows of X are the same"):
        MultipleKernelMMC().fit(np.ones((4, 2)), [0, 0, 1, 1])


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_alternation_takes_as_many_steps_as_it_may(steps):
    """Three steps of these gain far more than round-off."""
    X, y = load_iris(return_X_y=True)
    X, gammas = StandardScaler().fit_transform(X), [0.1, 0.5, 2.0]
    model = MultipleKernelMMC(gammas=gammas, constraint="function", max_iter=steps, tol=0.0)
    with pytest.warns(NotOptimalWarning):
        model.fit(X, y)
    assert model.n_iter_ == steps
    assert len(model.objective_path_) == steps + 1


@pytest.mark.parametrize("options", [{"constraint": "function"}, {"normalization": "trace"}])
@pytest.mark.parametrize("center", [True, False])
def test_fits_that_share_gram_matrices_are_those_of_the_points(blobs, options, center):
    X, y = blobs
    new = X[:5] + 0.3
    gammas = [0.02, 0.1]
    model = MultipleKernelMMC(2, gammas=gammas, center=center, **options).fit(X, y)
    grams, new_grams = ([gram(Z, X, gamma=g) for g in gammas] for Z in (X, new))
    shared = MultipleKernelMMC(2, center=center, **options).fit_grams(grams, y)
    np.testing.assert_allclose(shared.kernel_weights_, model.kernel_weights_, atol=1e-6)
    np.testing.assert_allclose(shared.transform_grams(grams), model.transform(X), atol=1e-6)
    np.testing.assert_allclose(shared.transform_grams(new_grams), model.transform(new), atol=1e-6)
    np.testing.assert_allclose(model.transform_grams(new_grams), model.transform(new), atol=1e-9)


def test_gram_matrices_that_do_not_fit_are_named_with_the_remedy(blobs):
    X, y = blobs
    grams = np.array([gram(X, gamma=g) for g in (0.02, 0.1)])
    lopsided, indefinite = grams.copy(), grams.copy()
    lopsided[1, 0, 1] += 0.5
    indefinite[0] -= 0.5 * np.eye(len(X))
    not_finite = np.where(grams == grams[0, 0, 1], np.nan, grams)
    for given, message in (
        (grams[0], "grams has shape .* give .number of kernels"),
        (grams[:, :, 1:], "grams has shape"),
        (grams[:, 1:], "grams\\[0\\] has shape"),
        (lopsided, "grams\\[1\\] is not symmetric"),
        (indefinite, "grams\\[0\\]"),
        (not_finite, "not finite"),
    ):
        with pytest.raises(ValueError, match=message):
            MultipleKernelMMC().fit_grams(given, y)
    model = MultipleKernelMMC().fit_grams(grams, y)
    with pytest.raises(ValueError, match="grams has 1 kernels; give the 2 of the fit"):
        model.transform_grams(grams[:1])
    with pytest.raises(ValueError, match="give the kernels .* to transform_grams"):
        model.transform(X)
