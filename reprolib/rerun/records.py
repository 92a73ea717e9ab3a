"""Records on disk: a store of finished tasks, and the tables made of them."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd
import platformdirs

from data_fetch.environment import configured_folder
from reprolib import __version__
from reprolib.rerun.stored_rows import COLUMN_TYPES, fault_of

COLUMNS = list(COLUMN_TYPES)
SORT_KEYS = ["table", "dataset", "method", "reading", "trial", "metric", "chosen"]
PACKAGES = ["numpy", "scipy", "scikit-learn", "cvxopt", "highspy", "numba", "nibabel", "mne"]


def store_directory() -> Path:
    """Folder of the record store: ``REPROLIB_RECORDS``, or one in the user's cache folder."""
    default = platformdirs.user_cache_path("reprolib") / "records"
    return configured_folder("REPROLIB_RECORDS", default)


def committed_directory() -> Path:
    """Folder of the committed full-protocol results: ``REPROLIB_RESULTS``, or the checkout's."""
    default = Path(__file__).resolve().parents[2] / "results"
    return configured_folder("REPROLIB_RESULTS", default)


def require_folder(directory: Path) -> None:
    """Raise FileNotFoundError, with a remedy, if a results folder does not exist."""
    if not directory.is_dir():
        raise FileNotFoundError(
            f"--results is {directory}, which is no folder; "
            "run `reprolib reproduce --full` first, or name the folder of another run"
        )


def can_be_committed() -> bool:
    """Whether the folder of the committed results belongs to a checkout, or was named by hand."""
    named = "REPROLIB_RESULTS" in os.environ
    return named or (committed_directory().parent / "pyproject.toml").exists()


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old file or the new one, never a part.

    Raises
    ------
    OSError
        If the folder cannot be written to or the disk is full; the old file stays as it was.
    """
    try:
        _replace(path, text)
    except OSError as error:
        message = (
            f"cannot write {path} ({error.strerror}); free some space there or name another "
            "folder; finished tasks are stored and will not be run again"
        )
        raise OSError(error.errno, message) from error


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


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
            _replace(self._path(key), json.dumps(entry))
        except OSError as error:
            message = (
                f"cannot store a finished task in {self.directory} ({error.strerror}); make that "
                "folder writable with space left, or set REPROLIB_RECORDS to another one (a copy "
                "of this one, to keep what is finished)"
            )
            raise OSError(error.errno, message) from error


def _checksum(key: str, rows: Any) -> str:
    return hashlib.sha256((key + json.dumps(rows, sort_keys=True)).encode()).hexdigest()


def to_frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Records in canonical order: the same set of rows gives the same table."""
    frame = pd.DataFrame(list(rows), columns=COLUMNS)
    return frame.sort_values(SORT_KEYS, kind="stable", ignore_index=True)


def write_tables(records: pd.DataFrame, directory: Path, meta: dict[str, Any]) -> list[Path]:
    """Write ``<directory>/<table>.csv`` and its ``.meta.json`` for every table in the records.

    Tables of an earlier run that this one did not make are deleted with their meta files.
    """
    paths = []
    for table, rows in records.groupby("table", sort=True):
        path = Path(directory) / f"{table}.csv"
        write_atomically(path, rows.to_csv(index=False, float_format="%.10g"))
        sources = rows.groupby("dataset")["source"].first().to_dict()
        failures = int((rows["status"] != "ok").sum())
        about = {
            **meta,
            "table": table,
            "records": len(rows),
            "failed_records": failures,
            "sources": sources,
            "data_digests": {name: meta["data_digests"][name] for name in sources},
            "seconds_of_tasks": round(computing_seconds(rows), 1),
        }
        write_atomically(path.with_suffix(".meta.json"), json.dumps(about, indent=1) + "\n")
        paths.append(path)
    _delete_others(Path(directory), paths)
    return paths


def _delete_others(directory: Path, paths: Sequence[Path]) -> None:
    """Delete the tables, known by their meta files, that are not among the paths."""
    for meta in list(directory.glob("*.meta.json")):
        path = meta.with_name(meta.name.removesuffix(".meta.json") + ".csv")
        if path not in paths:
            path.unlink(missing_ok=True)
            meta.unlink()


def computing_seconds(records: pd.DataFrame) -> float:
    """Seconds that the tasks behind records took in all.

    Every row holds the seconds of its task, which may have measured several readings.
    """
    tasks = records.drop_duplicates(["table", "dataset", "method", "trial", "seconds"])
    return float(tasks["seconds"].sum())


def load(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """Records of one table: the committed ones, or those below another results folder.

    Raises
    ------
    FileNotFoundError
        If the paper has no such table there.
    ValueError
        If the file lacks columns, or has text where numbers belong.
    """
    root = committed_directory() if directory is None else Path(directory)
    path = root / paper / f"{table}.csv"
    if not path.exists():
        raise FileNotFoundError(
            f"no results for table {table!r} of paper {paper!r}: {path} does not exist; "
            f"run `reprolib reproduce {paper} --full` to make it"
        )
    return _read_table(path)


def _read_table(path: Path) -> pd.DataFrame:
    text = {name: str for name, types in COLUMN_TYPES.items() if str in types}
    numbers = [name for name in COLUMNS if name not in text]
    missing_numbers = {"value": [""], "gap": [""]}
    frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=missing_numbers)
    if list(frame.columns) != COLUMNS:
        raise ValueError(f"{path} has the columns {list(frame.columns)}; they must be {COLUMNS}.")
    bad = [name for name in numbers if len(frame) and frame[name].dtype.kind not in "if"]
    bad += [name for name in ("trial", "n_test") if len(frame) and frame[name].dtype.kind == "f"]
    if bad:
        raise ValueError(f"{path} has something else than numbers in the columns {bad}.")
    return frame


def load_meta(paper: str, directory: Path | None = None) -> dict[str, dict[str, Any]]:
    """What the meta files say about the tables of a paper, by table (nothing if there are none)."""
    root = committed_directory() if directory is None else Path(directory)
    paths = sorted((root / paper).glob("*.meta.json"))
    return {path.name.removesuffix(".meta.json"): _read_meta(path) for path in paths}


def _read_meta(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is no meta file of a results table: {error}") from error


def load_paper(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Records of all tables of a paper (no rows if there are none)."""
    root = committed_directory() if directory is None else Path(directory)
    tables = sorted(path.stem for path in (root / paper).glob("*.csv"))
    frames = [load(paper, table, root) for table in tables]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS)


def package_versions(packages: Iterable[str]) -> dict[str, str]:
    """Installed version of every package, by name."""
    versions = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def environment() -> dict[str, Any]:
    """Versions and machine, for the meta file of a results table."""
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {"reprolib": __version__, **package_versions(PACKAGES)},
    }
