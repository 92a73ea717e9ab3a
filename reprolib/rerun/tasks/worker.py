"""Workers: one task in one process, on data that it holds, and the processes of this machine."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import shutil
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import joblib
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_limits

import data_fetch
from data_fetch import Dataset
from reprolib import __version__
from reprolib.rerun.records.fingerprint import PACKAGES, package_versions
from reprolib.rerun.records.rows import Rows, failures, row_of
from reprolib.rerun.records.task import Measurement, Protocol, Task
from reprolib.rerun.tasks.remembered import shared_in

#: Seconds after which a worker looks again whether its parent is there.
SECONDS_OF_A_LOOK = 1.0
#: Data sets by name and digest that the process which loaded them has handed over.
held: dict[tuple[str, str], Dataset] = {}


@dataclass(frozen=True)
class Finished:
    """What a task gave, and how it was made.

    Parameters
    ----------
    task : Task
        What was run.
    rows : list of dict
        Its records; a failed task has one, with its traceback under a key of its own.
    seconds : float
        Processor time of the thread that ran it: a busy machine counts as a quiet one.
    date : str
        Day on which it was run.
    environment : dict
        Versions and machine.
    commit : str
        Of the checkout that ran it, see `commit_of`.
    """

    task: Task
    rows: Rows
    seconds: float
    date: str
    environment: dict[str, Any]
    commit: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether all records may be used: none is of a failure."""
        return not failures(self.rows)


def execute(protocol: Protocol, task: Task, digest: str) -> Finished:
    """Run one task on one BLAS thread.

    An exception becomes a failed row, but no interrupt, which leaves compiled code as a
    SystemError. What scikit-learn would run in parallel inside of a task stays in its process.
    """
    start = time.thread_time()
    trace: dict[str, str] = {}
    source = "embedded" if task.dataset.startswith("embedded/") else "unknown"
    try:
        dataset = held.get((task.dataset, digest))
        if dataset is None:
            dataset = loaded(task.dataset, digest)
        source = dataset.source
        with threadpool_limits(limits=1), joblib.parallel_config("sequential"):
            measurements = protocol.run(task, dataset)
        if not measurements:
            raise ValueError("the task measured nothing; a protocol must not list such tasks")
    except Exception as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise cause from None
        message = f"failed: {type(error).__name__}: {error}"
        measurements = [Measurement("failed", float("nan"), status=message)]
        trace = {"traceback": traceback.format_exc()}
    seconds = time.thread_time() - start
    rows = [{**row_of(task, m, source, seconds), **trace} for m in measurements]
    today = datetime.now(UTC).date().isoformat()
    return Finished(task, rows, round(seconds, 4), today, environment())


@contextmanager
def holding(datasets: Mapping[str, Dataset]) -> Iterator[None]:
    """Hold data sets, by digest, while the context lasts."""
    ours = {(dataset.name, digest): dataset for digest, dataset in datasets.items()}
    held.update(ours)
    try:
        yield
    finally:
        for key in ours:
            held.pop(key, None)


@functools.lru_cache(maxsize=4)
def loaded(name: str, digest: str) -> Dataset:
    """Data set that a process loads for itself, once.

    Raises
    ------
    ValueError
        If its data are others than those of the digest.
    """
    dataset = data_fetch.load(name)
    if dataset.digest() != digest:
        raise ValueError(
            f"data set {name!r} differs between the main process and this worker; give both the "
            "same REPROLIB_DATA folder, or run `reprolib data verify` on the worker's machine"
        )
    return dataset


@functools.cache
def environment() -> dict[str, Any]:
    """Versions and machine that this process runs on."""
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {"reprolib": __version__, **package_versions(PACKAGES)},
    }


def environment_id(about: dict[str, Any]) -> str:
    """Short name of an environment: two of one name are the same."""
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:8]


class LostWorkError(OSError):
    """Work that cannot be finished, as the processes that did it are gone."""


class LocalWorkers:
    """Worker processes of this machine.

    With one of them the work is done in this process, on the data sets that it has loaded
    already. Several load each data set once for themselves, and share what is `Remembered`.

    Parameters
    ----------
    n_jobs : int
        Number of processes, or -1 for all cores.
    """

    def __init__(self, n_jobs: int = 1):
        self.n_jobs = n_jobs

    def holding(self, datasets: Mapping[str, Dataset]) -> AbstractContextManager[None]:
        """Have this process hold data sets, by digest, while the context lasts."""
        return holding(datasets)

    def results(self, function: Callable, calls: Iterable[tuple[Any, ...]]) -> Iterator:
        """Yield what a function returns for the arguments of every call, as it finishes.

        Raises
        ------
        LostWorkError
            If a worker process was killed.
        """
        backend, _ = get_active_backend()
        if hasattr(backend, "client"):  # within joblib.parallel_config(backend="dask")
            from reprolib.rerun.tasks import cluster

            yield from cluster.results(backend.client, function, calls)
            return
        parallel = joblib.Parallel(
            self.n_jobs,
            return_as="generator_unordered",
            batch_size=1,
            initializer=_watch,
            initargs=(os.getpid(),),
        )
        try:
            prefix = _prefix(os.getpid())
            with TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as shared:
                yield from parallel(
                    joblib.delayed(_sharing)(Path(shared), function, call) for call in calls
                )
        except BrokenProcessPool as error:
            raise LostWorkError(
                "a worker process was killed, most likely because memory ran out; try fewer --jobs"
            ) from error


def _sharing(folder: Path, function: Callable, call: tuple[Any, ...]) -> Any:
    with shared_in(folder):
        return function(*call)


def _prefix(parent: int) -> str:
    """Start of the name of the folders that the workers of a process share."""
    return f"reprolib-{parent}-"


def _watch(parent: int) -> None:
    """Have this worker end when its parent is gone; a parent that is killed cannot end it.

    A thread looks: the signal that Linux sends instead (PR_SET_PDEATHSIG) is sent already when the
    thread that started the worker ends. Windows does not tell a process that its parent is gone.
    """

    def end_without_parent() -> None:
        while os.getppid() == parent:
            time.sleep(SECONDS_OF_A_LOOK)
        for folder in Path(gettempdir()).glob(_prefix(parent) + "*"):
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    if os.getpid() != parent:
        threading.Thread(target=end_without_parent, daemon=True).start()
