"""The opening check of a results folder: whether it is whole, as sealed, and as a run writes it.

Everything that reads results asks here first: `verify`, `tables`, `figures`, `report`, `run`,
`check`, ``reprolib.paper()`` and with it the notebooks. Whatever a folder holds, no traceback is
the answer: every fault is of a `Kind`, and every kind has a command that mends it.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from data_fetch.dataset import Source
from reprolib.rerun.printed.names import nearest
from reprolib.rerun.records import tables
from reprolib.rerun.records.provenance import is_commit
from reprolib.rerun.records.registry import committed_directory, results_directory
from reprolib.rerun.records.rows import (
    CHOSEN,
    COLUMNS,
    FIXED,
    GAP,
    LEVEL,
    MADE_TYPES,
    N_TEST,
    PATH,
    SECONDS,
    SOURCE,
    STATUS,
    TASK_COLUMNS,
    VALUE,
    is_derived,
)
from reprolib.rerun.records.tables import COMPRESSED, PACKED, RECORDS, RUN, SEAL, Kind, middle_of
from reprolib.rerun.records.task import Profile

#: Faults of one kind that a message lists.
LISTED = 8
#: Years of the dates of tasks; a clock that is wrong is no fault.
YEARS = (1970, 2100)
#: Most seconds of a task that are believed: a year.
LONGEST = 365 * 24 * 3600
#: Lines that git writes into a file that two sides changed.
_CONFLICT = re.compile(rb"^(<{7}|>{7})( |\r?$)", re.MULTILINE)
#: Numbers of a path, as they are written.
_NUMBER = r"-?(?:\d[\d.]*(?:e[+-]\d+)?|inf|nan)"
_PATH = re.compile(f"(?:{_NUMBER}(?: {_NUMBER})*)?")
_NONSENSE: Kind = "not as a run writes it"
#: What `RUN` says: the form of each, in words, and whether a value has it.
_RUN_KEYS: Mapping[str, tuple[str, Any]] = {
    "paper": ("a text", lambda value: isinstance(value, str)),
    "profile": ("'quick' or 'full'", lambda value: value in get_args(Profile)),
    "wall_seconds": ("a number of seconds", lambda value: _is_duration(value)),
    "task_seconds": ("a number of seconds", lambda value: _is_duration(value)),
    "data": ("data sets by name", lambda value: _is_mapping(value)),
    "listing": ("16 hexadecimal digits", lambda value: value == "" or _is_hexadecimal(value, 16)),
    "printed": ("64 hexadecimal digits", lambda value: value == "" or _is_hexadecimal(value, 64)),
    "environments": ("environments by name", lambda value: _is_mapping(value)),
    "commit": ("a commit", lambda value: value == "" or is_commit(value)),
    "code": ("codes by fingerprint", lambda value: _is_mapping(value)),
}
_DATA_KEYS: Mapping[str, tuple[str, Any]] = {
    "source": (f"one of {', '.join(get_args(Source))}", lambda value: value in get_args(Source)),
    "note": ("a text", lambda value: isinstance(value, str)),
    "digest": ("64 hexadecimal digits", lambda value: _is_hexadecimal(value, 64)),
}
_ENVIRONMENT_KEYS: Mapping[str, tuple[str, Any]] = {
    "python": ("a text", lambda value: isinstance(value, str)),
    "machine": ("a text", lambda value: isinstance(value, str)),
    "versions": ("versions by package", lambda value: _is_of_texts(value)),
}
_CODE_KEYS: Mapping[str, tuple[str, Any]] = {
    "commits": ("commits", lambda value: isinstance(value, list) and all(map(is_commit, value))),
    **dict.fromkeys(
        ("modules", "versions", "texts"), ("texts by name", lambda value: _is_of_texts(value))
    ),
    "note": ("a text", lambda value: isinstance(value, str)),
}


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a results folder.

    Parameters
    ----------
    kind : str
        One of `Kind`.
    what : str
        File, place and what is wrong there.
    """

    kind: Kind
    what: str

    def __str__(self) -> str:
        return self.what if self.kind == "changed since sealed" else f"{self.what} ({self.kind})"


@dataclass(frozen=True)
class Results:
    """Records, tasks and description of a run; nothing of either where the folder has faults."""

    records: pd.DataFrame
    tasks: pd.DataFrame
    run: Mapping[str, Any]


class BrokenResultsError(ValueError):
    """Results that must not be read: the folder has faults."""


def state_of(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Names, times and sizes of the files in a folder: what is remembered of it holds for these."""
    try:
        stats = {path.name: path.lstat() for path in sorted(folder.iterdir())}
    except OSError:
        return (("", 0, 0, 0),) if os.path.lexists(folder) else ()
    return tuple((n, s.st_mtime_ns, s.st_ctime_ns, s.st_size) for n, s in stats.items())


def folder_faults(paper: str, directory: Path | None = None) -> tuple[Fault, ...]:
    """What is wrong with a paper's results; nothing where there are none at all.

    The answer is kept until a file of the folder changes.

    Parameters
    ----------
    paper : str
        Key of the paper.
    directory : Path, optional
        Results folder, with one folder a paper; the committed one by default.
    """
    root = results_directory(paper, directory).absolute()
    return _faults(paper, root, state_of(root / paper))


@functools.lru_cache(maxsize=64)
def _faults(paper: str, root: Path, state: tuple) -> tuple[Fault, ...]:
    folder = root / paper
    if not has_results(paper, root):
        return ()
    if not folder.is_dir():
        return (Fault("half copied", f"{paper}: a file, and no folder"),)
    found: list[Fault] = []
    try:
        conflicts = list(_conflicts(folder))
        found += [Fault("merge conflict", f"{name}: has git's marks") for name in conflicts]
        of_seal = [f for f in tables.faults_of_seal(folder) if f.file not in conflicts]
        found += [Fault(fault.kind, fault.line) for fault in of_seal]
        unreadable = (fault.file for fault in of_seal if fault.is_unreadable)
        found += _of_form(folder, {*conflicts, *unreadable})
    except OSError as error:
        found.append(Fault("half copied", f"cannot be read ({error.strerror})"))
    return tuple(Fault(f.kind, f"{paper}/{f.what}") for f in dict.fromkeys(found))


def has_results(paper: str, directory: Path | None = None) -> bool:
    """Whether anything lies where the results of a paper belong; an empty folder is nothing."""
    folder = results_directory(paper, directory) / paper
    try:
        return any(folder.iterdir()) if folder.is_dir() else os.path.lexists(folder)
    except OSError:
        return True


def require_whole(paper: str, directory: Path | None = None) -> None:
    """Raise BrokenResultsError if the results of a paper have a fault; say how to mend it."""
    if faults := folder_faults(paper, directory):
        folder = results_directory(paper, directory) / paper
        lines = [f"the results in {folder} cannot be used:", *map(str, shortened(faults))]
        lines += mending(paper, faults, directory)
        raise BrokenResultsError("\n  ".join(lines))


def shortened(faults: Sequence[Fault]) -> list[Fault | str]:
    """Faults, of every kind the first `LISTED`."""
    found: list[Fault | str] = []
    for kind in get_args(Kind):
        of_kind = [fault for fault in faults if fault.kind == kind]
        found += of_kind[:LISTED]
        if len(of_kind) > LISTED:
            found.append(f"and {len(of_kind) - LISTED} more ({kind})")
    return found


def committed_results(paper: str) -> Results:
    """What is committed of a paper, to compare with; nothing where its folder has faults."""
    root = committed_directory(paper).absolute()
    return _whole(paper, root, state_of(root / paper))


@functools.lru_cache(maxsize=8)
def _whole(paper: str, root: Path, state: tuple) -> Results:
    if folder_faults(paper, root):
        return Results(pd.DataFrame(columns=COLUMNS), pd.DataFrame(columns=TASK_COLUMNS), {})
    of_paper = (paper, root)
    return Results(
        tables.load_paper(*of_paper), tables.load_tasks(*of_paper), tables.load_run(*of_paper)
    )


def mending(paper: str, faults: Iterable[Fault], directory: Path | None = None) -> list[str]:
    """Commands that mend the kinds that are among faults, a line each.

    Parameters
    ----------
    paper : str
        Key of the paper.
    faults : iterable of Fault
        Those of its folder.
    directory : Path, optional
        Results folder; the committed one by default.
    """
    found = list(faults)
    root = results_directory(paper, directory).absolute()
    folder = root / paper
    is_committed = root == committed_directory(paper).absolute()
    in_git = (above for above in root.parents if is_committed and (above / ".git").exists())
    output = "" if is_committed else f" --output {root.parent if root.name == 'results' else root}"
    anew = f"`reprolib reproduce {paper} --full{output}` makes them anew; finished tasks are stored"
    whole, side = f"copy the folder again, whole, or {anew}", anew
    if (project := next(in_git, None)) is not None:
        git = f"`git -C {project} checkout"
        whole = f"{git} HEAD -- {folder}` brings back what is committed, or {anew}"
        side = f"{git} HEAD -- {folder}` takes your side whole (MERGE_HEAD: the other), or {anew}"
    files = [root / f.what.partition(":")[0] for f in found if f.kind == "packed otherwise"]
    packing = [f"`{'unxz' if f.suffix == COMPRESSED else 'xz'} {f}`" for f in files]
    by_kind: Mapping[Kind, str] = {
        "merge conflict": side,
        "packed otherwise": ", ".join(packing),
        "older format": anew,
    }
    kinds = {fault.kind for fault in found}
    by_command: dict[str, list[str]] = {}
    for kind in get_args(Kind):
        if kind in kinds:
            by_command.setdefault(by_kind.get(kind, whole), []).append(kind)
    return [f"{', '.join(named)}: {command}" for command, named in by_command.items()]


def _conflicts(folder: Path) -> Iterator[str]:
    """Names of the files with the marks of a merge, as the seal has them."""
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            try:
                content = tables.content_of(path)
            except ValueError:
                content = path.read_bytes()
            if (b"<<<<<<<" in content or b">>>>>>>" in content) and _CONFLICT.search(content):
                yield path.name.removesuffix(COMPRESSED)


def _of_form(folder: Path, named: set[str]) -> Iterator[Fault]:
    """Yield what has not the form that a run writes, in files of which nothing was said yet."""
    there = {path.name for path in folder.iterdir()}
    sealed, _ = tables.sealed_digests(folder)
    packed = [
        (name, how)
        for name, as_written, how in (
            (RECORDS, PACKED, "unpacked"),
            (f"{RUN}{COMPRESSED}", RUN, "packed"),
        )
        if name in there and as_written not in there and name.removesuffix(COMPRESSED) in sealed
    ]
    yield from (Fault("packed otherwise", f"{name}: {how} by hand") for name, how in packed)
    if packed:
        return
    if RECORDS not in sealed and PACKED not in there and SEAL in there:
        yield Fault("older format", f"there is no {PACKED}")
        return
    if {RUN, RECORDS} & named or not {RUN, PACKED} <= there:
        return  # said of the seal: one means nothing without the other
    run, faults = _run(folder.name, folder / RUN)
    yield from faults
    try:
        records = tables.load_file(folder)
    except (ValueError, OverflowError) as error:
        kind: Kind = "older format" if "has the columns" in str(error) else _NONSENSE
        said = re.sub(r"^.*?\.csv\.xz ", "", str(error)).rstrip(".")
        yield Fault(kind, f"{RECORDS}: {said}")
        return
    if not faults:
        yield from (Fault(_NONSENSE, f"{RECORDS}: {what}") for what in _cell_faults(records, run))


def _run(paper: str, path: Path) -> tuple[dict[str, Any], list[Fault]]:
    """What `RUN` says, and what is wrong with it."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        doubled = next((name for name in names if names.count(name) > 1), None)
        if doubled is not None:
            raise ValueError(f"{doubled!r} stands there twice")
        return dict(pairs)

    try:
        run = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        kind: Kind = "half copied" if is_cut else _NONSENSE
        return {}, [Fault(kind, f"{RUN}: no JSON of a run ({error})")]
    except (ValueError, RecursionError) as error:
        return {}, [Fault(_NONSENSE, f"{RUN}: no JSON of a run ({error})")]
    if not isinstance(run, dict):
        return {}, [Fault(_NONSENSE, f"{RUN}: {type(run).__name__}, no object")]
    found = list(_key_faults(run, _RUN_KEYS, ""))
    parts = {"data": _DATA_KEYS, "environments": _ENVIRONMENT_KEYS, "code": _CODE_KEYS}
    for name, keys in parts.items():
        for key, about in run[name].items() if _is_mapping(run.get(name)) else ():
            found += _key_faults(about, keys, f"{name}, {key!r}, ")
    if isinstance(other := run.get("paper"), str) and other != paper:
        found.append(Fault("of another paper", f"{RUN}: paper is {other!r}"))
    return run, found


def _key_faults(
    about: Mapping[str, Any], keys: Mapping[str, tuple[str, Any]], where: str
) -> Iterator[Fault]:
    """Yield keys of a part of `RUN` that are missing, unknown, or of another form."""
    for name in about.keys() - keys.keys():
        what = f"{RUN}: {where}unknown key {name!r}{nearest(name, keys)}"
        yield Fault(_NONSENSE, what)
    for name, (form, has_form) in keys.items():
        if name not in about:
            yield Fault("older format", f"{RUN}: {where}no key {name!r}")
        elif not has_form(about[name]):
            shown = f"{about[name]!r}"
            shown = shown if len(shown) <= 60 else f"{shown[:60]} …"
            yield Fault(_NONSENSE, f"{RUN}: {where}{name} is {shown}, not {form}")


def _cell_faults(records: pd.DataFrame, run: Mapping[str, Any]) -> Iterator[str]:
    """Yield what cells of records hold that no run writes."""
    of_task = ~is_derived(records)
    sound: dict[str, pd.Series] = {
        "metric": _each(records["metric"], str.strip),
        "reading": _each(records["reading"], str.strip),
        VALUE: records[VALUE].abs() != math.inf,
        GAP: records[GAP].abs() != math.inf,
        N_TEST: records[N_TEST] >= 0,
        "seed": records["seed"] >= 0,
        "trial": records["trial"] >= 0,
        LEVEL: records[LEVEL].isna() | ((records[LEVEL] % 1 == 0) & (records[LEVEL] < math.inf)),
        SECONDS: records[SECONDS].between(0, LONGEST),
        SOURCE: records[SOURCE].isin(get_args(Source)),
        STATUS: _each(records[STATUS], _is_status),
        CHOSEN: _each(records[CHOSEN], _is_json_object),
        PATH: _each(records[PATH], lambda text: _PATH.fullmatch(text) is not None),
        "dataset": records["dataset"].isin(list(run["data"])),
        "date": _each(records["date"], _is_date) & of_task | ~of_task & (records["date"] == ""),
        "code": _each(records["code"], lambda text: _is_hexadecimal(text, 16)) | ~of_task,
        "environment": records["environment"].isin(list(run["environments"])) | ~of_task,
        "task": _has_name(records, of_task),
    }
    wrong = {name: records.loc[~is_sound, name] for name, is_sound in sound.items()}
    of_one_task = ["task", *FIXED, SECONDS, *MADE_TYPES]
    lines = records[of_one_task].drop_duplicates()
    again = lines[lines.duplicated("task")].iloc[:1]
    for name in again.columns[1:] if len(again) else ():
        cells = lines.loc[lines["task"] == again["task"].iloc[0], name]
        if cells.nunique() > 1:
            wrong[f"a second {name}"] = again[name]
    for name, cells in wrong.items():
        if len(cells):
            yield _said(name, cells, records["task"])


def _has_name(records: pd.DataFrame, of_task: pd.Series) -> pd.Series:
    """Whether the name of a record's task is made of its columns."""
    middles, names = middle_of(records), records["task"].to_numpy(object)
    own = (records["setting"] + "/" + records["reading"]).str.lstrip("/").to_numpy(object)
    return (middles == own) | (of_task & (middles != names))


def _said(name: str, cells: pd.Series, tasks: pd.Series) -> str:
    """Say a cell that is wrong, of which task it is, and how many more there are."""
    value = str(cells.iloc[0])
    shown = value if len(value) <= 60 else f"{value[:60]} …"
    more = f" (and {len(cells) - 1} more)" if len(cells) > 1 else ""
    return f"{name} {shown!r} of {tasks.loc[cells.index[0]]}{more}"


def _each(column: pd.Series, is_sound: Callable[[str], Any]) -> pd.Series:
    """Which cells are sound; each text is looked at once."""
    bad = [text for text in column.drop_duplicates().to_numpy(object) if not is_sound(text)]
    return ~column.isin(bad)


def _is_status(text: str) -> bool:
    """Whether it is "ok", or a sentence why a value must not be used: no other "OK"."""
    is_ok = text.strip().lower() == "ok"
    return text == "ok" or (not is_ok and re.search(r"[^\W\d_]{3}", text) is not None)


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _is_date(text: str) -> bool:
    try:
        return YEARS[0] <= date.fromisoformat(text).year <= YEARS[1] and len(text) == 10
    except ValueError:
        return False


def _is_duration(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value < math.inf


def _is_hexadecimal(value: Any, n_digits: int) -> bool:
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{n_digits}}}", value) is not None


def _is_of_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(inner, str) for inner in value.values())


def _is_mapping(value: Any) -> bool:
    """Whether a value is an object whose values are objects."""
    return isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values())
