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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from data_fetch.dataset import Source
from reprolib.rerun.printed.names import nearest
from reprolib.rerun.records import tables
from reprolib.rerun.records.registry import committed_directory, results_directory
from reprolib.rerun.records.rows import COLUMNS, OVER_TRIALS, TASK_COLUMNS, is_derived
from reprolib.rerun.records.tables import COMPRESSED, RUN, SEAL, TASKS, Kind
from reprolib.rerun.records.task import PARTS, Profile, task_id

#: Faults of one kind that a message lists.
LISTED = 8
#: Years of the dates of tasks; a clock that is wrong is no fault.
YEARS = (1970, 2100)
#: Most seconds of a task that are believed: a year.
LONGEST = 365 * 24 * 3600
#: Lines that git writes into a file that two sides changed.
_CONFLICT = re.compile(rb"^(<{7}|>{7})( |\r?$)", re.MULTILINE)
#: What `RUN` says: the form of each, in words, and whether a value has it.
_RUN_KEYS: Mapping[str, tuple[str, Any]] = {
    "paper": ("a text", lambda value: isinstance(value, str)),
    "profile": ("'quick' or 'full'", lambda value: value in get_args(Profile)),
    "wall_seconds": ("a number of seconds", lambda value: _is_duration(value)),
    "data": ("data sets by name", lambda value: _is_mapping(value)),
    "listing": ("16 hexadecimal digits", lambda value: value == "" or _is_hexadecimal(value, 16)),
    "printed": ("64 hexadecimal digits", lambda value: value == "" or _is_hexadecimal(value, 64)),
    "environments": ("environments by name", lambda value: _is_mapping(value)),
}
_DATA_KEYS: Mapping[str, tuple[str, Any]] = {
    "source": (f"one of {', '.join(get_args(Source))}", lambda value: value in get_args(Source)),
    "note": ("a text", lambda value: isinstance(value, str)),
    "digest": ("64 hexadecimal digits", lambda value: _is_hexadecimal(value, 64)),
}
_ENVIRONMENT_KEYS: Mapping[str, tuple[str, Any]] = {
    "python": ("a text", lambda value: isinstance(value, str)),
    "machine": ("a text", lambda value: isinstance(value, str)),
    "versions": (
        "versions by package",
        lambda value: isinstance(value, dict) and all(isinstance(v, str) for v in value.values()),
    ),
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
        found += _of_form(paper, root, {*conflicts, *unreadable})
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
    packing = [f"`{'gunzip' if f.suffix == COMPRESSED else 'gzip -n'} {f}`" for f in files]
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
            if _CONFLICT.search(content):
                yield path.name.removesuffix(COMPRESSED)


def _of_form(paper: str, root: Path, named: set[str]) -> Iterator[Fault]:
    """Yield what has not the form that a run writes, in files of which nothing was said yet."""
    folder = root / paper
    there = {path.name for path in folder.iterdir()}
    packed = [n for n in there if n == f"{RUN}{COMPRESSED}" and RUN not in there]
    packed += [n for n in there if n.endswith(".csv") and f"{n}{COMPRESSED}" not in there]
    sealed, _ = tables.sealed_digests(folder)
    packed = [name for name in packed if name.removesuffix(COMPRESSED) in sealed]
    for name in sorted(packed):
        how = "unpacked" if name.endswith(".csv") else "packed"
        yield Fault("packed otherwise", f"{name}: {how} by hand")
    if packed:
        return
    if TASKS not in sealed and f"{TASKS}{COMPRESSED}" not in there and SEAL in there:
        yield Fault("older format", f"there is no {TASKS}{COMPRESSED}")
        return
    if {RUN, TASKS} & named or not {RUN, f"{TASKS}{COMPRESSED}"} <= there:
        return  # said of the seal: the others mean nothing without them
    run, faults = _run(paper, folder / RUN)
    yield from faults
    lines, of_tasks = _tasks(folder / f"{TASKS}{COMPRESSED}", run)
    yield from of_tasks
    if lines is None or faults:
        return
    names = tables.table_names(paper, root)
    names = [n for n in names if f"{n}.csv" not in named and (not sealed or f"{n}.csv" in sealed)]
    for name in sorted(set(lines["table"]) - set(names)):
        if f"{name}.csv" not in sealed:  # else it is said of the seal
            yield Fault("half copied", f"{TASKS} has tasks of {name}, and there is no {name}.csv")
    with_records: set[str] = set()
    for name in names:
        try:
            records = tables.load(paper, name, root)
        except (ValueError, OverflowError) as error:
            yield Fault(_kind_of(error), f"{name}.csv: {_short(error)}")
            return
        with_records |= set(records["task"])
        yield from (
            Fault("not as a run writes it", f"{name}.csv: {what}")
            for what in _record_faults(records, run)
        )
    without = sorted(set(lines.index[lines["table"].isin(names)]) - with_records)
    if without:
        more = f" (and {len(without) - 1} more)" if without[1:] else ""
        yield Fault("half copied", f"{TASKS} has {without[0]}{more}, of which there is no record")


def _short(error: Exception) -> str:
    """What an error says, without the path, which stands before it."""
    return re.sub(r"^.*?\.csv\.gz ", "", str(error)).rstrip(".")


def _kind_of(error: Exception) -> Kind:
    return "older format" if "has the columns" in str(error) else "not as a run writes it"


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
        kind: Kind = "half copied" if is_cut else "not as a run writes it"
        return {}, [Fault(kind, f"{RUN}: no JSON of a run ({error})")]
    except (ValueError, RecursionError) as error:
        return {}, [Fault("not as a run writes it", f"{RUN}: no JSON of a run ({error})")]
    if not isinstance(run, dict):
        return {}, [Fault("not as a run writes it", f"{RUN}: {type(run).__name__}, no object")]
    found = list(_key_faults(run, _RUN_KEYS, ""))
    for name, keys in (("data", _DATA_KEYS), ("environments", _ENVIRONMENT_KEYS)):
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
        yield Fault("not as a run writes it", what)
    for name, (form, has_form) in keys.items():
        if name not in about:
            yield Fault("older format", f"{RUN}: {where}no key {name!r}")
        elif not has_form(about[name]):
            shown = f"{about[name]!r}"
            shown = shown if len(shown) <= 60 else f"{shown[:60]} …"
            yield Fault("not as a run writes it", f"{RUN}: {where}{name} is {shown}, not {form}")


def _tasks(path: Path, run: Mapping[str, Any]) -> tuple[pd.DataFrame | None, list[Fault]]:
    """Lines of the table of tasks by name, None if it cannot be read, and what is wrong with it."""
    try:
        lines = tables.lines_of(path.parent)
    except (ValueError, OverflowError) as error:
        return None, [Fault(_kind_of(error), f"{TASKS}: {_short(error)}")]
    rows = lines.reset_index()
    derived = is_derived(rows)
    named = [
        task_id(row, OVER_TRIALS if is_statistic else None)
        for row, is_statistic in zip(rows.to_dict("records"), derived, strict=True)
    ]
    own, statistics = rows[~derived], rows[derived]
    environments = run.get("environments", dict.fromkeys(own["environment"]))
    wrong: dict[str, pd.Series] = {
        "a name that its columns do not make": rows.loc[rows["task"] != named, "task"],
        "seconds": rows.loc[~rows["seconds"].between(0, LONGEST), "seconds"],
        **{
            name: rows.loc[~rows[name].between(0, LONGEST) & rows[name].notna(), name]
            for name in (f"{part} seconds" for part in PARTS)
        },
        "level": _not_whole(rows["level"]),
        "seed": rows.loc[rows["seed"] < 0, "seed"],
        "trial": rows.loc[rows["trial"] < 0, "trial"],
        "date": own.loc[~own["date"].map(_is_date), "date"],
        "code": own.loc[~own["code"].map(lambda text: _is_hexadecimal(text, 16)), "code"],
        "environment": own.loc[~own["environment"].isin(list(environments)), "environment"],
        "quick": rows["quick"].iloc[: 0 if rows["quick"].dtype == bool else None],
        "a date of a statistic": statistics.loc[statistics["date"] != "", "date"],
    }
    return lines, [
        Fault("not as a run writes it", f"{TASKS}: {_said(name, cells, rows['task'])}")
        for name, cells in wrong.items()
        if len(cells)
    ]


def _record_faults(records: pd.DataFrame, run: Mapping[str, Any]) -> Iterator[str]:
    """Yield what cells of records hold that no run writes."""
    words = records["status"].str.strip()
    wrong = {
        "metric": records.loc[records["metric"].str.strip() == "", "metric"],
        "reading": records.loc[records["reading"].str.strip() == "", "reading"],
        "value": records.loc[records["value"].abs() == math.inf, "value"],
        "gap": records.loc[records["gap"].abs() == math.inf, "gap"],
        "n_test": records.loc[records["n_test"] < 0, "n_test"],
        "level": _not_whole(records["level"]),
        "source": records.loc[~records["source"].isin(get_args(Source)), "source"],
        # "ok", or why a value must not be used: a sentence, and no other spelling of "ok".
        "status": records.loc[
            (records["status"] != "ok")
            & ((words.str.lower() == "ok") | ~words.str.contains(r"[^\W\d_]{3}", regex=True)),
            "status",
        ],
        "chosen": _cells(records["chosen"], _is_json_object),
        "path": _cells(records["path"], _is_path),
        "data": records.loc[~records["dataset"].isin(list(run.get("data", {}))), "dataset"],
    }
    for name, cells in wrong.items():
        if len(cells):
            yield _said(name, cells, records["task"])


def _said(name: str, cells: pd.Series, tasks: pd.Series) -> str:
    """Say a cell that is wrong, of which task it is, and how many more there are."""
    value = str(cells.iloc[0])
    shown = value if len(value) <= 60 else f"{value[:60]} …"
    more = f" (and {len(cells) - 1} more)" if len(cells) > 1 else ""
    return f"{name} {shown!r} of {tasks.loc[cells.index[0]]}{more}"


def _cells(column: pd.Series, is_sound: Any) -> pd.Series:
    """Cells that are not sound; each text is looked at once."""
    bad = [text for text in column.unique() if not is_sound(text)]
    return column[column.isin(bad)]


def _not_whole(column: pd.Series) -> pd.Series:
    return column[column.notna() & ((column % 1 != 0) | (column.abs() == math.inf))]


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _is_path(text: str) -> bool:
    try:
        list(map(float, text.split()))
    except ValueError:
        return False
    return text == " ".join(text.split())


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


def _is_mapping(value: Any) -> bool:
    """Whether a value is an object whose values are objects."""
    return isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values())
