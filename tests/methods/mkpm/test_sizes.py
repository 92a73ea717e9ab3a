"""MKPM where its blocks of rows begin and end, and random codes of every small size."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.mkpm import MKPMClassifier
from reprolib.methods.shared.codes import random_code


@pytest.mark.parametrize("n_train", [63, 64, 65, 128])
def test_pivoted_cholesky_of_full_rank_is_kernel_pca_where_all_dimensions_are_spent(n_train):
    rng = np.random.default_rng(n_train)
    X, y = rng.normal(size=(n_train, 8)), np.arange(n_train) % 3
    X_test = rng.normal(size=(64, 8))
    options = {"n_components": 3 * n_train, "gamma": 0.1}
    exact = MKPMClassifier(basis="kernel_pca", **options).fit(X, y)
    factor = MKPMClassifier(basis="cholesky", rank=n_train, **options).fit(X, y)
    assert exact.n_components_ == factor.n_components_ == 3 * n_train
    np.testing.assert_allclose(
        factor.decision_function(X_test), exact.decision_function(X_test), atol=1e-8
    )


@pytest.mark.parametrize("n_train", [63, 64, 65, 128])
def test_scores_along_the_path_are_those_of_its_predictions(n_train):
    rng = np.random.default_rng(n_train)
    X, y = rng.normal(size=(n_train, 8)), np.arange(n_train) % 3
    X_test, y_test = rng.normal(size=(64, 8)), np.arange(64) % 3
    model = MKPMClassifier(40, basis="cholesky", gamma=0.1).fit(X, y)
    accuracy = np.mean(model.predict_path(X_test) == y_test[:, None], axis=0)
    assert accuracy.shape == (41,)
    np.testing.assert_allclose(model.score_path(X_test, y_test), accuracy, rtol=1e-12)


@pytest.mark.parametrize(("n_classes", "length"), [(2, 3), (3, 4), (3, 8), (4, 5), (5, 12), (8, 9)])
def test_random_codes_have_no_dead_bit_and_no_two_classes_alike(n_classes, length):
    for seed in range(30):
        code = random_code(n_classes, length, random_state=seed)
        assert code.shape == (length, n_classes)
        assert np.all(np.ptp(code, axis=1) == 2)
        assert len(np.unique(code, axis=1).T) == n_classes
