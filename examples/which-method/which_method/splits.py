"""One trial: the same rows, in the same columns, for every method."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from data_fetch import Dataset
from data_fetch.p300 import contradicted_flashes
from reprolib.methods.keops.speller import features, is_speller

MAX_TRAIN = 200
MAX_TEST = 1000
N_FOLDS = 3
#: More columns than this are replaced by `N_PRINCIPAL` principal components.
MAX_COLUMNS = 200
N_PRINCIPAL = 100


@dataclass(frozen=True)
class Split:
    """Training and test part of one trial, and the folds of the training part.

    Parameters
    ----------
    X, y, X_test, y_test : ndarray
    folds : list of (train, test) index arrays
        Into the rows of X, the same for every method.
    test_overlap : float
        Share of the test rows that two trials have in common, on average: rows are drawn from
        the whole set, or from half of its groups.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    folds: list[tuple[np.ndarray, np.ndarray]]
    test_overlap: float


def draw_rows(dataset: Dataset, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw disjoint training and test rows, in the proportions of the classes.

    At most half of the rows, and at most `MAX_TRAIN`, are for training; at most `MAX_TEST` of the
    others are for the test. Where the data have groups (runs, sessions), the training rows are
    from one random half of the groups and the test rows from the other. The character of the
    speller whose label the EEG contradicts is left out.
    """
    rng = np.random.default_rng(seed)
    n = len(dataset.y)
    if dataset.groups is None:
        train = _draw(np.arange(n), dataset.y, min(MAX_TRAIN, n // 2), rng)
        rest = np.setdiff1d(np.arange(n), train)
    else:
        inside, outside = _groups_halved(dataset, rng)
        train = _draw(inside, dataset.y, MAX_TRAIN, rng)
        rest = outside
    return train, _draw(rest, dataset.y, MAX_TEST, rng)


def draw_curve_rows(dataset: Dataset, seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw test rows, the same for every size, and at most ``size`` of the others for training.

    The test rows are a quarter of all, at most `MAX_TEST`, or half of the groups.
    """
    rng = np.random.default_rng(seed)
    n = len(dataset.y)
    if dataset.groups is None:
        test = _draw(np.arange(n), dataset.y, min(MAX_TEST, n // 4), rng)
        pool = np.setdiff1d(np.arange(n), test)
    else:
        pool, outside = _groups_halved(dataset, rng)
        test = _draw(outside, dataset.y, MAX_TEST, rng)
    return _draw(pool, dataset.y, size, rng), test


def _groups_halved(dataset: Dataset, rng) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one random half of the groups, and of the other; none whose label is wrong."""
    groups = np.asarray(dataset.groups)
    shuffled = rng.permutation(np.unique(groups))
    inside = np.isin(groups, shuffled[: len(shuffled) // 2])
    sound = ~contradicted_flashes(dataset) if is_speller(dataset) else np.ones_like(inside)
    return np.flatnonzero(inside & sound), np.flatnonzero(~inside & sound)


def _draw(rows, y, size: int, rng) -> np.ndarray:
    """At most ``size`` of the rows, in the proportions of the classes."""
    classes, counts = np.unique(y[rows], return_counts=True)
    wanted = _proportional(counts, min(size, len(rows)))
    drawn = [
        rng.choice(rows[y[rows] == label], k, replace=False)
        for label, k in zip(classes, wanted, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def _proportional(counts, size: int) -> np.ndarray:
    """Whole numbers in the proportions of the counts that sum to ``size``: largest remainders."""
    exact = size * counts / counts.sum()
    whole = np.floor(exact).astype(int)
    most = np.argsort(whole - exact, kind="stable")[: size - whole.sum()]
    whole[most] += 1
    return whole


def make_split(dataset: Dataset, seed: int, *, all_columns: bool = False) -> Split:
    """Split of a trial of the main table: rows of `draw_rows`, prepared by `prepared`."""
    return prepared(dataset, seed, *draw_rows(dataset, seed), all_columns=all_columns)


def make_curve_split(dataset: Dataset, seed: int, size: int) -> Split:
    """Split of a trial of a learning curve: rows of `draw_curve_rows`, prepared by `prepared`."""
    return prepared(dataset, seed, *draw_curve_rows(dataset, seed, size))


def prepared(dataset: Dataset, seed: int, train, test, *, all_columns: bool = False) -> Split:
    """Features standardised on the training rows, and inner folds.

    The recording of the speller is band-passed and decimated first, as the KEOPS paper has it.
    More than `MAX_COLUMNS` columns are then replaced by the first `N_PRINCIPAL` principal
    components of the training part, the largest loading of each positive, unless ``all_columns``
    is set.
    """
    y, y_test = dataset.y[train], dataset.y[test]
    columns = features(dataset) if is_speller(dataset) else dataset.X
    scaler = StandardScaler().fit(columns[train])
    X, X_test = scaler.transform(columns[train]), scaler.transform(columns[test])
    if X.shape[1] > MAX_COLUMNS and not all_columns:
        n_components = min(N_PRINCIPAL, len(X) - 1)
        pca = PCA(n_components, svd_solver="full").fit(X)
        signs = _signs(pca.components_)
        X, X_test = signs * pca.transform(X), signs * pca.transform(X_test)
    groups = None if dataset.groups is None else dataset.groups[train]
    overlap = 0.5 if dataset.groups is not None else len(test) / len(dataset.y)
    return Split(X, y, X_test, y_test, inner_folds(X, y, groups, seed), overlap)


def _signs(components) -> np.ndarray:
    """Signs by which the largest loading of every component is positive.

    Trees draw thresholds at random and see a component's sign, which is the solver's choice.
    """
    largest = np.argmax(np.abs(components), axis=1)
    return np.sign(components[np.arange(len(components)), largest])


def inner_folds(X, y, groups, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of the training rows in which a configuration is chosen, of whole groups if any."""
    splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
    with warnings.catch_warnings():
        # A class of two rows, as a curve begins with, is missing in one of the folds.
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter(N_FOLDS, shuffle=True, random_state=seed).split(X, y, groups))
