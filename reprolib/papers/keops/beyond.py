"""What the paper does not measure: few electrodes, runs apart, spelling, the leak of its split.

Windows of neighbouring flashes overlap in time, so that a split by flash shares signal between
training and test.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from data_fetch import Dataset
from data_fetch.p300 import audited_letters, codes_of
from reprolib.papers.keops.methods import METHODS, feature_tree, shrinkage_lda
from reprolib.papers.keops.splits import (
    N_TRAIN,
    character_halves,
    characters,
    draw_split,
    run_codes,
)
from reprolib.rerun.records import Measurement, Task

N_ELECTRODES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)


def _fitted(task: Task, dataset: Dataset, X, train):
    """Fit the task's method, at the value that it gives, to some flashes."""
    tree = feature_tree(dataset, X)
    model = METHODS[task.method].make(X[train], tree, float(task.params["value"]))
    return model.fit(X[train], dataset.y[train])


def _auc(model, dataset: Dataset, X, test) -> float:
    return float(roc_auc_score(dataset.y[test], model.decision_function(X[test])))


def electrodes(task: Task, dataset: Dataset, X: np.ndarray) -> list[Measurement]:
    """Shrinkage LDA on the first k electrodes of a method's ranking, and on k random ones."""
    train, tests = draw_split(dataset, task.trial, by_character=False)
    test = tests[None]
    n_channels = len(dataset.extra["channels"])
    by_channel = X.reshape(len(X), n_channels, -1)
    ranking = list(task.params["ranking"])
    order = np.random.default_rng(task.trial).permutation(n_channels)
    random_ranking = [int(c) for c in order]
    measurements = []
    for name, ranked in ((None, ranking), ("random electrodes", random_ranking)):
        sizes = [k for k in N_ELECTRODES if k <= len(ranked)]
        values = []
        for k in sizes:
            part = by_channel[:, ranked[:k]].reshape(len(X), -1)
            lda = shrinkage_lda().fit(part[train], dataset.y[train])
            values.append(roc_auc_score(dataset.y[test], lda.decision_function(part[test])))
        measurements.append(
            Measurement(
                "auc path", np.nan, {"electrodes": sizes}, len(test), path=values, reading=name
            )
        )
    return measurements


def aucs_by_run(task: Task, dataset: Dataset, X: np.ndarray) -> list[Measurement]:
    """AUC of a classifier of Table 1 on the test flashes of every run apart."""
    train, tests = draw_split(dataset, task.trial, by_character=False)
    model = _fitted(task, dataset, X, train)
    of_run = np.asarray(dataset.groups)[tests[None]]
    measurements = []
    for code in np.unique(of_run):
        test = tests[None][of_run == code]
        auc = _auc(model, dataset, X, test)
        measurements.append(
            Measurement("auc", auc, n_test=len(test), setting=f"run {code}", level=int(code))
        )
    return measurements


def spelling(task: Task, dataset: Dataset, X: np.ndarray) -> list[Measurement]:
    """Characters of one run, spelled by classifiers trained on the other runs.

    One classifier on 567 flashes of the others, and an ensemble of one for each other run. The
    classifiers are trained on the labels as published; what they spell is compared with those, and
    with the characters that the EEG says.
    """
    codes = run_codes(dataset)
    held_out = dataset.groups == codes[task.trial]
    flashes = dataset.extra["flashes"][held_out]
    audited = flashes.assign(letter=audited_letters(dataset)[held_out])
    rng = np.random.default_rng(task.trial)
    single = [rng.permutation(np.flatnonzero(~held_out))[:N_TRAIN]]
    parts = [np.flatnonzero(dataset.groups == code) for code in codes if code != codes[task.trial]]
    measurements = []
    n_characters = flashes["character"].nunique()
    for reading, members in ((None, single), ("ensemble", parts)):
        models = [_fitted(task, dataset, X, part) for part in members]
        scores = ensemble_scores(models, X[held_out])
        measurements += [
            Measurement(
                "correct characters",
                np.nan,
                {},
                n_characters,
                path=correct_characters(scores, wanted).tolist(),
                reading=compared,
            )
            for compared, wanted in (
                (reading, flashes),
                (f"{reading or 'spelled'}, as the EEG says", audited),
            )
        ]
        measurements += [
            Measurement(
                "auc",
                roc_auc_score(dataset.y[held_out], scores),
                n_test=int(held_out.sum()),
                reading=reading,
            ),
        ]
    return measurements


def characters_apart(task: Task, dataset: Dataset, X: np.ndarray) -> list[Measurement]:
    """Every character under a classifier trained on 567 flashes of the others.

    The AUC on its flashes, and the mean score of each column (codes 1-6) and row (7-12): an
    audit of the labels that no label of the character itself takes part in.
    """
    flashes, of = dataset.extra["flashes"], characters(dataset)
    measurements = []
    for character in np.unique(of):
        test = of == character
        rng = np.random.default_rng([task.trial, int(character)])
        train = rng.permutation(np.flatnonzero(~test))[:N_TRAIN]
        scores = _fitted(task, dataset, X, train).decision_function(X[test])
        first = flashes[test].iloc[0]
        setting, level = f"character {character} ({first['letter']})", int(character)
        auc = float(roc_auc_score(dataset.y[test], scores))
        by_code = pd.Series(scores).groupby(flashes["code"][test].to_numpy()).mean()
        measurements += [
            Measurement("auc", auc, n_test=int(test.sum()), setting=setting, level=level),
            Measurement(
                "score of a code", np.nan, path=by_code.tolist(), setting=setting, level=level
            ),
        ]
    return measurements


def leak(task: Task, dataset: Dataset, X: np.ndarray) -> list[Measurement]:
    """AUC on other flashes of the training characters, and on other characters.

    The characters are halved at random; a classifier is trained on 567 flashes of each half and
    tested on the rest of that half and on the other one. The mean over both removes the
    difference between the halves.
    """
    same, other = [], []
    for train, same_test, other_test in character_halves(dataset, task.trial):
        model = _fitted(task, dataset, X, train)
        same.append(_auc(model, dataset, X, same_test))
        other.append(_auc(model, dataset, X, other_test))
    return [
        Measurement("auc", float(np.mean(same)), reading="same characters"),
        Measurement("auc", float(np.mean(other)), reading="other characters"),
    ]


def correct_characters(scores, flashes: pd.DataFrame) -> np.ndarray:
    """How many characters are right after 1, 2, ... repetitions.

    The scores of every row and column are added up over the repetitions; the best row and the
    best column give the character.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Of every flash.
    flashes : DataFrame
        Columns ``character``, ``letter``, ``repetition``, ``code`` (see `data_fetch.p300`).

    Returns
    -------
    ndarray of shape (repetitions,)
        Share of characters found after so many repetitions.
    """
    table = flashes.assign(score=scores)
    correct = np.zeros(int(flashes["repetition"].max()))
    for _, character in table.groupby("character"):
        wide = character.pivot_table(index="repetition", columns="code", values="score")
        total = wide.sort_index().cumsum()
        column = total[range(1, 7)].idxmax(axis=1)
        row = total[range(7, 13)].idxmax(axis=1)
        wanted = codes_of(character["letter"].iloc[0])
        correct += ((column == wanted[0]) & (row == wanted[1])).to_numpy()
    return correct


def ensemble_scores(models, X) -> np.ndarray:
    """Sum of the members' scores (Rakotomamonjy et al. 2005: one SVM for each part of the data)."""
    return np.sum([model.decision_function(X) for model in models], axis=0)
