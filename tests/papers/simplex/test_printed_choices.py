"""The choices that are tried for the printed digits are what their names say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import SimplexRLSClassifier
from reprolib.papers.simplex import printed_choices
from reprolib.rerun.records import Task


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(150, centers=4, n_features=3, cluster_std=4.0, random_state=0)
    return X[:100] + 2.0, y[:100], X[100:] + 2.0, y[100:]


def by_hand(X, y, X_test, alpha, intercept):
    """Ridge regression on the codes, its constant free, penalised or absent."""
    codes = simplex_code(4).T
    if intercept != "no intercept":
        X, X_test = (np.column_stack([part, np.ones(len(part))]) for part in (X, X_test))
    penalty = np.full(X.shape[1], len(y) * alpha)
    if intercept == "free intercept":
        penalty[-1] = 0.0
    W = np.linalg.solve(X.T @ X + np.diag(penalty), X.T @ codes[y])
    return np.argmax(X_test @ W @ codes.T, axis=1)


@pytest.mark.parametrize("intercept", printed_choices.INTERCEPTS)
def test_labels_are_those_of_ridge_regression_on_the_codes(blobs, intercept):
    X, y, X_test, _ = blobs
    choice = {"scaling": "raw", "intercept": intercept}
    Z, Z_test = printed_choices.scaled(choice, X, X_test)
    free = intercept == "free intercept"
    mean = Z.mean(axis=0) if free else 0.0
    found = printed_choices.predictions(Z - mean, y, Z_test - mean, [0.01, 10.0], {}, free)
    for alpha, labels in zip((0.01, 10.0), found, strict=True):
        np.testing.assert_array_equal(labels, by_hand(X, y, X_test, alpha, intercept))


def test_gaussian_kernel_is_the_estimators(blobs):
    X, y, X_test, _ = blobs
    kernel = {"kernel": "rbf", "gamma": 0.1}
    (labels,) = printed_choices.predictions(X, y, X_test, [1e-3], kernel, False)
    model = SimplexRLSClassifier(1e-3, **kernel).fit(X, y)
    np.testing.assert_array_equal(labels, model.predict(X_test))
    assert gram(X, **kernel).shape == (100, 100)


def test_every_rule_has_an_accuracy_of_either_kind(blobs):
    params = {"scaling": "[0, 1]", "intercept": "no intercept", "rows": ""}
    task = Task("simplex", "printed_choices", "uci/landsat", "s-ls", params=params)
    over_all, of_classes = printed_choices.run(task, *blobs)
    assert len(over_all.path) == len(of_classes.path) == len(printed_choices.RULES)
    assert not np.allclose(over_all.path, of_classes.path)


def test_hits_are_counted_over_sets_with_one_choice():
    path = np.zeros(len(printed_choices.RULES))
    rows = []
    for dataset, value in (("uci/landsat", 0.6588), ("uci/letter", 0.54955)):
        own = path.copy()
        own[3] = value
        setting = "raw, no intercept" + (", 10,000 rows" if dataset == "uci/letter" else "")
        rows.append(
            {
                "table": "printed_choices",
                "dataset": dataset,
                "method": "s-ls",
                "setting": setting,
                "metric": "accuracy over all points",
                "path": " ".join(map(str, own)),
                "status": "ok",
            }
        )
    found = printed_choices.hits(pd.DataFrame(rows))
    assert found["sets"].tolist() == [["uci/landsat", "uci/letter"]]
    assert found.attrs["tried"] == {"s-ls": len(printed_choices.RULES)}
