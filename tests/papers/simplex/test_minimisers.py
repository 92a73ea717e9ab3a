from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from reprolib import simplex_code
from reprolib.methods.simplex import make_loss
from reprolib.papers.simplex.example import three_clouds
from reprolib.papers.simplex.minimisers import certified_accuracy, minimise_cone_halfspace


def objective(weights, X, y, C):
    """From the definition, with the loss of `methods.simplex`."""
    n_classes = len(weights)
    W = (n_classes - 1) / n_classes * simplex_code(n_classes) @ weights
    loss = make_loss("cone_halfspace", n_classes)
    return 0.5 * np.sum(W**2) + C * loss.value(X @ W.T, y).sum()


@pytest.mark.parametrize("C", [0.01, 100.0])
def test_nothing_near_the_minimiser_is_better_by_more_than_the_gap(C):
    X, y = three_clouds(60, 0)
    weights, gap = minimise_cone_halfspace(X, y, C, tol=1e-7)
    assert gap < 1e-7
    least = objective(weights, X, y, C)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1, 1.0):
        for _ in range(20):
            other = weights + size * rng.normal(size=weights.shape)
            other -= other.mean(axis=0)  # scores sum to zero
            assert objective(other, X, y, C) >= least * (1 - 1e-7)


def test_two_classes_are_the_binary_svm_with_twice_its_C():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    weights, _ = minimise_cone_halfspace(X, y, 0.5, tol=1e-9)
    settings = {"loss": "hinge", "fit_intercept": False, "max_iter": 10**6, "tol": 1e-10}
    binary = LinearSVC(C=1.0, random_state=0, **settings).fit(X, y)
    np.testing.assert_allclose(weights[1], binary.coef_[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", ["SC-SVM", "SC + SH"])
def test_certified_accuracy_is_near_the_best_possible_on_separate_clouds(loss):
    X, y = three_clouds(300, 0)
    centred = SimpleNamespace(
        name="clouds", X=3 * X, y=np.array(["a", "b", "c"])[y], splits=[np.split(np.arange(300), 2)]
    )
    nearest = np.mean((X[150:] @ simplex_code(3)).argmax(axis=1) == y[150:])
    assert certified_accuracy(centred, loss, range(-1, 2)) > 100 * nearest - 5
