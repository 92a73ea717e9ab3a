"""By definition, with loops: tuning, bootstrap over sets and trials, the corrected interval."""

from __future__ import annotations

import numpy as np
from scipy import stats


def grid_search(make, grid, X, y, folds):
    """Best configuration, its hits, and the model refitted on all rows; the first of equals."""
    best, most = None, -1
    for config in grid:
        hits = 0
        for train, test in folds:
            model = make(config).fit(X[train], y[train])
            hits += sum(p == t for p, t in zip(model.predict(X[test]), y[test], strict=True))
        if hits > most:
            best, most = config, hits
    return best, most, make(best).fit(X, y)


def nadeau_bengio(a, b, n_train: int, n_test: int):
    """Their corrected resampled t interval, as printed."""
    d = [x - y for x, y in zip(a, b, strict=True)]
    J = len(d)
    mean = sum(d) / J
    S2 = sum((x - mean) ** 2 for x in d) / (J - 1)
    half = stats.t.ppf(0.975, J - 1) * np.sqrt((1 / J + n_test / n_train) * S2)
    return mean, mean - half, mean + half


def resampled_means(values, correlation: float, n_samples: int, seed: int):
    """Stretched means of resampled trials of resampled sets; the draws of the package's order."""
    rng = np.random.default_rng(seed)
    n_sets, n_methods, n_trials = values.shape
    samples = []
    for _ in range(n_samples):
        sets = rng.integers(n_sets, size=n_sets)
        trials = rng.integers(n_trials, size=(n_sets, 1, n_trials))
        sample = []
        for position, s in enumerate(sets):
            row = []
            for m in range(n_methods):
                own = sum(values[s, m]) / n_trials
                new = sum(values[s, m, t] for t in trials[position, 0]) / n_trials
                variance = (1 / n_trials + correlation / (1 - correlation)) * n_trials
                row.append(own + np.sqrt(variance * n_trials / (n_trials - 1)) * (new - own))
            sample.append(row)
        samples.append(sample)
    return np.array(samples)


def ranks(scores) -> list[float]:
    """1 + the number of better ones + half the number of equally good others."""
    return [
        1 + sum(b > a for b in scores) + 0.5 * (sum(b == a for b in scores) - 1) for a in scores
    ]


def mean_rank(table) -> list[float]:
    """Mean over the sets of the rank within each."""
    by_set = [ranks(row) for row in table]
    return [sum(column) / len(by_set) for column in zip(*by_set, strict=True)]


def median_rank(table) -> list[float]:
    """Median over the sets of the rank within each."""
    by_set = [ranks(row) for row in table]
    return [float(np.median(column)) for column in zip(*by_set, strict=True)]


def error_ratio(table, least: float) -> list[float]:
    """Geometric mean of the errors: the n-th root of their product."""
    found = []
    for column in np.transpose(table):
        product = 1.0
        for accuracy in column:
            product *= max(1 - accuracy, least)
        found.append(product ** (1 / len(column)))
    return found
