"""What a fitted MKPM offers: its ends, its folds, given kernels, its support."""

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit

from reprolib.methods.mkpm import MKPMClassifier, MKPMClassifierCV
from reprolib.methods.shared.codes import decision_values
from reprolib.methods.shared.kernels import gram


def fitted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 4
    return MKPMClassifier(gamma=0.2, rank=8).fit(X, y), X, y


def test_allocations_from_nothing_to_all_can_be_scored():
    model, X, y = fitted()
    ends = model.score_path(X, y, [[0, 0, 0, 0], [8, 8, 8, 8]])
    np.testing.assert_array_equal(ends, model.score_path(X, y)[[0, -1]])
    with pytest.raises(ValueError, match="allocations reaches from -1 to 2; the fitted path has"):
        model.score_path(X, y, [[0, -1, 2, 0]])
    with pytest.raises(ValueError, match=r"shape \(4,\); it needs one column per bit, 4"):
        model.score_path(X, y, [0, 1, 2, 0])


def test_coefficients_are_there_from_no_dimension_to_all():
    model, _, _ = fitted()
    np.testing.assert_array_equal(model.dual_coef_at(0), np.zeros((40, 4)))
    np.testing.assert_array_equal(model.dual_coef_at(32), model.dual_coef_)
    with pytest.raises(ValueError, match="n_components is -1; the fitted path has 0 to 32"):
        model.dual_coef_at(-1)


def test_the_shortest_path_of_a_fold_is_the_length_of_them_all():
    """Folds of 14 and 8 points for training: the second has eight dimensions a bit."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(22, 3)), np.arange(22) % 2
    part = np.where(np.arange(22) < 8, 0, 1)
    model = MKPMClassifierCV(cv=PredefinedSplit(part), gamma=0.5).fit(X, y)
    assert model.cv_score_path_.shape == (17,)
    right = np.zeros(17)
    for fold in (0, 1):
        train, test = part != fold, part == fold
        alone = MKPMClassifier(gamma=0.5).fit(X[train], y[train])
        right += np.sum(alone.predict_path(X[test]) == y[test, None], axis=0)[:17]
    np.testing.assert_allclose(model.cv_score_path_, right / 22)
    assert model.n_components_ == 1 + np.argmax(right[1:])


BASES = ("kernel_pca", "nystrom", "cholesky")


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("basis", BASES)
def test_every_kernel_is_the_same_one_when_it_is_given(kernel, basis):
    rng = np.random.default_rng(2)
    y, X_new = np.arange(24) % 3, rng.normal(size=(5, 3))
    X = rng.normal(size=(24, 3)) + 2.0 * np.eye(3)[y]
    options = {"basis": basis, "rank": 3, "random_state": 0}
    ours = MKPMClassifier(6, kernel=kernel, gamma=0.5, **options).fit(X, y)
    K, K_new = gram(X, kernel=kernel, gamma=0.5), gram(X_new, X, kernel=kernel, gamma=0.5)
    given = MKPMClassifier(6, kernel="precomputed", **options).fit(K, y)
    np.testing.assert_array_equal(given.support_, ours.support_)
    np.testing.assert_allclose(
        given.decision_function(K_new), ours.decision_function(X_new), atol=1e-8
    )
    np.testing.assert_array_equal(ours.X_fit_, X[ours.support_])
    assert not hasattr(given, "X_fit_")


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_folds_of_every_kernel_are_those_of_the_given_one(kernel):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(24, 3)), np.arange(24) % 2
    ours = MKPMClassifierCV(6, kernel=kernel, gamma=0.5, cv=3).fit(X, y)
    K = gram(X, kernel=kernel, gamma=0.5)
    given = MKPMClassifierCV(6, kernel="precomputed", cv=3).fit(K, y)
    np.testing.assert_allclose(given.cv_score_path_, ours.cv_score_path_)


def test_bases_are_written_in_all_points_in_random_ones_or_in_the_longest():
    X = np.array([[1.0, 0.0], [0.0, 4.0], [3.0, 1.0], [2.0, 2.0], [0.5, 1.0]])
    X, y = np.vstack([X, 0.9 * X]), np.arange(10) % 2
    support = {
        basis: MKPMClassifier(kernel="linear", basis=basis, rank=2, rank_tol=1e-7, random_state=0)
        .fit(X, y)
        .support_.tolist()
        for basis in BASES
    }
    assert support["kernel_pca"] == [*range(10)]
    assert support["cholesky"] == [1, 2], "of what is left, (3, 0) is longer than (2, 0)"
    assert len(set(support["nystrom"])) == 2


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
@pytest.mark.parametrize("basis", BASES)
def test_the_support_is_rows_of_what_was_given(basis, kernel):
    rng = np.random.default_rng(4)
    X, y, X_new = rng.normal(size=(12, 4)), np.arange(12) % 2, rng.normal(size=(5, 4))
    weights = np.ones(12)
    weights[[0, 3, 4]] = 0.0
    given = X @ X.T if kernel == "precomputed" else X
    new = X_new @ X.T if kernel == "precomputed" else X_new
    model = MKPMClassifier(4, kernel=kernel, basis=basis, rank=3, random_state=0)
    model.fit(given, y, sample_weight=weights)
    assert set(model.support_) <= set(np.flatnonzero(weights))
    expansion = (X_new @ X.T)[:, model.support_] @ model.dual_coef_ + model.intercept_
    near = decision_values(model.code_, expansion)
    np.testing.assert_allclose(model.decision_function(new), near, atol=1e-8)
    if kernel == "linear":
        np.testing.assert_array_equal(model.X_fit_, X[model.support_])


def test_counts_take_a_list_of_weights():
    X, y = np.random.default_rng(5).normal(size=(12, 2)), np.arange(12) % 3
    model = MKPMClassifier(4, gamma=0.5).fit(X, y)
    weights = (np.arange(12) % 4).tolist()
    right = model.predict_path(X) == y[:, None]
    assert model.count_path(X, y, sample_weight=weights).tolist() == (weights @ right).tolist()
    assert model.count_path(X, y).tolist() == right.sum(axis=0).tolist()
