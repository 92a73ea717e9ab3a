"""Work in the processes of this machine."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, Protocol

import joblib
from joblib.parallel import get_active_backend

from data_fetch import Dataset
from reprolib.rerun.tasks import worker
from reprolib.rerun.tasks.remembered import shared_in

#: Seconds after which a worker looks again whether its parent is there.
SECONDS_OF_A_LOOK = 1.0


class LostWorkError(OSError):
    """Work that cannot be finished, as the processes that did it are gone."""


class Workers(Protocol):
    """Who does the work: processes of this machine, or a cluster."""

    def holding(self, datasets: Mapping[str, Dataset]) -> AbstractContextManager[None]:
        """Have the workers hold data sets, by digest, while the context lasts."""

    def results(self, function: Callable, calls: Iterable[tuple[Any, ...]]) -> Iterator:
        """Yield what a function returns for the arguments of every call, in any order."""

    def about(self) -> dict[str, str]:
        """What the results say of the workers, by key."""


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
        return worker.holding(datasets)

    def about(self) -> dict[str, str]:
        """Nothing: every task names the machine that it ran on."""
        return {}

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
            with TemporaryDirectory(
                prefix=_prefix(os.getpid()), ignore_cleanup_errors=True
            ) as shared:
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
    if os.getpid() != parent:
        threading.Thread(target=_end_without, args=(parent,), daemon=True).start()


def _end_without(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS_OF_A_LOOK)
    for folder in Path(gettempdir()).glob(_prefix(parent) + "*"):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
