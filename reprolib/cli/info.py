"""``reprolib --version``: versions, machine, linear algebra, folders and settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

import data_fetch
import reprolib
from data_fetch.environment import without_credentials
from data_fetch.fetcher import Fetcher
from reprolib.rerun.records.registry import committed_directory, store_directory
from reprolib.rerun.tasks.worker import environment

#: Variables of the environment that change where files are, or the last digits of results.
VARIABLES = (
    "REPROLIB_DATA",
    "REPROLIB_MIRROR",
    "REPROLIB_RECORDS",
    "REPROLIB_RESULTS",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
)


def facts() -> Iterator[tuple[str, str]]:
    """Name and value of everything that a report of a bug should say."""
    about = environment()
    yield "package", str(Path(reprolib.__file__).parent)
    yield "Python", about["python"]
    yield "machine", about["machine"]
    yield from ((name, v) for name, v in about["versions"].items() if name != "reprolib")
    np.ones((64, 64)) @ np.ones((64, 64))  # loads the libraries of matrix products
    libraries = dict.fromkeys(
        f"{pool['internal_api']} {pool['version']}, kernel {pool.get('architecture', 'unknown')}, "
        f"{pool['num_threads']} threads"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    )
    yield "linear algebra", "; ".join(libraries)
    names = data_fetch.names()
    at_hand = [name for name in names if data_fetch.available(name)]
    fetcher = Fetcher()
    mirror = without_credentials(fetcher.mirror or "none")
    yield "data", f"{fetcher.cache} (mirror: {mirror})"
    yield "data sets that need no download", f"{len(at_hand)} of {len(names)}"
    n_stored = sum(1 for _ in store_directory().glob("tasks/*/*/*.json"))
    yield "finished tasks", f"{store_directory()} ({n_stored} stored)"
    yield "committed results", str(committed_directory())
    for name in VARIABLES:
        yield name, without_credentials(os.environ.get(name, "not set"))
