"""Store of finished tasks: a run that was interrupted goes on from it, and only from it.

A stored task is found again if task, parameters, data and code are the same.
"""

from __future__ import annotations

import functools
import hashlib
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reprolib.rerun.records.fingerprint import Code
from reprolib.rerun.records.registry import replace_file, store_directory
from reprolib.rerun.records.rows import fault_of
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks.worker import Finished


@dataclass(frozen=True)
class Reuse:
    """Why a task is reused or run.

    Parameters
    ----------
    reason : str
        One of a few, by which tasks are counted.
    detail : str
        What is so of this task alone, if there is anything.
    """

    reason: str
    detail: str = ""

    def __str__(self) -> str:
        """Reason and detail on one line."""
        return f"{self.reason} ({self.detail})" if self.detail else self.reason

    @classmethod
    def reused(cls, date: str) -> Reuse:
        """Say when a stored task was made."""
        return cls("reused", f"made on {date} with this code")

    @classmethod
    def to_run(cls, why: str, detail: str = "") -> Reuse:
        """Say why a task is not taken from the store."""
        return cls(f"to be run: {why}", detail)


class RecordStore:
    """Finished tasks, one small file each.

    The file of a task lies in a folder of the task's name, under the name of its parameters and
    data. It is written atomically once the task has finished, so that processes may be killed at
    any time, and several may share a store. A file that is damaged, or whose rows cannot be those
    of its task, counts as missing.
    """

    def __init__(self, directory: Path | None = None):
        self.directory = store_directory() if directory is None else Path(directory)

    def _name(self, task: Task) -> str:
        return _hash([task.paper, task.id])[:16]

    def _folder(self, task: Task) -> Path:
        name = self._name(task)
        return self.directory / "tasks" / name[:2] / name[2:]

    def _path(self, task: Task, data: str, code: Code) -> Path:
        readings = {name: dict(changes) for name, changes in code.readings.items()}
        parameters = {**vars(task), "params": dict(task.params), "readings": readings}
        return self._folder(task) / f"{_hash([parameters, data])[:16]}.json"

    def get(self, task: Task, data: str, code: Code) -> Finished | None:
        """Finished task, or None if it has to be run: `explain` says why.

        Parameters
        ----------
        task : Task
            The one whose result is wanted.
        data : str
            Digest of its data set.
        code : Code
            Fingerprints of the code that would run it.
        """
        path = self._path(task, data, code)
        entry = _read(path)
        if entry is None:
            return None
        fault = entry.get("fault") or fault_of(entry["rows"], task)
        if fault:
            warnings.warn(f"stored task {path} {fault} and will be recomputed", stacklevel=2)
            return None
        if entry["code"] != code.fingerprint:
            return None
        made = {n: entry[n] for n in ("rows", "seconds", "date", "environment", "commit")}
        return Finished(task, **made)

    def knows(self, task: Task) -> bool:
        """Whether a task of this name was stored when it was asked first, by whatever code."""
        return self._name(task) in self.names

    def has(self, task: Task, code: Code, exact: bool = False) -> bool:
        """Whether a task is stored with this code, on any data.

        Parameters
        ----------
        task : Task
            Its name is looked up.
        code : Code
            That would run it.
        exact : bool
            Whether parameters must be the same, too: a committed task is listed without them.
        """
        for path in self._folder(task).glob("*.json") if self.knows(task) else ():
            entry = _read(path) or {}
            if entry.get("code") == code.fingerprint and (
                not exact or path == self._path(task, entry["data"], code)
            ):
                return True
        return False

    @functools.cached_property
    def names(self) -> set[str]:
        """Those of the tasks that were stored when it was asked first."""
        return {path.parent.name + path.name for path in (self.directory / "tasks").glob("*/*")}

    def explain(self, task: Task, data: str, code: Code) -> Reuse:
        """Why a task is reused or not."""
        entry = _read(self._path(task, data, code))
        if entry is None:
            entries = [_read(path) for path in sorted(self._folder(task).glob("*.json"))]
            others = [entry for entry in entries if entry and "fault" not in entry]
            if not others:
                return Reuse.to_run("never finished here")
            if all(entry["data"] != data for entry in others):
                return Reuse.to_run("stored for other data")
            return Reuse.to_run("stored with other parameters")
        if entry.get("fault") or fault_of(entry["rows"], task):
            return Reuse.to_run("its stored file is damaged")
        if entry["code"] != code.fingerprint:
            then = _read_json(self._code_path(entry["code"]))
            change = code.change_since(then) if then else "which is unknown here"
            return Reuse.to_run("stored with other code", change)
        return Reuse.reused(entry["date"])

    def put(self, finished: Finished, data: str, code: Code) -> None:
        """Store a finished task.

        Raises
        ------
        OSError
            If the store cannot be written to, or the disk is full.
        """
        body = {
            **{name: value for name, value in vars(finished).items() if name != "task"},
            "task": finished.task.id,
            "data": data,
            "code": code.fingerprint,
            "name": self._path(finished.task, data, code).name,
        }
        try:
            of_code = self._code_path(code.fingerprint)
            if not of_code.exists():
                replace_file(of_code, json.dumps(code.about()))
            path = self._path(finished.task, data, code)
            replace_file(path, json.dumps({"checksum": checksum(body), **body}))
        except OSError as error:
            message = (
                f"cannot store a finished task in {self.directory} ({error.strerror}); make that "
                "folder writable with space left, or set REPROLIB_RECORDS to another one (a copy "
                "of this one, to keep what is finished)"
            )
            raise OSError(error.errno, message) from error

    def _code_path(self, fingerprint: str) -> Path:
        return self.directory / "code" / f"{fingerprint}.json"


def _read(path: Path) -> dict[str, Any] | None:
    """Entry of a file; one with a fault if it is damaged, None if there is none."""
    if not path.exists():
        return None
    entry = _read_json(path)
    body = {name: value for name, value in (entry or {}).items() if name != "checksum"}
    intact = entry is not None and entry.get("checksum") == checksum(body)
    intact = intact and body["name"] == path.name
    return entry if intact else {"fault": "is damaged"}


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return entry if isinstance(entry, dict) else None


def checksum(body: dict[str, Any]) -> str:
    """Checksum of a stored task, without its own."""
    return _hash(body)


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
