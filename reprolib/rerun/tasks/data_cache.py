"""Data sets of this process: handed over by the process that loaded them, or loaded once."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import data_fetch
from data_fetch import Dataset

#: Data sets by name and digest that were handed over.
_held: dict[tuple[str, str], Dataset] = {}


def get(name: str, digest: str) -> Dataset:
    """Data set that was handed over; another one is loaded, and compared with the digest.

    Raises
    ------
    ValueError
        If the loaded data are others.
    """
    dataset = _held.get((name, digest))
    return _loaded(name, digest) if dataset is None else dataset


@functools.lru_cache(maxsize=4)
def _loaded(name: str, digest: str) -> Dataset:
    dataset = data_fetch.load(name)
    if dataset.digest() != digest:
        raise ValueError(
            f"data set {name!r} differs between the main process and this worker; give both the "
            "same REPROLIB_DATA folder, or run `reprolib data verify` on the worker's machine"
        )
    return dataset


def hold(dataset: Dataset, digest: str) -> None:
    """Take a data set over."""
    _held[dataset.name, digest] = dataset


def release(dataset: Dataset, digest: str) -> None:
    """Forget a data set that was handed over."""
    _held.pop((dataset.name, digest), None)


@contextmanager
def holding(datasets: Mapping[str, Dataset]) -> Iterator[None]:
    """Hold data sets, by digest, while the context lasts."""
    for digest, dataset in datasets.items():
        hold(dataset, digest)
    try:
        yield
    finally:
        for digest, dataset in datasets.items():
            release(dataset, digest)


def n_held() -> int:
    """Number of data sets that were handed over."""
    return len(_held)


def n_loaded() -> int:
    """How often a data set was loaded in this process for tasks."""
    return _loaded.cache_info().misses


def clear() -> None:
    """Forget all data sets."""
    _held.clear()
    _loaded.cache_clear()
