"""Nystrom features in blocks give what the stored features give."""

from __future__ import annotations

import numpy as np
import pytest

import reprolib.methods.shared.nystrom
from reprolib.methods.kpm import KPMClassifier, NystromKPMClassifier
from reprolib.methods.mkpm import MKPMClassifier, NystromMKPMClassifier
from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import NystromSimplexRLSClassifier, SimplexRLSClassifier


def waves(n=150, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 4))
    return X, (np.floor(X[:, 0] + np.sin(3 * X[:, 1]) + 10) % n_classes).astype(int)


@pytest.fixture(params=[2**21, 200], ids=["one block", "many blocks"])
def _blocks(request, monkeypatch):
    monkeypatch.setattr(reprolib.methods.shared.nystrom, "BLOCK_ENTRIES", request.param)


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rls_is_the_linear_one_on_the_features(n_classes):
    X, y = waves(n_classes=n_classes)
    model = NystromSimplexRLSClassifier(1e-3, rank=20, gamma=0.4, random_state=3).fit(X, y)

    def features(X):
        return gram(X, model.X_fit_, gamma=0.4) @ model.feature_map_

    stored = SimplexRLSClassifier(1e-3).fit(features(X), y)
    X_new, _ = waves(seed=1)
    expected = stored.decision_function(features(X_new))
    np.testing.assert_allclose(model.decision_function(X_new), expected, atol=1e-8)


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("code", ["one-vs-all", "simplex"])
@pytest.mark.parametrize("n_components", [5, 30, None])
def test_mkpm_is_the_one_that_stores_the_features(code, n_components):
    X, y = waves()
    settings = {"rank": 20, "gamma": 0.4, "code": code, "random_state": 3}
    model = NystromMKPMClassifier(n_components, **settings).fit(X, y)
    stored = MKPMClassifier(n_components, basis="nystrom", rank_tol=1e-10, **settings).fit(X, y)
    np.testing.assert_array_equal(model.allocation_path_, stored.allocation_path_)
    np.testing.assert_allclose(model.objective_path_, stored.objective_path_, atol=1e-9)
    X_new, y_new = waves(seed=1)
    np.testing.assert_allclose(
        model.decision_function(X_new), stored.decision_function(X_new), atol=1e-6
    )
    assert model.score(X_new, y_new) == stored.score(X_new, y_new)


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("loss", ["hinge", "square", "logistic"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_kpm_with_all_rows_as_landmarks_is_that_of_the_exact_kernel(loss, weighted, n_classes):
    X, y = waves(n_classes=n_classes)
    weights = np.random.default_rng(0).integers(0, 4, size=len(y)) if weighted else None
    exact = KPMClassifier(12, loss=loss, gamma=0.4).fit(X, y, weights)
    model = NystromKPMClassifier(12, rank=len(X), loss=loss, gamma=0.4).fit(X, y, weights)
    X_new, _ = waves(seed=1)
    np.testing.assert_allclose(
        model.decision_path(X_new), exact.decision_path(X_new), atol=1e-6, rtol=1e-6
    )
    assert model.score(X_new, y) == exact.score(X_new, y)


@pytest.mark.usefixtures("_blocks")
def test_kpm_is_that_of_the_nystrom_kernel():
    X, y = waves(n_classes=2)
    model = NystromKPMClassifier(8, rank=20, gamma=0.4, random_state=3).fit(X, y)

    def features(X):
        return gram(X, model.X_fit_, gamma=0.4) @ model.feature_map_

    stored = KPMClassifier(8, kernel="linear").fit(features(X), y)
    X_new, _ = waves(seed=1)
    np.testing.assert_allclose(
        model.decision_path(X_new), stored.decision_path(features(X_new)), atol=1e-7
    )
    np.testing.assert_allclose(model.objective_path_, stored.objective_path_)


def test_equal_rows_with_both_labels_are_one_point_of_the_nystrom_kernel():
    X, y = waves(n=60, n_classes=2)
    X, y = np.vstack([X, X]), np.append(y, 1 - y)
    model = NystromKPMClassifier(20, rank=30, gamma=0.4, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.objective_path_, len(y), rtol=1e-9)


def test_more_components_than_landmarks_are_refused_with_the_remedy():
    X, y = waves(n_classes=2)
    with pytest.raises(ValueError, match="20 landmarks .* Ask for at most 20 .* raise rank"):
        NystromKPMClassifier(21, rank=20, gamma=0.4, random_state=0).fit(X, y)


def test_two_classes_and_all_landmarks_are_the_kpm_without_its_intercept():
    X, y = waves(n=60, n_classes=2)
    X, y = np.vstack([X, X]), np.append(y, 1 - y)
    X[60:] *= -1.0
    settings = {"kernel": "poly", "degree": 1, "coef0": 0.0, "gamma": 1.0}
    model = NystromMKPMClassifier(3, rank=120, code="simplex", **settings).fit(X, y)
    kpm = KPMClassifier(3, loss="square", **settings).fit(X, y)
    assert abs(kpm.intercept_) < 1e-12
    np.testing.assert_allclose(model.decision_function(X), 4 * kpm.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("estimator_class", [NystromSimplexRLSClassifier, NystromMKPMClassifier])
def test_memory_mapped_rows_give_the_same_model(estimator_class, tmp_path):
    X, y = waves()
    mapped = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    models = [estimator_class(rank=10, random_state=0).fit(rows, y) for rows in (X, mapped)]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


@pytest.mark.parametrize("estimator_class", [NystromSimplexRLSClassifier, NystromMKPMClassifier])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "precomputed"}, "'kernel' parameter .* Got 'precomputed'"),
        ({"rank": 0}, "'rank' parameter .* Got 0"),
    ],
)
def test_bad_hyperparameters_are_named(estimator_class, settings, message):
    X, y = waves(n=20)
    with pytest.raises(ValueError, match=message):
        estimator_class(**settings).fit(X, y)
    with pytest.raises(ValueError, match="kernel is zero on the landmarks"):
        estimator_class(kernel="linear").fit(np.zeros((20, 2)), y)


@pytest.mark.parametrize(("entries", "stops"), [(7, [2, 4, 6]), (2, [1, 2, 3, 4, 5]), (99, [33])])
def test_blocks_cover_the_rows_and_hold_so_many_entries(monkeypatch, entries, stops):
    monkeypatch.setattr(reprolib.methods.shared.nystrom, "BLOCK_ENTRIES", entries)
    model = NystromMKPMClassifier()
    model.X_fit_ = np.zeros((3, 1))
    blocks = model._blocks(5)
    assert [block.stop for block in blocks] == stops
    assert [block.start for block in blocks] == [0, *stops[:-1]]
