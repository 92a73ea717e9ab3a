"""Training and test points of every trial: folds, draws by class, held-out runs of the scanner."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

#: Data sets that take the place of the paper's fMRI data.
FMRI = ("haxby/subj1", "embedded/haxby")
#: Some of its voxels with the volumes of rest, on which preparations alone are compared.
ONE_SLICE = "haxby/one_slice"
#: N of the text on the StatLog sets.
N = 1500
#: Folds where no split is published (as Hsu and Lin), and how often the rows are dealt to them.
N_FOLDS, N_PARTITIONS = 10, 20
#: N of the text on the fMRI row, the number of voxels there; the slice has fewer.
N_FMRI = 577
#: Conditions of the fMRI data.
RAW = "raw"
SCALED = "voxels scaled to [0, 1]"
CENTRED = "voxels centred"
STANDARDISED = "voxels z-scored over all runs"
Z_SCORED = "z-scored in each run (extra)"


def n_folds(dataset) -> int:
    """Published splits, or folds where there are none."""
    return len(dataset.splits) or N_FOLDS


def fold(dataset, trial: int) -> tuple[np.ndarray, np.ndarray]:
    """Give a published split; where there is none, trial 10 p + k is fold k of partition p."""
    if dataset.splits:
        return dataset.splits[trial]
    partition, number = divmod(trial, N_FOLDS)
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=partition)
    return list(splitter.split(dataset.X, dataset.y))[number]


def draw(dataset, trial: int, n_train: int = N) -> tuple[np.ndarray, np.ndarray]:
    """``n_train`` training points drawn by class; test points are the test file, or the rest."""
    pool, test = dataset.splits[0] if dataset.splits else (np.arange(len(dataset.y)), None)
    n_train = min(n_train, 2 * len(pool) // 3)
    train, rest = train_test_split(
        pool, train_size=n_train, stratify=dataset.y[pool], random_state=trial
    )
    return np.sort(train), np.sort(rest) if test is None else test


def prepare(dataset, trial: int, *, runs: int = 10, condition: str = RAW) -> dict:
    """Training and test volumes of one held-out run, of the first ``runs`` runs."""
    used = dataset.groups < runs
    X, y, groups = dataset.X[used], dataset.y[used], dataset.groups[used]
    if condition == SCALED:
        X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)
    elif condition == STANDARDISED:
        X = z_score(X)
    elif condition == Z_SCORED:
        X = z_score_runs(X, groups)
    train, test = groups != trial, groups == trial
    if condition == CENTRED:
        X = X - X[train].mean(axis=0)
    return {
        "X": X[train],
        "y": y[train],
        "groups": groups[train],
        "X_test": X[test],
        "y_test": y[test],
    }


def z_score(X):
    """Subtract every voxel's mean, and divide by its standard deviation."""
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)


def z_score_runs(X, groups):
    """Score every run by itself."""
    scored = np.empty_like(X)
    for group in np.unique(groups):
        scored[groups == group] = z_score(X[groups == group])
    return scored
