"""Labels of a table that everything else contradicts.

Model: each label is drawn from the probabilities that the columns give. Held-out votes of extra
trees estimate them, softmax(a log votes); the one number a is fitted to all labels, so that wrong
labels make the probabilities more careful, not less. The p-value of a row is the probability of a
label at most as probable as its own; Holm's correction over the rows.

One odd label among n can be shown no better than to 1 in n unless the votes of the other rows are
graded, so that they say how fast the probability falls: the test is silent far more often than not.
The level holds as far as that model does (simulated in the tests: overlapping classes, noise, rare
classes). A rare but right label looks the same: a finding is a row to look at, no error. Of the
libraries, cleanlab ranks such rows but has no level: it lists rows of clean sets, too
(docs/audit.md).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_predict

from data_fetch.auditing.finding import LEVEL, Finding, at_places, holm, named
from data_fetch.dataset import Dataset

N_TREES = 300
N_FOLDS = 5


def held_out_votes(X, labels, groups=None, seed: int = 0) -> np.ndarray:
    """Log of the share of trees that vote for each class, none of which saw the row."""
    trees = ExtraTreesClassifier(N_TREES, random_state=seed, n_jobs=-1)
    folds = (
        StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
        if groups is None
        else GroupKFold(N_FOLDS)
    )
    share = cross_val_predict(trees, X, labels, groups=groups, cv=folds, method="predict_proba")
    return np.log((share * N_TREES + 0.5) / (N_TREES + 0.5 * share.shape[1]))


def calibrated(log_votes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Log-probabilities softmax(a log votes), with the a > 0 that fits all labels best."""
    rows = np.arange(len(labels))

    def loss(log_a: float) -> float:
        return -float(log_softmax(np.exp(log_a) * log_votes, axis=1)[rows, labels].mean())

    best = minimize_scalar(loss, bounds=(-6.0, 3.0), method="bounded").x
    return log_softmax(np.exp(best) * log_votes, axis=1)


def label_p_values(X, y, groups=None, seed: int = 0) -> np.ndarray:
    """Probability of a label at most as probable as its own, of every row."""
    labels = np.unique(y, return_inverse=True)[1]
    log_p = calibrated(held_out_votes(X, labels, groups, seed), labels)
    own = log_p[np.arange(len(labels)), labels][:, None]
    return np.where(log_p <= own + 1e-12, np.exp(log_p), 0.0).sum(axis=1)


def contradicted(dataset: Dataset, codes: np.ndarray) -> list[Finding]:
    """Rows whose label is less probable, given the other rows, than chance in so many rows."""
    counts, n_different = np.unique(dataset.y, return_counts=True)[1], len(np.unique(codes))
    if len(counts) < 2 or counts.min() < N_FOLDS:
        return []
    groups = codes if n_different < len(codes) else None
    if groups is not None and n_different < 10 * N_FOLDS:
        return []  # few different rows: `rows.conflicting` says all that there is
    p_values = holm(label_p_values(dataset.X, dataset.y, groups))
    rows = np.flatnonzero(p_values < LEVEL)
    rows = rows[np.argsort(p_values[rows])]
    suspects = [f"row {i} (label {dataset.y[i]})" for i in rows]
    text = f"labels that the other rows contradict, to be looked at: {named(suspects)}"
    return at_places("contradicted labels", text, rows, float(p_values.min()))
