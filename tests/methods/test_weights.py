"""Weights of examples: a weight of 2 is two equal rows, a weight of 0 is none."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import reprolib
from reprolib.methods.shared.weights import example_weights
from reprolib.methods.simplex.losses import make_loss

#: Estimators whose answers are exact or close to it, what they are fitted with, and how near to
#: each other two answers to the same problem have to be.
EXACT = {
    "KPM, hinge": (lambda: reprolib.KPMClassifier(5, gamma=0.3), 1e-7),
    "KPM, square": (lambda: reprolib.KPMClassifier(5, gamma=0.3, loss="square"), 1e-7),
    "KPM, logistic": (lambda: reprolib.KPMClassifier(5, gamma=0.3, loss="logistic"), 1e-6),
    "KPM, centred": (lambda: reprolib.KPMClassifier(5, gamma=0.3, center=True), 1e-7),
    "KPM, features": (lambda: reprolib.KPMClassifier(3, kernel="linear", center=True), 1e-7),
    "KPM, scale": (lambda: reprolib.KPMClassifier(5, gamma="scale"), 1e-7),
    "MKL": (lambda: reprolib.MKLClassifier(0.3), 1e-4),
    "MKL, blocks": (lambda: reprolib.MKLClassifier(0.3, blocks=[0, 0, 1], gap_tol=1e-9), 1e-4),
    "KEOPS": (lambda: reprolib.KEOPSClassifier([[0, 1], [2]], p=0.5, C=0.5, gap_tol=1e-9), 1e-4),
}
MULTICLASS = {
    "MKPM": (lambda: reprolib.MKPMClassifier(9, gamma=0.3), 1e-7),
    "MKPM, hinge": (lambda: reprolib.MKPMClassifier(6, gamma=0.3, loss="hinge", rank=3), 1e-7),
    "MKPM, Cholesky": (lambda: reprolib.MKPMClassifier(9, gamma=0.3, basis="cholesky"), 1e-6),
    "S-RLS": (lambda: reprolib.SimplexRLSClassifier(1e-2), 1e-9),
    "S-RLS, kernel": (lambda: reprolib.SimplexRLSClassifier(1e-2, kernel="rbf", gamma=0.3), 1e-9),
    "S-RLS, leave-one-out": (reprolib.SimplexRLSClassifierCV, 1e-9),
    "S-RLS, leave-one-out, kernel": (
        lambda: reprolib.SimplexRLSClassifierCV(np.geomspace(1e-3, 1, 7), kernel="rbf", gamma=0.3),
        1e-9,
    ),
    "SC-SVM, kernel": (lambda: reprolib.SimplexConeSVC(2.0, gamma=0.3, tol=1e-9), 1e-4),
    "SC-SVM": (lambda: reprolib.SimplexConeSVC(2.0, kernel="linear", tol=1e-9), 1e-4),
    "SC-SVM, cvxopt": (
        lambda: reprolib.SimplexConeSVC(2.0, gamma=0.3, tol=1e-8, solver="cvxopt"),
        1e-4,
    ),
    "SC-SVM, large C": (lambda: reprolib.SimplexConeSVC(1e4, gamma=0.3, tol=1e-9), 1e-4),
    "SH-SVM, kernel": (lambda: reprolib.SimplexHalfspaceSVC(2.0, gamma=0.3, tol=1e-9), 1e-4),
    "SH-SVM, cvxopt": (
        lambda: reprolib.SimplexHalfspaceSVC(2.0, gamma=0.3, tol=1e-8, solver="cvxopt"),
        1e-4,
    ),
    "SH-SVM, no hull": (
        lambda: reprolib.SimplexHalfspaceSVC(2.0, gamma=0.3, tol=1e-9, convex_hull=False),
        1e-4,
    ),
    "MCBoost": (lambda: reprolib.SimplexBoostingClassifier(20, random_state=0), 1e-6),
    "MCBoost, coordinates": (
        lambda: reprolib.SimplexBoostingClassifier(20, update="coordinate", random_state=0),
        1e-6,
    ),
    "MKPM, Nystrom": (lambda: reprolib.NystromMKPMClassifier(9, gamma=0.3), 1e-6),
}
ESTIMATORS = {**EXACT, **MULTICLASS}


def noisy(n_classes: int = 2, seed: int = 0):
    """Rows, labels and repetitions from 0 to 3, on a problem that no method separates."""
    X, y = make_blobs(
        36, 3, centers=n_classes, cluster_std=3.0, center_box=(-2, 2), random_state=seed
    )
    return X, y, np.random.default_rng(seed).integers(0, 4, size=len(y))


def cases() -> list:
    return [
        pytest.param(make, tol, n_classes, id=f"{name}, {n_classes} classes")
        for name, (make, tol) in ESTIMATORS.items()
        for n_classes in ((2, 3) if name in MULTICLASS else (2,))
    ]


@pytest.mark.parametrize(("make", "tol", "n_classes"), cases())
def test_a_weight_is_so_many_repetitions_of_the_row(make, tol, n_classes):
    X, y, repeats = noisy(n_classes)
    weighted = make().fit(X, y, sample_weight=repeats)
    repeated = make().fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    X_new = noisy(n_classes, seed=1)[0]
    expected = repeated.decision_function(X_new)
    np.testing.assert_allclose(
        weighted.decision_function(X_new), expected, atol=tol * np.abs(expected).max()
    )
    for name in ("objective_path_", "objective_"):
        if hasattr(repeated, name):
            ours, theirs = np.atleast_1d(getattr(weighted, name), getattr(repeated, name))
            np.testing.assert_allclose(ours[-1], theirs[-1], rtol=max(tol, 1e-6), atol=1e-9)


@pytest.mark.parametrize(("make", "tol", "n_classes"), cases())
def test_a_row_of_weight_zero_is_left_out(make, tol, n_classes):
    X, y, repeats = noisy(n_classes)
    kept = repeats > 0
    with_zeros = make().fit(X, y, sample_weight=kept.astype(float))
    without = make().fit(X[kept], y[kept])
    expected = without.decision_function(X)
    np.testing.assert_allclose(
        with_zeros.decision_function(X), expected, atol=tol * np.abs(expected).max()
    )


@pytest.mark.parametrize(("make", "tol"), EXACT.values(), ids=EXACT)
def test_a_class_weight_is_the_same_sample_weight_for_a_whole_class(make, tol):
    X, y, repeats = noisy()
    by_class = make().set_params(class_weight={1: 3.0}).fit(X, y, sample_weight=repeats)
    by_row = make().fit(X, y, sample_weight=repeats * np.where(y == 1, 3.0, 1.0))
    expected = by_row.decision_function(X)
    np.testing.assert_allclose(
        by_class.decision_function(X), expected, atol=tol * np.abs(expected).max()
    )


def test_balanced_classes_are_balanced_by_their_weights():
    X, y, repeats = noisy()
    make = EXACT["KPM, hinge"][0]
    weighted, repeated = (make().set_params(class_weight="balanced") for _ in range(2))
    weighted.fit(X, y, sample_weight=repeats)
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_leave_one_out_leaves_out_one_repetition(kernel):
    """Against retraining: the total weight, and with it n alpha, stays what it was."""
    X, y, repeats = noisy(3)
    repeats, alphas = repeats + 0.5, np.array([1.0, 1e-2, 1e-3])
    model = reprolib.SimplexRLSClassifierCV(alphas, kernel=kernel)
    model.fit(X, y, sample_weight=repeats)
    right = np.zeros((len(y), len(alphas)))
    for i, j in np.ndindex(right.shape):
        left = repeats - np.where(np.arange(len(y)) == i, min(1.0, repeats[i]), 0.0)
        shift = alphas[j] * repeats.sum() / left.sum()
        without = reprolib.SimplexRLSClassifier(shift, kernel=kernel)
        without.fit(X, y, sample_weight=left)
        right[i, j] = without.predict(X[i : i + 1])[0] == y[i]
    np.testing.assert_allclose(model.loo_score_path_, repeats @ right / repeats.sum())


PRECOMPUTED = [name for name in ESTIMATORS if "hinge" in name or "kernel" in name]


@pytest.mark.parametrize("name", PRECOMPUTED)
def test_rows_of_weight_zero_are_left_out_of_a_precomputed_kernel_too(name):
    X, y, repeats = noisy()
    make, tol = ESTIMATORS[name]
    model = make().fit(X, y, sample_weight=repeats)
    K = np.exp(-model.gamma * np.sum((X[:, None] - X) ** 2, axis=2))
    given = make().set_params(kernel="precomputed").fit(K, y, sample_weight=repeats)
    np.testing.assert_allclose(given.decision_function(K), model.decision_function(X), atol=1e-7)


@pytest.mark.parametrize(
    ("class_weight", "sample_weight", "says"),
    [
        (None, [1.0, -1.0, 1.0], "negative"),
        (None, [1.0, np.nan, 1.0], "not finite"),
        (None, [0.0, 0.0, 0.0], "zero"),
        (None, [1.0, 1.0], r"shape \(2,\); .* of the 3 rows, shape \(3,\)\."),
        (None, np.ones((3, 1)), r"shape \(3, 1\)"),
        ({0: 1e308}, 1e10, "class_weight=.* negative or too large"),
        ({0: -1.0}, None, "negative"),
        ({7: 1.0}, None, "class_weight"),
    ],
)
def test_weights_that_make_no_sense_are_refused(class_weight, sample_weight, says):
    with pytest.raises(ValueError, match=says):
        example_weights([0, 1, 1], sample_weight, class_weight)


def test_weights_are_routed_through_a_pipeline_and_a_search():
    X, y, repeats = noisy()
    with config_context(enable_metadata_routing=True):
        model = reprolib.KPMClassifier(3, gamma=0.3).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        grid = {"kpmclassifier__n_components": [2, 4]}
        search = GridSearchCV(make_pipeline(scaler, model), grid, cv=3, scoring=scorer)
        search.fit(X, y, sample_weight=repeats + 1.0)
    alone = search.best_estimator_[-1]
    expected = reprolib.KPMClassifier(**alone.get_params()).fit(
        search.best_estimator_[0].transform(X), y, sample_weight=repeats + 1.0
    )
    np.testing.assert_allclose(alone.dual_coef_, expected.dual_coef_)


CROSS_VALIDATED = {
    "KPM": lambda cv: reprolib.KPMClassifierCV(6, gamma=0.3, cv=cv),
    "MKPM": lambda cv: reprolib.MKPMClassifierCV(9, gamma=0.3, cv=cv),
}


@pytest.mark.parametrize("name", CROSS_VALIDATED)
def test_cross_validation_counts_by_weight_and_takes_groups(name):
    X, y, repeats = noisy()
    runs = np.arange(len(y)) % 3
    weighted = CROSS_VALIDATED[name](LeaveOneGroupOut())
    weighted.fit(X, y, sample_weight=repeats, groups=runs)
    repeated = CROSS_VALIDATED[name](LeaveOneGroupOut())
    repeated.fit(
        *(np.repeat(rows, repeats, axis=0) for rows in (X, y)), groups=np.repeat(runs, repeats)
    )
    path = "cv_error_path_" if hasattr(repeated, "cv_error_path_") else "cv_score_path_"
    np.testing.assert_allclose(getattr(weighted, path), getattr(repeated, path))
    expected = repeated.decision_function(X)
    np.testing.assert_allclose(
        weighted.decision_function(X), expected, atol=1e-7 * np.abs(expected).max()
    )


@pytest.mark.parametrize("scoring", [None, "accuracy"])
@pytest.mark.parametrize("name", CROSS_VALIDATED)
def test_a_fold_that_holds_out_nothing_that_counts_is_left_out(name, scoring):
    X, y, repeats = noisy()
    repeats = repeats + 1.0
    runs = np.arange(len(y)) % 3
    repeats[runs == 1] = 0.0
    model = CROSS_VALIDATED[name](LeaveOneGroupOut()).set_params(scoring=scoring)
    weighted = clone(model).fit(X, y, sample_weight=repeats, groups=runs)
    kept = repeats > 0.0
    alone = clone(model).fit(X[kept], y[kept], sample_weight=repeats[kept], groups=runs[kept])
    path = "cv_error_path_" if hasattr(alone, "cv_error_path_") else "cv_score_path_"
    np.testing.assert_array_equal(getattr(weighted, path), getattr(alone, path))
    assert weighted.n_components_ == alone.n_components_
    empty = PredefinedSplit(np.where(kept, -1, 0))
    with pytest.raises(ValueError, match="No fold of cv holds out a row of positive weight; give"):
        clone(model).set_params(cv=empty).fit(X, y, sample_weight=repeats)


@pytest.mark.parametrize("share", [0.1, 1.0, 3.0])
def test_equal_dimensions_tie_under_any_uniform_weight(share):
    X, y = make_blobs(30, 2, centers=3, random_state=1)
    make = CROSS_VALIDATED["MKPM"]
    plain = make(3).fit(X, y)
    weighted = make(3).fit(X, y, sample_weight=np.full(30, share))
    np.testing.assert_allclose(weighted.cv_score_path_, plain.cv_score_path_)
    assert weighted.n_components_ == plain.n_components_


@pytest.mark.parametrize("loss", ["least_squares", "cone", "halfspace", "cone_halfspace"])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_weight_is_a_factor_of_the_loss_in_stochastic_steps(loss, sparse):
    """Against the subgradient steps of the definition, one row after the other."""
    X, y, repeats = noisy(3)
    weights, alpha, W = repeats + 0.5, 1e-2, np.zeros((2, 3))
    online = reprolib.SimplexSGDClassifier(
        loss, alpha=alpha, eta0=0.05, shuffle=False, project=False
    )
    rows = sp.csr_array(X) if sparse else X
    online.partial_fit(rows, y, classes=[0, 1, 2], sample_weight=weights)
    for t, (x, label, weight) in enumerate(zip(X, y, weights, strict=True)):
        eta = 1.0 / (2.0 * alpha * (t + 1.0 + 0.5 / (alpha * 0.05) - 1.0))
        slope = make_loss(loss, 3).gradient((W @ x)[None], np.array([label]))[0]
        W = (1.0 - 2.0 * alpha * eta) * W - eta * weight * np.outer(slope, x)
    np.testing.assert_allclose(online.coef_, W, rtol=1e-9)


SVMS = (reprolib.SimplexConeSVC, reprolib.SimplexHalfspaceSVC)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("make", SVMS)
def test_svms_do_not_tell_weights_from_repetitions_in_any_order(make, kernel):
    """To the last digit, though they stop early: both are one problem in one order."""
    X, y, repeats = noisy(3)
    order = np.random.default_rng(1).permutation(repeats.sum())
    rows, labels = np.repeat(X, repeats, axis=0)[order], np.repeat(y, repeats)[order]
    weighted = make(5.0, kernel=kernel, tol=0.1).fit(X, y, sample_weight=repeats)
    repeated = make(5.0, kernel=kernel, tol=0.1).fit(rows, labels)
    np.testing.assert_array_equal(weighted.dual_coef_, repeated.dual_coef_)
    assert len(repeated.dual_coef_) == np.sum(repeats > 0)


@pytest.mark.parametrize("make", SVMS)
def test_equal_rows_of_a_precomputed_kernel_stay_apart(make):
    X, y, repeats = noisy(3)
    X, y = np.repeat(X, repeats, axis=0), np.repeat(y, repeats)
    model = make(5.0, kernel="precomputed", tol=1e-8).fit(X @ X.T, y)
    assert len(model.dual_coef_) == len(y)
    expected = make(5.0, kernel="linear", tol=1e-8).fit(X, y).decision_function(X)
    found = model.decision_function(X @ X.T)
    np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())
