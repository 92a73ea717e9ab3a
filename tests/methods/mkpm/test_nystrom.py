"""Nystrom features in blocks give what the stored features give."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.mkpm import MKPMClassifier, NystromMKPMClassifier, _nystrom


def waves(n=150, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 4))
    return X, (np.floor(X[:, 0] + np.sin(3 * X[:, 1]) + 10) % n_classes).astype(int)


@pytest.fixture(params=[2**21, 200], ids=["one block", "many blocks"])
def _blocks(request, monkeypatch):
    monkeypatch.setattr(_nystrom, "BLOCK_ENTRIES", request.param)


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


def test_two_classes_and_all_landmarks_are_the_kpm_without_its_intercept():
    X, y = waves(n=60, n_classes=2)
    X, y = np.vstack([X, X]), np.append(y, 1 - y)
    X[60:] *= -1.0
    settings = {"kernel": "poly", "degree": 1, "coef0": 0.0, "gamma": 1.0}
    model = NystromMKPMClassifier(3, rank=120, code="simplex", **settings).fit(X, y)
    kpm = KPMClassifier(3, loss="square", **settings).fit(X, y)
    assert abs(kpm.intercept_) < 1e-12
    np.testing.assert_allclose(model.decision_function(X), 4 * kpm.decision_function(X), atol=1e-8)


def test_memory_mapped_rows_give_the_same_model(tmp_path):
    X, y = waves()
    mapped = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    models = [NystromMKPMClassifier(rank=10, random_state=0).fit(rows, y) for rows in (X, mapped)]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


def test_a_kernel_that_is_zero_on_the_landmarks_is_refused():
    with pytest.raises(ValueError, match="kernel is zero on the landmarks"):
        NystromMKPMClassifier(kernel="linear").fit(np.zeros((20, 2)), np.arange(20) % 3)
