"""Objectives and certificates of every solver family, against arithmetic of fifty digits.

A certificate is worth no more than the digits of the two objectives that it compares. Here both are
computed again from the stored variables, exactly or to fifty digits. What is stored must agree
within the round-off of sums of that many terms of that size; for the hinge LP within the size of
round-off that the solution states. KEOPS and MKL are in tests/methods/keops/test_certificates.py.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from reprolib.methods.keops import KernelTree
from reprolib.methods.keops.tree_norm import largest_alpha, solve_tree_lasso_fista
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.kpm.logistic_path import solve_logistic_path
from reprolib.methods.kpm.square_path import solve_square_path, solve_square_path_orthonormal
from reprolib.methods.mkmmc.stqp import solve_stqp_global
from reprolib.methods.simplex.gram_access import FeatureGram
from reprolib.methods.simplex.svm_portfolio import solve_simplex_svm
from reprolib.methods.simplex.svm_solver import ConeDual, HalfspaceDual
from tests.degenerate_binary import exact

EPSILON = Fraction(float(np.finfo(np.float64).eps))


def problem(seed):
    """Columns of very different size, labels, and weights of the points."""
    rng = np.random.default_rng(seed)
    n, D = int(rng.integers(6, 25)), int(rng.integers(1, 5))
    V = rng.normal(size=(n, D)) * 10.0 ** rng.uniform(-3, 3, size=D)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return V, y, rng.integers(1, 5, n).astype(float)


def decisions(V, solution):
    """Values f = V beta + b, exact, and the sizes of their terms."""
    beta, b = exact(solution.variables["beta"]), Fraction(float(solution.variables["intercept"]))
    columns = exact(V[:, : len(beta)])
    return columns @ beta + b, abs(columns) @ abs(beta) + abs(b)


def excess(stored, value, size) -> float:
    """Distance of a stored number from the exact one, in machine epsilons of a size."""
    return float(abs(Fraction(float(stored)) - value) / (EPSILON * size))


def decimals(values):
    """Array of decimal numbers with the digits of the context, from fractions or floats."""
    numbers = [Fraction(value) for value in np.ravel(values)]
    return [Decimal(value.numerator) / Decimal(value.denominator) for value in numbers]


def logistic_loss(margins, weights) -> Fraction:
    """Weighted sum of log(1 + exp(-margin)) to fifty digits."""
    with localcontext(prec=50):
        losses = [(1 + (-margin).exp()).ln() for margin in decimals(margins)]
        return Fraction(sum(w * loss for w, loss in zip(decimals(weights), losses, strict=True)))


def test_stated_round_off_of_the_hinge_loss_bounds_the_true_one_and_is_of_its_size():
    parts = []
    for seed in range(10):
        V, y, weights = problem(seed)
        for solution in solve_hinge_lp_path(V, y, weights=weights):
            f, _ = decisions(V, solution)
            primal = exact(weights) @ np.maximum(1 - exact(y) * f, 0)
            stated = Fraction(solution.info["round_off"])
            parts.append(float(abs(Fraction(solution.primal_objective) - primal) / stated))
            assert Fraction(solution.dual_objective) <= primal + stated
    assert 1e-3 < max(parts) <= 1.0


def test_square_loss_is_right_to_the_round_off_of_its_terms():
    for seed in range(10):
        V, y, weights = problem(seed)
        for solution in solve_square_path(V, y, weights=weights):
            f, size = decisions(V, solution)
            primal = exact(weights) @ (exact(y) - f) ** 2
            assert excess(solution.primal_objective, primal, exact(weights) @ (1 + size) ** 2) < 8
            assert excess(min(solution.gap, 0.0), 0, exact(weights) @ (1 + size) ** 2) < 8


def test_logistic_loss_is_right_to_the_round_off_of_its_terms():
    ridge = 1e-3
    for seed in range(10):
        V, y, weights = problem(seed)
        for solution in solve_logistic_path(V, y, weights=weights, ridge=ridge):
            f, size = decisions(V, solution)
            primal = logistic_loss(exact(y) * f, weights)
            primal += Fraction(ridge) / 2 * (exact(weights) @ f**2)
            assert excess(solution.primal_objective, primal, exact(weights) @ (1 + size)) < 64
            assert excess(min(solution.gap, 0.0), 0, exact(weights) @ (1 + size)) < 64


def test_square_loss_on_orthonormal_features_is_right_to_the_round_off_of_its_terms():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        features = np.linalg.qr(rng.normal(size=(20, 6)))[0]
        targets = rng.normal(size=(20, 3)) * 10.0 ** rng.uniform(-3, 3, size=3)
        solution = solve_square_path_orthonormal(features, targets)
        error = exact(targets) - exact(features) @ exact(solution.variables["coef"])
        energy = np.sum(exact(targets) ** 2) / len(targets)
        primal = np.sum(error**2) / len(targets)
        assert excess(solution.primal_objective, primal, energy) < 8
        assert excess(solution.variables["objectives"][:, -1].sum(), primal, energy) < 32
        assert excess(min(solution.gap, 0.0), 0, energy) < 32


def test_tree_lasso_is_right_to_the_round_off_of_its_terms():
    for seed in range(5):
        X, y, _ = problem(seed + 100)
        half = X.shape[1]
        X = np.hstack([X, X[::-1]])
        tree = KernelTree.from_labels([np.repeat([0, 1], half)])
        alpha = 0.3 * largest_alpha(tree, X, y)
        solution = solve_tree_lasso_fista(X, y, tree, alpha, tol=1e-4)
        w, b = exact(solution.variables["coef"]), Fraction(solution.variables["intercept"])
        with localcontext(prec=50):
            norms = [sum(decimals(group**2)).sqrt() for group in (w[:half], w[half:])]
        norm = Fraction(sum(norms)) + sum(abs(w))
        primal = logistic_loss(exact(y) * (exact(X) @ w + b), np.ones(len(y)))
        primal += Fraction(alpha) * norm
        sizes = np.sum(1 + abs(exact(X)) @ abs(w) + abs(b)) + Fraction(alpha) * norm
        assert excess(solution.primal_objective, primal, sizes) < 16
        assert Fraction(solution.dual_objective) <= primal + 16 * EPSILON * sizes


@pytest.mark.parametrize("family", [ConeDual, HalfspaceDual])
def test_simplex_svms_are_right_to_the_round_off_of_their_terms(family):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(12, 3)) * 10.0 ** rng.uniform(-2, 2)
        indicators = np.eye(3)[np.arange(12) % 3]
        C = 10.0 ** rng.uniform(-2, 2)
        solution = solve_simplex_svm(family(indicators, C), FeatureGram(X), tol=1e-3)
        A, K = exact(solution.variables["A"]), exact(X) @ exact(X).T
        gram = np.full((3, 3), Fraction(-1, 2)) + np.diag([Fraction(3, 2)] * 3)
        product, size = K @ A @ gram, abs(K) @ abs(A) @ abs(gram)
        squared, squared_size = np.sum(A * product), np.sum(abs(A) * size)
        if family is ConeDual:
            loss = np.sum(np.maximum(Fraction(1, 2) - product, 0) * exact(1.0 - indicators))
            dual = np.sum(A) / 2 - squared / 2
        else:
            loss = np.sum(np.maximum(1 - product, 0) * exact(indicators))
            dual = np.sum(A) - squared / 2
        primal = squared / 2 + Fraction(C) * loss
        sizes = squared_size + Fraction(C) * np.sum(1 + size) + np.sum(abs(A))
        assert excess(solution.primal_objective, primal, sizes) < 16
        assert excess(solution.dual_objective, dual, sizes) < 16
        assert dual <= primal


def test_quadratic_form_is_right_to_the_round_off_of_its_terms():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        M = rng.normal(size=(6, 6)) * 10.0 ** rng.uniform(-3, 3)
        M = M + M.T
        solution = solve_stqp_global(M)
        theta = exact(solution.variables["weights"])
        value, size = theta @ exact(M) @ theta, abs(theta) @ abs(exact(M)) @ abs(theta)
        assert excess(solution.primal_objective, -value, size) < 8
        assert excess(sum(solution.variables["weights"]), 1, 1) < 8
        assert min(solution.gap, 0.0) == 0.0
