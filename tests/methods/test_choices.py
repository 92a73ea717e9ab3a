"""What users of scikit-learn, mne and nilearn expect beside fit and predict."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.svm import SVC

import reprolib
from reprolib.methods.shared.codes import decision_values
from reprolib.methods.shared.validation import ConstantClassifierWarning


def rare(n_classes=2):
    """A class that is rare, and not easily told from another."""
    sizes = [36, 8, 12][:n_classes]
    return make_blobs(sizes, 3, cluster_std=3.0, center_box=(-2, 2), random_state=3)


#: Small problems with a rare class have constant classifiers here and there.
pytestmark = pytest.mark.filterwarnings(
    "ignore::reprolib.methods.shared.validation.ConstantClassifierWarning"
)
SCORES = ["balanced_accuracy", "f1_macro", make_scorer(balanced_accuracy_score)]


@pytest.mark.parametrize("scoring", [*SCORES, "roc_auc"], ids=str)
def test_kpm_chooses_by_any_score(scoring):
    X, y = rare()
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    model = reprolib.KPMClassifierCV(4, gamma=0.1, cv=folds, scoring=scoring).fit(X, y)
    expected = [
        cross_val_score(
            reprolib.KPMClassifier(d, gamma=0.1), X, y, cv=folds, scoring=scoring
        ).mean()
        for d in (1, 2, 3, 4)
    ]
    np.testing.assert_allclose(model.cv_score_path_, expected)
    assert model.n_components_ == 1 + np.argmax(expected)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scoring", SCORES, ids=str)
def test_mkpm_chooses_by_any_score(scoring, n_classes):
    X, y = rare(n_classes)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    model = reprolib.MKPMClassifierCV(6, gamma=0.1, cv=folds, scoring=scoring).fit(X, y)
    expected = [
        cross_val_score(
            reprolib.MKPMClassifier(d, gamma=0.1), X, y, cv=folds, scoring=scoring
        ).mean()
        for d in range(1, 7)
    ]
    np.testing.assert_allclose(model.cv_score_path_[1:], expected)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_leave_one_out_chooses_by_any_score(kernel, n_classes):
    X, y = rare(n_classes)
    alphas, n = np.array([1.0, 0.1]), len(y)
    model = reprolib.SimplexRLSClassifierCV(alphas, kernel=kernel, scoring="balanced_accuracy")
    model.fit(X, y)
    for alpha, found in zip(alphas, model.loo_score_path_, strict=True):
        one = reprolib.SimplexRLSClassifier(alpha * n / (n - 1), kernel=kernel)
        expected = balanced_accuracy_score(y, cross_val_predict(one, X, y, cv=LeaveOneOut()))
        assert found == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("make", [reprolib.KPMClassifierCV, reprolib.MKPMClassifierCV])
def test_a_score_that_is_not_defined_on_a_fold_is_refused(make):
    X, y = rare()
    parts = np.where(np.arange(len(y)) % 2, 0, 1)
    parts[np.flatnonzero(y == 0)[:3]] = 2
    says = "scoring='roc_auc' is NaN on fold 2 of cv, .* stratified ones"
    with pytest.raises(ValueError, match=says):
        make(4, gamma=0.1, cv=PredefinedSplit(parts), scoring="roc_auc").fit(X, y)
    make(4, gamma=0.1, cv=PredefinedSplit(parts % 2), scoring="roc_auc").fit(X, y)


def test_a_score_that_does_not_exist_is_refused():
    X, y = rare()
    with pytest.raises(ValueError, match="scoring"):
        reprolib.KPMClassifierCV(2, scoring="beauty").fit(X, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda **kernel: reprolib.KPMClassifier(3, **kernel),
        lambda **kernel: reprolib.MKPMClassifier(3, **kernel),
        lambda **kernel: reprolib.SimplexRLSClassifier(**kernel),
        lambda **kernel: reprolib.SimplexConeSVC(**kernel),
        lambda **kernel: reprolib.NystromMKPMClassifier(random_state=0, **kernel),
    ],
)
def test_gamma_scale_is_that_of_scikit_learn(make):
    X, y = rare()
    gamma = SVC(gamma="scale").fit(X, y)._gamma
    by_word, by_value = (make(kernel="rbf", gamma=g).fit(X, y) for g in ("scale", gamma))
    np.testing.assert_allclose(by_word._kernel(X, X), by_value._kernel(X, X), rtol=1e-12)
    np.testing.assert_array_equal(by_word.predict(X), by_value.predict(X))


@pytest.mark.parametrize("center", [False, True])
def test_a_linear_kpm_has_weights_of_features(center):
    X, y = rare()
    model = reprolib.KPMClassifier(3, kernel="linear", center=center).fit(X, y)
    moved = X - X.mean(axis=0) if center else X
    expected = model.decision_function(X)
    np.testing.assert_allclose(moved @ model.coef_ + model.intercept_, expected, atol=1e-9)
    assert not hasattr(reprolib.KPMClassifier(3).fit(X, y), "coef_")


def test_a_linear_mkpm_has_weights_of_features():
    X, y = rare(3)
    model = reprolib.MKPMClassifier(6, kernel="linear", code="simplex").fit(X, y)
    near = decision_values(model.code_, X @ model.coef_.T + model.intercept_)
    np.testing.assert_allclose(model.decision_function(X), near, atol=1e-8)
    assert not hasattr(reprolib.MKPMClassifier(6).fit(X, y), "coef_")


@pytest.mark.parametrize("name", ["KPMClassifier", "MKPMClassifier", "KEOPSClassifier", "MMC"])
def test_epochs_are_refused_with_a_hint(name):
    X, y = np.zeros((20, 4, 5)), np.arange(20) % 2
    with pytest.raises(ValueError, match=r"mne.decoding.Vectorizer\(\)"):
        getattr(reprolib, name)().fit(X, y)


@pytest.mark.parametrize(
    "model",
    [
        reprolib.KPMClassifier(1, gamma=1e-3),
        reprolib.MKPMClassifier(1, gamma=1e-3),
        reprolib.SimplexRLSClassifier(100.0, kernel="poly", gamma=1e-4),
        reprolib.SimplexRLSClassifierCV([100.0], kernel="poly", gamma=1e-4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_constant_classifier_says_so(model):
    X, y = rare()
    with pytest.warns(ConstantClassifierWarning, match="same class.*weight") as seen:
        model.fit(X, y)
    assert seen[0].filename == __file__
    assert len(set(model.predict(X))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConstantClassifierWarning)
        reprolib.KPMClassifier(5, gamma=0.3, class_weight="balanced").fit(X, y)
