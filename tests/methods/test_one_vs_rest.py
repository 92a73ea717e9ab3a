"""More than two classes of binary methods: scikit-learn's one-vs-rest, with weights and groups."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.model_selection import GroupKFold
from sklearn.multiclass import OneVsRestClassifier

import reprolib

X, INDICES = make_blobs(45, 4, centers=3, cluster_std=4.0, random_state=3)
Y = np.array(["ant", "bee", "cow"])[INDICES]
KERNELS = np.array([np.outer(x, x) for x in X.T])
FOLDS = [(np.arange(45)[part::2], np.arange(45)[1 - part :: 2]) for part in (0, 1)]

MODELS = {
    "KPM": reprolib.KPMClassifier(4, gamma=0.03),
    "KPM, logistic": reprolib.KPMClassifier(4, loss="logistic", kernel="linear", center=True),
    "KPM, chosen": reprolib.KPMClassifierCV(6, gamma=0.03, cv=FOLDS),
    "KEOPS": reprolib.KEOPSClassifier([[0, 1], [2, 3]], p=0.5),
    "MKL": reprolib.MKLClassifier(),
    "tree lasso": reprolib.TreeLassoClassifier([[0, 1], [2, 3]]),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_is_one_vs_rest_of_scikit_learn(name):
    ours, theirs = clone(MODELS[name]).fit(X, Y), OneVsRestClassifier(MODELS[name]).fit(X, Y)
    expected = theirs.decision_function(X)
    size = np.abs(expected).max()
    np.testing.assert_allclose(ours.decision_function(X), expected, atol=1e-8 * size)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.classes_.tolist() == ["ant", "bee", "cow"]
    assert ours.intercept_.shape == (3,)
    if hasattr(ours, "coef_"):
        assert ours.coef_.shape == (3, 4)
    if hasattr(ours, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)


def test_precomputed_kernels():
    linear = reprolib.MKLClassifier(gap_tol=1e-9, prune_tol=0.0).fit(X, Y)
    given = reprolib.MKLClassifier(gap_tol=1e-9, prune_tol=0.0, kernel="precomputed")
    scores = given.fit(KERNELS, Y).decision_function(KERNELS)
    np.testing.assert_allclose(scores, linear.decision_function(X), atol=1e-2)


@pytest.mark.parametrize("name", ["KPM", "KPM, logistic", "KEOPS", "MKL"])
def test_weights_are_repetitions_and_classes_are_named_as_they_are(name):
    model = clone(MODELS[name]).set_params(class_weight={"bee": 2.0})
    repeats = np.arange(45) % 3
    weighted = clone(model).fit(X, Y, sample_weight=repeats)
    repeated = clone(model).fit(np.repeat(X, repeats, axis=0), np.repeat(Y, repeats))
    expected = repeated.decision_function(X)
    size = np.abs(expected).max()
    np.testing.assert_allclose(weighted.decision_function(X), expected, atol=2e-2 * size)
    for index, label in enumerate(weighted.classes_):
        alone = clone(model).set_params(class_weight=None)
        alone.fit(X, label == Y, sample_weight=repeats * np.where(Y == "bee", 2.0, 1.0))
        found = weighted.decision_function(X)[:, index]
        np.testing.assert_allclose(found, alone.decision_function(X), atol=1e-8 * size)


def test_two_classes_of_positive_weight_are_a_binary_problem():
    two = (Y != "cow").astype(float)
    model = reprolib.KPMClassifier(3, gamma=0.03).fit(X, Y, sample_weight=two)
    alone = reprolib.KPMClassifier(3, gamma=0.03).fit(X[two > 0], Y[two > 0])
    assert model.classes_.tolist() == ["ant", "bee"]
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X))


def test_all_classes_are_cross_validated_on_the_same_folds():
    """Those of the labels themselves; groups serve all of them, too."""
    groups = np.arange(45) % 5
    by_group = reprolib.KPMClassifierCV(6, gamma=0.03, cv=GroupKFold(5)).fit(X, Y, groups=groups)
    folds = list(GroupKFold(5).split(X, Y, groups))
    given = reprolib.KPMClassifierCV(6, gamma=0.03, cv=folds).fit(X, Y)
    np.testing.assert_array_equal(by_group.n_components_, given.n_components_)
    assert all(len(model.cv) == 5 for model in given.estimators_)


def test_a_path_of_several_classes():
    model = reprolib.KPMClassifier(6, gamma=0.03).fit(X, Y)
    path, accuracy = model.decision_path(X), model.score_path(X, Y)
    assert path.shape == (45, 3, 6)
    np.testing.assert_allclose(path[..., -1], model.decision_function(X))
    for D in (3, 5):
        assert accuracy[D - 1] == reprolib.KPMClassifier(D, gamma=0.03).fit(X, Y).score(X, Y)
    np.testing.assert_allclose(model.error_path(X, Y), 1.0 - accuracy)


def test_two_classes_are_as_before():
    """No clones: one model with the attributes of the binary problem."""
    for name, model in MODELS.items():
        fitted = clone(model).set_params(**({"cv": 2} if "chosen" in name else {}))
        fitted.fit(X[INDICES < 2], Y[INDICES < 2])
        assert not hasattr(fitted, "estimators_")
        assert fitted.decision_function(X).shape == (45,)
        assert np.ndim(fitted.intercept_) == 0
