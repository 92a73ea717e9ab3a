"""Recompute a random part of the committed records from scratch, and compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun import soundness
from reprolib.rerun.agreement import TOLERANCE, compare, record_name
from reprolib.rerun.derived import is_derived
from reprolib.rerun.local import LocalWorkers
from reprolib.rerun.registry import get_protocol
from reprolib.rerun.task import Protocol, Task
from reprolib.rerun.worker import execute

__all__ = [
    "TOLERANCE",
    "Verification",
    "check_fraction",
    "committed_tasks",
    "sample",
    "units",
    "verify_paper",
]

#: Called with (finished tasks, tasks in all).
Progress = Callable[[int, int], None]
#: Table, data set, method and trial: what the list of tasks says of a record.
Unit = tuple[str, str, str, int]
#: Rows that a task gave now.
Rows = list[dict[str, Any]]


@dataclass
class Verification:
    """What became of one paper's check.

    Parameters
    ----------
    paper : str
    n_committed, n_checked : int
        Committed records, and how many of them were recomputed.
    n_all_tasks, n_tasks : int
        Tasks behind the records that could be checked, and how many were run.
    differences : list of str
        One line for everything in the committed files that is not as it must be.
    unchecked : dict of str to str
        Why records were left out, by what they have in common, with their number.
    other_versions : dict of str to (str, str)
        Version then and now of packages that were others when the records were made.
    seconds, committed_seconds : float
        Computing time of the tasks now, and when the records were made.
    """

    paper: str
    n_committed: int
    n_checked: int = 0
    n_all_tasks: int = 0
    n_tasks: int = 0
    differences: list[str] = field(default_factory=list)
    unchecked: dict[str, str] = field(default_factory=dict)
    other_versions: dict[str, tuple[str, str]] = field(default_factory=dict)
    seconds: float = 0.0
    committed_seconds: float = 0.0


@dataclass(frozen=True)
class _Data:
    """Data sets that the records were made on, and why others are not at hand."""

    datasets: Mapping[str, Dataset]
    reasons: Mapping[str, str]
    faults: Sequence[str]


def check_fraction(fraction: float, name: str = "fraction") -> None:
    """Raise ValueError if a part of the tasks is none of them, or more than all."""
    if not 0 < fraction <= 1:
        raise ValueError(f"{name} is {fraction:g}; it must be above 0 and at most 1.")


def verify_paper(
    paper: str,
    *,
    fraction: float,
    seed: int,
    directory: Path | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Verification:
    """Check all of a paper's committed files, and recompute a random part of every table.

    Without running a task: the meta files must agree with their tables, no record may be doubled,
    every source must be that of the data, every record must be one that a task of the full
    profile makes, and of every trial that a task measures there must be a record. Then a part of
    the tasks is run (the store of finished tasks is not used), and their records are compared one
    to one with the committed ones: see `reprolib.rerun.agreement.difference`.

    Parameters
    ----------
    paper : str
    fraction : float
        Part of the trials of every table, in (0, 1]; at least one trial of one method on one data
        set is recomputed of each, with all the tasks that measure it.
    seed : int
        Of the choice.
    directory : Path, optional
        Results folder; the committed one by default.
    n_jobs : int
        Worker processes on this machine.
    progress : callable, optional
        Called with (finished tasks, tasks in all) after every task.

    Raises
    ------
    ValueError
        If ``fraction`` is out of range, or there is no protocol of that name.
    """
    check_fraction(fraction)
    protocol = get_protocol(paper)
    records = results.load_paper(paper, directory)
    meta = results.load_meta(paper, directory)
    outcome = Verification(
        paper,
        len(records),
        differences=soundness.meta_faults(records, meta),
        other_versions=results.other_versions(meta),
    )
    if stale := _stale(protocol, meta):
        outcome.differences.append(stale)
        return outcome
    data = _load(meta)
    outcome.differences += [*data.faults, *soundness.doubled_records(records)]
    outcome.differences += soundness.wrong_sources(records, data.datasets)
    records = _check_derived(outcome, protocol, records)
    tasks = _check_list(outcome, protocol, data, records)
    chosen = sample(units(tasks), fraction, seed)
    _check_values(outcome, protocol, chosen, data.datasets, records, n_jobs, progress)
    outcome.differences.sort()
    return outcome


def _stale(protocol: Protocol, meta: Mapping[str, Mapping]) -> str:
    tables = [t for t, about in meta.items() if about.get("protocol_version") != protocol.version]
    if not tables:
        return ""
    return (
        f"tables {', '.join(tables)} were made by another version of the protocol than "
        f"{protocol.version}; run `reprolib reproduce {protocol.paper} --full`"
    )


def _load(meta: Mapping[str, Mapping]) -> _Data:
    """Load the data that the records were made on; reasons where that cannot be done."""
    datasets, reasons, faults = {}, {}, []
    for name, digest in results.data_digests(meta).items():
        try:
            dataset = data_fetch.load(name)
        except data_fetch.DataUnavailableError as error:
            reasons[name] = f"the data are not available: {error}"
            continue
        except data_fetch.AlteredDataError as error:
            reasons[name] = "the data at hand are altered"
            faults.append(str(error))
            continue
        if dataset.digest() == digest:
            datasets[name] = dataset
            continue
        about = dataset.source_note or dataset.source
        reasons[name] = f"made on other data than those at hand ({about})"
        if dataset.source == "embedded":
            faults.append(f"the meta files give {name} another digest than the package's own data")
    return _Data(datasets, reasons, faults)


def _check_derived(
    outcome: Verification, protocol: Protocol, records: pd.DataFrame
) -> pd.DataFrame:
    """Derive the statistics over trials again, all of them; return the measured records."""
    derived = protocol.derive(records)
    known = is_derived(records, derived)
    outcome.differences += compare(derived, records[known])
    outcome.n_checked += len(derived)
    return records[~known].reset_index(drop=True)


def _check_list(
    outcome: Verification, protocol: Protocol, data: _Data, records: pd.DataFrame
) -> list[Task]:
    """Compare the records with the list of tasks; return the tasks."""
    tasks, fault = committed_tasks(protocol, data.datasets, records)
    made = set(units(tasks))
    at_hand = records["dataset"].isin(list(data.datasets))
    outcome.n_all_tasks = len(tasks)
    outcome.unchecked = {
        f"{len(rows)} records on {name}": data.reasons.get(str(name), "no digest in a meta file")
        for name, rows in records[~at_hand].groupby("dataset")
    }
    if fault:
        outcome.differences.append(fault)
        return tasks
    outcome.differences += soundness.foreign_records(records[at_hand], made)
    outcome.differences += soundness.missing_records(records, made)
    return tasks


def committed_tasks(
    protocol: Protocol, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> tuple[list[Task], str]:
    """List the tasks of the full profile.

    Later stages are given the committed records of earlier ones, without those that no task makes.

    Returns
    -------
    tasks : list of Task
    fault : str
        Why the list ends early; empty if it does not.
    """
    tasks: list[Task] = []
    single = records[~records.duplicated([*soundness.UNIT, "reading", "metric", "chosen"])]
    for number, stage in enumerate(protocol.stages if datasets else (), start=1):
        earlier = single[soundness.of_units(single, units(tasks))]
        try:
            tasks += stage("full", datasets, earlier.reset_index(drop=True))
        except Exception as error:
            return tasks, (
                f"stage {number} of the protocol cannot list its tasks from the committed "
                f"records: {type(error).__name__}: {error}"
            )
    return tasks, ""


def units(tasks: Iterable[Task]) -> dict[Unit, list[Task]]:
    """All tasks that measure a trial, by table, data set, method and trial."""
    found: dict[Unit, list[Task]] = {}
    for task in tasks:
        unit = (task.table, task.dataset, task.method, task.trial)
        found.setdefault(unit, []).append(task)
    return found


def sample(members: Mapping[Unit, list[Task]], fraction: float, seed: int) -> dict:
    """Draw the same part of the units of every table, at least one of each, with their tasks."""
    rng = np.random.default_rng(seed)
    chosen: dict[Unit, list[Task]] = {}
    for table in sorted({unit[0] for unit in members}):
        candidates = [unit for unit in members if unit[0] == table]
        size = math.ceil(fraction * len(candidates))
        drawn = sorted(rng.choice(len(candidates), size, replace=False))
        chosen |= {candidates[i]: members[candidates[i]] for i in drawn}
    return chosen


def _check_values(
    outcome: Verification,
    protocol: Protocol,
    chosen: Mapping[Unit, list[Task]],
    datasets: Mapping[str, Dataset],
    records: pd.DataFrame,
    n_jobs: int,
    progress: Progress | None,
) -> None:
    """Run the tasks of the chosen units, and compare the records of these units."""
    tasks = list({id(task): task for members in chosen.values() for task in members}.values())
    digests = {name: dataset.digest() for name, dataset in datasets.items()}
    rows: Rows = []
    failed: set[Unit] = set()
    for task, task_rows in _recompute(tasks, digests, n_jobs):
        outcome.n_tasks += 1
        outcome.seconds += task_rows[0]["seconds"]
        broken = [row for row in task_rows if row["status"] != "ok"]
        outcome.differences += [f"{record_name(row)}: now {row['status']}" for row in broken]
        if broken:
            failed |= set(units([task]))
        rows += task_rows
        if progress is not None:
            progress(outcome.n_tasks, len(tasks))
    compared = set(chosen) - failed
    committed = records[soundness.of_units(records, compared)]
    now = [row for row in rows if tuple(row[k] for k in soundness.UNIT) in compared]
    outcome.n_checked += len(now)
    outcome.differences += compare(now, committed)
    outcome.committed_seconds = results.computing_seconds(committed)


def _recompute(tasks: Sequence[Task], digests: Mapping[str, str], n_jobs: int):
    calls = ((task, digests[task.dataset]) for task in tasks)
    return LocalWorkers(n_jobs).results(execute, calls)
