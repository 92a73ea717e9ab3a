"""Run a protocol: load its data, run what is not stored yet, give back the records."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import joblib
import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.store import RecordStore
from reprolib.rerun.task import Profile, Protocol, Stage, Task
from reprolib.rerun.worker import execute_keyed

if TYPE_CHECKING:
    from reprolib.rerun.cluster import Cluster

#: Called with (finished tasks, tasks in all, stage, stages in all) after every task.
Progress = Callable[[int, int, int, int], None]


@dataclass(frozen=True)
class Failure:
    """A record that must not be used.

    Parameters
    ----------
    record : str
        Table, data set, method, reading and trial.
    status : str
        Why.
    traceback : str
        Of the exception that ended the task; empty where the task itself says why.
    """

    record: str
    status: str
    traceback: str = ""


class StageError(ValueError):
    """A stage that cannot list its tasks, mostly as tasks of an earlier one failed."""


@dataclass(frozen=True)
class Run:
    """Records of one run of a protocol, and what is to be said about it."""

    paper: str
    records: pd.DataFrame
    meta: dict[str, Any]
    substituted: dict[str, str] = field(default_factory=dict)

    @property
    def failures(self) -> pd.DataFrame:
        """Records that must not be used."""
        return self.records[self.records["status"] != "ok"]


def load_datasets(names, *, embedded: bool = False) -> tuple[dict[str, Dataset], dict[str, str]]:
    """Load data sets; where one cannot be had, its embedded counterparts stand in for it.

    Returns
    -------
    datasets : dict of str to Dataset
        By the name of the data set that was loaded in the end.
    substituted : dict of str to str
        Reason by the name of a data set that could not be had.
    """
    datasets: dict[str, Dataset] = {}
    substituted = {}
    for name in names:
        if not embedded or name.startswith("embedded/"):
            try:
                datasets[name] = data_fetch.load(name)
                continue
            except data_fetch.DataUnavailableError as error:
                substituted[name] = str(error)
        for other in data_fetch.counterparts(name):
            datasets.setdefault(other, data_fetch.load(other))
    return datasets, substituted


def run_protocol(
    protocol: Protocol,
    profile: Profile,
    *,
    embedded: bool = False,
    store: RecordStore | None = None,
    n_jobs: int = 1,
    cluster: Cluster | None = None,
    progress: Progress | None = None,
    failed: Callable[[Failure], None] | None = None,
) -> Run:
    """Run all stages of a protocol; what is in the store already is not run again.

    Every finished task is stored at once, so that an interrupted run goes on where it stopped.
    Failed tasks are reported in the records and never stored.

    Parameters
    ----------
    protocol : Protocol
    profile : {"quick", "full"}
    embedded : bool
        Use the embedded counterparts even where the real data can be had.
    store : RecordStore, optional
        Of finished tasks; the user's by default.
    n_jobs : int
        Worker processes on this machine. The records do not depend on it.
    cluster : Cluster, optional
        Run the tasks there instead; the data are sent to every worker once.
    progress : callable, optional
        Called after every task, see `Progress`.
    failed : callable, optional
        Called at once with every `Failure`, so that none is lost whatever ends the run.

    Raises
    ------
    StageError
        If a stage cannot list its tasks.
    """
    store = RecordStore() if store is None else store
    started = time.perf_counter()
    datasets, substituted = load_datasets(protocol.datasets(profile), embedded=embedded)
    digests = {name: dataset.digest() for name, dataset in datasets.items()}
    rows: list[dict[str, Any]] = []
    with contextlib.nullcontext() if cluster is None else cluster.holding(datasets):
        for number, stage in enumerate(protocol.stages, start=1):
            tasks = _listed(protocol, number, stage, profile, datasets, results.to_frame(rows))
            parallel = local_parallel(n_jobs) if cluster is None else cluster.parallel()
            tasks_done = _run_tasks(protocol, tasks, digests, store, parallel)
            for done, task_rows in enumerate(tasks_done, start=1):
                rows.extend(task_rows)
                _report(task_rows, failed)
                if progress is not None:
                    progress(done, len(tasks), number, len(protocol.stages))
    meta = {
        "paper": protocol.paper,
        "profile": profile,
        "protocol_version": protocol.version,
        "date": datetime.now(UTC).date().isoformat(),
        "wall_seconds": round(time.perf_counter() - started, 1),
        "source_notes": {name: dataset.source_note for name, dataset in datasets.items()},
        "data_digests": digests,
        **results.environment(),
    }
    if cluster is not None:
        meta["machine"] = f"dask cluster of {len(cluster.workers())} workers"
    measured = results.to_frame(rows)
    records = results.to_frame([*rows, *protocol.derive(measured)])
    return Run(protocol.paper, records, meta, substituted)


def _listed(protocol: Protocol, number: int, stage: Stage, profile, datasets, earlier):
    """Tasks of a stage."""
    try:
        return stage(profile, datasets, earlier)
    except Exception as error:
        n_failed = int((earlier["status"] != "ok").sum())
        raise StageError(
            f"stage {number} of {protocol.paper} cannot list its tasks "
            f"({type(error).__name__}: {error}); of the {len(earlier)} records of the stages "
            f"before it {n_failed} failed. Finished tasks are stored"
        ) from error


def _report(rows: Iterable[Mapping[str, Any]], failed: Callable[[Failure], None] | None) -> None:
    """Hand the failures among the rows of one task on."""
    for row in rows:
        if failed is not None and row["status"] != "ok":
            names = ("table", "dataset", "method", "setting", "reading", "trial")
            record = " ".join(str(row[name]) for name in names if row[name] != "")
            failed(Failure(record, row["status"], row.get("traceback", "")))


def local_parallel(n_jobs: int) -> joblib.Parallel:
    """Make a parallel call on worker processes of this machine, results as they come."""
    return joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)


def finished(parallel: joblib.Parallel, jobs: Iterable) -> Iterator:
    """Run delayed calls, and yield what they return as it comes.

    Raises
    ------
    OSError
        If the operating system killed a worker process.
    """
    try:
        yield from parallel(jobs)
    except BrokenProcessPool as error:
        raise OSError(
            "a worker process was killed, most likely for want of memory. Finished tasks are "
            "stored, and the same command goes on from there; try fewer --jobs"
        ) from error


def _run_tasks(
    protocol: Protocol,
    tasks: list[Task],
    digests: Mapping[str, str],
    store: RecordStore,
    parallel: joblib.Parallel,
) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of every task: stored ones first, then the others as they finish."""
    pending = []
    for task in tasks:
        key = task.key(protocol.version, digests[task.dataset])
        rows = store.get(key, task.fixed_columns())
        if rows is None:
            pending.append((key, task))
        else:
            yield rows
    jobs = (joblib.delayed(execute_keyed)(k, t, digests[t.dataset]) for k, t in pending)
    for key, rows in finished(parallel, jobs):
        if all(row["status"] == "ok" for row in rows):
            store.put(key, rows)
        yield rows
