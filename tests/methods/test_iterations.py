"""How many iterations every solver takes: a change of method that costs steps is noticed.

The numbers are sums over eight well-posed problems; another processor may add a step or two.
"""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.keops.alternating import solve_pyramid_alternating
from reprolib.methods.keops.kernel_sets import LinearBlocks
from reprolib.methods.keops.mkl_features import solve_mkl_features
from reprolib.methods.keops.svm import solve_svm_active_set
from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.keops.tree_norm import solve_tree_lasso_fista
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.kpm.logistic_path import solve_logistic_path
from reprolib.methods.mkmmc.stqp import solve_stqp_global
from reprolib.methods.shared.kernels import gram, gram_eigh
from reprolib.methods.simplex.gram_access import FeatureGram, StoredGram
from reprolib.methods.simplex.svm_portfolio import solve_simplex_svm
from tests.methods.simplex.test_degenerate import PROGRAMMES, make_dual

TREE = KernelTree.from_labels([np.repeat(np.arange(3), 2)])
#: Of the sums; pairs are chosen by differences that are round-off at the end.
TOLERANCE = {"active_set": 0.15}


def two_classes(seed):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(60) % 2 == 0, 1.0, -1.0)
    return rng.normal(size=(60, 6)) + 0.4 * y[:, None] * (np.arange(6) % 3 == 0), y


def components(seed):
    X, y = two_classes(seed)
    return np.sqrt(60) * gram_eigh(gram(X, kernel="rbf", gamma=0.1))[1][:, :20], y


def simplex_problem(programme, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 5)) + 0.7 * np.eye(5)[y]
    return make_dual(programme, X @ X.T, y, 3, 3.0), X


def stored(programme, seed):
    dual, X = simplex_problem(programme, seed)
    return [solve_simplex_svm(dual, StoredGram(X @ X.T), tol=1e-3)]


def features(programme, seed):
    dual, X = simplex_problem(programme, seed)
    return [solve_simplex_svm(dual, FeatureGram(X), tol=1e-8)]


def active_set(seed):
    X, y = two_classes(seed)
    return [solve_svm_active_set(X @ X.T, y, 1.0)]


def mkl(seed):
    X, y = two_classes(seed)
    return [solve_mkl_features(LinearBlocks(X, np.arange(6)), y, 1.0)]


def pyramid(seed):
    X, y = two_classes(seed)
    return [solve_pyramid_alternating(LinearBlocks(X, np.arange(6)), y, TREE, np.ones(2), 1.0)]


def tree_lasso(seed):
    X, y = two_classes(seed)
    return [solve_tree_lasso_fista(X, y, TREE, 2.0, tol=1e-6, check_every=1)]


def stqp(seed):
    M = np.random.default_rng(seed).normal(size=(9, 9))
    return [solve_stqp_global(M + M.T)]


def hinge_path(seed):
    return solve_hinge_lp_path(*components(seed))


def logistic_path(seed):
    return solve_logistic_path(*components(seed))


SOLVERS = {
    **{
        f"{f.__name__}, {programme}": (f, programme)
        for f in (stored, features)
        for programme in PROGRAMMES
    },
    **{f.__name__: (f,) for f in (active_set, mkl, pyramid, tree_lasso, stqp)},
    **{f.__name__: (f,) for f in (hinge_path, logistic_path)},
}
EXPECTED = {
    "stored, cone": 333,
    "stored, halfspace": 181,
    "stored, hull": 487,
    "features, cone": 133,
    "features, halfspace": 133,
    "features, hull": 124,
    "active_set": 1600,
    "mkl": 88,
    "pyramid": 116,
    "tree_lasso": 88,
    "stqp": 98,
    "hinge_path": 909,
    "logistic_path": 686,
}


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_take_the_steps_that_they_took(name):
    solve, *programme = SOLVERS[name]
    solutions = [s for seed in range(8) for s in solve(*programme, seed)]
    assert {solution.status for solution in solutions} <= {"optimal", "stationary"}
    total = sum(solution.iterations for solution in solutions)
    assert total == pytest.approx(EXPECTED[name], rel=TOLERANCE.get(solve.__name__, 0.02))
