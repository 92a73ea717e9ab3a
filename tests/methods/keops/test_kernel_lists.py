"""A list of kernels: the same machine as on their Gram matrices, in pipelines and searches."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reprolib import KEOPSClassifier, KEOPSClassifierCV, MKLClassifier

RNG = np.random.default_rng(0)
Y = np.arange(90) % 2
X = RNG.normal(size=(90, 4))
X[:, 0] += 2.0 * Y
TRAIN, TEST = np.arange(60), np.arange(60, 90)


def wide(A, B):
    return rbf_kernel(A, B, gamma=0.05)


def first_column(A, B):
    return linear_kernel(A[:, :1], B[:, :1])


KERNELS = [wide, first_column, "laplacian"]


def stack(A, B):
    return np.stack([wide(A, B), first_column(A, B), laplacian_kernel(A, B)])


@pytest.mark.parametrize(
    "model",
    [
        MKLClassifier(0.5),
        MKLClassifier(0.5, solver="cvxopt"),
        MKLClassifier(0.5, groups=[0, 0, 1]),
        KEOPSClassifier([[0, 1], [2]], C=0.5),
        KEOPSClassifierCV([[0, 1], [2]], Cs=[0.1, 1.0], cv=3),
    ],
)
@pytest.mark.parametrize("labels", [Y, np.arange(90) % 3])
def test_a_list_is_the_machine_on_its_gram_matrices(model, labels):
    # One array, as the machine has it: BLAS multiplies an array by its own transpose in another way
    # than by that of a copy, and the last digits decide when an interior point stops.
    train = X[TRAIN]
    listed = clone(model).set_params(kernel=KERNELS).fit(train, labels[TRAIN])
    given = clone(model).set_params(kernel="precomputed").fit(stack(train, train), labels[TRAIN])
    np.testing.assert_allclose(
        listed.decision_function(X[TEST]),
        given.decision_function(stack(X[TEST], train)),
        rtol=0, atol=1e-9,
    )  # fmt: skip


def test_rows_of_weight_zero_do_not_count():
    weight = np.repeat([1.0, 0.0], [45, 15])
    weighted = MKLClassifier(kernel=KERNELS).fit(X[TRAIN], Y[TRAIN], sample_weight=weight)
    without = MKLClassifier(kernel=KERNELS).fit(X[:45], Y[:45])
    np.testing.assert_allclose(weighted.decision_function(X), without.decision_function(X))


def test_kernels_are_searched_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), MKLClassifier())
    grid = {"mklclassifier__kernel": [["rbf", "linear"], [first_column]]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, Y)
    assert search.score(X, Y) > 0.8


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kernel": []}, "at least one kernel"),
        ({"kernel": ["rbf", "gauss"]}, r"kernel\[1\] is 'gauss'"),
        ({"kernel": [lambda A, B: A @ B[0]]}, r"kernel\[0\] gives values of shape \(90,\)"),
        ({"kernel": ["rbf", lambda A, B: np.full((len(A), len(B)), np.nan)]}, "not finite"),
        ({"kernel": ["rbf", lambda A, B: -A @ B.T]}, r"kernel\[1\]"),
        ({"kernel": ["rbf"], "blocks": [0, 0, 0, 0]}, "blocks"),
        ({"kernel": "precomputed", "blocks": [0, 0, 0, 0]}, "blocks"),
    ],
)
def test_a_bad_list_is_refused_with_the_kernel_named(params, message):
    data = np.stack([X @ X.T]) if params["kernel"] == "precomputed" else X
    with pytest.raises(ValueError, match=message):
        MKLClassifier(**params).fit(data, Y)
