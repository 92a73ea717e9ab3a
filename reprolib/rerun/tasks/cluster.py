"""The protocols on a dask cluster.

Data are sent once to every worker, as a worker plugin: the scheduler keeps it, and gives it to
workers that join later or replace a killed one, even when no other worker is left to copy from
(which scattered data would need). Workers need no mirror, no cache and no network.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import distributed

import data_fetch
import reprolib
from data_fetch import Dataset
from reprolib.rerun.records.fingerprint import package_versions, versions
from reprolib.rerun.records.folders import homes
from reprolib.rerun.tasks import worker as process
from reprolib.rerun.tasks.local import LostWorkError

#: Seconds to wait for the scheduler, and for a first worker.
CONNECT_TIMEOUT, WORKER_TIMEOUT = 10, 60
#: Begins the names of papers that are not part of this package.
OUTSIDE = "paper "
#: What is said of a cluster on other machines without TLS.
OPEN = (
    "the cluster at {address} is neither encrypted nor authenticated: whoever reaches its ports "
    "can read the data and run code as you. Use it in a network that you trust, or with tls:// and "
    "dask's certificates (docs/trust.md)"
)
REMEDY = "start it with `dask scheduler`, and workers with `dask worker ADDRESS --nthreads 1`"


class ClusterError(OSError):
    """A cluster that cannot be reached or used."""


def is_open(address: str) -> bool:
    """Whether an address leads to another machine without encryption and certificates.

    Examples
    --------
    >>> is_open("tcp://10.0.0.1:8786"), is_open("tls://10.0.0.1:8786"), is_open("127.0.0.1:8786")
    (True, False, False)
    """
    scheme, separator, rest = address.rpartition("://")
    host = urlsplit(f"//{rest}").hostname
    is_local = host in ("localhost", "127.0.0.1", "::1") or scheme == "inproc"
    return not is_local and (not separator or scheme != "tls")


class Cluster:
    """Connection to a dask cluster whose workers compute what this process would compute.

    Parameters
    ----------
    address : str
        Address of the scheduler, for example "tls://10.0.0.1:8786". Certificates for TLS are those
        of dask's own configuration (``DASK_DISTRIBUTED__COMM__TLS__...``).
    papers : sequence of str
        What it is to run: workers must have the papers that are not part of this package.

    Raises
    ------
    ClusterError
        If there is no scheduler or no worker, or a worker has several threads, other package
        versions or another code than this process.
    """

    def __init__(self, address: str, papers: Sequence[str] = ()):
        self.address = address
        self.papers = tuple(papers)
        if is_open(address):
            warnings.warn(OPEN.format(address=address), stacklevel=2)
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
            found = self.client.run(environment, self.papers)
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
            expected = environment(self.papers)
            reason = unfit(expected, found.get(worker, expected), n_threads)
            if reason:
                raise ClusterError(f"worker {worker} {reason}")

    def workers(self) -> list[str]:
        """Addresses of the workers."""
        return sorted(self.client.nthreads())

    def about(self) -> dict[str, str]:
        """What the results say of the workers."""
        return {"workers": f"dask cluster of {len(self.workers())} workers"}

    @contextmanager
    def holding(self, datasets: Mapping[str, Dataset]) -> Iterator[None]:
        """Have every worker hold these data sets, by digest, also those that join later."""
        expected = environment(self.papers)
        plugins = [
            DatasetPlugin(dataset, digest, expected, self.papers)
            for digest, dataset in datasets.items()
        ]
        try:
            for plugin in plugins:
                self.client.register_plugin(plugin)
            yield
        finally:
            for plugin in plugins:
                if self.client.status == "running":
                    with suppress(OSError):  # a worker that is just dying has nothing to forget
                        self.client.unregister_worker_plugin(plugin.name)

    def results(self, function: Callable, calls: Iterable[tuple[Any, ...]]) -> Iterator:
        """Yield what a function returns for the arguments of every call, as it finishes.

        All calls go to the scheduler at once, so that workers that join later find work. What is
        not finished when the iteration ends is cancelled.

        Raises
        ------
        LostWorkError
            If the cluster gives a call up: it killed its workers several times, or the scheduler
            is gone.
        """
        futures = {self.client.submit(function, *call, pure=False) for call in calls}
        try:
            for future in distributed.as_completed(futures, loop=self.client.loop):
                yield _result(future)
                futures.remove(future)
        finally:
            if futures and self.client.status == "running":
                self.client.cancel(list(futures))


def _result(future: distributed.Future) -> Any:
    """Result of a finished call; what it raised itself is raised as it is."""
    try:
        return future.result()
    except (distributed.KilledWorker, CancelledError) as error:
        raise LostWorkError(
            f"the cluster gave a task up ({error}). A task that kills its workers needs more "
            "memory (`dask worker --memory-limit`)"
        ) from error


class DatasetPlugin(distributed.WorkerPlugin):
    """A data set that is sent to every worker once."""

    def __init__(
        self, dataset: Dataset, digest: str, expected: Mapping[str, str], papers: Sequence[str] = ()
    ):
        self.dataset = dataset
        self.digest = digest
        self.papers = tuple(papers)
        self.expected = dict(expected)
        self.name = f"reprolib data {dataset.name} {self.digest[:16]}"

    async def setup(self, worker) -> None:
        """Put the data set where tasks look for it; a worker that is unfit leaves the cluster."""
        reason = unfit(self.expected, environment(self.papers), worker.state.nthreads)
        if reason:
            await worker.close(nanny=True, reason=f"this worker {reason}")
            return
        process.held[self.dataset.name, self.digest] = self.dataset

    def teardown(self, worker) -> None:
        """Forget the data set."""
        process.held.pop((self.dataset.name, self.digest), None)


def environment(papers: Sequence[str] = ()) -> dict[str, str]:
    """Everything besides data that results depend on: versions, and the code itself.

    Of papers outside of this package, only those that are named; importing a paper's tasks works
    in this process afterwards.
    """
    others = package_versions(["pandas", "joblib", "dask", "distributed", "cloudpickle"])
    outside = [homes()[key] for key in papers if key in homes() and not homes()[key].is_packaged]
    of_papers = {f"{OUTSIDE}{home.key}": code_digest(home.folder) for home in outside}
    return {"code": code_digest(), **of_papers, **versions(), **others}


def code_digest(*packages: Path) -> str:
    """Fingerprint of the source files of packages; of our own by default."""
    h = hashlib.sha256()
    for package in packages or (Path(reprolib.__file__).parent, Path(data_fetch.__file__).parent):
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
    differences = ", ".join(f"{n} {found.get(n, 'missing')}, not {expected[n]}" for n in differing)
    remedy = "install both from one checkout and its lock file"
    if any(name.startswith(OUTSIDE) for name in differing):
        remedy += "; name the folder of the paper in REPROLIB_PAPERS there, or install it"
    return f"differs from this process: {differences}; {remedy}"
