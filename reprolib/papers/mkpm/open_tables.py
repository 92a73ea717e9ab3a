"""How Table 1 takes an estimator of others: the paper's splits, folds and runs."""

from __future__ import annotations

from sklearn.model_selection import GroupKFold, StratifiedKFold

from data_fetch import Dataset
from reprolib.papers.mkpm.splits import FMRI, N, fold, prepare
from reprolib.rerun.records import Task
from reprolib.rerun.tasks.open_table import OpenTable, Trial


def trial(task: Task, dataset: Dataset) -> Trial:
    """One fold or published split; of the fMRI data one run, the folds then are of whole runs."""
    if dataset.name in FMRI:
        part = prepare(dataset, task.trial)
        X, y = part["X"], part["y"]
        folds = list(GroupKFold(5).split(X, y, part["groups"]))
        return Trial(X, y, part["X_test"], part["y_test"], folds)
    train, test = fold(dataset, task.trial)
    X, y = dataset.X[train], dataset.y[train]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=task.trial).split(X, y))
    return Trial(X, y, dataset.X[test], dataset.y[test], folds)


OPEN = {
    "table1": OpenTable(
        "mkpm",
        trial,
        "accuracy",
        candidates=N,
        note="MKPM chooses d by its training error, as the text says; a grid of yours by "
        "5-fold cross-validation",
    )
}
CLOSED = {
    "gamma": "it scans the kernel of MKPM",
    "path": "its curves are along the components of MKPM",
    "ablation": "it varies the parts of MKPM",
    "haxby": "it compares kernels and machines; Table 1 has the same runs",
    "printed_choices": "it looks for the choices that give the digits of MKPM",
    "preparations": "it compares preparations of the volumes; Table 1 has those of the record",
}
