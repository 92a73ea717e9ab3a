from .access import Info, available, counterparts, fetch, info, load, names
from .dataset import Dataset
from .errors import AlteredDataError, DataUnavailableError

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
