from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer

from reprolib.methods.kpm import KPMClassifier, KPMClassifierCV, select_dimension
from reprolib.methods.kpm.components import KernelComponents
from reprolib.methods.kpm.estimators import LOSSES, error_path
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.shared.kernels import center_gram, gram
from reprolib.methods.shared.solution import NotOptimalError, NotOptimalWarning
from reprolib.methods.shared.validation import ConstantClassifierWarning
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
    scores = model.decision_path(X)
    np.testing.assert_allclose(model.path_.norm, np.sqrt(np.mean(scores**2, axis=0)), rtol=1e-9)
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
    model = KPMClassifier(1, kernel="precomputed")
    with pytest.warns(ConstantClassifierWarning, match="all training points the same class"):
        model.fit(np.ones((10, 10)), y)
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


BAD_FITS = {
    "beyond n": (KPMClassifier(n_components=5), np.eye(4), [0, 1, 0, 1], "Ask for at most 4"),
    "beyond rank": (
        KPMClassifier(n_components=3, kernel="linear"),
        np.random.default_rng(0).normal(size=(8, 2)),
        [0, 1] * 4,
        "numerical rank 2",
    ),
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


@pytest.mark.parametrize("where", ["everywhere", "in the folds"])
@pytest.mark.parametrize("certified", [0, 1, 3])
def test_path_ends_with_a_warning_where_the_certificate_does(monkeypatch, certified, where):
    """No data are known that lack a certificate: a solver that gives up stands for them."""
    X, y = make_moons(60, noise=0.2, random_state=0)

    def gives_up(V, y, weights):
        if V.shape[1] > certified and (where == "everywhere" or len(y) < len(X)):
            raise NotOptimalError("no certified answer", n_certified=certified)
        return solve_hinge_lp_path(V, y, weights=weights)

    shorter = KPMClassifierCV(max_components=max(certified, 1), gamma=1.0).fit(X, y)
    monkeypatch.setitem(LOSSES, "hinge", gives_up)
    longer = KPMClassifierCV(max_components=8, gamma=1.0)
    if certified == 0:
        with pytest.raises(NotOptimalError, match="no certified answer"):
            longer.fit(X, y)
        return
    says = f"the path ends at {certified} of 8 components: no certified answer"
    with pytest.warns(NotOptimalWarning, match=says) as caught:
        longer.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    assert longer.path_end_ == "no certified answer"
    assert longer.max_components_ == certified
    np.testing.assert_array_equal(longer.cv_error_path_, shorter.cv_error_path_)
    assert longer.n_components_ == shorter.n_components_


def test_path_ends_where_decisions_would_hang_on_rounding():
    """Two classes that differ by 2e-9 in one feature."""
    X, y = np.array([[1.0], [1e-9], [-1e-9]]), np.array([1, 1, 0])
    with pytest.warns(NotOptimalWarning, match="values of 1 components exceed 100000") as caught:
        KPMClassifier(1, kernel="linear").fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]


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


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", lambda a, b: 1.0 + a @ b])
def test_a_kernel_computed_inside_equals_a_precomputed_one(moons, kernel, center):
    X, y, X_test, _ = moons
    X, X_test = X + 1.0, X_test + 1.0
    inside = KPMClassifier(2, kernel=kernel, gamma=GAMMA, center=center).fit(X, y)
    outside = KPMClassifier(2, kernel="precomputed", center=center).fit(
        gram(X, kernel=kernel, gamma=GAMMA), y
    )
    np.testing.assert_allclose(
        inside.decision_function(X_test),
        outside.decision_function(gram(X_test, X, kernel=kernel, gamma=GAMMA)),
        atol=1e-6,
    )


def test_a_rank_of_one_is_enough_for_cross_validation():
    x, y = np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0] * 2)[:, np.newaxis], np.repeat([1, 0], 3)
    model = KPMClassifierCV(5, kernel="linear", cv=2).fit(x, np.tile(y, 2))
    assert model.max_components_ == model.n_components_ == 1
    assert model.cv_error_path_.tolist() == [0.0]
    assert model.path_end_ == ""


def test_folds_are_shuffled_only_by_a_seed_and_only_where_they_are_a_number(moons):
    X, y, _, _ = moons

    def errors(**options):
        return KPMClassifierCV(6, gamma=GAMMA, **options).fit(X, y).cv_error_path_

    np.testing.assert_array_equal(errors(cv=4), errors(cv=StratifiedKFold(4)))
    np.testing.assert_array_equal(errors(cv=KFold(4), random_state=3), errors(cv=KFold(4)))
    shuffled = StratifiedKFold(4, shuffle=True, random_state=3)
    np.testing.assert_array_equal(errors(cv=4, random_state=3), errors(cv=shuffled))


def test_labels_that_are_no_class_are_never_right(moons):
    X, y, _, _ = moons
    model = KPMClassifier(3, gamma=GAMMA).fit(X, y)
    other = np.resize([-1, 0, 1, 2], len(y))
    assert model.score_path(X, other)[-1] == np.mean(model.predict(X) == other)
    assert not model.score_path(X, np.full(len(y), 2)).any()
    assert not model.score_path(X, np.full(len(y), -1)).any()
    flat = KPMClassifier(1, kernel="precomputed").fit(np.ones((10, 10)), np.arange(10) % 2)
    assert flat.score_path(np.ones((4, 10)), [0, 0, 0, 1]).tolist() == [0.75]


def test_errors_do_not_depend_on_the_units_of_the_scores():
    scores = np.array([[3.0, -1.0], [-1.0, 2.0], [2.0, 2.0]])
    for unit in (1e-12, 1.0, 1e12):
        found = error_path(np.array([1.0, -1.0, -1.0]), unit * scores)
        np.testing.assert_allclose(found, [1 / 3, 1.0])
    weighted = error_path(np.array([1.0, -1.0, -1.0]), scores, np.array([1.0, 1.0, 2.0]))
    np.testing.assert_allclose(weighted, [0.5, 1.0])


def test_errors_that_differ_by_less_than_the_tolerance_are_tied():
    for unit in (1e-6, 1.0):
        assert select_dimension([unit * (0.2 + 0.9e-10), unit * 0.2, unit * 0.3]) == 1
        assert select_dimension([unit * (0.2 + 1e-8), unit * 0.2, unit * 0.3]) == 2


@pytest.mark.parametrize("loss", ["hinge", "square", "logistic"])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_linear_kernel_of_few_features_is_that_of_its_gram_matrix(loss, center, weighted):
    """It is solved in the features, and no Gram matrix is formed."""
    X, y = make_moons(90, noise=0.3, random_state=1)
    X = np.column_stack([X, X[:, 0] * X[:, 1], X**2]) + 3.0
    X, y = np.vstack([X, X[:9]]), np.append(y, 1 - y[:9])
    weights = np.random.default_rng(0).integers(0, 4, size=len(y)) if weighted else None
    settings = {"loss": loss, "center": center}
    of_features = KPMClassifier(5, kernel="linear", **settings).fit(X, y, weights)
    of_gram = KPMClassifier(5, kernel="precomputed", **settings).fit(X @ X.T, y, weights)
    new = np.random.default_rng(1).normal(size=(30, 5)) + 3.0
    expected = of_gram.decision_path(new @ X.T)
    np.testing.assert_allclose(of_features.decision_path(new), expected, atol=1e-6)
    np.testing.assert_allclose(of_features.objective_path_, of_gram.objective_path_, rtol=1e-7)
    counted = slice(None) if weights is None else weights > 0
    moved = X[counted] - X[counted].mean(axis=0) if center else X[counted]
    np.testing.assert_allclose(of_features.dual_coef_ @ moved, of_features.coef_, atol=1e-6)


@pytest.mark.parametrize("scoring", [None, "roc_auc"])
def test_components_of_few_features_are_chosen_as_from_the_gram_matrix(scoring):
    X, y = make_moons(90, noise=0.3, random_state=1)
    X = np.column_stack([X, X[:, 0] * X[:, 1], X**2, X**3])
    settings = {"scoring": scoring, "random_state": 0}
    of_features = KPMClassifierCV(7, kernel="linear", **settings).fit(X, y)
    of_gram = KPMClassifierCV(7, kernel="precomputed", **settings).fit(X @ X.T, y)
    assert of_features.n_components_ == of_gram.n_components_
    path = "cv_error_path_" if scoring is None else "cv_score_path_"
    np.testing.assert_allclose(getattr(of_features, path), getattr(of_gram, path), atol=1e-12)


def test_many_rows_of_few_features_take_no_gram_matrix():
    """60,000 rows: it would take 29 GB."""
    X, y = make_moons(60_000, noise=0.2, random_state=0)
    features = Nystroem(gamma=2.0, n_components=20, random_state=0)
    model = make_pipeline(features, KPMClassifier(10, loss="square", kernel="linear"))
    assert model.fit(X[:50_000], y[:50_000]).score(X[50_000:], y[50_000:]) > 0.95


def test_a_point_at_the_mean_is_not_taken_for_another():
    X = np.random.default_rng(7).normal(size=(9, 2))
    X = np.vstack([X, X.mean(axis=0)]) + 5.0
    K = KernelCenterer().fit_transform(X @ X.T)
    K = (K + K.T) / 2.0
    K[9, 9] = -np.finfo(float).eps
    y = np.resize([1.0, -1.0], 10)
    model = KPMClassifier(2, loss="square", kernel="precomputed").fit(K, y)
    design = np.column_stack([X - X.mean(axis=0), np.ones(10)])
    expected = design @ np.linalg.lstsq(design, y)[0]
    np.testing.assert_allclose(model.decision_function(K), expected, atol=1e-9)
