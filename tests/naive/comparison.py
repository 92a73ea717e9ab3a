"""Comparison of methods by definition: counting, loops, textbook formulas."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import stats


def mean_ranks(scores) -> list[float]:
    """1 + the number of better methods + half the number of equally good others, averaged."""
    k = scores.shape[1]
    ranks = [
        [
            1 + sum(row[j] > row[i] for j in range(k)) + 0.5 * (sum(row == row[i]) - 1)
            for i in range(k)
        ]
        for row in scores
    ]
    return list(np.mean(ranks, axis=0))


def nadeau_bengio(a, b, n_train: int, n_test: int):
    """Their corrected resampled t interval, as printed."""
    d = [x - y for x, y in zip(a, b, strict=True)]
    J = len(d)
    mean = sum(d) / J
    S2 = sum((x - mean) ** 2 for x in d) / (J - 1)
    half = stats.t.ppf(0.975, J - 1) * np.sqrt((1 / J + n_test / n_train) * S2)
    return mean, mean - half, mean + half


def indistinct_groups(ranks: dict[str, float], critical_difference: float) -> set[frozenset]:
    """All sets of methods that lie within the critical difference, less those inside another."""
    close = [
        frozenset(group)
        for size in range(2, len(ranks) + 1)
        for group in itertools.combinations(ranks, size)
        if max(ranks[g] for g in group) - min(ranks[g] for g in group) < critical_difference
    ]
    return {group for group in close if not any(group < other for other in close)}


def bayesian_signed_rank(differences, rope, n_samples: int, seed: int, prior: float = 0.5):
    """Shares of sampled distributions in which each of the three regions is the likeliest."""
    z = [0.0, *differences]
    won = [0, 0, 0]
    alpha = [prior] + [1.0] * len(differences)
    for w in np.random.default_rng(seed).dirichlet(alpha, n_samples):
        shares = [0.0, 0.0, 0.0]
        for i, j in itertools.product(range(len(z)), repeat=2):
            middle = (z[i] + z[j]) / 2
            shares[0 if middle < -rope else 2 if middle > rope else 1] += w[i] * w[j]
        won[int(np.argmax(shares))] += 1
    return [count / n_samples for count in won]
