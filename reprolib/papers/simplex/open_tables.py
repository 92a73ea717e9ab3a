"""How Table 2 takes an estimator of others: official splits, hold-out selection."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from data_fetch import Dataset
from reprolib.rerun.records import Task
from reprolib.rerun.tasks.open_table import OpenTable, Trial


def trial(task: Task, dataset: Dataset) -> Trial:
    """The official split; the trial is the seed of the rows that are held out."""
    train, test = dataset.splits[0]
    rows = np.arange(len(train))
    held_out = tuple(train_test_split(rows, test_size=0.2, random_state=task.trial))
    X, y = dataset.X[train], dataset.y[train]
    return Trial(X, y, dataset.X[test], dataset.y[test], [held_out])


OPEN = {
    "table2": OpenTable("sc-svm online", trial, "accuracy", candidates=100, only_seeds=True),
}
CLOSED = {
    "batch_svm": "it measures duality gaps of the simplex SVMs",
    "classes": "it measures time against the number of classes",
    "dictionaries": "it draws the patches of HMAX anew; Table 2 has the same splits",
    "peers": "it is an experiment of ours; Table 2 has the same splits",
    "printed_choices": "it looks for the choices that give the digits of S-LS",
}
