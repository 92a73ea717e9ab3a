"""Results of a paper on disk: one table of records, what its run was, a seal.

``results/<paper>/records.csv.xz`` has a line for every record: what was measured, of which task,
and how the task was made, as it was when it ran: ``pandas.read_csv`` opens it. A statistic over
trials has no date: nothing measured it. ``run.json`` says the profile, the data, and what code and
environments were; ``SHA256SUMS`` seals both: the sha256 of every file, in the form that
``sha256sum -c`` reads. Of a compressed file its content is sealed, under its name without ``.xz``:
another release of lzma writes other bytes for the same records.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import lzma
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from reprolib.rerun.records.registry import results_directory, write_atomically
from reprolib.rerun.records.rows import (
    COLUMNS,
    FILE_TYPES,
    KEY,
    LEVEL,
    MADE_TYPES,
    OVER_TRIALS,
    SECONDS,
    TASK_COLUMNS,
    VALUE,
    VALUE_FORMAT,
    is_derived,
    record_name,
)
from reprolib.rerun.records.task import HEADLINE

SEAL, COMPRESSED = "SHA256SUMS", ".xz"
#: A line of a seal; `sha256sum` writes a star before the name of a file that it reads as binary.
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *]([^/\\]+)")
RECORDS, RUN = "records.csv", "run.json"
PACKED = RECORDS + COMPRESSED
#: Compression: 8 % less than by default. The bytes of a text are not aligned: its pb is 0.
BEST = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0}
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


def write_results(
    records: pd.DataFrame, directory: Path, tasks: pd.DataFrame, run: Mapping[str, Any]
) -> Path:
    """Write the results of a paper, and seal them.

    The seal is written last: a folder that was left in the middle is not as it was sealed.

    Parameters
    ----------
    records : DataFrame
        Of all its tables.
    directory : Path
        The paper's folder; sealed files of an earlier run that this one did not make are deleted.
    tasks : DataFrame
        How every task was made, see `TASK_COLUMNS`.
    run : mapping
        What `RUN` says.

    Returns
    -------
    Path
        The file of records.

    Raises
    ------
    ValueError
        If two records have the same key, or a record is of no task.
    """
    if doubled := _doubled(records):
        raise ValueError(f"two records of one key, which must name one: {doubled}.")
    made = tasks.set_index("task")[list(MADE_TYPES)]
    lost = records.loc[~is_derived(records) & ~records["task"].isin(made.index), "task"]
    if len(lost):
        raise ValueError(f"{lost.iloc[0]} has records, and is not among the tasks.")
    flat = records[COLUMNS].join(made, on="task").astype({LEVEL: "Int64"})
    for name, types in MADE_TYPES.items():
        flat[name] = flat[name].astype(object).where(flat[name].notna(), types[0]())
    texts = {
        RECORDS: flat.to_csv(index=False, float_format=f"%{VALUE_FORMAT}"),
        RUN: json.dumps(run, indent=1) + "\n",
    }
    for name in sealed_digests(directory)[0]:
        for stale in {name, f"{name}{COMPRESSED}"} - {PACKED, RUN}:
            (directory / stale).unlink(missing_ok=True)
    packed = lzma.compress(texts[RECORDS].encode(), filters=[BEST])
    write_atomically(directory / PACKED, packed)
    write_atomically(directory / RUN, texts[RUN])
    write_seal(directory, texts)
    return directory / PACKED


def _doubled(records: pd.DataFrame) -> str:
    """Name of a record whose key another record has; empty if there is none."""
    doubled = records[records.duplicated(KEY)]
    return record_name(doubled.iloc[0].to_dict()) if len(doubled) else ""


def load_paper(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Records of a paper, those that are committed or below another results folder.

    Returns
    -------
    DataFrame
        Without rows where there are no results.

    Raises
    ------
    ValueError
        If the file lacks columns, has text where numbers belong, or two records of one key.
    """
    return load_file(results_directory(paper, directory) / paper)[COLUMNS]


def load_tasks(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """How every task of a paper was made (no rows if there are no results).

    Setting, level and reading are the task's: its name has them, whatever its records say.
    """
    folder = results_directory(paper, directory) / paper
    return _tasks_of(folder / PACKED, _state(folder / PACKED)).copy()


def load_file(folder: Path) -> pd.DataFrame:
    """All columns of a folder's records; no rows where there is no file."""
    return _load(folder / PACKED, _state(folder / PACKED))


def _state(path: Path) -> tuple[int, ...]:
    """Times and size of a file: what is remembered of it holds for these; empty if not there."""
    if not path.exists():
        return ()
    state = path.stat()
    return state.st_mtime_ns, state.st_ctime_ns, state.st_size


@functools.lru_cache(maxsize=8)
def _load(path: Path, state: tuple[int, ...]) -> pd.DataFrame:
    if not state:
        return pd.DataFrame(columns=list(FILE_TYPES))
    return table_of(content_of(path), str(path))


def table_of(content: bytes, name: str) -> pd.DataFrame:
    """Records in the content of a file.

    Parameters
    ----------
    content : bytes
        CSV.
    name : str
        Of the file, in messages.

    Raises
    ------
    ValueError
        If it has other columns, text where numbers belong, or two records of one key.
    """
    text = {column for column, types in FILE_TYPES.items() if types == (str,)}
    may_lack = {column for column, types in FILE_TYPES.items() if type(None) in types}
    missing = {column: [""] for column in (*may_lack, VALUE)}
    types = {**dict.fromkeys(text, str), **dict.fromkeys(may_lack, float)}
    try:
        frame = pd.read_csv(
            io.BytesIO(content), dtype=types, keep_default_na=False, na_values=missing
        )
    except ValueError as error:
        raise ValueError(f"{name} is no table of results ({error}).") from error
    if list(frame.columns) != list(FILE_TYPES):
        raise ValueError(
            f"{name} has the columns {list(frame.columns)}; they must be {[*FILE_TYPES]}."
        )
    kinds = {c: {int: "i", bool: "b"}.get(FILE_TYPES[c][0], "if") for c in FILE_TYPES}
    kinds |= dict.fromkeys((VALUE, SECONDS, *may_lack), "if")
    bad = [c for c in FILE_TYPES if c not in text and frame[c].dtype.kind not in kinds[c]]
    if bad and len(frame):
        raise ValueError(f"{name} has something else than numbers in the columns {bad}.")
    if doubled := _doubled(frame):
        raise ValueError(f"{name} has two records of one key: {doubled}.")
    return frame


@functools.lru_cache(maxsize=8)
def _tasks_of(path: Path, state: tuple[int, ...]) -> pd.DataFrame:
    frame = _load(path, state)
    if frame.empty:
        return pd.DataFrame(columns=TASK_COLUMNS)
    tasks = frame[~is_derived(frame)].drop_duplicates("task")
    tasks = tasks[TASK_COLUMNS].sort_values("task", ignore_index=True)
    # A first record may have a setting or reading of its own: the task's stand in its name.
    middles = middle_of(tasks)
    other = middles != (tasks["setting"] + "/" + tasks["reading"]).str.lstrip("/")
    levels = frame.drop_duplicates("setting").set_index("setting")[LEVEL]
    readings = sorted({*frame["reading"], HEADLINE}, key=len, reverse=True)
    own: dict[str, list] = {"setting": [], "reading": [], LEVEL: []}
    for middle in middles[other]:
        reading = next((r for r in readings if f"/{middle}".endswith(f"/{r}")), middle)
        setting = middle.removesuffix(reading).rstrip("/")
        own["setting"].append(setting)
        own["reading"].append(reading)
        own[LEVEL].append(levels.get(setting, np.nan) if setting else np.nan)
    for name, cells in own.items():
        tasks.loc[other, name] = cells
    return tasks


def middle_of(frame: pd.DataFrame) -> pd.Series:
    """Setting and reading in the names of tasks; what of a name is there if others do not fit."""
    columns = ("task", "table", "dataset", "method", "seed", "trial")
    found = []
    for name, table, dataset, method, seed, trial in zip(
        *(frame[column].to_numpy(object) for column in columns), strict=True
    ):
        start = f"{table}/{dataset}/{method}/"
        over = f"/{OVER_TRIALS}" if f"/{OVER_TRIALS}/" in name else ""
        end = (f"/seed {seed}" if seed else "") + f"{over}/{trial}"
        fits = name.startswith(start) and name.endswith(end)
        found.append(name[len(start) : -len(end)] if fits else name)
    return pd.Series(found, index=frame.index, dtype=object)


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
    return _content(path, _state(path))


@functools.lru_cache(maxsize=2)
def _content(path: Path, state: tuple[int, ...]) -> bytes:
    data = path.read_bytes()
    if path.suffix != COMPRESSED:
        return data
    unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        content = unpacking.decompress(data)
    except lzma.LZMAError as error:
        raise ValueError(f"{path} cannot be unpacked ({error}).") from error
    if not unpacking.eof or unpacking.unused_data:
        where = "goes on behind its end" if unpacking.eof else "ends in the middle"
        raise ValueError(f"{path} cannot be unpacked (it {where}).")
    return content


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
