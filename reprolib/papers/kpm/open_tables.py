"""How Tables 1 and 2 take an estimator of others: the realisations and folds of KPM and SVM."""

from __future__ import annotations

from data_fetch import Dataset
from reprolib.papers.kpm import methods
from reprolib.rerun.records import Task
from reprolib.rerun.tasks.open_table import OpenTable, Trial


def trial(task: Task, dataset: Dataset) -> Trial:
    """One realisation or partition, and the folds in which D and C are chosen."""
    X, y, X_test, y_test = methods.realisation(task, dataset)
    source = "resampled" if task.params.get("partition") else None
    return Trial(X, y, X_test, y_test, list(methods.folds(task).split(X, y)), source)


OPEN = {
    "table1": OpenTable(
        "kpm",
        trial,
        "test error",
        candidates=1,
        tasks_of="table2",
        note="Table 1 uses the medians of what five realisations chose; for a grid, use Table 2",
    ),
    "table2": OpenTable("kpm", trial, "test error", candidates=100),
}
CLOSED = {
    "selection": "it holds the dimensions that KPM selects",
    "figure1": "its curves are errors against D and against C",
    "beyond": "its maps are errors at every D and C of an SVM on the components",
    "peak": "its curves are along the components of KPM",
}
