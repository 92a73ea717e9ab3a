import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.utils import get_tags

from reprolib.methods.shared.codes import (
    decode,
    encode,
    one_vs_all_code,
    simplex_code,
)
from reprolib.methods.shared.kernels import gram, nystrom_landmarks, nystrom_map
from reprolib.methods.simplex import (
    SimplexRLSClassifier,
    SimplexRLSClassifierCV,
    SimplexSGDClassifier,
)
from tests.naive.simplex import srls_dual, srls_leave_one_out

seeds = st.integers(0, 10_000)


def blobs(seed=0, n=40, p=3, T=4, spread=1.5):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(T), np.arange(T), rng.integers(T, size=n - 2 * T)])
    centres = np.random.default_rng(99).normal(size=(T, p)) * 2
    return centres[y] + spread * rng.normal(size=(n, p)), y


@pytest.mark.parametrize(("n", "p"), [(40, 3), (15, 30)])
def test_linear_solution_satisfies_the_normal_equations(n, p):
    X, y = blobs(1, n, p)
    model = SimplexRLSClassifier(alpha=0.1).fit(X, y)
    Y = encode(simplex_code(4), y)
    by_definition = np.linalg.solve(X.T @ X + n * 0.1 * np.eye(p), X.T @ Y)
    np.testing.assert_allclose(model.coef_.T, by_definition, atol=1e-10)
    np.testing.assert_allclose(model.dual_coef_, srls_dual(X @ X.T, Y, 0.1), atol=1e-9)


def test_kernel_solution_satisfies_the_normal_equations():
    X, y = blobs(2)
    model = SimplexRLSClassifier(alpha=0.01, kernel="rbf", gamma=0.3).fit(X, y)
    A = srls_dual(gram(X, gamma=0.3), encode(simplex_code(4), y), 0.01)
    np.testing.assert_allclose(model.dual_coef_, A, atol=1e-9)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(seed=seeds, T=st.integers(2, 6), log_alpha=st.floats(-4, 2))
def test_decodes_like_one_vs_all_ridge(seed, T, log_alpha):
    X, y = blobs(seed, T=T)
    alpha = 10.0**log_alpha
    simplex = SimplexRLSClassifier(alpha=alpha).fit(X, y).predict(X)
    for code in (one_vs_all_code(T), np.eye(T)):
        ridge = Ridge(alpha=len(X) * alpha, fit_intercept=False).fit(X, encode(code, y))
        np.testing.assert_array_equal(simplex, decode(code, ridge.predict(X).reshape(len(X), -1)))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("n", "p"), [(24, 3), (12, 30)])
def test_leave_one_out_equals_retraining_without_each_example(kernel, n, p):
    X, y = blobs(3, n, p)
    alphas = np.geomspace(10, 1e-3, 70)  # more than are computed at once
    model = SimplexRLSClassifierCV(alphas, kernel=kernel).fit(X, y)
    K, code = gram(X, kernel=kernel), simplex_code(4)
    naive = [
        np.mean(decode(code, srls_leave_one_out(K, encode(code, y), alpha)) == y)
        for alpha in alphas
    ]
    np.testing.assert_allclose(model.loo_score_path_, naive)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_leave_one_out_is_scored_by_any_score(n_classes):
    X, y = blobs(3, 30, 3)
    y %= n_classes
    name = "roc_auc" if n_classes == 2 else "roc_auc_ovr"
    alphas, code, K = np.geomspace(10, 1e-2, 4), simplex_code(n_classes), gram(X, kernel="linear")

    def score(estimator, X, y):
        return -np.mean((estimator.decision_function(X) - 0.1) ** 2)

    for scoring in (score, name) if n_classes == 2 else (score,):
        model = SimplexRLSClassifierCV(alphas, kernel="linear", scoring=scoring).fit(X, y)
        values = [srls_leave_one_out(K, encode(code, y), alpha) @ code for alpha in alphas]
        values = [v[:, 1] for v in values] if n_classes == 2 else values
        by_hand = [
            roc_auc_score(y, v) if scoring == name else -np.mean((v - 0.1) ** 2) for v in values
        ]
        np.testing.assert_allclose(model.loo_score_path_, by_hand)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_cv_refit_equals_the_plain_estimator(kernel):
    X, y = blobs(5)
    cv = SimplexRLSClassifierCV(kernel=kernel).fit(X, y)
    plain = SimplexRLSClassifier(cv.alpha_, kernel=kernel).fit(X, y)
    np.testing.assert_allclose(cv.dual_coef_, plain.dual_coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(cv.predict(X), plain.predict(X))


def test_equally_good_alphas_give_the_largest():
    X, y = blobs(6, spread=0.01)
    model = SimplexRLSClassifierCV([1e-3, 1e-5, 1e-4]).fit(X, y)
    assert model.loo_score_path_[0] == model.loo_score_path_.max()
    assert model.alpha_ == 1e-3


def test_default_alphas_span_the_spectrum():
    X, y = blobs(7)
    model = SimplexRLSClassifierCV().fit(X, y)
    singular = np.linalg.svd(X, compute_uv=False) ** 2
    assert len(model.alphas_) == 100
    np.testing.assert_allclose(
        model.alphas_[[0, -1]] * len(X), [singular.max(), singular.min()], rtol=1e-8
    )


def test_callable_alphas_receive_the_eigenvalues():
    X, y = blobs(7)
    model = SimplexRLSClassifierCV(lambda s, n: [s[-1] / n, s[0] / n]).fit(X, y)
    np.testing.assert_allclose(model.alphas_, model.eigenvalues_[[-1, 0]] / len(X))


@pytest.mark.parametrize("estimator", [SimplexRLSClassifier(), SimplexRLSClassifierCV()])
def test_sparse_and_precomputed_inputs_give_the_same_model(estimator):
    X, y = blobs(8)
    dense = clone(estimator).fit(X, y)
    sparse = clone(estimator).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-10)
    rbf = clone(estimator).set_params(kernel="rbf", gamma=0.2).fit(X, y)
    K = gram(X, gamma=0.2)
    precomputed = clone(estimator).set_params(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(precomputed.decision_function(K), rbf.decision_function(X))


def test_precomputed_gram_matrix_is_not_modified():
    X, y = blobs(8)
    K = gram(X)
    before = K.copy()
    SimplexRLSClassifierCV(kernel="precomputed").fit(K, y)
    np.testing.assert_array_equal(K, before)


def test_nystrom_features_with_all_landmarks_equal_the_kernel():
    X, y = blobs(9)
    landmarks = X[nystrom_landmarks(len(X), len(X), 0)]
    features = gram(X, landmarks, gamma=0.5) @ nystrom_map(gram(landmarks, gamma=0.5))
    low_rank = SimplexRLSClassifier(0.01).fit(features, y)
    kernel = SimplexRLSClassifier(0.01, kernel="rbf", gamma=0.5).fit(X, y)
    np.testing.assert_allclose(
        low_rank.decision_function(features), kernel.decision_function(X), atol=1e-6
    )


def test_a_class_with_one_example_counts_as_a_leave_one_out_error():
    X, y = blobs(10, spread=0.01)
    X, y = np.vstack([X, [[50.0, 50.0, 50.0]]]), np.append(y, 4)
    model = SimplexRLSClassifierCV([1e-6], kernel="rbf").fit(X, y)
    np.testing.assert_allclose(model.loo_score_path_, [len(X[:-1]) / len(X)])


def test_accuracy_on_digits():
    X, y = load_digits(return_X_y=True)
    model = SimplexRLSClassifierCV().fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) > 0.88


@pytest.mark.parametrize("alphas", [[], [1.0, 0.0], [np.inf], [[1.0, 2.0], [3.0, 4.0]]])
def test_bad_alphas_are_named(alphas):
    with pytest.raises(ValueError, match="alphas must be positive numbers"):
        SimplexRLSClassifierCV(alphas).fit(*blobs())


def test_labels_unseen_in_training_count_as_errors():
    X, y = blobs(12)
    seen = y < 3
    model = SimplexRLSClassifier().fit(X[seen], y[seen])
    assert set(model.predict(X)) <= {0, 1, 2}
    hits = np.sum(model.predict(X[seen]) == y[seen])
    assert model.score(X, y) == pytest.approx(hits / len(y))


@pytest.mark.parametrize("estimator", [SimplexRLSClassifier, SimplexSGDClassifier])
def test_nan_in_a_sparse_matrix_is_refused(estimator):
    X = sp.csr_array(np.array([[1.0, np.nan], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="NaN"):
        estimator().fit(X, [0, 1])


def test_indefinite_kernel_is_refused():
    K, y = np.array([[0.0, 1.0], [1.0, 0.0]]), [0, 1]
    with pytest.raises(ValueError, match="smallest eigenvalue is -1, its largest 1. Use a"):
        SimplexRLSClassifier(0.1, kernel="precomputed").fit(K, y)
    with pytest.raises(ValueError, match="smallest eigenvalue is -1"):
        SimplexRLSClassifierCV(kernel="precomputed").fit(K, y)


@pytest.mark.parametrize("estimator", [SimplexRLSClassifier(), SimplexRLSClassifierCV()])
def test_a_given_kernel_may_be_negative_by_round_off_only(estimator):
    tol = 4 * 100 * np.finfo(float).eps
    model = clone(estimator).set_params(kernel="precomputed")
    model.fit(np.diag([-0.99 * tol, 1.0, 0.5, 0.5]), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="X is not positive semidefinite"):
        model.fit(np.diag([-1.01 * tol, 1.0, 0.5, 0.5]), [0, 1, 0, 1])


@pytest.mark.parametrize("estimator", [SimplexRLSClassifier(), SimplexRLSClassifierCV()])
def test_kernel_functions_that_are_indefinite_are_refused_by_name(estimator):
    X, y = blobs(3)
    model = clone(estimator).set_params(kernel="sigmoid", coef0=-2)
    with pytest.raises(ValueError, match="kernel='sigmoid' is not positive semidefinite"):
        model.fit(X, y)


@pytest.mark.parametrize("estimator", [SimplexRLSClassifier(), SimplexRLSClassifierCV()])
def test_the_linear_kernel_alone_has_weights_of_features(estimator):
    X, y = blobs(3)
    for kernel in ("linear", "poly", "rbf"):
        model = clone(estimator).set_params(kernel=kernel).fit(X, y)
        assert hasattr(model, "coef_") == (kernel == "linear")
    given = clone(estimator).set_params(kernel="precomputed").fit(gram(X), y)
    assert not hasattr(given, "coef_")


@pytest.mark.parametrize("estimator", [SimplexRLSClassifier(), SimplexRLSClassifierCV()])
def test_a_given_gram_matrix_is_not_sparse(estimator):
    X, y = blobs(3)
    assert get_tags(estimator).input_tags.sparse
    given = clone(estimator).set_params(kernel="precomputed")
    assert not get_tags(given).input_tags.sparse
    with pytest.raises(TypeError, match=r"(?i)sparse"):
        given.fit(sp.csr_array(gram(X)), y)


@pytest.mark.parametrize("estimator", [SimplexRLSClassifier(), SimplexRLSClassifierCV()])
@pytest.mark.parametrize("p", [3, 60])
def test_weights_of_sparse_rows_are_those_of_dense_ones(estimator, p):
    X, y = blobs(8, p=p)
    weights = np.random.default_rng(0).integers(0, 4, size=len(y)) + 0.5
    dense = clone(estimator).fit(X, y, sample_weight=weights)
    sparse = clone(estimator).fit(sp.csr_array(X), y, sample_weight=weights)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-9)
    np.testing.assert_allclose(sparse.dual_coef_, dense.dual_coef_, atol=1e-9)
    np.testing.assert_allclose(dense.dual_coef_.T @ X, dense.coef_, atol=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_leave_one_out_values_are_those_of_one_repetition_less(kernel, n_classes):
    """Against retraining, at the same n alpha, where a score looks at the decision values."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(14, 3)), np.arange(14) % n_classes
    repeats, alphas = rng.integers(1, 4, size=14) + 0.5, np.array([1.0, 0.1])
    seen = []

    def score(estimator, X, y, sample_weight):
        seen.append((estimator.decision_function(X), sample_weight))
        return len(seen)

    model = SimplexRLSClassifierCV(alphas, kernel=kernel, scoring=score)
    model.fit(X, y, sample_weight=repeats)
    for alpha, (values, weights) in zip(alphas, seen, strict=True):
        np.testing.assert_array_equal(weights, repeats)
        for i in range(14):
            left = repeats - (np.arange(14) == i)
            without = SimplexRLSClassifier(alpha * repeats.sum() / left.sum(), kernel=kernel)
            without.fit(X, y, sample_weight=left)
            expected = without.decision_function(X[i : i + 1])[0]
            np.testing.assert_allclose(values[i], expected, atol=1e-9)


def test_zero_linear_features_are_refused():
    with pytest.raises(ValueError, match="zero; pass explicit alphas"):
        SimplexRLSClassifierCV().fit(np.zeros((5, 2)), [0, 1, 0, 1, 1])


@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_an_example_alone_in_its_class_is_an_error(scoring):
    X, y = np.array([[1.0], [1.1], [1.2], [-1.0]]), [0, 0, 1, 2]
    model = SimplexRLSClassifierCV([1.0], scoring=scoring).fit(X, y)
    assert model.loo_score_path_.tolist() == [0.0]
    weighted = SimplexRLSClassifierCV([1.0], scoring=scoring).fit(X, y, [1.0, 1.0, 1.0, 2.0])
    repeated = SimplexRLSClassifierCV([1.0], scoring=scoring).fit(X[[0, 1, 2, 3, 3]], [*y, 2])
    assert weighted.loo_score_path_.tolist() == repeated.loo_score_path_.tolist()


def test_one_of_two_classes_with_one_example_has_the_other_sign_without_it():
    X, y = np.array([[1.0], [1.1], [1.2], [-1.0]]), np.array([0, 0, 0, 1])
    for labels in (y, 1 - y):
        model = SimplexRLSClassifierCV([1e-3], scoring="accuracy").fit(X, labels)
        assert model.loo_score_path_.tolist() == [0.75]


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e13])
def test_the_grid_of_alphas_does_not_depend_on_the_unit_of_the_weights(unit):
    X, y = blobs(3)
    plain = SimplexRLSClassifierCV(kernel="rbf", gamma=0.1).fit(X, y)
    model = SimplexRLSClassifierCV(kernel="rbf", gamma=0.1).fit(X, y, np.full(len(y), unit))
    np.testing.assert_allclose(model.alphas_, plain.alphas_, rtol=1e-5)


def test_the_linear_kernel_has_no_scale():
    X, y = blobs(3)
    model = SimplexRLSClassifier(gamma="scale").fit(sp.csr_array(X), y)
    np.testing.assert_allclose(model.coef_, SimplexRLSClassifier().fit(X, y).coef_)


def with_constant(X):
    """The same rows with one more feature, which is 1 everywhere."""
    ones = np.ones((X.shape[0], 1))
    return sp.csr_array(sp.hstack([X, ones])) if sp.issparse(X) else np.hstack([X, ones])


ALPHAS = {"alphas": np.geomspace(1e-4, 1.0, 9)}
WITH_INTERCEPT = {
    "alpha": SimplexRLSClassifier(0.05, fit_intercept=True),
    "alpha by leave-one-out": SimplexRLSClassifierCV(**ALPHAS, fit_intercept=True),
    "alpha by a score": SimplexRLSClassifierCV(
        **ALPHAS, fit_intercept=True, scoring="balanced_accuracy"
    ),
    "alpha of the default grid": SimplexRLSClassifierCV(fit_intercept=True),
}


@pytest.mark.parametrize("weigh", [False, True])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("n", "p"), [(40, 3), (15, 30), (16, 15)])
@pytest.mark.parametrize("name", WITH_INTERCEPT)
def test_an_intercept_is_a_constant_feature(name, n, p, container, weigh):
    """Solved in the features, in the rows, and where the constant tips the scales."""
    X, y = blobs(3, n, p)
    X, X_new = container(X + 4.0), container(blobs(4, n, p)[0] + 4.0)
    weights = np.arange(n) % 3 + 0.5 if weigh else None
    ours = clone(WITH_INTERCEPT[name]).fit(X, y, sample_weight=weights)
    theirs = clone(ours).set_params(fit_intercept=False)
    theirs.fit(with_constant(X), y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[:, :-1], atol=1e-12)
    np.testing.assert_allclose(ours.intercept_, theirs.coef_[:, -1], atol=1e-12)
    expected = theirs.decision_function(with_constant(X_new))
    np.testing.assert_allclose(ours.decision_function(X_new), expected, atol=1e-10)
    np.testing.assert_allclose(ours.dual_coef_.sum(axis=0), ours.intercept_, atol=1e-8)
    assert ours.n_features_in_ == p
    if hasattr(ours, "alpha_"):
        assert ours.alpha_ == theirs.alpha_
        np.testing.assert_array_equal(ours.loo_score_path_, theirs.loo_score_path_)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "precomputed", np.dot])
@pytest.mark.parametrize("name", WITH_INTERCEPT)
def test_an_intercept_of_a_kernel_is_the_kernel_plus_one(name, kernel):
    X, y = blobs(5)
    X_new = blobs(6)[0]
    real = "linear" if callable(kernel) else "rbf" if kernel == "precomputed" else kernel
    K, K_new = (gram(Z, X, real, gamma=0.2) for Z in (X, X_new))
    fed, fed_new = (K, K_new) if kernel == "precomputed" else (X, X_new)
    ours = clone(WITH_INTERCEPT[name]).set_params(kernel=kernel, gamma=0.2).fit(fed, y)
    theirs = clone(ours).set_params(kernel="precomputed", fit_intercept=False).fit(K + 1.0, y)
    expected = theirs.decision_function(K_new + 1.0)
    np.testing.assert_allclose(ours.decision_function(fed_new), expected, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, ours.dual_coef_.sum(axis=0))
    np.testing.assert_array_equal(K, gram(X, X, real, gamma=0.2), "the user's matrix is changed")


def test_an_intercept_serves_data_that_are_not_centred():
    """Two classes far from the origin, on one side of it: no line through it tells them apart."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = 10.0 + y[:, None] + rng.normal(scale=0.1, size=(60, 1))
    assert SimplexRLSClassifier(1e-6, fit_intercept=True).fit(X, y).score(X, y) == 1.0
    with pytest.warns(UserWarning, match="same class"):
        without = SimplexRLSClassifier(1e-6).fit(X, y)
    assert without.score(X, y) == 0.5
    assert without.intercept_.tolist() == [0.0]
