"""The last trial of everything, begun on data that cannot be read: whether its split is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from data_fetch import Dataset
from reprolib.rerun.records.task import Protocol, Task

#: What tasks are alike in, but for trial and seed.
NAMES = ["table", "dataset", "method", "setting", "reading"]


def last_trials(tasks: Iterable[Task]) -> list[Task]:
    """Of tasks that are alike in `NAMES`, the one of the last trial."""
    ordered = sorted(tasks, key=lambda task: task.trial)
    return list({tuple(getattr(task, name) for name in NAMES): task for task in ordered}.values())


def first_trials(tasks: Iterable[Task]) -> list[Task]:
    """Of tasks that are alike in `NAMES`, the one of the first trial."""
    ordered = sorted(tasks, key=lambda task: -task.trial)
    return list({tuple(getattr(task, name) for name in NAMES): task for task in ordered}.values())


class _NoSplitError(Exception):
    """A split that a data set does not have."""


class _LookedError(Exception):
    """A task looked into its data: it is run no further."""


class _Splits(Sequence):
    """As many splits, none of which can be had."""

    def __init__(self, n_splits: int):
        self._n_splits = n_splits

    def __len__(self) -> int:
        return self._n_splits

    def __getitem__(self, place):
        is_there = not isinstance(place, int) or -self._n_splits <= place < self._n_splits
        raise _LookedError if is_there else _NoSplitError


class _Rows(np.ndarray):
    """Array that may be measured, and not read."""

    def __getitem__(self, rows):
        raise _LookedError

    def __array_ufunc__(self, *_, **__):
        raise _LookedError

    def __array_function__(self, *_, **__):
        raise _LookedError


def split_faults(
    protocol: Protocol, tasks: Iterable[Task], datasets: Mapping[str, Dataset]
) -> Iterator[str]:
    """Yield trials that ask for a split which their data set does not have.

    The last trial of everything is begun on data that cannot be read: it stops where it looks at a
    row, or takes a split. Trials that draw their own splits take none.
    """
    for task in last_trials(tasks):
        dataset = datasets[task.dataset]
        n_splits = len(dataset.splits)
        if task.trial < n_splits or not n_splits:
            continue
        X, y = dataset.X.view(_Rows), dataset.y.view(_Rows)
        try:
            protocol.run(task, replace(dataset, X=X, y=y, splits=_Splits(n_splits)))
        except _NoSplitError:
            yield (
                f"{task.table}, {task.method!r}, reading {task.reading!r}: {task.trial + 1} trials "
                f"on {task.dataset}, which has {n_splits} splits"
            )
        except Exception:  # of any other fault the run says more
            continue
