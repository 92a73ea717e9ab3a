"""Tables that are open to any scikit-learn estimator: its trials, its selection, its score.

A paper's ``open_tables.py`` has ``OPEN``, an `OpenTable` by the name of a table, and may have
``CLOSED``: why another table takes no estimator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, ParameterGrid

from data_fetch import Dataset
from reprolib.rerun.records.task import Measurement, Task

#: Metrics of printed tables that an estimator can be scored by: larger is better, how it is chosen.
METRICS: Mapping[str, tuple[bool, str]] = {
    "accuracy": (True, "accuracy"),
    "test error": (False, "accuracy"),
    "auc": (True, "roc_auc"),
}


@dataclass(frozen=True)
class Trial:
    """What every estimator is given in one trial.

    Parameters
    ----------
    X, y, X_test, y_test : ndarray
        Training and test part.
    folds : sequence of (train, test) index arrays
        Into the rows of X, for a selection.
    source : {"resampled"}, optional
        The trial drew its own split of real data.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    folds: Sequence[tuple[np.ndarray, np.ndarray]]
    source: str | None = None


@dataclass(frozen=True)
class OpenTable:
    """How a table of a paper takes an estimator.

    Parameters
    ----------
    like : str
        Method of the paper whose tasks give the trials.
    trial : callable
        (task, data set) -> `Trial`: the rows and folds that the paper's methods have.
    metric : str
        One of `METRICS`, as the printed numbers have it.
    candidates : int
        Budget of a selection: the most that a method of the paper chooses from. 1: no selection.
    tasks_of : str
        Table with the tasks of ``like``, if it is another one.
    compared : str
        Metric of our records that an estimator is compared with, if it is not ``metric``.
    only_seeds : bool
        Trials differ by their seeds alone: an estimator without any is run once.
    note : str
        What a reader must know of the comparison.
    """

    like: str
    trial: Callable[[Task, Dataset], Trial]
    metric: str
    candidates: int
    tasks_of: str = ""
    compared: str = ""
    only_seeds: bool = False
    note: str = ""

    @property
    def larger_is_better(self) -> bool:
        """Of the metric."""
        return METRICS[self.metric][0]


def grid_of(estimator: Any, grid: Mapping | Sequence[Mapping] | None) -> Any:
    """Grid that was given, else the estimator's own attribute ``param_grid``; None if neither.

    A search of scikit-learn brings its grid, and is left to it.
    """
    if is_search(estimator):
        if grid is not None:
            raise ValueError("grid is given, but the estimator is a search with its own; drop one.")
        return None
    return getattr(estimator, "param_grid", None) if grid is None else grid


def is_search(estimator: Any) -> bool:
    """Whether an estimator is a search over a grid, such as `GridSearchCV`."""
    return hasattr(estimator, "cv") and hasattr(estimator, "estimator")


def n_candidates(estimator: Any, grid: Any) -> int:
    """How many candidates a selection has, 1 without any."""
    if is_search(estimator):
        own_grid = getattr(estimator, "param_grid", None)
        return getattr(estimator, "n_iter", 1) if own_grid is None else len(ParameterGrid(own_grid))
    return 1 if grid is None else len(ParameterGrid(grid))


def is_random(estimator: Any, grid: Any) -> bool:
    """Whether trials of other seeds may differ: it draws, or its selection has drawn folds."""
    params = estimator.get_params()
    return grid is not None or any(name.endswith(("random_state", "cv")) for name in params)


def run_on(table: OpenTable, estimator: Any, grid: Any, task: Task, dataset: Dataset):
    """Choose, fit and score an estimator in one trial; a pure function of its arguments."""
    trial = table.trial(task, dataset)
    scoring = METRICS[table.metric][1]
    model = ready(estimator, grid, trial.folds, task.trial, scoring).fit(trial.X, trial.y)
    chosen = {name: _plain(value) for name, value in getattr(model, "best_params_", {}).items()}
    value = score(table.metric, model, trial.X_test, trial.y_test)
    return [Measurement(table.metric, value, chosen, n_test=len(trial.y_test), source=trial.source)]


def ready(estimator: Any, grid: Any, folds: Sequence, seed: int, scoring: str = "accuracy") -> Any:
    """Copy that chooses on given folds, with a seed wherever it has none.

    Parameters
    ----------
    estimator : estimator
        The one to be fitted.
    grid : mapping, sequence of mappings or None
        Its parameters to choose from.
    folds : sequence of (train, test) index arrays
        By which the parameters are chosen.
    seed : int
        Of what the estimator draws.
    scoring : str
        What it is chosen by.
    """
    model = clone(estimator)
    if grid is not None:
        model = GridSearchCV(model, grid, scoring=scoring)
    params = model.get_params()
    if "cv" in params:
        model.set_params(cv=list(folds))
    unset = [name for name in params if name.endswith("random_state") and params[name] is None]
    return model.set_params(**dict.fromkeys(unset, seed))


def score(metric: str, model: Any, X, y) -> float:
    """Score of a fitted model on test rows, by the metric's name in the records."""
    if metric == "auc":
        if hasattr(model, "decision_function"):
            return float(roc_auc_score(y, model.decision_function(X)))
        if hasattr(model, "predict_proba"):
            return float(roc_auc_score(y, model.predict_proba(X)[:, 1]))
        raise ValueError(
            f"{type(model).__name__} has neither decision_function nor predict_proba, and this "
            "table is of areas under the ROC curve; wrap it, for example in CalibratedClassifierCV."
        )
    accuracy = float(np.mean(np.asarray(model.predict(X)) == y))
    return 1.0 - accuracy if metric == "test error" else accuracy


def _plain(value: Any) -> Any:
    """Value as JSON has it, otherwise its text."""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        json.dumps(value)
    except TypeError:
        return str(value)
    return value
