"""Characters of a speller whose labelled row or column did not get the response.

Every character has 15 flashes of each of six columns and six rows. A linear discriminant trained on
the other characters scores them. Were the label right, the labelled column would score highest;
were it one of six equal ones, the six scores of a repetition could change places. So the scores are
permuted within each repetition, and the largest mean score of another column minus that of the
labelled one is compared with its permutations: a test whose level does not depend on how well the
classifier works, as long as it scores responses higher, not lower. Where that is not shown by all
characters together, the audit is silent. Holm's correction over the rows and columns of all
characters.
"""

from __future__ import annotations

import numpy as np
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from data_fetch.auditing.finding import LEVEL, Finding, holm
from data_fetch.dataset import Dataset
from data_fetch.p300 import codes_of, letter_of

N_PERMUTATIONS = 20_000
#: Samples whose mean is a feature: 50 ms.
BLOCK = 12
#: The classifier works if the held-out scores of all targets are larger at this p-value.
WORKS = 1e-6
AXES = {"column": range(1, 7), "row": range(7, 13)}


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
    labelled : int
        Position of the labelled code among the six.
    rng : numpy Generator
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


def contradicted(dataset: Dataset) -> list[Finding]:
    """Characters that the responses contradict, and what they spell instead."""
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
        places = np.flatnonzero(characters == np.unique(characters)[i])
        row, number = (
            flashes.iloc[places[0]],
            1 + characters[places[0]] - first_of_run.iloc[places[0]],
        )
        axes = zip(AXES, codes_of(row["letter"]), corrected[i], strict=True)
        silent = " and ".join(f"{axis} {code}" for axis, code, p in axes if p < LEVEL)
        text = (
            f"run {row['session']:03d}/{row['run']:02d}, character {number}: labelled "
            f"{row['letter']}, but {silent} got no response; the responses spell "
            f"{letter_of(*spelled[i])}"
        )
        p_value = float(corrected[i].min())
        found.append(Finding("contradicted labels", 1, text, p_value, places.tolist()))
    return found
