"""C by cross-validation, against scikit-learn's search over the same values and folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut

from reprolib import KEOPSClassifier, KEOPSClassifierCV

TREE = [[0, 1], [2, 3]]
CS = [0.01, 0.1, 1.0]
X, Y3 = make_blobs(48, 4, centers=3, cluster_std=6.0, random_state=0)
Y, GROUPS = (Y3 == 1).astype(int), np.arange(48) % 4


@pytest.mark.parametrize("scoring", [None, "roc_auc"])
def test_the_choice_is_that_of_a_grid_search(scoring):
    ours = KEOPSClassifierCV(TREE, 0.5, CS, cv=LeaveOneGroupOut(), scoring=scoring)
    ours.fit(X, Y, groups=GROUPS)
    search = GridSearchCV(KEOPSClassifier(TREE, 0.5), {"C": CS}, cv=LeaveOneGroupOut())
    search.set_params(scoring=scoring).fit(X, Y, groups=GROUPS)
    np.testing.assert_allclose(ours.cv_score_path_, search.cv_results_["mean_test_score"])
    assert search.best_params_["C"] == ours.C_
    np.testing.assert_allclose(ours.decision_function(X), search.decision_function(X))
    np.testing.assert_allclose(ours.coef_, search.best_estimator_.coef_)
    assert ours.n_selected_ == search.best_estimator_.n_selected_


def test_several_classes_share_one_C():
    ours = KEOPSClassifierCV(TREE, 0.5, CS, cv=3).fit(X, Y3)
    alone = KEOPSClassifier(TREE, 0.5, ours.C_).fit(X, Y3)
    np.testing.assert_allclose(ours.decision_function(X), alone.decision_function(X))


def test_weights_are_repetitions_of_the_rows():
    repeats = np.arange(48) % 3
    folds = [(np.flatnonzero(g != GROUPS), np.flatnonzero(g == GROUPS)) for g in range(4)]
    weighted = KEOPSClassifierCV(TREE, 0.5, CS, cv=folds).fit(X, Y, sample_weight=repeats)
    rows = np.repeat(np.arange(48), repeats)
    repeated = KEOPSClassifierCV(TREE, 0.5, CS, cv=LeaveOneGroupOut())
    repeated.fit(X[rows], Y[rows], groups=GROUPS[rows])
    np.testing.assert_allclose(weighted.cv_score_path_, repeated.cv_score_path_)
    assert weighted.C_ == repeated.C_


def test_precomputed_kernels_and_names_of_columns():
    kernels = np.array([np.outer(x, x) for x in X.T])
    given = KEOPSClassifierCV(TREE, 0.5, CS, cv=3, kernel="precomputed").fit(kernels, Y)
    frame = pd.DataFrame(X, columns=list("abcd"))
    linear = KEOPSClassifierCV(TREE, 0.5, CS, cv=3).fit(frame, Y)
    assert linear.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_allclose(given.cv_score_path_, linear.cv_score_path_)
    scores = linear.decision_function(frame)
    size = np.abs(scores).max()
    np.testing.assert_allclose(given.decision_function(kernels), scores, atol=2e-2 * size)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_default_values_follow_the_unit_of_the_data(unit):
    """EEG in volts or microvolts: the same choice."""
    plain = KEOPSClassifierCV(TREE, 0.5, cv=3).fit(X, Y)
    scaled = KEOPSClassifierCV(TREE, 0.5, cv=3).fit(unit * X, Y)
    np.testing.assert_allclose(scaled.cv_score_path_, plain.cv_score_path_)
    np.testing.assert_allclose(unit**2 * scaled.C_, plain.C_)


def test_the_default_values_count_repetitions():
    plain = KEOPSClassifierCV(TREE, 0.5, cv=3).fit(X, Y)
    weighted = KEOPSClassifierCV(TREE, 0.5, cv=3).fit(X, Y, sample_weight=np.full(48, 16.0))
    np.testing.assert_allclose(16.0 * weighted.Cs_, plain.Cs_)


def test_folds_without_a_class_are_refused():
    with pytest.raises(ValueError, match="trains without class 1; use fewer folds"):
        KEOPSClassifierCV(cv=[(np.flatnonzero(Y == 0), [0])]).fit(X, Y)
    with pytest.raises(ValueError, match=r"Cs is \[0\.0\]; give positive"):
        KEOPSClassifierCV(Cs=[0.0]).fit(X, Y)
