"""How often chance alone would make the study's claims.

If no method were better than another, the names of the methods could be dealt out anew on every
set, its trials together, so that what they share stays. How often some pair then is before under
every choice says what the rule of `summaries.surviving` is worth. For mean differences over the
sets the signs of a set's differences are turned, those of all methods together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from reprolib.papers.across.summaries import REFERENCE, Ordered, mean_table, paired_table
from reprolib.rerun.verdicts.ordering import LEVEL, draws, resampled_means


@dataclass(frozen=True)
class Chance:
    """Claims of an order, were the names of the methods dealt out by chance.

    Parameters
    ----------
    counts : ndarray of shape (n_permutations,)
        Pairs that would be claimed.
    largest : ndarray of shape (n_permutations,)
        Largest share, over all pairs, of the resamples in which one is before the other under
        every view.
    """

    counts: np.ndarray
    largest: np.ndarray

    @property
    def of_any(self) -> float:
        """Share of the permutations in which some pair is claimed."""
        return float(np.mean(self.counts > 0))

    def level(self, share: float) -> float:
        """Chance that some pair reaches this share; the observed order counts as one of all."""
        return float((1 + np.sum(self.largest >= share)) / (1 + len(self.largest)))


def chance_of_claims(
    found: Sequence[Ordered], n_permutations: int = 200, seed: int = 0, level: float = LEVEL
) -> Chance:
    """Deal out the names of the methods anew on every set, and count the pairs that are claimed.

    Parameters
    ----------
    found : sequence of Ordered
        All views of a claim; a set is dealt out in the same way in all of them.
    n_permutations, seed : int
    level : float
        Share of the resamples that counts as sure.

    Returns
    -------
    Chance
    """
    # A permutation of a set's methods permutes its resamples, so that none is drawn again.
    samples = [resampled_means(view.scores) for view in found]
    drawn = [draws(view.scores)[0] for view in found]
    sets = sorted({name for view in found for name in view.scores.sets})
    where = [np.array([sets.index(name) for name in view.scores.sets]) for view in found]
    rng, n_methods = np.random.default_rng(seed), len(found[0].scores.methods)
    counts, largest = np.empty(n_permutations, dtype=int), np.empty(n_permutations)
    for k in range(n_permutations):
        dealt = np.array([rng.permutation(n_methods) for _ in sets])
        least = np.ones((n_methods, n_methods))
        for view, values, of_set, own in zip(found, samples, drawn, where, strict=True):
            summary = view.view.summary(np.take_along_axis(values, dealt[own][of_set], axis=2))
            share = (summary[:, :, np.newaxis] < summary[:, np.newaxis, :]).mean(axis=0)
            least = np.minimum(least, share)
        counts[k], largest[k] = np.sum(least >= level), least.max()
    return Chance(counts, largest)


def levels_over_sets(
    records: pd.DataFrame, reference: str = REFERENCE, n_turns: int = 10_000, seed: int = 0
) -> pd.Series:
    """Level of every mean difference to the reference, for all of them together.

    Largest absolute t over all methods with records on every set, when the signs of a set's
    differences are turned at random: the chance that any of them is as large.
    """
    means = mean_table(records).dropna(axis=1)
    differences = means.drop(columns=reference).sub(means[reference], axis=0)
    values = differences.to_numpy()
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n_turns, len(values)))
    observed = np.abs(_t(values.sum(axis=0), values))
    largest = np.abs(_t(signs @ values, values)).max(axis=1)
    levels = (1 + (largest[:, np.newaxis] >= observed).sum(axis=0)) / (1 + n_turns)
    return pd.Series(levels, differences.columns)


def levels_of_pairs(accuracy: pd.DataFrame, n_turns: int = 10_000, seed: int = 0) -> pd.DataFrame:
    """Level of every order of two methods, for all pairs together.

    Signs are turned as in `levels_over_sets`.

    Parameters
    ----------
    accuracy : DataFrame
        Sets by methods, complete.
    n_turns, seed : int

    Returns
    -------
    DataFrame
        Level at which the row's method is before the column's; one where it is not ahead.
    """
    first, second = np.triu_indices(accuracy.shape[1], 1)
    values = accuracy.to_numpy()[:, first] - accuracy.to_numpy()[:, second]
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n_turns, len(values)))
    observed = _t(values.sum(axis=0), values)
    largest = np.abs(_t(signs @ values, values)).max(axis=1)
    levels = (1 + (largest[:, np.newaxis] >= np.abs(observed)).sum(axis=0)) / (1 + n_turns)
    table = np.ones((accuracy.shape[1],) * 2)
    table[first, second] = np.where(observed > 0, levels, 1.0)
    table[second, first] = np.where(observed < 0, levels, 1.0)
    return pd.DataFrame(table, accuracy.columns, accuracy.columns)


def _t(sums: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Student's t of columns from the sums of their values, whose squares no sign changes."""
    n = len(values)
    spread = (values**2).sum(axis=0) - sums**2 / n
    return sums / np.sqrt(n * np.maximum(spread, 1e-12) / (n - 1))


def levels_of_sets(
    records: pd.DataFrame, method: str, reference: str, metric: str = "accuracy"
) -> pd.Series:
    """Level of the difference on every set, for all sets of the comparison together (Holm 1979)."""
    table = paired_table(records, method, reference, metric)
    half = (table["high"] - table["low"]) / 2
    degrees = table["trials"] - 1
    errors = half / stats.t.ppf(0.975, degrees)
    t = (table["difference"].abs() / errors.where(errors > 0)).fillna(0.0)
    single = pd.Series(2 * stats.t.sf(t, degrees), table.index).sort_values()
    left = np.arange(len(single), 0, -1)
    return (single * left).cummax().clip(upper=1.0).reindex(table.index)
