"""The protocols on a dask cluster: joblib's dask backend, made safe for long runs.

Data are sent once to every worker, as a worker plugin: the scheduler keeps it, and gives it to
workers that join later or replace a killed one, even when no other worker is left to copy from
(which scattered data would need). Workers need no mirror, no cache and no network.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import distributed
import joblib
from joblib._dask import DaskDistributedBackend

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import worker as own_worker
from reprolib.rerun.records import PACKAGES, package_versions

#: Seconds to wait for the scheduler, and for a first worker.
CONNECT_TIMEOUT, WORKER_TIMEOUT = 10, 60
REMEDY = "start it with `dask scheduler`, and workers with `dask worker ADDRESS --nthreads 1`"


class ClusterError(OSError):
    """A cluster that cannot be reached or used, or that gave a task up."""


class Cluster:
    """Connection to a dask cluster whose workers compute what this process would compute.

    Parameters
    ----------
    address : str
        Address of the scheduler, for example "tcp://10.0.0.1:8786".

    Raises
    ------
    ClusterError
        If there is no scheduler or no worker, or a worker has several threads, other package
        versions or another code than this process.
    """

    def __init__(self, address: str):
        self.address = address
        try:
            self.client = distributed.Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"no dask scheduler at --cluster {address}: {error}; {REMEDY}"
            ) from None
        try:
            self._check_workers()
        except BaseException:
            self.client.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_) -> None:
        self.client.close()

    def _check_workers(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
            found = self.client.run(environment)
        except TimeoutError:
            raise ClusterError(
                f"no worker at {self.address} after {WORKER_TIMEOUT} seconds; start one with "
                f"`dask worker {self.address} --nthreads 1`"
            ) from None
        except Exception as error:
            raise ClusterError(
                f"a worker of {self.address} cannot run reprolib ({error}); install it there "
                "with its extra `cluster`, from the same checkout and lock file"
            ) from None
        for worker, n_threads in self.client.nthreads().items():
            reason = unfit(environment(), found.get(worker, environment()), n_threads)
            if reason:
                raise ClusterError(f"worker {worker} {reason}")

    def workers(self) -> list[str]:
        """Addresses of the workers."""
        return sorted(self.client.nthreads())

    @contextmanager
    def holding(self, datasets: Mapping[str, Dataset]) -> Iterator[None]:
        """Have every worker hold these data sets, also those that join later."""
        plugins = [DatasetPlugin(dataset, environment()) for dataset in datasets.values()]
        try:
            for plugin in plugins:
                self.client.register_plugin(plugin)
            yield
        finally:
            for plugin in plugins:
                if self.client.status == "running":
                    with suppress(OSError):  # a worker that is just dying has nothing to forget
                        self.client.unregister_worker_plugin(plugin.name)

    def parallel(self) -> joblib.Parallel:
        """Make a parallel call on all workers, which come and go.

        All tasks go to the scheduler at once: with joblib's default it would get twice as many
        as there were workers at the beginning, and later workers would find nothing to do.
        """
        backend = ClusterBackend(client=self.client)
        return joblib.Parallel(
            backend=backend, return_as="generator_unordered", batch_size=1, pre_dispatch="all"
        )


class ClusterBackend(DaskDistributedBackend):
    """Dask backend without two traps of joblib's own.

    A future that dask itself gives up (after its workers were killed several times, or because
    the scheduler is gone) never calls back, and joblib would wait for ever. And where there is
    one worker at the moment, joblib would run everything in this process.
    """

    def effective_n_jobs(self, n_jobs):
        """Count the workers, as two if there is one."""
        return max(2, super().effective_n_jobs(n_jobs))

    def submit(self, func, callback=None):
        """Submit a batch, and call back also when dask gives it up."""
        future = super().submit(func, callback)
        future.add_done_callback(lambda done: callback(done) if done.exception() else None)
        return future

    def retrieve_result_callback(self, out):
        """Give the result of a batch, or raise what became of it."""
        given_up = out.exception() if isinstance(out, Future) else out
        if isinstance(given_up, BaseException):
            raise ClusterError(
                f"the cluster gave a task up ({given_up}). Finished tasks are stored, and the "
                "same command goes on from there. A task that kills its workers needs more "
                "memory (`dask worker --memory-limit`)"
            )
        return super().retrieve_result_callback(out)


class DatasetPlugin(distributed.WorkerPlugin):
    """A data set that is sent to every worker once."""

    def __init__(self, dataset: Dataset, expected: Mapping[str, str]):
        self.dataset = dataset
        self.digest = dataset.digest()
        self.expected = dict(expected)
        self.name = f"reprolib data {dataset.name} {self.digest[:16]}"

    async def setup(self, worker) -> None:
        """Put the data set where tasks look for it; a worker that is unfit leaves the cluster."""
        reason = unfit(self.expected, environment(), worker.state.nthreads)
        if reason:
            await worker.close(nanny=True, reason=f"this worker {reason}")
            return
        own_worker.received[self.dataset.name, self.digest] = self.dataset

    def teardown(self, worker) -> None:
        """Forget the data set."""
        own_worker.received.pop((self.dataset.name, self.digest), None)


def environment() -> dict[str, str]:
    """Everything besides data that results depend on: versions, and the code itself."""
    python = ".".join(platform.python_version_tuple()[:2])
    packages = [*PACKAGES, "pandas", "joblib", "dask", "distributed", "cloudpickle"]
    return {"Python": python, "code": code_digest(), **package_versions(packages)}


def code_digest() -> str:
    """Fingerprint of the source files of both packages."""
    h = hashlib.sha256()
    for package in (Path(__file__).parents[1], Path(data_fetch.__file__).parent):
        for path in sorted([*package.rglob("*.py"), *package.rglob("*.toml")]):
            h.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes())
    return h.hexdigest()[:16]


def unfit(expected: Mapping[str, Any], found: Mapping[str, Any], n_threads: int) -> str:
    """Why a worker cannot be used, as the end of a sentence; empty if it can."""
    if n_threads != 1:
        return (
            f"has {n_threads} threads, and results must not depend on what runs beside them; "
            "start workers with --nthreads 1 (and --nworkers for more of them)"
        )
    differing = [name for name in expected if found.get(name) != expected[name]]
    if not differing:
        return ""
    listed = ", ".join(f"{n} {found.get(n, 'missing')}, not {expected[n]}" for n in differing)
    return f"differs from this process: {listed}; install both from one checkout and its lock file"
