"""Pieces that all tables of the simplex protocol share."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from reprolib.methods.shared.kernels import distance_percentile
from reprolib.rerun.records import Measurement

PAPER = "simplex"
EMBEDDED_SET = "embedded/optdigits"
#: Beyond this many training examples, kernel matrices are not kept and S-LS rbf uses Nystrom.
LARGEST_EXACT = 10_000


def accuracy(model, X_test, y_test, chosen, **more) -> Measurement:
    """Accuracy on the test set."""
    return Measurement(
        "accuracy", float(model.score(X_test, y_test)), chosen, n_test=len(y_test), **more
    )


def hold_out(make, grid, X, y, seed, *, kernel=None):
    """Best parameter of the grid on 20 % of the training data, the first of equally good ones.

    Returns the model refitted on all training data, its parameter, and the hold-out accuracies.
    X is a Gram matrix if ``kernel`` is "precomputed".
    """
    a, b = train_test_split(np.arange(len(X)), test_size=0.2, random_state=seed)
    A, B = (X[a][:, a], X[b][:, a]) if kernel == "precomputed" else (X[a], X[b])
    scores = [float(make(value).fit(A, y[a]).score(B, y[b])) for value in grid]
    best = grid[int(np.argmax(scores))]
    return make(best).fit(X, y), float(best), scores


def mean_square(X) -> float:
    """Mean of ||x||^2."""
    return float(np.mean(np.sum(X**2, axis=1)))


def rounded(value: float) -> float:
    """Six significant digits, for the record."""
    return float(f"{value:.6g}")


def with_loo(model, X_test, y_test) -> Measurement:
    """Test accuracy, with the leave-one-out accuracy of every lambda."""
    scores = model.loo_score_path_
    return accuracy(model, X_test, y_test, chosen_by_loo(model.alpha_, scores), path=scores)


def chosen_by_loo(alpha: float, scores) -> dict[str, float]:
    """Lambda, and the largest of the leave-one-out accuracies."""
    return {"alpha": rounded(alpha), "loo": rounded(float(scores.max()))}


def rbf_gamma(X, factor: float = 1.0) -> float:
    """Kernel parameter 1 / (2 sigma^2) of the 25th percentile of the distances, times a factor."""
    return factor / (2 * distance_percentile(X, 25) ** 2)
