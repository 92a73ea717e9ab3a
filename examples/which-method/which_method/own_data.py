"""The study's protocol on data of one's own: paired splits, nested selection, intervals."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from reprolib.rerun.printed.names import resolved
from reprolib.rerun.records.fingerprint import Code, code_of
from reprolib.rerun.records.rows import row_of
from reprolib.rerun.records.task import Measurement, Task
from reprolib.rerun.tasks.estimators import described, name_of, require_classifier
from reprolib.rerun.tasks.open_table import grid_of, ready
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.tasks.worker import Finished, LocalWorkers, environment
from reprolib.rerun.verdicts.errors import require_trials
from which_method.comparison import Comparison
from which_method.experiment import performance
from which_method.methods import METHODS
from which_method.own_table import encoder, tidy
from which_method.splits import Split, inner_folds
from which_method.tuning import Tuned, tune

#: Methods that are compared unless others are named: two a minute on a thousand rows.
DEFAULT = (
    *("svc", "extra trees", "gradient boosting", "logistic", "lda", "neighbors"),
    *("simplex rls constant", "mkpm"),
)
N_TRIALS = 20
#: Share of the rows, or of the groups, that a trial tests.
TESTED = 0.2
#: Most training and test rows of a trial.
MAX_ROWS = 2000
#: Draws of a split before it is given up that all classes are trained and two are tested.
MAX_DRAWS = 100


def compare_methods(
    X: Any,
    y: Any,
    groups: Any = None,
    estimators: Sequence[str] | Mapping[str, Any] = DEFAULT,
    *,
    reference: str = "",
    n_trials: int = N_TRIALS,
    n_jobs: int = 1,
    store: RecordStore | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compare classifiers on data of one's own, and say what is decided and what is not.

    Every trial tests one row in five, or one group in five, and trains on the others; all methods
    have the same rows. A method chooses its configuration by three folds of the training rows.
    Numbers are standardised, gaps filled by the median, texts and categories coded by indicators,
    everything learned on the training rows alone.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numbers, texts, categories, booleans; gaps are allowed.
    y : array-like of shape (n,)
        Classes, at least two, each of five rows or more.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a recording) are never both trained on and tested.
    estimators : sequence of str, or mapping of str to estimator or str
        Methods of the study by their keys, or scikit-learn classifiers by any name; a classifier
        with an attribute ``param_grid``, or a search, chooses on the same folds.
    reference : str
        The method that the others are compared with, chosen before looking; the first by default.
    n_trials : int
        At least 5.
    n_jobs : int
        Worker processes, -1 for all cores.
    store : RecordStore, optional
        Of finished trials; the user's by default. An interrupted comparison continues from it.
    progress : callable, optional
        Called with (finished, all) after every trial of a method.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If an argument cannot be what it is; the message names it and the remedy.

    See Also
    --------
    reprolib.evaluate : an estimator in a paper's table.

    Notes
    -----
    Splits of one table share rows, so that their differences are correlated; the intervals take a
    correlation of 0.2 (Nadeau and Bengio, Machine Learning 2003), the share that is tested.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from which_method.own_data import compare_methods
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = compare_methods(X, y, estimators=["lda", "neighbors"], n_trials=5)
    >>> list(found.summary.columns)
    ['accuracy', 'balanced accuracy', 'log loss', 'seconds']
    """
    require_trials(n_trials)
    frame, labels, members = tidy(X, y, groups)
    methods = _named(estimators)
    reference = resolved("reference", reference, methods) if reference else next(iter(methods))
    digest = str(joblib.hash((frame, labels, members)))
    finished = _finished(
        methods,
        (frame, labels, members),
        digest,
        n_trials,
        n_jobs,
        store or RecordStore(),
        progress,
    )
    rows = [row for one in finished for row in one.rows]
    failed = {row["method"]: row["status"] for row in rows if row["status"] != "ok"}
    if len(failed) >= len(methods) - 1:
        raise ValueError(f"fewer than two methods ran: {failed}.")
    sound = pd.DataFrame([row for row in rows if row["method"] not in failed])
    if reference in failed:
        raise ValueError(f"the reference {reference!r} failed: {failed[reference]}.")
    return Comparison.of(sound, reference, failed)


def _named(estimators: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Key of a method of the study, or an estimator, by name."""
    pairs = estimators.items() if isinstance(estimators, Mapping) else _listed(estimators)
    found = {}
    for name, value in pairs:
        if isinstance(value, str):
            found[name] = resolved("method", value, METHODS)
        else:
            found[name] = require_classifier(value)
    if len(found) < 2:
        raise ValueError(f"estimators is {list(found)}; name two or more.")
    return found


def _listed(estimators: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for value in estimators:
        yield (value if isinstance(value, str) else name_of(value)), value


def _finished(
    methods: Mapping[str, Any],
    data: tuple,
    digest: str,
    n_trials: int,
    n_jobs: int,
    store: RecordStore,
    progress: Callable[[int, int], None] | None,
) -> list[Finished]:
    """Every method in every trial: from the store, or run and stored."""
    code = code_of([run_trial])
    tasks = [
        (
            Task("own data", "comparison", "own data", name, trial=trial, params=_params(method)),
            method,
        )
        for trial in range(n_trials)
        for name, method in methods.items()
    ]
    done: list[Finished] = []
    pending = []
    for task, method in tasks:
        stored = store.get(task, digest, code)
        if stored is None:
            pending.append((task, method, *data))
        else:
            done.append(stored)
    for one in LocalWorkers(n_jobs).results(run_trial, pending):
        _store(store, one, digest, code)
        done.append(one)
        if progress is not None:
            progress(len(done), len(tasks))
    return done


def _store(store: RecordStore, finished: Finished, digest: str, code: Code) -> None:
    if finished.is_sound:
        store.put(finished, digest, code)


def _params(method: Any) -> dict[str, Any]:
    if isinstance(method, str):
        return {"key": method}
    return described(method, grid_of(method, None))


def run_trial(task: Task, method: Any, X: pd.DataFrame, y: np.ndarray, groups: Any) -> Finished:
    """Choose, fit and test one method in one trial; what it raises becomes a failed record."""
    start = time.perf_counter()
    try:
        with threadpool_limits(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            measured = _measured(method, make_split(X, y, groups, task.trial), task.trial)
    except Exception as error:
        status = f"failed: {type(error).__name__}: {error}"
        measured = [Measurement("failed", float("nan"), status=status)]
    seconds = time.perf_counter() - start
    rows = [row_of(task, m, "original", seconds) for m in measured]
    today = datetime.now(UTC).date().isoformat()
    return Finished(task, rows, round(seconds, 4), today, environment())


def make_split(X: pd.DataFrame, y: np.ndarray, groups: Any, seed: int) -> Split:
    """Rows of a trial, coded and standardised on the training rows, and its inner folds."""
    train, test = draw(y, groups, seed)
    coded = encoder(X.iloc[train]).fit(X.iloc[train])
    parts = coded.transform(X.iloc[train]), coded.transform(X.iloc[test])
    members = None if groups is None else groups[train]
    folds = inner_folds(parts[0], y[train], members, seed)
    return Split(parts[0], y[train], parts[1], y[test], folds, TESTED)


def draw(y: np.ndarray, groups: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows of a trial: by class, or by whole groups.

    Raises
    ------
    ValueError
        If no draw of groups trains all classes and tests two.
    """
    rows = np.arange(len(y))
    if groups is None:
        splitter = StratifiedShuffleSplit(1, test_size=TESTED, random_state=seed)
        drawn = splitter.split(rows, y)
    else:
        drawn = GroupShuffleSplit(MAX_DRAWS, test_size=TESTED, random_state=seed).split(
            rows, y, groups
        )
    n_classes, rng = len(np.unique(y)), np.random.default_rng(seed)
    for train, test in drawn:
        if len(np.unique(y[train])) == n_classes and len(np.unique(y[test])) > 1:
            return _at_most(rng, train, y), _at_most(rng, test, y)
    raise ValueError(
        "a class is in too few groups to be trained on and tested; merge groups or leave it out."
    )


def _at_most(rng: np.random.Generator, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """At most `MAX_ROWS` of the rows, two or more of every class that has them."""
    if len(rows) <= MAX_ROWS:
        return rows
    order = rng.permutation(rows)
    rank = pd.Series(y[order]).groupby(y[order]).cumcount().to_numpy()
    return np.sort(np.concatenate([order[rank < 2], order[rank >= 2]])[:MAX_ROWS])


def _measured(method: Any, split: Split, seed: int) -> list[Measurement]:
    start = time.process_time()
    tuned = _of_study(method, split) if isinstance(method, str) else _foreign(method, split, seed)
    seconds = time.process_time() - start
    return [*performance(tuned, split), Measurement("seconds", seconds)]


def _of_study(key: str, split: Split) -> Tuned:
    """Method of the study; numbers of neighbours that the smallest fold has not are left out."""
    method, fewest = METHODS[key], min(len(train) for train, _ in split.folds)
    grid = [config for config in method.grid if config.get("k", 1) <= fewest]
    return tune(replace(method, grid=grid), split)


def _foreign(estimator: Any, split: Split, seed: int) -> Tuned:
    """Estimator of the user's: chosen on the split's folds if it has a grid."""
    model = ready(estimator, grid_of(estimator, None), split.folds, seed)
    model.fit(split.X, split.y)
    return Tuned(model, {}, np.zeros(1), 1, 0, 0.0)
