"""The first and the last trial of everything, run: what fails, and what nothing measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

import data_fetch
from reprolib.rerun.checks.check import Known, name_faults, reading_faults, rows_of
from reprolib.rerun.checks.trials import NAMES, first_trials, last_trials
from reprolib.rerun.records.folder import committed_results
from reprolib.rerun.records.registry import readings_of
from reprolib.rerun.records.rows import failures, is_derived, to_frame
from reprolib.rerun.records.task import Task, get_protocol
from reprolib.rerun.tasks.experiment import StageError, walk
from reprolib.rerun.tasks.worker import LocalWorkers, execute


def run_ends(
    paper: str, *, n_jobs: int = 1, progress: Callable[..., None] | None = None
) -> tuple[list[str], pd.DataFrame]:
    """Run the first and the last trial of every method, reading and set on the data at hand.

    Parameters
    ----------
    paper : str
        Key of the paper.
    n_jobs : int
        Worker processes on this machine.
    progress : callable, optional
        Called after every task with (finished, in all, stage, stages in all).

    Returns
    -------
    faults : list of str
        One line for every trial that failed, and for every number, claim and reading of which
        nothing was measured.
    records : DataFrame
        What was measured, and the committed records of the other tasks, for the figures.
    """
    protocol, committed = get_protocol(paper), committed_results(paper).records
    names = list(protocol.datasets("full"))
    at_hand = [name for name in names if data_fetch.available(name)]
    datasets = {name: data_fetch.load(name) for name in at_hand}
    digests = {name: dataset.digest() for name, dataset in datasets.items()}
    faults: list[str] = []
    rows: list[dict[str, Any]] = []

    def records_of(number: int, tasks: list[Task]) -> pd.DataFrame:
        chosen = {task.id: task for task in (*first_trials(tasks), *last_trials(tasks))}
        calls = [(protocol, task, digests[task.dataset]) for task in chosen.values()]
        for done, finished in enumerate(LocalWorkers(n_jobs).results(execute, calls), start=1):
            faults.extend(f"{task}: {status}" for task, status, _ in failures(finished.rows))
            rows.extend(finished.rows if finished.is_sound else [])
            if progress is not None:
                progress(done, len(calls), number, len(protocol.stages))
        others = {task.id for task in tasks} - chosen.keys()
        return _together(to_frame(rows), committed[committed["task"].isin(others)])

    try:
        walk(protocol, "full", datasets, records_of)
    except StageError as error:
        faults.append(str(error))
    own = to_frame(rows)
    measured = committed[~is_derived(committed) & ~committed["task"].isin(own["task"])]
    records = _together(own, measured)
    try:
        derived = to_frame(protocol.derive(records))
    except Exception as error:
        faults.append(f"derive cannot make its statistics ({type(error).__name__}: {error})")
        derived = committed[is_derived(committed)]
    of_run = _together(own, derived)
    metrics = {str(table): set(part["metric"]) for table, part in of_run.groupby("table")}
    if len(at_hand) == len(names) and not faults:
        known = Known(rows_of(of_run[NAMES]), metrics)
        faults += [*name_faults(paper, known), *reading_faults(list(readings_of(paper)), known)]
    return faults, _together(records, derived)


def _together(*frames: pd.DataFrame) -> pd.DataFrame:
    """Records of several frames; of none, an empty one."""
    full = [frame for frame in frames if len(frame)]
    return pd.concat(full, ignore_index=True) if full else frames[0]
