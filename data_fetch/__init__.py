"""Get me the data: names, files, hashes, sites; nothing about methods."""

from data_fetch.access import (
    Info,
    available,
    counterparts,
    fetch,
    info,
    load,
    names,
)
from data_fetch.dataset import Dataset
from data_fetch.errors import AlteredDataError, DataUnavailableError

__all__ = [
    "AlteredDataError",
    "DataUnavailableError",
    "Dataset",
    "Info",
    "available",
    "counterparts",
    "fetch",
    "info",
    "load",
    "names",
]
