"""Characters of a speller whose labelled row or column did not get the response.

Every character has 15 flashes of each of six columns and six rows. A linear discriminant trained on
the other characters scores them. Were the label right, the labelled column would score highest;
were it one of six equal ones, the six scores of a repetition could change places. So the scores are
permuted within each repetition, and the largest mean score of another column minus that of the
labelled one is compared with its permutations: a test whose level does not depend on how well the
classifier works, as long as it scores responses higher, not lower. Where that is not shown by all
characters together, nothing is found. Holm's correction over the rows and columns of all
characters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from data_fetch import Dataset
from data_fetch.p300 import codes_of, letter_of

#: Chance that a character is named in a recording whose labels are all right.
LEVEL = 0.05
N_PERMUTATIONS = 20_000
#: Samples whose mean is a feature: 50 ms.
BLOCK = 12
#: The classifier works if the held-out scores of all targets are larger at this p-value.
WORKS = 1e-6
AXES = {"column": range(1, 7), "row": range(7, 13)}


@dataclass(frozen=True)
class WrongLabel:
    """A character whose label the responses contradict.

    Parameters
    ----------
    text : str
        Which one, and what the responses spell instead.
    p_value : float
        Of the test, corrected for the rows and columns of all characters.
    rows : ndarray of int
        Rows of the data set: the flashes of the character.
    """

    text: str
    p_value: float
    rows: np.ndarray


def contradicted(dataset: Dataset) -> list[WrongLabel]:
    """Characters that the responses contradict, and what they spell instead.

    Parameters
    ----------
    dataset : Dataset
        A recording as `data_fetch.p300` reads it.
    """
    flashes = dataset.extra["flashes"]
    characters = flashes["character"].to_numpy()
    scores = held_out_scores(block_means(dataset), dataset.y, characters)
    targets, others = scores[dataset.y > 0], scores[dataset.y <= 0]
    if stats.mannwhitneyu(targets, others, alternative="greater").pvalue > WORKS:
        return []
    rng, best, p_values = np.random.default_rng(0), [], []
    for _, of in flashes.assign(score=scores).groupby("character"):
        wide = of.pivot_table(index="repetition", columns="code", values="score")
        for codes, labelled in zip(AXES.values(), codes_of(of["letter"].iloc[0]), strict=True):
            values = wide[list(codes)].to_numpy()
            best.append(codes[int(np.argmax(np.nanmean(values, axis=0)))])
            p_values.append(p_value_of(values, codes.index(labelled), rng))
    # Of every character: its column, its row.
    corrected, spelled = holm(p_values).reshape(-1, 2), np.reshape(best, (-1, 2))
    first_of_run = flashes.groupby(["session", "run"])["character"].transform("min")
    found = []
    for i in np.flatnonzero(corrected.min(axis=1) < LEVEL):
        rows = np.flatnonzero(characters == np.unique(characters)[i])
        first = flashes.iloc[rows[0]]
        number = 1 + characters[rows[0]] - first_of_run.iloc[rows[0]]
        axes = zip(AXES, codes_of(first["letter"]), corrected[i], strict=True)
        silent = " and ".join(f"{axis} {code}" for axis, code, p in axes if p < LEVEL)
        p_value = float(corrected[i].min())
        text = (
            f"run {first['session']:03d}/{first['run']:02d}, character {number}: labelled "
            f"{first['letter']}, but {silent} got no response; the responses spell "
            f"{letter_of(*spelled[i])} (p = {p_value:.2g})"
        )
        found.append(WrongLabel(text, p_value, rows))
    return found


def block_means(dataset: Dataset) -> np.ndarray:
    """Means of every 50 ms of each channel, less the window's own: a plain low-pass."""
    channels, samples = dataset.image_shape or (1, dataset.X.shape[1])
    n_blocks = samples // BLOCK
    windows = dataset.X.reshape(len(dataset.X), channels, samples)[:, :, : n_blocks * BLOCK]
    means = windows.reshape(len(windows), channels, n_blocks, BLOCK).mean(axis=3, dtype=np.float32)
    return (means - means.mean(axis=2, keepdims=True)).reshape(len(means), -1)


def held_out_scores(X, y, characters) -> np.ndarray:
    """Scores of the flashes of each character by a discriminant trained on the others."""
    scores = np.zeros(len(y))
    for character in np.unique(characters):
        test = characters == character
        lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X[~test], y[~test])
        scores[test] = lda.decision_function(X[test])
    return scores


def p_value_of(
    scores: np.ndarray, labelled: int, rng: np.random.Generator, n_draws: int = N_PERMUTATIONS
) -> float:
    """Permutation test that no other code scores higher than the labelled one.

    Parameters
    ----------
    scores : ndarray of shape (repetitions, 6)
        Scores of the six columns, or of the six rows.
    labelled : int
        Position of the labelled code among the six.
    rng : numpy Generator
        Draws the permutations.
    n_draws : int
        Permutations drawn, a multiple of 1,000.
    """

    def lead(values):
        means = np.nanmean(values, axis=-2)
        others = np.delete(means, labelled, axis=-1)
        return others.max(axis=-1) - means[..., labelled]

    observed = lead(scores)
    n_reached = 0
    for _ in range(n_draws // 1000):
        drawn = rng.permuted(np.broadcast_to(scores, (1000, *scores.shape)), axis=2)
        n_reached += int(np.count_nonzero(lead(drawn) >= observed))
    return (1 + n_reached) / (1 + n_draws)


def holm(p_values) -> np.ndarray:
    """p-values corrected for their number (Holm 1979): the chance of one false one stays."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values)
    stepped = p_values[order] * (len(p_values) - np.arange(len(p_values)))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return corrected
