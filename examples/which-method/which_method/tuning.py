"""Choose one of a method's configurations by cross-validation, and refit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from reprolib.methods.shared.solution import NotOptimalError
from which_method.methods import Method, Setting
from which_method.splits import Split

Config = Mapping[str, Any]


@dataclass
class Tuned:
    """A fitted model, and what its choice took.

    Parameters
    ----------
    model : estimator
    config : mapping
        The configuration chosen.
    cv_accuracy : ndarray
        By configuration; NaN where a fit did not converge, zero for a single configuration.
    n_fits, n_failed : int
        Fits in all, the last one included, and those among them that did not converge.
    seconds : float
        Computing time of the last fit alone.
    """

    model: Any
    config: Config
    cv_accuracy: np.ndarray
    n_fits: int
    n_failed: int
    seconds: float


def fit_converged(model, X, y):
    """Fit a model; None if its solver says that it did not converge."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            model.fit(X, y)
        except NotOptimalError:
            return None
    return None if any(issubclass(w.category, ConvergenceWarning) for w in caught) else model


def shared_fits(method: Method) -> list[list[int]]:
    """Configurations, by index, that one fit serves: those that differ along the path only."""
    groups: dict[str, list[int]] = {}
    for index, config in enumerate(method.grid):
        fixed = {k: v for k, v in config.items() if method.path is None or k != method.path.name}
        key = str(fixed) if method.path else str(index)
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def tune(method: Method, split: Split) -> Tuned:
    """Cross-validate all configurations on the split's folds; refit the best on all its rows.

    A single configuration is not cross-validated. One with a fit that did not converge is out; if
    the last fit does not converge, the next best is taken. Of equally good ones the first in the
    grid wins.

    Raises
    ------
    RuntimeError
        If no configuration converges.
    """
    setting = Setting.of(split.X, split.y)
    accuracy, n_fits, n_failed = (
        _cross_validated(method, setting, split) if len(method.grid) > 1 else (np.zeros(1), 0, 0)
    )
    for index in np.argsort(-accuracy, kind="stable"):
        if np.isnan(accuracy[index]):
            break
        n_fits += 1
        config = method.grid[index]
        start = time.process_time()
        model = fit_converged(method.make(setting, **config), split.X, split.y)
        if model is not None:
            seconds = time.process_time() - start
            return Tuned(model, config, accuracy, n_fits, n_failed, seconds)
        n_failed += 1
    raise RuntimeError(f"{method.label}: none of {len(method.grid)} configurations converged")


def _cross_validated(method: Method, setting: Setting, split: Split):
    """Accuracy of every configuration, NaN where a fit failed; number of fits and of failures.

    The accuracy is balanced where the method is.
    """
    weights = _balanced_weights(split.y) if method.balanced else np.ones(len(split.y))
    hits = np.zeros(len(method.grid))
    n_fits = n_failed = 0
    for indices in shared_fits(method):
        for train, test in split.folds:
            configs = [method.grid[i] for i in indices]
            predicted = _predictions(method, setting, configs, split, train, test)
            n_fits += 1
            if predicted is None:
                n_failed += 1
                hits[indices] = np.nan
            else:
                hits[indices] += [weights[test][p == split.y[test]].sum() for p in predicted]
    # Rounded, so that equal balanced accuracies are a tie whatever the order of adding.
    return hits.round(9) / len(split.y), n_fits, n_failed


def _balanced_weights(y) -> np.ndarray:
    """Weights of the rows by which all classes count the same; their mean is one."""
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    return len(y) / (len(counts) * counts[codes])


def _predictions(
    method: Method, setting: Setting, configs: Sequence[Config], split: Split, train, test
) -> list[np.ndarray] | None:
    """Predict the held-out rows with every configuration, from one fit; None if it failed."""
    path = method.path
    if path is None:
        (config,) = configs
        model = fit_converged(method.make(setting, **config), split.X[train], split.y[train])
        return None if model is None else [model.predict(split.X[test])]
    last = max(configs, key=lambda config: config[path.name])
    model = fit_converged(method.make(setting, **last), split.X[train], split.y[train])
    if model is None:
        return None
    values = [config[path.name] for config in configs]
    return path.predict(model, split.X[test], values)
