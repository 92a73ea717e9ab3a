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
    value = score(table.metric, model, trial.X_test, trial.y_test, trial.y)
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


def score(metric: str, model: Any, X, y, labels) -> float:
    """Score of a fitted model on test rows, by the metric's name in the records.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    model : classifier
        Fitted.
    X, y : ndarray
        Test rows and their labels.
    labels : ndarray
        Those that it was fitted to; its predictions have to be among them.

    Raises
    ------
    ValueError
        If what the model answers is not one label, or for the area under the ROC curve one number,
        for each row.
    """
    name = type(model).__name__
    known = sorted(set(np.asarray(labels).tolist()))
    if metric == "auc":
        return float(roc_auc_score(y, _values(model, X, known)))
    predicted = np.ma.asarray(model.predict(X))  # what is masked is None among the labels
    if predicted.shape != np.shape(y):
        raise ValueError(
            f"{name}.predict gave an array of shape {predicted.shape} for {len(y)} rows; it has to "
            f"give one label a row, of {shortened(known)}."
        )
    # As Python's own: NumPy takes the text '1' for the number 1.
    foreign = {repr(value): value for value in set(predicted.tolist()) - set(known)}
    if foreign:
        given = shortened([foreign[text] for text in sorted(foreign)])
        raise ValueError(
            f"{name}.predict gave {given}, and the labels of y are {shortened(known)}; predict "
            "labels of y, for example self.classes_[self.decision_function(X).argmax(axis=1)]."
        )
    accuracy = float(np.mean(predicted == y))
    return 1.0 - accuracy if metric == "test error" else accuracy


def _values(model: Any, X, known: Sequence) -> np.ndarray:
    """Numbers that are larger, the more a row seems to be of the second label."""
    name = type(model).__name__
    if not (hasattr(model, "decision_function") or hasattr(model, "predict_proba")):
        raise ValueError(
            f"{name} has neither decision_function nor predict_proba, and this table is of areas "
            "under the ROC curve; wrap it, for example in CalibratedClassifierCV."
        )
    classes = np.asarray(getattr(model, "classes_", known)).tolist()
    if classes != list(known):
        raise ValueError(
            f"{name}.classes_ is {shortened(classes)}, and the sorted labels of y are "
            f"{shortened(known)}; set classes_ to numpy.unique(y), and order the columns of "
            "predict_proba like it."
        )
    if hasattr(model, "decision_function"):
        asked, shape = "decision_function", [len(X)]
    else:
        asked, shape = "predict_proba", [len(X), 2]
    values = np.asarray(getattr(model, asked)(X))
    if (
        list(values.shape) != shape
        or values.dtype.kind not in "iuf"
        or not np.isfinite(values).all()
    ):
        raise ValueError(
            f"{name}.{asked} gave an array of shape {values.shape} and type {values.dtype} for "
            f"{len(X)} rows; it has to give finite numbers of shape {tuple(shape)}."
        )
    return values if values.ndim == 1 else values[:, 1]


def shortened(values: Sequence) -> str:
    """The first values, and how many there are."""
    shown = ", ".join(map(repr, values[:5]))
    return shown if len(values) <= 5 else f"{shown}, ... ({len(values)} in all)"


def _plain(value: Any) -> Any:
    """Value as JSON has it, otherwise its text."""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        json.dumps(value)
    except TypeError:
        return str(value)
    return value
