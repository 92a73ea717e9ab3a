"""Tasks on a dask cluster: ``reproduce --scheduler``, or joblib's ``parallel_config("dask")``.

Joblib's own loop waits for ever for a task whose workers were killed again and again, so the calls
are submitted here. A worker that would compute something else is refused by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import distributed
import joblib

import data_fetch
import reprolib
from reprolib.rerun.records.fingerprint import package_versions, versions
from reprolib.rerun.records.registry import homes

#: Seconds to wait for a first worker.
TIMEOUT = 60


class ClusterError(OSError):
    """A cluster that cannot be used, or that lost work."""


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Have the workers of a scheduler run the tasks while the context lasts.

    Parameters
    ----------
    address : str
        Of the scheduler, as ``tcp://127.0.0.1:8786``.

    Yields
    ------
    None
        `LocalWorkers` hand their tasks to the scheduler.

    Raises
    ------
    ClusterError
        If no scheduler answers.
    """
    try:
        client = distributed.Client(address, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler answers at --scheduler {address} ({error}); start one with "
            "`dask scheduler`, and give the address that it prints"
        ) from None
    with client, joblib.parallel_config(backend="dask"):
        yield


def results(
    client: distributed.Client, function: Callable, calls: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Yield what a function returns for the arguments of every call, as it finishes.

    All calls go to the scheduler at once, so that workers that join later find work. What is not
    finished when the iteration ends is cancelled.

    Parameters
    ----------
    client : Client
        Connection to the scheduler.
    function : callable
        It is sent by name, or pickled.
    calls : iterable of tuple
        Arguments of each call.

    Yields
    ------
    object
        Result of a call.

    Raises
    ------
    ClusterError
        If there is no worker, or one that would compute something else; or if the cluster gives a
        call up, as it killed its workers several times, or the scheduler is gone.
    """
    _require_fit_workers(client)
    futures = {client.submit(function, *call, pure=False) for call in calls}
    try:
        for future in distributed.as_completed(futures, loop=client.loop):
            yield future.result()
            futures.remove(future)
    except (distributed.KilledWorker, CancelledError) as error:
        raise ClusterError(
            f"the cluster gave a task up ({error}). A task that kills its workers needs more "
            "memory (`dask worker --memory-limit`). Finished tasks are stored"
        ) from error
    finally:
        if futures and client.status == "running":
            client.cancel(list(futures))


def _require_fit_workers(client: distributed.Client) -> None:
    """Raise ClusterError if there is no worker or an unfit one; have later ones look themselves."""
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except TimeoutError:
        raise ClusterError(
            f"no worker after {TIMEOUT} seconds; start one: dask worker ADDRESS --nthreads 1"
        ) from None
    expected = environment()
    found = client.run(environment, on_error="return")
    for worker, n_threads in client.nthreads().items():
        about = found.get(worker, expected)
        if isinstance(about, Exception):
            raise ClusterError(
                f"worker {worker} cannot run reprolib ({about}); install it there with its extra "
                "`cluster`, from the same checkout and lock file"
            )
        if reason := unfit(expected, about, n_threads):
            raise ClusterError(f"worker {worker} {reason}")
    client.register_plugin(_LooksItself(expected), name="reprolib")


class _LooksItself(distributed.WorkerPlugin):
    """Has a worker that joins later leave the cluster if it is unfit."""

    def __init__(self, expected: Mapping[str, str]):
        self.expected = expected

    async def setup(self, worker) -> None:
        """Compare, and leave."""
        if reason := unfit(self.expected, environment(), worker.state.nthreads):
            await worker.close(nanny=True, reason=f"this worker {reason}")


def environment() -> dict[str, str]:
    """Everything besides data that results depend on, by name.

    Returns
    -------
    dict of str to str
        Fingerprints of our code and of the papers in repositories of their own, and versions.
    """
    packages = (Path(reprolib.__file__).parent, Path(data_fetch.__file__).parent)
    papers = {
        f"the paper {home.key}": code_digest(home.folder)
        for home in homes().values()
        if not home.is_packaged
    }
    others = package_versions(["pandas", "joblib", "dask", "distributed", "cloudpickle"])
    return {"code": code_digest(*packages), **papers, **versions(), **others}


def code_digest(*packages: Path) -> str:
    """Fingerprint of the source files of packages.

    Parameters
    ----------
    *packages : Path
        Folders of the packages.

    Returns
    -------
    str
        16 letters.
    """
    h = hashlib.sha256()
    for package in packages:
        for path in sorted([*package.rglob("*.py"), *package.rglob("*.toml")]):
            h.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes())
    return h.hexdigest()[:16]


def unfit(expected: Mapping[str, str], found: Mapping[str, str], n_threads: int) -> str:
    """Why a worker cannot be used.

    Parameters
    ----------
    expected, found : mapping of str to str
        `environment` of this process and of the worker.
    n_threads : int
        Tasks that the worker runs at once.

    Returns
    -------
    str
        End of a sentence that begins with the worker; empty if it can be used.
    """
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
    if any(name.startswith("the paper ") for name in differing):
        remedy += "; name the folder of the paper in REPROLIB_PAPERS there, or install it"
    return f"differs from this process: {differences}; {remedy}"
