"""How Table 1 takes an estimator of others: the same flashes, features and folds, scored by AUC."""

from __future__ import annotations

import mne

from data_fetch import Dataset
from reprolib.methods.keops.speller import SpellerFeatures, features
from reprolib.papers.keops.methods import COSTS
from reprolib.papers.keops.splits import draw_split, flash_pool, folds
from reprolib.rerun.records import Task
from reprolib.rerun.tasks.open_table import OpenTable, Trial


def trial(task: Task, dataset: Dataset) -> Trial:
    """567 flashes for training and all others for test, as channels by frames in one row."""
    with mne.use_log_level("ERROR"):
        X = features(dataset, SpellerFeatures())
    pool = flash_pool(dataset, task.params, task.trial)
    train, tests = draw_split(dataset, task.trial, False, pool)
    test = tests[None]
    inner = folds(dataset.y, train, task.trial)
    return Trial(X[train], dataset.y[train], X[test], dataset.y[test], inner)


OPEN = {"table1": OpenTable("keops", trial, "auc", candidates=len(COSTS))}
CLOSED = {
    "spelling": "it spells characters from several flashes, which needs the weights of a method",
    "electrodes": "it counts the electrodes that KEOPS keeps",
}
