from .access import Info, available, counterparts, fetch, info, load, names
from .auditing import Audit, Finding, audit, audit_dataset
from .dataset import Dataset
from .errors import AlteredDataError, DataUnavailableError

__all__ = [
    "AlteredDataError",
    "Audit",
    "DataUnavailableError",
    "Dataset",
    "Finding",
    "Info",
    "audit",
    "audit_dataset",
    "available",
    "counterparts",
    "fetch",
    "info",
    "load",
    "names",
]
