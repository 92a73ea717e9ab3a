import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeRegressor

from reprolib.methods.shared.validation import ConstantClassifierWarning
from reprolib.methods.simplex import SimplexBoostingClassifier, make_loss
from reprolib.methods.simplex.boosting import optimal_step


def blobs(seed=0, n=80, p=3, T=4):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(T), rng.integers(T, size=n - T)])
    centres = np.random.default_rng(99).normal(size=(T, p)) * 2
    return centres[y] + rng.normal(size=(n, p)), y


@pytest.mark.parametrize("update", ["gradient", "coordinate"])
@pytest.mark.parametrize("T", [2, 4])
def test_every_round_decreases_the_loss(T, update):
    X, y = blobs(1, T=T)
    model = SimplexBoostingClassifier(50, update=update, random_state=0).fit(X, y)
    assert np.all(np.diff(model.train_loss_path_) < 0)
    assert model.train_loss_path_[0] == pytest.approx(T - 1)
    n_rounds = len(model.steps_)
    assert n_rounds == 50 if T == 4 else 1 < n_rounds < 50, "the two classes are separated before"
    assert len(model.estimators_) == len(model.coordinates_) == n_rounds
    assert model.train_loss_path_.shape == (n_rounds + 1,)


@pytest.mark.parametrize("update", ["gradient", "coordinate"])
def test_loss_path_is_the_loss_of_the_stages(update):
    X, y = blobs(2)
    model = SimplexBoostingClassifier(10, update=update, random_state=0).fit(X, y)
    loss = make_loss("exponential", 4)
    for n_rounds in (1, 2, 10):
        stage = SimplexBoostingClassifier(n_rounds, update=update, random_state=0).fit(X, y)
        F = 3 / 4 * stage.decision_function(X) @ stage.code_.T
        assert model.train_loss_path_[n_rounds] == pytest.approx(loss.value(F, y).mean())
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
    assert model.coordinates_[0].start == int(np.argmin(slopes))


def test_step_is_the_minimiser_along_the_direction():
    X, y = blobs(3)
    loss = make_loss("exponential", 4)
    F = np.zeros((len(X), 3))
    direction = -loss.gradient(F, y) + 8 * np.random.default_rng(0).normal(size=F.shape)
    step = optimal_step(loss, F, direction, y)
    values = [loss.value(F + s * step * direction, y).sum() for s in (0.99, 1.0, 1.01)]
    assert 0 < values[1] < min(values[0], values[2])


def test_learning_rate_is_a_share_of_the_best_step():
    X, y = blobs(6)
    whole, half = (
        SimplexBoostingClassifier(1, learning_rate=rate, random_state=0).fit(X, y)
        for rate in (1.0, 0.5)
    )
    assert half.steps_[0] == pytest.approx(0.5 * whole.steps_[0])
    assert half.train_loss_path_[1] > whole.train_loss_path_[1]


@pytest.mark.filterwarnings("ignore::reprolib.methods.shared.validation.ConstantClassifierWarning")
@pytest.mark.parametrize("seed", range(6))
def test_best_coordinate_explains_most_of_its_targets_by_weight(seed):
    """A tree predicts means of its leaves, so that its slope is the length of its prediction."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)).astype(np.float32), np.resize(np.arange(4), 30)
    targets = -make_loss("exponential", 4).gradient(np.zeros((30, 3)), y)
    weights = rng.exponential(size=30) ** 2
    model = SimplexBoostingClassifier(1, update="coordinate").fit(X, y, weights)
    (tree,), (coordinates,) = model.estimators_, model.coordinates_
    explained = []
    for target in targets.T:
        left, right = min(
            ((X[:, j] <= cut, X[:, j] > cut) for j in (0, 1) for cut in np.sort(X[:, j])[:-1]),
            key=lambda parts: sum(
                weights[part]
                @ (target[part] - np.average(target[part], weights=weights[part])) ** 2
                for part in parts
            ),
        )
        means = [np.average(target[part], weights=weights[part]) for part in (left, right)]
        explained.append(weights @ np.where(left, *means) ** 2)
    best = int(np.argmax(explained))
    assert (coordinates.start, coordinates.stop) == (best, best + 1)
    assert weights @ tree.predict(X) ** 2 == pytest.approx(explained[best])


def test_separable_data_end_with_a_bounded_step():
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    model = SimplexBoostingClassifier(5, random_state=0).fit(X, y)
    assert np.all(np.isfinite(model.steps_))
    assert len(model.steps_) == len(model.estimators_) == 1, "nothing is left to gain"
    assert model.train_loss_path_.shape == (2,)
    np.testing.assert_array_equal(model.predict(X), y)


def test_deeper_trees_and_more_rounds_help_on_digits():
    X, y = load_digits(return_X_y=True)
    train, test = slice(0, 700), slice(700, 1400)
    few = SimplexBoostingClassifier(20, random_state=0).fit(X[train], y[train])
    many = SimplexBoostingClassifier(150, random_state=0).fit(X[train], y[train])
    assert many.score(X[test], y[test]) > max(0.8, few.score(X[test], y[test]))


def test_features_too_small_to_split_are_named():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + y[:, None]
    with pytest.warns(ConstantClassifierWarning, match="SimplexBoostingClassifier gives all"):
        SimplexBoostingClassifier(5).fit(1e-40 * X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SimplexBoostingClassifier(5).fit(X, y)
