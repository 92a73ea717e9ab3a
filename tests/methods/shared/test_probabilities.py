"""Probabilities against definitions: nearest point, minimiser of the expected loss."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.probabilities import (
    logistic_probabilities,
    nearest_distributions,
    pairwise_exponential_probabilities,
    simplex_probabilities,
    square_probabilities,
)
from reprolib.methods.simplex.losses import ExponentialLoss, LeastSquaresLoss

RNG = np.random.default_rng(0)


def test_the_nearest_distribution_against_a_solver():
    for values in [*RNG.normal(size=(5, 4)), np.array([0.2, 0.3, 0.5, 0.0])]:
        found = nearest_distributions(values[np.newaxis])[0]
        direct = minimize(
            lambda P, values=values: np.sum((P - values) ** 2),
            np.full(4, 0.25),
            bounds=[(0.0, 1.0)] * 4,
            constraints={"type": "eq", "fun": lambda P: P.sum() - 1.0},
            tol=1e-12,
        )
        np.testing.assert_allclose(found, direct.x, atol=1e-6)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e20, 1e300])
@pytest.mark.parametrize(
    "link",
    [
        nearest_distributions,
        simplex_probabilities,
        square_probabilities,
        logistic_probabilities,
        pairwise_exponential_probabilities,
    ],
)
def test_probabilities_are_a_distribution_in_the_order_of_the_values(link, size):
    values = size * RNG.normal(size=(50, 4))
    found = link(values)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert found.min() >= 0.0
    if size >= 1.0:
        # Where several are 1 to the last digit, the largest value is among them.
        largest = found[np.arange(50), values.argmax(axis=1)]
        np.testing.assert_array_equal(largest, found.max(axis=1))


@pytest.mark.parametrize(
    ("loss", "link"),
    [
        (LeastSquaresLoss, simplex_probabilities),
        (ExponentialLoss, pairwise_exponential_probabilities),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_minimiser_of_the_expected_loss_gives_the_probabilities_back(loss, link, n_classes):
    P, code = RNG.dirichlet(np.full(n_classes, 3.0)), simplex_code(n_classes)
    classes = np.arange(n_classes)

    def expected(f):
        return P @ loss(n_classes).value(np.tile(f, (n_classes, 1)), classes)

    f = minimize(expected, np.zeros(n_classes - 1), tol=1e-12).x
    np.testing.assert_allclose(link((f @ code)[np.newaxis])[0], P, atol=1e-4)


@pytest.mark.parametrize(
    ("loss", "link"),
    [
        (lambda m: (1.0 - m) ** 2, square_probabilities),
        (lambda m: np.logaddexp(0.0, -m), logistic_probabilities),
    ],
)
def test_the_minimiser_of_the_expected_margin_loss_gives_the_probability_back(loss, link):
    for P in (0.1, 0.5, 0.85):
        f = minimize(lambda f, P=P: (P * loss(f) + (1.0 - P) * loss(-f))[0], 0.0, tol=1e-12).x
        np.testing.assert_allclose(link(f)[0], [1.0 - P, P], atol=1e-4)
