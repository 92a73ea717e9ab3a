"""Records on disk: the results tables, written and read."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reprolib import __version__
from reprolib.rerun.folders import committed_directory, write_atomically
from reprolib.rerun.stored_rows import COLUMN_TYPES, VALUE_FORMAT
from reprolib.rerun.task import PARTS

COLUMNS = list(COLUMN_TYPES)
SORT_KEYS = ["table", "dataset", "method", "setting", "reading", "trial", "metric", "chosen"]
PACKAGES = ["numpy", "scipy", "scikit-learn", "cvxopt", "highspy", "numba", "nibabel", "mne"]


def ok(records: pd.DataFrame) -> pd.DataFrame:
    """Records that may be used: their task did not fail."""
    return records[records["status"] == "ok"]


def select(records: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """Usable records whose columns have the wanted values.

    Parameters
    ----------
    records : DataFrame
    **wanted : value, or list, tuple or set of values, by column
        For example ``select(records, table="table1", method=["kpm", "svm"], reading=HEADLINE)``.

    Returns
    -------
    DataFrame
        In the order of the records; failed records are left out.

    Raises
    ------
    ValueError
        If there is no such column.
    """
    unknown = sorted(set(wanted) - set(records.columns))
    if unknown:
        known = ", ".join(records.columns)
        raise ValueError(f"records have no column {unknown[0]!r}; their columns are {known}.")
    keep = records["status"] == "ok"
    for column, value in wanted.items():
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        keep &= records[column].isin(list(values))
    return records[keep]


def paths(records: pd.DataFrame) -> list[np.ndarray]:
    """Path of every record, in the order of the records; of length zero where there is none."""
    return [np.array(str(text).split(), dtype=float) for text in records["path"]]


def path_matrix(records: pd.DataFrame) -> np.ndarray:
    """Paths of the records, one row a record, cut at the shortest."""
    found = paths(records)
    shortest = min(len(path) for path in found)
    return np.stack([path[:shortest] for path in found])


def chosen(records: pd.DataFrame, key: str) -> pd.Series:
    """Hyperparameter ``key`` that the task of every record selected, with the records' index.

    Raises
    ------
    KeyError
        If the task of a record did not select it.
    """
    return records["chosen"].map(lambda text: json.loads(text)[key])


def machine_names(records: pd.DataFrame) -> pd.Series:
    """Method of every record with its setting, such as "svm, one-vs-one"."""
    joined = records["method"] + ", " + records["setting"]
    return joined.where(records["setting"] != "", records["method"])


def number_in(text: str) -> int:
    """Whole number in a setting such as "2 train", "rank 50" or "v = -1"."""
    (found,) = re.findall(r"-?\d+", text)
    return int(found)


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
        write_atomically(path, rows.to_csv(index=False, float_format=f"%{VALUE_FORMAT}"))
        sources = {
            str(name): ", ".join(sorted(set(group["source"])))
            for name, group in rows.groupby("dataset")
        }
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

    Every row holds the seconds of its task, which may have measured several readings; those of
    `PARTS` are in it.
    """
    tasks = whole_tasks(records)
    tasks = tasks.drop_duplicates(["table", "dataset", "method", "trial", "seconds"])
    return float(tasks["seconds"].sum())


def whole_tasks(records: pd.DataFrame) -> pd.DataFrame:
    """Records whose seconds are those of their tasks, not of `PARTS` of them."""
    return records[~records["metric"].isin(PARTS)]


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


def data_digests(meta: Mapping[str, Mapping]) -> dict[str, str]:
    """Digests of the data sets that tables were made on, by name; of what `load_meta` returns."""
    return {n: d for about in meta.values() for n, d in about.get("data_digests", {}).items()}


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


def other_versions(meta: Mapping[str, Mapping]) -> dict[str, tuple[str, str]]:
    """Version then and now of every package that was another when tables were made."""
    made = {p: v for about in meta.values() for p, v in about.get("versions", {}).items()}
    now = package_versions(PACKAGES)
    return {p: (made[p], now[p]) for p in PACKAGES if p in made and made[p] != now[p]}


def environment() -> dict[str, Any]:
    """Versions and machine, for the meta file of a results table."""
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {"reprolib": __version__, **package_versions(PACKAGES)},
    }
