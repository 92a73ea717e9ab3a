"""Results of a paper on disk: records by table, how each task was made, the data, a seal.

``results/<paper>/<table>.csv.gz`` has the records of a table: metric, value, and what a record
has for itself. What its task says stands once, in ``tasks.csv.gz``: one line a task, with its
seconds, the date, the code and the environment that made it, as they were when it ran. Statistics
over trials have a line, too, without a date: nothing measured them. ``run.json`` says the profile,
the data and what the environments were; ``SHA256SUMS`` seals all of them:
the sha256 of every file, in the form that ``sha256sum -c`` reads. Of a compressed file its content
is sealed, under its name without ``.gz``: another release of zlib writes other bytes for the same
records.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from reprolib.rerun.records.registry import results_directory, write_atomically
from reprolib.rerun.records.rows import (
    COLUMNS,
    FILE_COLUMNS,
    FILE_TYPES,
    FIXED,
    KEY,
    LINE_COLUMNS,
    OF_TASK,
    OWN,
    TASK_COLUMNS,
    TASK_TYPES,
    VALUE_FORMAT,
    is_derived,
    record_name,
)
from reprolib.rerun.records.task import PARTS

SEAL, COMPRESSED = "SHA256SUMS", ".gz"
#: A line of a seal; `sha256sum` writes a star before the name of a file that it reads as binary.
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *]([^/\\]+)")
TABLE = ".csv" + COMPRESSED
TASKS, RUN = "tasks.csv", "run.json"
#: What can be wrong with a results folder, each with a command of its own that mends it.
Kind = Literal[
    "merge conflict",
    "half copied",
    "packed otherwise",
    "older format",
    "of another paper",
    "changed since sealed",
    "not as a run writes it",
]
#: Cell of a record that has nothing there where its task has something.
NOTHING = "(none)"


def write_results(
    records: pd.DataFrame, directory: Path, tasks: pd.DataFrame, run: Mapping[str, Any]
) -> list[Path]:
    """Write the results of a paper, and seal them.

    The seal is written last: a folder that was left in the middle is not as it was sealed.

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

    Returns
    -------
    list of Path
        The files of records.

    Raises
    ------
    ValueError
        If two records have the same key, or a record is of no task.
    """
    if doubled := _doubled(records):
        raise ValueError(f"two records of one key, which must name one: {doubled}.")
    first = records[is_derived(records)].drop_duplicates("task")
    derived = first[["task", *OF_TASK]].assign(quick=False, seconds=0.0)
    lines = pd.concat([tasks, derived]) if len(derived) else tasks
    lines = lines[TASK_COLUMNS].sort_values("task", ignore_index=True)
    texts = {
        f"{table}.csv": _only_own(rows, lines, run).to_csv(
            index=False, float_format=f"%{VALUE_FORMAT}"
        )
        for table, rows in records.groupby("table", sort=True)
    }
    tables = [directory / f"{name}{COMPRESSED}" for name in texts]
    texts[TASKS] = lines[LINE_COLUMNS].astype({"level": "Int64"}).to_csv(index=False)
    texts[RUN] = json.dumps(run, indent=1) + "\n"
    for name in sealed_digests(directory)[0]:
        for stale in {name, f"{name}{COMPRESSED}"} - set(map(_file_name, texts)):
            (directory / stale).unlink(missing_ok=True)
    for name, text in texts.items():
        data = text.encode()
        compressed = gzip.compress(data, mtime=0) if name != RUN else data
        write_atomically(directory / _file_name(name), compressed)
    write_seal(directory, texts)
    return tables


def _file_name(name: str) -> str:
    return name if name == RUN else name + COMPRESSED


def _only_own(records: pd.DataFrame, lines: pd.DataFrame, run: Mapping[str, Any]) -> pd.DataFrame:
    """Records without what their tasks, or the data, say."""
    of_task = _at(lines.set_index("task"), records["task"])
    rows = records.reset_index(drop=True)
    for name in FIXED[1:]:
        if not (rows[name] == of_task[name]).all():
            raise ValueError(f"the records of {rows['task'].iloc[0]} have another {name}.")
    for name in OWN:
        own, shared = (_cells(frame[name]) for frame in (rows, of_task))
        rows[name] = own.where(own != "", NOTHING).where(own != shared, "")
    rows["source"] = rows["source"].where(rows["source"] != _sources(rows["dataset"], run), "")
    rows["status"] = rows["status"].where(rows["status"] != "ok", "")
    return rows[FILE_COLUMNS]


def _cells(column: pd.Series) -> pd.Series:
    """Texts; levels as whole numbers, and empty where there is none."""
    if column.name == "level":
        column = column.astype("Int64")
    return column.astype("string").fillna("").astype(object)


def _sources(datasets: pd.Series, run: Mapping[str, Any]) -> pd.Series:
    """Source of every data set as a run says it; empty where it says none."""
    data = run.get("data", {})
    return datasets.map({n: data.get(n, {}).get("source", "") for n in datasets.unique()})


def _at(lines: pd.DataFrame, tasks: pd.Series) -> pd.DataFrame:
    """Lines of the tasks of records, in the records' order.

    Raises
    ------
    ValueError
        If a task has no line.
    """
    places = lines.index.get_indexer(pd.Index(tasks))
    if (places < 0).any():
        name = tasks.iloc[int(np.argmin(places))]
        raise ValueError(f"{name} has records, but no line in {TASKS}.")
    return lines.iloc[places].reset_index(drop=True)


def _doubled(records: pd.DataFrame) -> str:
    """Name of a record whose key another record has; empty if there is none."""
    doubled = records[records.duplicated(KEY)]
    return record_name(doubled.iloc[0].to_dict()) if len(doubled) else ""


def table_names(paper: str, directory: Path | None = None) -> list[str]:
    """Names of the tables of records that a paper has; none without results."""
    folder = results_directory(paper, directory) / paper
    names = (path.name.removesuffix(TABLE) for path in folder.glob(f"*{TABLE}"))
    return sorted(name for name in names if name != TASKS.removesuffix(".csv"))


def load(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """Records of one table: the committed ones, or those below another results folder.

    Raises
    ------
    FileNotFoundError
        If the paper has no such table there.
    ValueError
        If the file lacks columns, has text where numbers belong, two records of one key, or
        records of a task that the table of tasks does not have.
    """
    root = results_directory(paper, directory)
    path = root / paper / f"{table}{TABLE}"
    if not path.exists():
        raise FileNotFoundError(
            f"no results for table {table!r} of paper {paper!r}: {path} does not exist; "
            f"run `reprolib reproduce {paper} --full` to make it"
        )
    frame = _read(path, FILE_TYPES)
    of_task = _at(lines_of(root / paper), frame["task"])
    if not (of_task["table"] == table).all():
        raise ValueError(f"{path} has records of a task of another table.")
    shared = {name: of_task[name] for name in OWN}
    shared["source"] = _sources(of_task["dataset"], load_run(paper, root))
    shared["status"] = pd.Series("ok", frame.index)
    for name, cells in shared.items():
        differs = frame[name] != ""
        own = frame.loc[differs, name].replace(NOTHING, "")
        frame[name] = cells
        if name == "level":
            try:
                own = pd.to_numeric(own.where(own != "")).astype(float)  # type: ignore[assignment]
            except ValueError as error:
                raise ValueError(f"{path} has a level that is no number ({error}).") from error
        if len(own):
            frame.loc[differs, name] = own
    frame["paper"] = paper
    for name in FIXED[1:]:
        frame[name] = of_task[name]
    frame["seconds"] = of_task["seconds"]
    for part in PARTS:
        is_part = frame["metric"] == part
        frame.loc[is_part, "seconds"] = of_task.loc[is_part, f"{part} seconds"].fillna(0.0)
    if doubled := _doubled(frame):
        raise ValueError(f"{path} has two records of one key: {doubled}.")
    return frame[COLUMNS]


def _read(path: Path, types: Mapping[str, tuple[type, ...]]) -> pd.DataFrame:
    """Read a table whose columns hold values of these types.

    Raises
    ------
    ValueError
        If it has other columns, or text where numbers belong.
    """
    text = {name: str for name, allowed in types.items() if str in allowed}
    missing = {n: [""] for n, allowed in types.items() if type(None) in allowed or n == "value"}
    data = io.BytesIO(content_of(path))
    try:
        frame = pd.read_csv(data, dtype=text, keep_default_na=False, na_values=missing)
    except ValueError as error:
        raise ValueError(f"{path} is no table of results ({error}).") from error
    if list(frame.columns) != list(types):
        raise ValueError(f"{path} has the columns {list(frame.columns)}; they must be {[*types]}.")
    kinds = {name: "i" if types[name] == (int,) else "ifb" for name in types if name not in text}
    bad = [name for name, kind in kinds.items() if frame[name].dtype.kind not in kind]
    if bad and len(frame):
        raise ValueError(f"{path} has something else than numbers in the columns {bad}.")
    return frame


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
    folder = results_directory(paper, directory) / paper
    if not (folder / _file_name(TASKS)).exists():
        return pd.DataFrame(columns=TASK_COLUMNS)
    lines = lines_of(folder).reset_index()
    return lines[~is_derived(lines)].reset_index(drop=True)[TASK_COLUMNS]


def lines_of(folder: Path) -> pd.DataFrame:
    """All lines of a table of tasks, by the names of the tasks."""
    path = folder / _file_name(TASKS)
    if not path.exists():
        return pd.DataFrame(columns=TASK_COLUMNS).set_index("task")
    state = path.stat()
    return _read_lines(path, (state.st_mtime_ns, state.st_ctime_ns, state.st_size))


@functools.lru_cache(maxsize=16)
def _read_lines(path: Path, state: tuple[int, ...]) -> pd.DataFrame:
    lines = _read(path, {name: TASK_TYPES[name] for name in LINE_COLUMNS})
    trials = pd.to_numeric(lines["task"].str.rpartition("/")[2], errors="coerce")
    if trials.isna().any():
        name = lines.loc[trials.isna(), "task"].iloc[0]
        raise ValueError(f"{path} has the task {name}, whose name does not end with its trial.")
    lines = lines.assign(trial=trials.astype(int)).astype({"level": float})
    lines = lines[TASK_COLUMNS].set_index("task")
    if lines.index.has_duplicates:
        doubled = lines.index[lines.index.duplicated()][0]
        raise ValueError(f"{path} names the task {doubled} twice.")
    return lines


def load_run(paper: str, directory: Path | None = None) -> dict[str, Any]:
    """What ``run.json`` says of a paper's results: profile, data, environments (or nothing)."""
    path = results_directory(paper, directory) / paper / RUN
    if not path.exists():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} does not describe a run: {error}") from error


def write_seal(directory: Path, texts: Mapping[str, str]) -> None:
    """Seal files by the texts that they were meant to hold.

    Parameters
    ----------
    directory : Path
        Folder of the files.
    texts : mapping of str to str
        By name, without `COMPRESSED`.
    """
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    lines = [f"{digests[name]}  {name}\n" for name in sorted(digests)]
    write_atomically(directory / SEAL, "".join(lines))


def content_of(path: Path) -> bytes:
    """What is in a file, unpacked if it is compressed.

    Raises
    ------
    ValueError
        If it cannot be unpacked.
    """
    data = path.read_bytes()
    if path.suffix != COMPRESSED:
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked ({error}).") from error


@dataclass(frozen=True)
class SealFault:
    """A file that is not as it was sealed.

    Parameters
    ----------
    kind : str
        What became of it.
    file : str
        Its name as the seal has it.
    line : str
        Name, and what is wrong.
    is_unreadable : bool
        Whether it is not to be read: it is none of the sealed files, or of no content.
    """

    kind: Kind
    file: str
    line: str
    is_unreadable: bool = False


def seal_faults(directory: Path) -> list[str]:
    """What in a results folder is not as it was sealed, one line each."""
    return [f"{directory.name}/{fault.line}" for fault in faults_of_seal(directory)]


def faults_of_seal(directory: Path) -> list[SealFault]:
    """What in a results folder is not as it was sealed."""
    sealed, faults = sealed_digests(directory)
    if not sealed and not faults:
        why = f"{SEAL}: there is none; a run writes it last"
        return [SealFault("half copied", SEAL, why)]
    found: dict[str, str] = {}
    for path in sorted(directory.iterdir()):
        name = path.name.removesuffix(COMPRESSED)
        if path.name == SEAL or path.name.startswith("."):
            continue
        if path.is_symlink() or not path.is_file():
            what = "a link, not sealed" if path.is_symlink() else "a folder, not sealed"
        elif name in found:
            what = "is there twice, compressed and not"
        elif name not in sealed:
            what = "not sealed"
        else:
            found[name] = path.name
            continue
        shown = name if what.startswith("is there") else path.name
        line = f"{shown}: {what}"
        faults.append(SealFault("changed since sealed", name, line, is_unreadable=True))
    for name, digest in sealed.items():
        if name not in found:
            what = f"{name}: sealed, but missing"
            faults.append(SealFault("half copied", name, what, is_unreadable=True))
            continue
        try:
            content = content_of(directory / found[name])
        except ValueError:
            content = b""
        if not content:
            what = f"{name}: is empty, or its end is lost"
            faults.append(SealFault("half copied", name, what, is_unreadable=True))
            continue
        if hashlib.sha256(content).hexdigest() != digest:
            plain = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            of_ends = hashlib.sha256(plain).hexdigest() == digest
            what = f"{name}: changed since it was sealed{', in its line ends only' * of_ends}"
            faults.append(SealFault("changed since sealed", name, what))
    return faults


def sealed_digests(directory: Path) -> tuple[dict[str, str], list[SealFault]]:
    """Digests by name, and what is wrong with the seal itself."""
    path = directory / SEAL
    if path.is_symlink() or not path.is_file():
        return {}, []
    sealed: dict[str, str] = {}
    wrong: list[str] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            wrong.append(f"{line!r} is no line of a seal")
        elif match[2] in sealed:
            wrong.append(f"has two lines for {match[2]}")
        else:
            sealed[match[2]] = match[1].lower()
    return sealed, [SealFault("changed since sealed", SEAL, f"{SEAL}: {w}") for w in wrong]
