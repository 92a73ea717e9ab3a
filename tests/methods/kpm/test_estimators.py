from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from reprolib.methods.kpm import KPMClassifier, KPMClassifierCV, select_dimension
from reprolib.methods.kpm.components import KernelComponents
from reprolib.methods.kpm.estimators import LOSSES, error_path
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.shared.kernels import center_gram, gram
from reprolib.methods.shared.solution import NotOptimalError, NotOptimalWarning
from tests.naive import kpm as naive

examples = settings(derandomize=True, deadline=None, max_examples=15)
GAMMA = 1.0


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(120, noise=0.3, random_state=0)
    return X[:80], y[:80], X[80:], y[80:]


@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("center", [False, True])
def test_decision_function_is_the_expansion_of_equation_9(moons, loss, center):
    X, y, X_test, _ = moons
    model = KPMClassifier(6, gamma=GAMMA, loss=loss, center=center).fit(X, y)
    K, K_cross = gram(X, gamma=GAMMA), gram(X_test, X, gamma=GAMMA)
    if center:
        K, K_cross = center_gram(K), center_gram(K, K_cross)
    components = KernelComponents.from_gram(
        gram(X, gamma=GAMMA), center=center, rank_tol=model.rank_tol
    )
    V = np.sqrt(len(y)) * np.linalg.eigh(K)[1][:, ::-1][:, :6]
    V *= np.sign(np.sum(V * components.eigenvectors[:, :6], axis=0))
    solution = LOSSES[loss](V, 2.0 * y - 1.0)[-1]
    beta, b = solution.variables["beta"], solution.variables["intercept"]
    np.testing.assert_allclose(V @ beta + b, model.decision_function(X), atol=1e-6)
    signs = np.sign(np.sum(V * np.linalg.eigh(K)[1][:, ::-1][:, :6], axis=0))
    expected = naive.decision_values(K, K_cross, np.sqrt(len(y)) * beta * signs, b)
    np.testing.assert_allclose(model.decision_function(X_test), expected, atol=1e-6)


def test_learned_attributes(moons):
    X, y, _, _ = moons
    model = KPMClassifier(7, gamma=GAMMA).fit(X, y)
    assert model.n_components_ == 7
    assert model.dual_coef_.shape == (80,)
    assert isinstance(model.intercept_, float)
    assert np.array_equal(model.classes_, [0, 1])
    assert model.objective_path_.shape == (7,)
    assert np.all(np.diff(model.objective_path_) <= 1e-7)
    assert abs(model.duality_gap_) <= 1e-7
    K = gram(X, gamma=GAMMA)
    V = np.linalg.eigh(K)[1][:, ::-1][:, :7]
    expected = naive.hinge_lp_linprog(np.sqrt(80) * V, 2.0 * y - 1.0, np.ones(80))
    assert model.objective_path_[-1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_path_holds_the_model_of_every_smaller_dimension(moons, loss):
    X, y, X_test, y_test = moons
    model = KPMClassifier(12, gamma=GAMMA, loss=loss).fit(X, y)
    scores, errors = model.decision_path(X_test), model.error_path(X_test, y_test)
    accuracies = model.score_path(X_test, y_test)
    assert scores.shape == (40, 12)
    assert accuracies[-1] == model.score(X_test, y_test)
    np.testing.assert_allclose(scores[:, -1], model.decision_function(X_test), rtol=1e-11)
    for d in (1, 5, 9):
        smaller = KPMClassifier(d, gamma=GAMMA, loss=loss).fit(X, y)
        np.testing.assert_allclose(
            smaller.decision_function(X_test), scores[:, d - 1], rtol=1e-6, atol=1e-6
        )
        assert errors[d - 1] == pytest.approx(1.0 - smaller.score(X_test, y_test))
        assert accuracies[d - 1] == smaller.score(X_test, y_test)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_precomputed_equals_the_kernel_computed_inside(moons, kernel):
    X, y, X_test, _ = moons
    D = 2 if kernel == "linear" else 8
    inside = KPMClassifier(D, kernel=kernel, gamma=GAMMA).fit(X, y)
    K = gram(X, kernel=kernel, gamma=GAMMA)
    K_cross = gram(X_test, X, kernel=kernel, gamma=GAMMA)
    outside = KPMClassifier(D, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(
        inside.decision_function(X_test), outside.decision_function(K_cross), atol=1e-7
    )


@given(seed=st.integers(0, 10**6))
@examples
def test_predictions_do_not_depend_on_order_labels_or_scale(seed):
    rng = np.random.default_rng(seed)
    X, y = make_moons(50, noise=0.3, random_state=seed)
    X_test = rng.normal(size=(20, 2))
    K, K_cross = gram(X, gamma=GAMMA), gram(X_test, X, gamma=GAMMA)
    model = KPMClassifier(6, kernel="precomputed")
    expected = model.fit(K, y).decision_path(K_cross)
    order = rng.permutation(50)
    permuted = model.fit(K[np.ix_(order, order)], y[order]).decision_path(K_cross[:, order])
    np.testing.assert_allclose(permuted, expected, atol=1e-5)
    flipped = model.fit(K, 1 - y).decision_path(K_cross)
    np.testing.assert_allclose(flipped, -expected, atol=1e-5)
    scaled = model.fit(37.0 * K, y).decision_path(37.0 * K_cross)
    np.testing.assert_allclose(scaled, expected, atol=1e-5)


def test_duplicate_points_with_both_labels(moons):
    X, y, X_test, _ = moons
    X2, y2 = np.vstack([X, X, X[:10]]), np.concatenate([y, y, 1 - y[:10]])
    model = KPMClassifier(15, gamma=GAMMA).fit(X2, y2)
    K = gram(X2, gamma=GAMMA)
    V = np.sqrt(len(y2)) * np.linalg.eigh(K)[1][:, ::-1][:, :15]
    for d in (1, 8, 15):
        expected = naive.hinge_lp_linprog(V[:, :d], 2.0 * y2 - 1.0, np.ones(len(y2)))
        assert model.objective_path_[d - 1] == pytest.approx(expected, rel=1e-6)
    assert np.isfinite(model.decision_function(X_test)).all()


def test_separable_training_data_give_a_reproducible_classifier():
    X, y = make_moons(60, noise=0.05, random_state=0)
    model = KPMClassifier(20, gamma=2.0).fit(X, y)
    assert model.objective_path_[-1] == pytest.approx(0.0, abs=1e-6)
    assert model.score(X, y) == 1.0
    order = np.random.default_rng(0).permutation(60)
    again = clone(model).fit(X[order], y[order])
    grid = np.random.default_rng(1).normal(size=(200, 2))
    np.testing.assert_array_equal(model.predict(grid), again.predict(grid))


def test_constant_kernel_predicts_the_majority():
    y = np.array(["no"] * 7 + ["yes"] * 3)
    model = KPMClassifier(1, kernel="precomputed").fit(np.ones((10, 10)), y)
    assert (model.predict(np.ones((4, 10))) == "no").all()
    assert model.objective_path_[0] == pytest.approx(6.0)
    with pytest.raises(ValueError, match="numerical rank 1"):
        KPMClassifier(2, kernel="precomputed").fit(np.ones((10, 10)), y)


def test_a_point_on_the_boundary_is_an_error_yet_gets_a_class():
    y = np.array([0, 1] * 5)
    model = KPMClassifier(1, kernel="precomputed").fit(np.ones((10, 10)), y)
    assert np.all(model.decision_function(np.ones((3, 10))) == 0.0)
    assert np.all(model.predict(np.ones((3, 10))) == 0)
    assert model.error_path(np.ones((2, 10)), [0, 1])[0] == 1.0
    np.testing.assert_array_equal(
        error_path(np.array([1.0, -1.0]), np.array([[0.0, 2.0], [-1.0, -1.0]])), [0.5, 0.0]
    )


@pytest.mark.parametrize("center", [False, True])
def test_cv_error_path_is_that_of_refitting_every_dimension(moons, center):
    X, y, _, _ = moons
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    model = KPMClassifierCV(10, cv=5, random_state=3, gamma=GAMMA, center=center).fit(X, y)
    for d in (1, 4, 10):
        accuracy = cross_val_score(KPMClassifier(d, gamma=GAMMA, center=center), X, y, cv=folds)
        assert model.cv_error_path_[d - 1] == pytest.approx(1.0 - accuracy.mean())
    best = model.cv_error_path_.min()
    assert model.n_components_ == np.flatnonzero(model.cv_error_path_ <= best + 1e-12)[0] + 1
    refit = KPMClassifier(model.n_components_, gamma=GAMMA, center=center).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), refit.decision_function(X), atol=1e-6)


def test_tie_breaks():
    errors = np.array([0.3, 0.1, 0.2, 0.1, 0.1])
    assert select_dimension(errors) == 2
    assert select_dimension(errors, "largest") == 5
    assert select_dimension(errors, "middle") == 4
    assert select_dimension(errors[:4], "middle") == 2


def test_cv_is_capped_at_the_rank_of_the_smallest_fold():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=30) > 0).astype(int)
    model = KPMClassifierCV(10, kernel="linear").fit(X, y)
    assert model.max_components_ == 3
    assert model.cv_error_path_.shape == (3,)
    assert model.decision_path(X).shape == (30, 3)


def test_cv_takes_any_splitter_and_is_seeded(moons):
    X, y, _, _ = moons
    by_seed = [KPMClassifierCV(8, random_state=s, gamma=GAMMA).fit(X, y) for s in (0, 0, 1)]
    np.testing.assert_array_equal(by_seed[0].cv_error_path_, by_seed[1].cv_error_path_)
    assert not np.array_equal(by_seed[0].cv_error_path_, by_seed[2].cv_error_path_)
    unstratified = KPMClassifierCV(8, cv=KFold(4), gamma=GAMMA).fit(X, y)
    assert 1 <= unstratified.n_components_ <= 8


BAD_FITS = {
    "nan": (KPMClassifier(), [[np.nan, 0.0]] * 4, [0, 1, 0, 1], "NaN"),
    "infinity": (KPMClassifier(), [[np.inf, 0.0]] * 4, [0, 1, 0, 1], "infinity"),
    "one class": (KPMClassifier(), np.eye(4), [1, 1, 1, 1], "one class only"),
    "three classes": (KPMClassifier(), np.eye(6), [0, 1, 2] * 2, "Only binary"),
    "continuous": (KPMClassifier(), np.eye(4), [0.1, 0.2, 0.3, 0.4], "Unknown label type"),
    "none": (KPMClassifier(n_components=0), np.eye(4), [0, 1, 0, 1], "n_components"),
    "fraction": (KPMClassifier(n_components=1.5), np.eye(4), [0, 1, 0, 1], "n_components"),
    "beyond n": (KPMClassifier(n_components=5), np.eye(4), [0, 1, 0, 1], "Ask for at most 4"),
    "beyond rank": (
        KPMClassifier(n_components=3, kernel="linear"),
        np.random.default_rng(0).normal(size=(8, 2)),
        [0, 1] * 4,
        "numerical rank 2",
    ),
    "loss": (KPMClassifier(loss="0-1"), np.eye(4), [0, 1, 0, 1], "loss"),
    "tie_break": (KPMClassifierCV(tie_break="first"), np.eye(4), [0, 1, 0, 1], "tie_break"),
    "max_components": (KPMClassifierCV(max_components=0), np.eye(4), [0, 1] * 2, "max_components"),
    "not square": (
        KPMClassifier(kernel="precomputed"),
        np.ones((4, 3)),
        [0, 1, 0, 1],
        "training data is square",
    ),
    "asymmetric": (
        KPMClassifier(kernel="precomputed"),
        np.eye(4) + np.diag([0.5, 0.5, 0.5], 1),
        [0, 1, 0, 1],
        "not symmetric",
    ),
    "indefinite": (
        KPMClassifier(kernel="precomputed"),
        np.diag([1.0, 1.0, 1.0, -1.0]),
        [0, 1, 0, 1],
        "indefinite",
    ),
    "zero": (
        KPMClassifierCV(cv=2, kernel="precomputed"),
        np.zeros((8, 8)),
        [0, 1] * 4,
        "Gram matrix",
    ),
}


@pytest.mark.parametrize("case", BAD_FITS)
def test_bad_input_is_refused_with_a_message(case):
    model, X, y, message = BAD_FITS[case]
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_unknown_labels_in_error_path(moons):
    X, y, _, _ = moons
    model = KPMClassifier(2, gamma=GAMMA).fit(X, y)
    with pytest.raises(ValueError, match="not among the training classes"):
        model.error_path(X, y + 5)


def _gives_up_beyond_three(V, y, weights):
    if V.shape[1] > 3:
        raise NotOptimalError("no certified answer at 4 components", n_certified=3)
    return solve_hinge_lp_path(V, y, weights=weights)


def _gives_up_twice(V, y, weights):
    if V.shape[1] > 5:
        raise NotOptimalError("no certified answer at 6 components", n_certified=5)
    return _gives_up_beyond_three(V, y, weights)


@pytest.mark.parametrize("solve", [_gives_up_beyond_three, _gives_up_twice])
def test_path_ends_with_a_warning_where_the_certificate_does(monkeypatch, solve):
    X, y = make_moons(60, noise=0.2, random_state=0)
    whole = KPMClassifierCV(max_components=3, gamma=1.0).fit(X, y)
    monkeypatch.setitem(LOSSES, "hinge", solve)
    with pytest.warns(NotOptimalWarning, match="the path ends at 3 of 8 components") as caught:
        model = KPMClassifierCV(max_components=8, gamma=1.0).fit(X, y)
    assert len(caught) == 1
    assert model.max_components_ == 3
    np.testing.assert_array_equal(model.cv_error_path_, whole.cv_error_path_)
    with pytest.raises(NotOptimalError, match="no certified answer"):
        KPMClassifier(n_components=8, gamma=1.0).fit(X, y)


def _runs_off_beyond_three(V, y, weights):
    solutions = solve_hinge_lp_path(V, y, weights=weights)
    for solution in solutions[3:]:
        solution.variables["beta"] *= 1e7
    return solutions


def test_path_ends_where_decisions_would_hang_on_rounding(monkeypatch):
    X, y = make_moons(60, noise=0.2, random_state=0)
    whole = KPMClassifierCV(max_components=3, gamma=1.0).fit(X, y)
    monkeypatch.setitem(LOSSES, "hinge", _runs_off_beyond_three)
    model = KPMClassifierCV(max_components=8, gamma=1.0).fit(X, y)
    assert model.max_components_ == 3
    assert "values of 4 components exceed 100000 times the margin, so that" in model.path_end_
    assert whole.path_end_ == ""
    assert model.path_.max_components == 3
    np.testing.assert_array_equal(model.cv_error_path_, whole.cv_error_path_)
    with pytest.warns(NotOptimalWarning, match="use fewer components"):
        KPMClassifier(n_components=4, gamma=1.0).fit(X, y)


def test_scores_that_are_zero_but_for_rounding_are_on_the_boundary():
    scores = np.array([[1e-17, 1.0], [-1e-17, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(error_path(np.ones(3), scores), [2 / 3, 0.0])


@pytest.mark.parametrize(("kernel", "center"), [("rbf", False), ("rbf", True), ("linear", True)])
def test_offset_far_beyond_the_spread_changes_nothing(kernel, center):
    X, y = make_moons(60, noise=0.2, random_state=0)
    X = np.round(X, 3)
    parameters = {"kernel": kernel, "gamma": 1.0, "center": center}
    near = KPMClassifier(2, **parameters).fit(X, y)
    far = KPMClassifier(2, **parameters).fit(X + 1e11, y)
    np.testing.assert_allclose(
        far.decision_function(X + 1e11), near.decision_function(X), atol=1e-3
    )


def test_path_without_a_single_certified_answer_raises(monkeypatch):
    def gives_up(V, y, weights):
        raise NotOptimalError("nothing is certified")

    X, y = make_moons(60, noise=0.2, random_state=0)
    monkeypatch.setitem(LOSSES, "hinge", gives_up)
    with pytest.raises(NotOptimalError, match="nothing is certified"):
        KPMClassifierCV(max_components=8, gamma=1.0).fit(X, y)
