import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from reprolib.methods.simplex import SimplexBoostingClassifier, make_loss
from reprolib.methods.simplex.boosting import optimal_step
from tests.expected_failures import expected_failures


def blobs(seed=0, n=80, p=3, T=4):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(T), rng.integers(T, size=n - T)])
    centres = np.random.default_rng(99).normal(size=(T, p)) * 2
    return centres[y] + rng.normal(size=(n, p)), y


@parametrize_with_checks(
    [
        SimplexBoostingClassifier(n_estimators=20, random_state=0),
        SimplexBoostingClassifier(n_estimators=20, update="coordinate", random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("update", ["gradient", "coordinate"])
@pytest.mark.parametrize("T", [2, 4])
def test_every_round_decreases_the_loss(T, update):
    X, y = blobs(1, T=T)
    model = SimplexBoostingClassifier(50, update=update, random_state=0).fit(X, y)
    assert np.all(np.diff(model.train_loss_path_) < 0)
    assert model.train_loss_path_[0] == pytest.approx(T - 1)


@pytest.mark.parametrize("update", ["gradient", "coordinate"])
def test_loss_path_is_the_loss_of_the_stages(update):
    X, y = blobs(2)
    model = SimplexBoostingClassifier(10, update=update, random_state=0).fit(X, y)
    loss = make_loss("exponential", 4)
    by_definition = [loss.value(F, y).mean() for F in model._stages(X)]
    np.testing.assert_allclose(model.train_loss_path_[1:], by_definition)
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))


def test_coordinate_update_takes_the_tree_of_steepest_slope():
    """A rescaled tree must not win by its length: the best one is found by trying each."""
    X, y = blobs(5)
    loss, F = make_loss("exponential", 4), np.zeros((80, 3))
    model = SimplexBoostingClassifier(1, update="coordinate", random_state=0).fit(X, y)
    slopes = []
    for k in range(3):
        tree = DecisionTreeRegressor(max_depth=1).fit(X, -loss.gradient(F, y)[:, k])
        direction = np.zeros_like(F)
        direction[:, k] = tree.predict(X)
        direction *= 1e-6 / np.linalg.norm(direction)
        slopes.append(loss.value(F + direction, y).sum())
    changed = np.any(next(model._stages(X)) != 0, axis=0)
    assert np.flatnonzero(changed) == [int(np.argmin(slopes))]


def test_step_is_the_minimiser_along_the_direction():
    X, y = blobs(3)
    loss = make_loss("exponential", 4)
    F = np.zeros((len(X), 3))
    direction = -loss.gradient(F, y) + 8 * np.random.default_rng(0).normal(size=F.shape)
    step = optimal_step(loss, F, direction, y)
    values = [loss.value(F + s * step * direction, y).sum() for s in (0.99, 1.0, 1.01)]
    assert 0 < values[1] < min(values[0], values[2])


def test_no_step_along_an_ascent_direction():
    X, y = blobs(4)
    loss = make_loss("exponential", 4)
    F = np.zeros((len(X), 3))
    assert optimal_step(loss, F, loss.gradient(F, y), y) == 0.0
    assert optimal_step(loss, F, np.zeros_like(F), y) == 0.0


def test_separable_data_end_with_a_bounded_step():
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    model = SimplexBoostingClassifier(5, random_state=0).fit(X, y)
    assert np.all(np.isfinite(model.steps_))
    np.testing.assert_array_equal(model.predict(X), y)


def test_deeper_trees_and_more_rounds_help_on_digits():
    X, y = load_digits(return_X_y=True)
    train, test = slice(0, 700), slice(700, 1400)
    few = SimplexBoostingClassifier(20, random_state=0).fit(X[train], y[train])
    many = SimplexBoostingClassifier(150, random_state=0).fit(X[train], y[train])
    assert many.score(X[test], y[test]) > max(0.8, few.score(X[test], y[test]))


@pytest.mark.parametrize("name", ["n_estimators", "max_depth", "learning_rate"])
def test_bad_hyperparameters_are_named(name):
    with pytest.raises(
        ValueError, match=f"'{name}' parameter of SimplexBoostingClassifier .* Got 0"
    ):
        SimplexBoostingClassifier(**{name: 0}).fit(*blobs())


@pytest.mark.parametrize("name", ["n_estimators", "max_depth"])
def test_a_broken_number_of_rounds_or_levels_is_refused(name):
    with pytest.raises(ValueError, match=rf"'{name}' parameter .* must be an int .* Got 2\.5"):
        SimplexBoostingClassifier(**{name: 2.5}).fit(*blobs())


def test_unknown_update_is_refused():
    with pytest.raises(ValueError, match="'update' parameter .* Got 'newton'"):
        SimplexBoostingClassifier(update="newton").fit(*blobs())


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        SimplexBoostingClassifier().fit(np.eye(3), [1, 1, 1])
