"""Which flashes are drawn for training, which are left for test, and the folds inside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from data_fetch import Dataset
from data_fetch.p300 import contradicted_flashes

N_TRAIN = 567
N_FOLDS = 5
#: Session whose runs the competition kept for its test; the paper draws from those before it.
TEST_SESSION = 12
#: Characters of the paper's training sessions: one contradicted label is 1 in 42 of its flashes.
N_CHARACTERS = 42
SAME_CHARACTERS = "split by character, tested on the same characters"


def flash_pool(dataset: Dataset, params: Mapping[str, object], draw: int = 0) -> np.ndarray:
    """Flashes that a reading draws from, in their order.

    Parameters
    ----------
    dataset : Dataset
        The speller's recordings.
    params : mapping
        ``test_session``: take the test session, too. ``without_run``: leave out this run (100 *
        session + run). ``contradicted``: what becomes of a character whose label the EEG
        contradicts; "left out", or "one in 42" of all flashes, as in the paper's pool.
    draw : int
        Seed of the flashes that stay where a character is thinned out.
    """
    session = dataset.extra["flashes"]["session"].to_numpy()
    inside = (session < TEST_SESSION) | bool(params.get("test_session"))
    inside &= np.asarray(dataset.groups) != params.get("without_run")
    doubtful = inside & contradicted_flashes(dataset)
    if params.get("contradicted") == "left out":
        inside &= ~doubtful
    if params.get("contradicted") == "one in 42":
        # Random flashes of the doubtful character, 1 in 42 of the pool, targets 1 in 6.
        rng, inside = np.random.default_rng(draw), inside & ~doubtful
        n_doubtful = np.count_nonzero(inside) / (N_CHARACTERS - 1)
        for label, share in ((1, 1 / 6), (-1, 5 / 6)):
            of_label = np.flatnonzero(doubtful & (dataset.y == label))
            inside[rng.choice(of_label, round(n_doubtful * share), replace=False)] = True
    return np.flatnonzero(inside)


def draw_split(dataset: Dataset, draw: int, by_character: bool, pool=None):
    """Training flashes, and named test sets, of one draw.

    By flash: 567 at random, all others for test. By character: 567 at random of half of the
    characters; one test set of the other half, and one of the rest of the same half.

    Parameters
    ----------
    pool : ndarray of int, optional
        Flashes to draw from; those of the training sessions by default.

    Raises
    ------
    ValueError
        If too few flashes are at hand.
    """
    rng = np.random.default_rng(draw)
    pool = flash_pool(dataset, {}) if pool is None else pool
    if not by_character:
        _check_enough(dataset, len(pool), "to draw from")
        order = rng.permutation(pool)
        return order[:N_TRAIN], {None: order[N_TRAIN:]}
    of_pool = characters(dataset)[pool]
    drawn = rng.permutation(np.unique(of_pool))
    half = np.isin(of_pool, drawn[: len(drawn) // 2])
    _check_enough(dataset, int(half.sum()), "in half of the characters")
    order = rng.permutation(pool[half])
    return order[:N_TRAIN], {None: pool[~half], SAME_CHARACTERS: order[N_TRAIN:]}


def character_halves(dataset: Dataset, draw: int):
    """Two classifiers' flashes: (567 of a random half of the characters, its rest, other half).

    Returns
    -------
    list of two tuples (train, same characters, other characters)
        Row numbers of each part.
    """
    rng = np.random.default_rng(draw)
    pool = flash_pool(dataset, {})
    of_pool = characters(dataset)[pool]
    drawn = rng.permutation(np.unique(of_pool))
    first = np.isin(of_pool, drawn[: len(drawn) // 2])
    halves = []
    for half in (first, ~first):
        _check_enough(dataset, int(half.sum()), "in half of the characters")
        order = rng.permutation(pool[half])
        halves.append((order[:N_TRAIN], order[N_TRAIN:], pool[~half]))
    return halves


def _check_enough(dataset: Dataset, n_flashes: int, where: str) -> None:
    if n_flashes <= N_TRAIN:
        raise ValueError(
            f"{dataset.name} has {n_flashes} labelled flashes {where} ({dataset.source_note}); the "
            f"protocol trains on {N_TRAIN} and tests on the rest. Get more runs of sessions 010 "
            "and 011."
        )


def characters(dataset: Dataset) -> np.ndarray:
    """Number of the character that every flash belongs to."""
    return dataset.extra["flashes"]["character"].to_numpy()


def folds(y, train, seed: int, groups: np.ndarray | None = None):
    """Stratified folds of the training flashes, groups kept together if there are any."""
    if groups is None:
        splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
        return list(splitter.split(train, y[train]))
    splitter = StratifiedGroupKFold(N_FOLDS, shuffle=True, random_state=seed)
    return list(splitter.split(train, y[train], groups[train]))


def run_codes(dataset: Dataset) -> np.ndarray:
    """Runs at hand, as 100 * session + run."""
    return np.unique(np.asarray(dataset.groups))
