"""Store of finished tasks: a run that was interrupted goes on from it."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reprolib.rerun.folders import replace_file, store_directory
from reprolib.rerun.stored_rows import fault_of


class RecordStore:
    """Finished tasks by key, one small file each.

    A file is written atomically once its task has finished, so that processes may be killed at
    any time, and several may share a store. A file that is damaged, or whose rows cannot be those
    of its task, counts as missing.
    """

    def __init__(self, directory: Path | None = None):
        self.directory = store_directory() if directory is None else Path(directory)

    def _path(self, key: str) -> Path:
        return self.directory / key[:2] / f"{key}.json"

    def get(self, key: str, fixed: Mapping[str, Any] | None = None) -> list[dict[str, Any]] | None:
        """Rows of a finished task, or None if it has to be run.

        Parameters
        ----------
        key : str
        fixed : dict, optional
            Columns that the task determines, with their values.
        """
        path = self._path(key)
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
            intact = entry["checksum"] == _checksum(key, entry["rows"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            intact = False
        fault = fault_of(entry["rows"], fixed or {}) if intact else "is damaged"
        if not fault:
            return entry["rows"]
        warnings.warn(f"stored record {path} {fault} and will be recomputed", stacklevel=2)
        return None

    def put(self, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Store the rows of a finished task.

        Raises
        ------
        OSError
            If the store cannot be written to, or the disk is full.
        """
        entry = {"checksum": _checksum(key, rows), "rows": list(rows)}
        try:
            replace_file(self._path(key), json.dumps(entry))
        except OSError as error:
            message = (
                f"cannot store a finished task in {self.directory} ({error.strerror}); make that "
                "folder writable with space left, or set REPROLIB_RECORDS to another one (a copy "
                "of this one, to keep what is finished)"
            )
            raise OSError(error.errno, message) from error


def _checksum(key: str, rows: Any) -> str:
    return hashlib.sha256((key + json.dumps(rows, sort_keys=True)).encode()).hexdigest()
