"""What the paper did not run: an SVM on the first D kernel principal components.

On the components of a Gram matrix K = V Lambda V' the features of a point x are
k(x, .)' V_j / sqrt(lambda_j), j = 1, ..., D. Their inner products are the kernel as far as D
components go, so that a linear SVM on them,

    minimise over f in their span, b   1/2 ||f||^2 + C sum_i max(0, 1 - y_i (f(x_i) + b)),

has both regularisers, D and the norm. With all components it is the SVM; without the norm, at
C = infinity, it is KPM.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from reprolib.methods.keops.svm import solve_svm
from reprolib.methods.keops.svm_certificate import OPTIMAL_GAP, size_of_gap
from reprolib.methods.kpm import select_dimension
from reprolib.methods.kpm.estimators import error_path
from reprolib.methods.shared.kernels import gram, gram_eigh
from reprolib.methods.shared.solution import Solution
from reprolib.papers.kpm import methods
from reprolib.rerun.records import Measurement

#: Dimensions, before that of all components.
DIMENSIONS = (2, 4, 6, 10, 15, 20, 30, 45, 60, 100, 200)
#: Costs, as multiples of the published one. The paper's grid ends at three times that.
COSTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
#: Where libsvm stops, whose answer is the start of the exact solver.
START_TOL = 1e-2


def svm_on_components(task, X, y, X_test, y_test) -> list[Measurement]:
    """Test error at every D and C, and where cross-validation chooses both, or C alone.

    Chosen are D and C together; with a D up to 60, where the paths of KPM end; and C with all
    components, which is the SVM.
    """
    published, _ = methods.published(task.dataset)
    gamma, costs = methods.gamma_of(task), [float(f"{published * m:.4g}") for m in COSTS]
    test, test_gap = error_map(X, y, X_test, y_test, gamma, costs)
    folds = [
        error_map(X[train], y[train], X[held_out], y[held_out], gamma, costs)
        for train, held_out in methods.folds(task).split(X, y)
    ]
    validated = np.mean([errors for errors, _ in folds], axis=0)
    gap = max(gap for _, gap in folds)
    D = [*DIMENSIONS, len(y)]
    axes = {"D": D, "C": costs}
    candidates = {
        "": slice(None),
        "D up to 60": slice(D.index(methods.MAX_COMPONENTS) + 1),
        "all components": slice(len(DIMENSIONS), None),
    }
    selected = []
    for setting, rows in candidates.items():
        best = select_dimension(validated[rows].ravel()) - 1
        row, column = np.unravel_index(best, validated[rows].shape)
        picked = {"D": D[rows][row], "C": costs[column]}
        error = float(test[rows][row, column])
        selected.append(
            Measurement(
                "test error", error, picked, n_test=len(y_test), gap=test_gap, setting=setting
            )
        )
    return [
        *selected,
        Measurement(
            "test error map", np.nan, axes, path=test.ravel(), n_test=len(y_test), gap=test_gap
        ),
        Measurement("cross-validated error map", np.nan, axes, path=validated.ravel(), gap=gap),
    ]


def error_map(
    X, y, X_test, y_test, gamma: float, costs: Sequence[float]
) -> tuple[np.ndarray, float]:
    """Test error at every D (rows; the last has all components) and every C (columns).

    The second is the largest relative duality gap of all these machines.
    """
    features, test_features = component_features(X, X_test, gamma, max(DIMENSIONS))
    truncated = (
        (features[:, :D] @ features[:, :D].T, test_features[:, :D] @ features[:, :D].T)
        for D in DIMENSIONS
    )
    whole = gram(X, kernel="rbf", gamma=gamma), gram(X_test, X, "rbf", gamma=gamma)
    errors, gaps = [], [0.0]
    for K, K_test in chain(truncated, [whole]):
        machines = exact_svms(costs, K, y)
        values = [
            K_test @ (y * found.variables["alpha"]) + found.variables["intercept"]
            for found in machines
        ]
        errors.append(error_path(y_test, np.transpose(values)))
        gaps += map(size_of_gap, machines)
    return np.array(errors), max(gaps)


def exact_svms(costs: Sequence[float], K, y) -> list[Solution]:
    """SVMs with every C, from libsvm's answers, each with its duality gap.

    libsvm stops at a tolerance, and its kernel is in single precision. What it leaves open,
    rounding decides: up to three test points of an error, and other ones on another processor.
    """
    coef, _ = methods.svms(costs, K, y, tol=START_TOL)
    starts = np.clip(y[:, np.newaxis] * coef, 0.0, costs)
    machines = []
    for C, start in zip(costs, starts.T, strict=True):
        found = solve_svm(K, y, C, alpha=start)
        # A small gap certifies an answer, whatever its status says.
        if size_of_gap(found) > OPTIMAL_GAP:
            found.require_optimal(OPTIMAL_GAP)
        machines.append(found)
    return machines


def component_features(X, X_test, gamma: float, D: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test points in the first D components, fewer where the Gram matrix has fewer."""
    eigenvalues, V = gram_eigh(gram(X, kernel="rbf", gamma=gamma))
    eigenvalues, V = eigenvalues[:D], V[:, :D]
    cross = gram(X_test, X, "rbf", gamma=gamma)
    return V * np.sqrt(eigenvalues), cross @ (V / np.sqrt(eigenvalues))
