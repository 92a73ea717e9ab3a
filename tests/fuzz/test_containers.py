"""The same data in another container, with other class names, or in another order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import Phase, given, settings
from sklearn.base import clone

import reprolib
from tests.fuzz.estimators import ESTIMATORS, configurations, n_classes_of, outcome
from tests.fuzz.strategies import LABELS, ordinary_sets

SETTINGS = settings(
    derandomize=True, deadline=None, max_examples=4, phases=[Phase.explicit, Phase.generate]
)

DEFAULTS = [param for param in configurations() if param.id.endswith("()")]

FEATURES = [
    param
    for param in configurations()
    if param.values[0].get_params().get("kernel") != "precomputed"
]


def fitted(estimator, X, y, X_new):
    found = outcome(estimator, X, y, X_new)
    if found.error is not None:
        raise found.error
    return found


@pytest.mark.parametrize("estimator", FEATURES)
@SETTINGS
@given(indices=ordinary_sets(2))
def test_any_dense_container_gives_the_same_model(estimator, indices):
    X, y, X_new = indices
    if "tol" in estimator.get_params():
        # Another order of memory is another order of sums, and another last step.
        estimator = clone(estimator).set_params(tol=1e-10)
    expected = fitted(estimator, X, y, X_new)
    for contained in (X.astype(object), X.tolist(), np.repeat(X, 2, axis=0)[::2]):
        values = fitted(estimator, contained, y, X_new).values
        np.testing.assert_allclose(values, expected.values, atol=1e-12)
    for contained in (np.asfortranarray(X), X.astype(np.float32)):
        values = fitted(estimator, contained, y, X_new).values
        tol = 1e-12 + 1e-3 * np.abs(expected.values).max()
        np.testing.assert_allclose(values, expected.values, atol=tol)


@pytest.mark.parametrize("estimator", FEATURES)
@SETTINGS
@given(indices=ordinary_sets(2))
def test_integers_are_numbers(estimator, indices):
    X, y, X_new = indices
    X = np.round(2 * X).astype(np.int32)
    expected = fitted(estimator, X.astype(np.float64), y, X_new)
    np.testing.assert_array_equal(fitted(estimator, X, y, X_new).values, expected.values)


@pytest.mark.parametrize("estimator", FEATURES)
@SETTINGS
@given(indices=ordinary_sets(2))
def test_sparse_input_is_fitted_or_refused_by_name(estimator, indices):
    """An SVM is solved by its Gram matrix then: the two agree as far as the tolerance goes."""
    X, y, X_new = indices
    if isinstance(estimator, reprolib.SimplexConeSVC | reprolib.SimplexHalfspaceSVC):
        estimator = clone(estimator).set_params(tol=1e-13)
    found = outcome(estimator, sp.csr_array(X), y, X_new)
    if found.error is None:
        np.testing.assert_allclose(found.values, fitted(estimator, X, y, X_new).values, atol=1e-6)
    else:
        assert "dense" in str(found.error)


@pytest.mark.parametrize("estimator", FEATURES)
@pytest.mark.parametrize(
    "bad", [np.zeros(6), np.zeros((6, 2, 2)), np.full((6, 2), "a"), np.full((6, 2), 1j), None]
)
def test_what_is_no_matrix_of_numbers_is_refused(estimator, bad):
    assert outcome(estimator, bad, np.arange(6) % 2, np.zeros((3, 2))).error is not None


@pytest.mark.parametrize("estimator", FEATURES)
def test_new_data_need_the_features_of_the_training_data(estimator):
    X = np.random.default_rng(0).normal(size=(12, 3))
    found = outcome(estimator, X, np.arange(12) % 2, X[:, :2])
    assert "features" in str(found.error)
    X_new = X[:2].copy()
    X_new[0, 0] = np.nan
    assert "NaN" in str(outcome(estimator, X, np.arange(12) % 2, X_new).error)


@pytest.mark.parametrize("estimator", DEFAULTS)
@SETTINGS
@given(indices=ordinary_sets(2))
def test_class_names_do_not_matter(estimator, indices):
    X, y, X_new = indices
    expected = fitted(estimator, X, y, X_new)
    for names in LABELS.values():
        found = fitted(estimator, X, names[y], X_new)
        np.testing.assert_array_equal(found.values, expected.values)
        if found.labels is not None:
            assert found.labels.dtype == names.dtype
            np.testing.assert_array_equal(found.labels, names[expected.labels])


#: Unique solutions: (settings, greatest relative change of a decision value by round-off).
UNIQUE = {
    "KPMClassifier": ({"loss": "square", "gamma": 0.3}, 1e-6),
    "MKPMClassifier": ({"n_components": 6, "gamma": 0.3}, 1e-6),
    "SimplexRLSClassifier": ({"kernel": "rbf"}, 1e-9),
    "SimplexConeSVC": ({"tol": 1e-9}, 1e-3),
    "SimplexHalfspaceSVC": ({"tol": 1e-9, "convex_hull": False}, 1e-3),
    "TreeLassoClassifier": ({"tol": 1e-9}, 1e-3),
    "MKLClassifier": ({}, 1e-2),
}


@pytest.mark.parametrize("name", sorted(UNIQUE))
@SETTINGS
@given(indices=ordinary_sets(2, n_samples=16))
def test_the_order_of_rows_does_not_matter_where_the_solution_is_unique(name, indices):
    X, y, X_new = indices
    parameters, tol = UNIQUE[name]
    estimator = ESTIMATORS[name](**parameters)
    expected = fitted(estimator, X, y, X_new)
    order = np.random.default_rng(0).permutation(len(X))
    values = fitted(clone(estimator), X[order], y[order], X_new).values
    np.testing.assert_allclose(values, expected.values, atol=tol * np.abs(expected.values).max())


def test_binary_classifiers_refuse_three_classes():
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 3
    for param in DEFAULTS:
        if n_classes_of(param.values[0]) == 2:
            assert "binary" in str(outcome(param.values[0], X, y, X).error)
