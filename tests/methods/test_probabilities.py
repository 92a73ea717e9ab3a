"""`predict_proba`: the formula of the loss, and near the truth on data that tell."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

import reprolib

CENTRES = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])


def mixture(n_classes: int, n_samples: int = 400, seed: int = 0):
    """Gaussian classes, and their true probabilities at the points."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    X = CENTRES[y] + rng.normal(size=(n_samples, 2))
    squares = np.sum((X[:, None] - CENTRES[:n_classes]) ** 2, axis=2)
    return X, y, softmax(-0.5 * squares, axis=1)


GIVING = {
    "S-RLS": reprolib.SimplexRLSClassifier(1e-3, kernel="rbf", gamma=0.2),
    "S-RLS, leave-one-out": reprolib.SimplexRLSClassifierCV(kernel="rbf", gamma=0.2),
    "KPM, logistic": reprolib.KPMClassifier(6, loss="logistic", gamma=0.2),
    "KPM, square": reprolib.KPMClassifier(8, loss="square", gamma=0.2),
    "KPM, chosen": reprolib.KPMClassifierCV(8, loss="logistic", gamma=0.2),
    "tree lasso": reprolib.TreeLassoClassifier(alpha_ratio=0.01),
    "MCBoost": reprolib.SimplexBoostingClassifier(15, learning_rate=0.3, random_state=0),
}
REFUSING = {
    "KPM, hinge": reprolib.KPMClassifier(3),
    "SC-SVM": reprolib.SimplexConeSVC(),
    "SH-SVM": reprolib.SimplexHalfspaceSVC(),
    "KEOPS": reprolib.KEOPSClassifier(),
    "online, hinge": reprolib.SimplexSGDClassifier(random_state=0),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", GIVING)
def test_probabilities_are_near_the_true_ones(name, n_classes):
    X, y, _ = mixture(n_classes)
    X_new, _, truth = mixture(n_classes, seed=1)
    model = clone(GIVING[name]).fit(X, y)
    found = model.predict_proba(X_new)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    shares = np.full(truth.shape, 1.0 / n_classes)
    assert np.mean((found - truth) ** 2) < 0.3 * np.mean((shares - truth) ** 2)
    np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(X_new))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_least_squares_against_the_regression_of_indicators(n_classes):
    """The scores of S-RLS are those of ridge regression on centred one-hot labels."""
    X, y, _ = mixture(n_classes)
    model = reprolib.SimplexRLSClassifier(0.1).fit(X, y)
    targets = np.eye(n_classes)[y] - 1.0 / n_classes
    ridge = np.linalg.solve(X.T @ X + 0.1 * len(X) * np.eye(2), X.T @ targets)
    expected = 1.0 / n_classes + X @ ridge
    inside = expected.min(axis=1) >= 0.0
    assert inside.any()
    np.testing.assert_allclose(model.predict_proba(X)[inside], expected[inside])


def test_the_logistic_link():
    X, y, _ = mixture(2)
    model = GIVING["KPM, logistic"].fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(model.decision_function(X)))


def test_online_least_squares_gives_those_of_the_batch_method():
    X, y, _ = mixture(3)
    X = X - 1.0
    batch = reprolib.SimplexRLSClassifier(0.1).fit(X, y).predict_proba(X)
    online = reprolib.SimplexSGDClassifier(
        "least_squares", alpha=0.1, average=True, max_iter=60, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(online.predict_proba(X), batch, atol=0.03)


@pytest.mark.parametrize("name", REFUSING)
def test_a_loss_that_knows_no_probability_has_the_method_of_calibration(name):
    """The documented way: on folds, with scikit-learn's sigmoid."""
    X, y, truth = mixture(3, 150)
    assert not hasattr(REFUSING[name], "predict_proba")
    calibrated = CalibratedClassifierCV(clone(REFUSING[name]), cv=3).fit(X, y)
    found = calibrated.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.mean((found - truth) ** 2) < 0.5 * np.mean((1.0 / 3.0 - truth) ** 2)


@pytest.mark.parametrize("name", GIVING)
def test_it_says_that_it_is_not_fitted(name):
    with pytest.raises(NotFittedError):
        clone(GIVING[name]).predict_proba(np.ones((2, 2)))


def test_scores_of_probabilities():
    X, y, _ = mixture(3)
    scores = cross_val_score(GIVING["S-RLS"], X, y, scoring="neg_log_loss")
    assert scores.mean() > -log_loss(y, np.full((len(y), 3), 1.0 / 3.0))
