"""Results of a paper on disk: records by table, how each task was made, the data, a seal.

``results/<paper>/<table>.csv`` has the records of a table, ``tasks.csv`` one line a task: its
seconds, the date, the code and the environment that made it, as they were when it ran. ``run.json``
says the profile, the data and what the environments were; ``SHA256SUMS`` seals all of them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from reprolib.rerun.records import seal
from reprolib.rerun.records.folders import results_directory, write_atomically
from reprolib.rerun.records.rows import COLUMN_TYPES, COLUMNS, KEY, VALUE_FORMAT
from reprolib.rerun.records.task import PARTS

SORT_KEYS = [
    *("table", "dataset", "method", "setting", "reading", "trial", "metric", "chosen", "seed"),
]
TASKS, RUN = "tasks.csv", "run.json"
#: Columns of the table of tasks that a task determines.
OF_TASK = ("table", "dataset", "method", "setting", "reading", "seed", "trial")
#: What the columns of the table of tasks hold. ``quick``: the quick profile has the task, too.
TASK_TYPES: dict[str, tuple[type, ...]] = {
    "task": (str,),
    **{name: COLUMN_TYPES[name] for name in OF_TASK},
    "quick": (bool, type(None)),
    "seconds": (float,),
    **{f"{part} seconds": (float, type(None)) for part in PARTS},
    **dict.fromkeys(("date", "code", "environment"), (str,)),
}
TASK_COLUMNS = list(TASK_TYPES)
#: Columns of a record that the name of its file or the table of tasks says.
_ELSEWHERE = ("paper", "table", "seconds")
FILE_COLUMNS = [name for name in COLUMNS if name not in _ELSEWHERE]


def to_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Records in canonical order: the same set of rows gives the same table."""
    frame = pd.DataFrame(list(rows), columns=COLUMNS)
    frame["level"] = pd.to_numeric(frame["level"]).astype(float)
    return frame.sort_values(SORT_KEYS, kind="stable", ignore_index=True)


def write_results(
    records: pd.DataFrame, directory: Path, tasks: pd.DataFrame, run: Mapping[str, Any]
) -> list[Path]:
    """Write the results of a paper, and seal them.

    Parameters
    ----------
    records : DataFrame
        Of all its tables.
    directory : Path
        The paper's folder; tables of an earlier run that this one did not make are deleted.
    tasks : DataFrame
        One line a task, see `TASK_COLUMNS`.
    run : mapping
        What `RUN` says.

    Raises
    ------
    ValueError
        If two records have the same key.
    """
    if doubled := doubled_keys(records):
        raise ValueError(f"two records of one key, which must name one: {doubled[0]}.")
    texts = {
        f"{table}.csv": rows[FILE_COLUMNS].to_csv(index=False, float_format=f"%{VALUE_FORMAT}")
        for table, rows in records.astype({"level": "Int64"}).groupby("table", sort=True)
    }
    texts[TASKS] = tasks[TASK_COLUMNS].to_csv(index=False)
    texts[RUN] = json.dumps(run, indent=1) + "\n"
    for name in seal.names(directory) - texts.keys():
        (directory / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_atomically(directory / name, text)
    seal.write(directory, texts)
    return [directory / name for name in texts if name not in (TASKS, RUN)]


def doubled_keys(records: pd.DataFrame) -> list[str]:
    """Names of records whose key another record has."""
    doubled = records[records.duplicated(KEY)]
    return [record_name(row) for row in doubled.to_dict("records")]


def record_name(row: Mapping) -> str:
    """Name of a record: its task and metric; reading and setting in brackets if not the task's."""
    own = [str(row[k]) for k in ("reading", "setting") if f"/{row[k]}/" not in row["task"]]
    in_brackets = ", ".join(filter(None, own))
    return f"{row['task']} {row['metric']}" + (f" ({in_brackets})" if in_brackets else "")


def table_names(paper: str, directory: Path | None = None) -> list[str]:
    """Names of the tables of records that a paper has."""
    root = results_directory(paper, directory)
    return sorted(p.stem for p in (root / paper).glob("*.csv") if p.name != TASKS)


def load(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """Records of one table: the committed ones, or those below another results folder.

    Raises
    ------
    FileNotFoundError
        If the paper has no such table there.
    ValueError
        If the file lacks columns, has text where numbers belong, or two records of one key.
    """
    root = results_directory(paper, directory)
    path = root / paper / f"{table}.csv"
    if not path.exists():
        raise FileNotFoundError(
            f"no results for table {table!r} of paper {paper!r}: {path} does not exist; "
            f"run `reprolib reproduce {paper} --full` to make it"
        )
    frame = _read(path, {name: COLUMN_TYPES[name] for name in FILE_COLUMNS}).assign(
        paper=paper, table=table
    )
    frame["seconds"] = _seconds(frame, load_tasks(paper, root))
    if doubled := doubled_keys(frame):
        raise ValueError(f"{path} has two records of one key: {doubled[0]}.")
    return frame[COLUMNS]


def _seconds(records: pd.DataFrame, tasks: pd.DataFrame) -> pd.Series:
    """Seconds of the task of every record, or of its part; 0 where no task measured it."""
    made = tasks.set_index("task")
    seconds = records["task"].map(made["seconds"])
    for part in PARTS:
        of_part = records["task"].map(made[f"{part} seconds"])
        seconds = seconds.where(records["metric"] != part, of_part)
    return seconds.fillna(0.0)


def _read(path: Path, types: Mapping[str, tuple[type, ...]]) -> pd.DataFrame:
    """Read a table whose columns hold values of these types.

    Raises
    ------
    ValueError
        If it has other columns, or text where numbers belong.
    """
    text = {name: str for name, allowed in types.items() if str in allowed}
    missing = {n: [""] for n, allowed in types.items() if type(None) in allowed or n == "value"}
    frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=missing)
    if list(frame.columns) != list(types):
        raise ValueError(f"{path} has the columns {list(frame.columns)}; they must be {[*types]}.")
    kinds = {name: "i" if types[name] == (int,) else "ifb" for name in types if name not in text}
    bad = [name for name, kind in kinds.items() if frame[name].dtype.kind not in kind]
    if bad and len(frame):
        raise ValueError(f"{path} has something else than numbers in the columns {bad}.")
    return frame.astype({"level": float}) if "level" in types else frame


def load_paper(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Records of all tables of a paper (no rows if there are none)."""
    frames = [load(paper, table, directory) for table in table_names(paper, directory)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS)


def load_tasks(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """How every task of a paper was made (no rows if there are no results).

    Raises
    ------
    ValueError
        If the file lacks columns or names a task twice.
    """
    root = results_directory(paper, directory)
    path = root / paper / TASKS
    if not path.exists():
        return pd.DataFrame(columns=TASK_COLUMNS)
    return _read_tasks(path, path.stat().st_mtime_ns).copy()


@functools.lru_cache(maxsize=16)
def _read_tasks(path: Path, changed: int) -> pd.DataFrame:
    frame = _read(path, TASK_TYPES)
    if frame["task"].duplicated().any():
        doubled = frame.loc[frame["task"].duplicated(), "task"].iloc[0]
        raise ValueError(f"{path} names the task {doubled} twice.")
    return frame


def load_run(paper: str, directory: Path | None = None) -> dict[str, Any]:
    """What ``run.json`` says of a paper's results: profile, data, environments (or nothing)."""
    root = results_directory(paper, directory)
    path = root / paper / RUN
    if not path.exists():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} does not describe a run: {error}") from error
