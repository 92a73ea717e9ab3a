"""What the fuzzing found, once each."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.keops.tree_norm import tree_dual_norm
from reprolib.methods.kpm.hinge_lp._certificate import is_certified
from reprolib.methods.kpm.hinge_lp._solve import _first_certified
from reprolib.methods.shared.solution import Solution
from tests.fuzz.estimators import ESTIMATORS, assert_sound, outcome

HALVES = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.5]])

REFUSED = {
    "numpy warned of inf - inf": ("MMC", {}, np.array([[np.inf], [-np.inf]]), "X contains"),
    "x squared overflowed": ("SimplexRLSClassifier", {}, 1e150 * HALVES, "overflow"),
    "the cube overflowed": ("SimplexRLSClassifier", {"kernel": "poly"}, 1e59 * HALVES, "overflow"),
    "x squared underflowed": ("SimplexRLSClassifierCV", {}, 1e-160 * HALVES, "underflow"),
    "argmax of an empty sequence": ("MMC", {}, np.zeros((5, 2)), "all rows of X are the same"),
    "trees use float32": ("SimplexBoostingClassifier", {}, 1e50 * HALVES, "too large"),
    "no name of the array": (
        "KEOPSClassifier",
        {"kernel": "precomputed"},
        np.full((1, 5, 5), np.nan),
        "Input X contains NaN",
    ),
    "IndexError where y is empty": (
        "MKLClassifier",
        {"kernel": "precomputed"},
        np.zeros((1, 0, 0)),
        "X has shape (1, 0, 0)",
    ),
}

FITTED = {
    "no kernel at all in leave-one-out": (
        "SimplexRLSClassifierCV",
        {"alphas": [0.1, 1.0]},
        np.zeros((5, 1)),
    ),
    "division by a Lipschitz constant of zero": ("TreeLassoClassifier", {}, np.full((5, 2), 0.1)),
    "round-off of a mean as a feature": ("TreeLassoClassifier", {}, 1e-55 * np.ones((5, 2))),
    "the scale into the hull overflowed": (
        "SimplexHalfspaceSVC",
        {"kernel": "linear"},
        np.array([[-1e55, -1e55], [-1e55, -1e55], [3.0, 3.0], [3.0, 1e50], [0.0, 0.0]]),
    ),
    "CVXOPT's ValueError reached the user": (
        "KEOPSClassifier",
        {"p": 0.5, "max_iter": 100},
        np.array([[-1e55, -1e55], [-1e55, -1e55], [3.0, 3.0], [3.0, 1e50], [0.0, 0.0]]),
    ),
}

Y = np.array([0, 0, 1, 1, 1])


@pytest.mark.parametrize(("name", "parameters", "X", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_now(name, parameters, X, message):
    y = np.arange(2) if X.shape == (2, 1) else Y[: X.shape[-2]]
    assert message in str(outcome(ESTIMATORS[name](**parameters), X, y, X).error)


@pytest.mark.parametrize(("name", "parameters", "X"), FITTED.values(), ids=FITTED)
def test_fitted_now(name, parameters, X):
    found = outcome(ESTIMATORS[name](**parameters), X, Y, X)
    assert found.error is None
    assert_sound(found, Y, len(X))


def test_bisection_ends_among_subnormal_numbers():
    assert tree_dual_norm(KernelTree.flat(1), np.array([5e-324])) == 5e-324


def test_a_certified_answer_is_preferred_to_a_smaller_gap():
    def answer(gap, status):
        info = {"round_off": 0.0, "norm": 1.0, "residual": 0.0, "solver": status}
        return Solution({}, 1.0, 1.0 - gap, status, info=info, scale=1.0)

    unknown, optimal = answer(1e-13, "Unknown"), answer(1e-9, "optimal")
    fallbacks = [lambda *_: unknown, lambda *_: optimal]
    found = _first_certified(None, 1, answer(1.0, "optimal"), fallbacks, is_certified)
    assert found is optimal
    assert is_certified(found)
