"""Recompute a random part of the committed records from scratch, and compare."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib import results
from reprolib.protocols import Protocol, Task, get_protocol, runner

#: Relative to the larger of 1 and the value. Far above rounding: the tables hold ten digits, the
#: paths six. Far below the least change of an error rate, one test point in 20,000.
TOLERANCE = 1e-5
KEY = ["table", "dataset", "method", "reading", "trial", "metric"]

#: Called with (finished tasks, tasks in all).
Progress = Callable[[int, int], None]


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
        One line for every record that came out otherwise.
    unchecked : dict of str to str
        Why records were left out, by what they have in common, with their number.
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
    seconds: float = 0.0
    committed_seconds: float = 0.0

    def add(self, rows: Sequence[Mapping], committed: Mapping[tuple, pd.DataFrame]) -> None:
        """Count one recomputed task, and what differs in its rows."""
        lines, seconds = compare(rows, committed)
        self.differences += lines
        self.n_checked += len(rows)
        self.n_tasks += 1
        self.seconds += max((row["seconds"] for row in rows), default=0.0)
        self.committed_seconds += seconds


def verify_paper(
    paper: str,
    *,
    fraction: float,
    seed: int,
    directory: Path | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Verification:
    """Recompute a random part of every table of a paper; the store of finished tasks is not used.

    Parameters
    ----------
    paper : str
    fraction : float
        Part of the tasks of every table, in (0, 1]; at least one task of each is run.
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
    if not 0 < fraction <= 1:
        raise ValueError(f"fraction is {fraction}; it must be above 0 and at most 1.")
    protocol = get_protocol(paper)
    records = results.load_paper(paper, directory)
    meta = results.load_meta(paper, directory)
    stale = [t for t, about in meta.items() if about["protocol_version"] != protocol.version]
    if stale:
        reason = (
            f"tables {', '.join(stale)} were made by another version of the protocol than "
            f"{protocol.version}; run `reprolib reproduce {paper} --full`"
        )
        return Verification(paper, len(records), differences=[reason])
    datasets, reasons = _load(meta)
    tasks = committed_tasks(protocol, datasets, records)
    outcome = Verification(
        paper, len(records), n_all_tasks=len(tasks), unchecked=_unchecked(records, tasks, reasons)
    )
    chosen = sample(tasks, fraction, seed)
    digests = {name: dataset.digest() for name, dataset in datasets.items()}
    committed = dict(list(records.groupby(KEY, sort=False)))
    for rows in _recompute(chosen, digests, n_jobs):
        outcome.add(rows, committed)
        if progress is not None:
            progress(outcome.n_tasks, len(chosen))
    outcome.differences.sort()
    return outcome


def _recompute(tasks: Sequence[Task], digests: Mapping[str, str], n_jobs: int):
    jobs = (
        joblib.delayed(runner.execute_keyed)(str(number), task, digests[task.dataset])
        for number, task in enumerate(tasks)
    )
    return (rows for _, rows in runner.finished(runner.local_parallel(n_jobs), jobs))


def _load(meta: Mapping[str, Mapping]) -> tuple[dict[str, Dataset], dict[str, str]]:
    """Load the data that the records were made on; reasons where that cannot be done."""
    digests = {n: d for about in meta.values() for n, d in about["data_digests"].items()}
    datasets, reasons = {}, {}
    for name, digest in digests.items():
        try:
            dataset = data_fetch.load(name)
        except data_fetch.DataUnavailableError as error:
            reasons[name] = f"the data cannot be had: {error}"
            continue
        if dataset.digest() == digest:
            datasets[name] = dataset
        else:
            reasons[name] = (
                f"made on other data than those at hand ({dataset.source_note or dataset.source})"
            )
    return datasets, reasons


def committed_tasks(
    protocol: Protocol, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Tasks of the full profile; later stages are given the committed records of earlier ones."""
    tasks: list[Task] = []
    for stage in protocol.stages if datasets else ():
        earlier = records[_made_by(records, tasks)].reset_index(drop=True)
        tasks += stage("full", datasets, earlier)
    return tasks


def _made_by(records: pd.DataFrame, tasks: Sequence[Task]) -> list[bool]:
    known = {(task.table, task.dataset, task.method) for task in tasks}
    columns = (records["table"], records["dataset"], records["method"])
    return [key in known for key in zip(*columns, strict=True)]


def _unchecked(records: pd.DataFrame, tasks, reasons: Mapping[str, str]) -> dict[str, str]:
    """Records that no task can check: their data cannot be had, or the protocol lost them."""
    left = records[~np.array(_made_by(records, tasks), dtype=bool)]
    unknown = "no task of the protocol makes them"
    return {
        f"{len(rows)} records on {name}": reasons.get(str(name), unknown)
        for name, rows in left.groupby("dataset")
    }


def sample(tasks: Sequence[Task], fraction: float, seed: int) -> list[Task]:
    """Draw the same part of every table, at least one task of each."""
    rng = np.random.default_rng(seed)
    chosen = []
    for table in sorted({task.table for task in tasks}):
        members = [task for task in tasks if task.table == table]
        size = math.ceil(fraction * len(members))
        chosen += [members[i] for i in sorted(rng.choice(len(members), size, replace=False))]
    return chosen


def compare(rows: Sequence[Mapping], committed: Mapping[tuple, pd.DataFrame]):
    """Hold the rows of one task against the committed records, by `KEY`.

    Returns
    -------
    differences : list of str
    seconds : float
        Computing time of the task when the committed records were made.
    """
    differences, seconds = [], 0.0
    for row in rows:
        candidates = committed.get(tuple(row[k] for k in KEY))
        if row["status"] != "ok" or candidates is None:
            status = row["status"]
            why = "no such committed record" if status == "ok" else f"now {status}"
            differences.append(f"{_name(row)}: {why}")
            continue
        others = candidates.to_dict("records")
        faults = [(difference(row, other), other) for other in others]
        fault, nearest = min(faults, key=lambda pair: len(pair[0]))
        if fault:
            differences.append(f"{_name(row)}: {'; '.join(fault)}")
        seconds = max(seconds, float(nearest["seconds"]))
    return differences, seconds


def _name(row: Mapping) -> str:
    return " ".join(str(row[k]) for k in KEY)


def difference(row: Mapping, other: Mapping) -> list[str]:
    """What differs between a record and a committed one: hyperparameters, value, path."""
    found = []
    for column, parse in (("chosen", json.loads), ("value", float), ("path", _numbers)):
        now, then = parse(row[column]), parse(other[column])
        if not same(now, then):
            found.append(f"{column} {now}, committed {then}")
    return found


def _numbers(path: str) -> list[float]:
    return [float(v) for v in path.split()]


def same(a: Any, b: Any) -> bool:
    """Compare numbers within `TOLERANCE`, also inside of lists and dicts; the rest exactly."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return abs(a - b) <= TOLERANCE * max(1.0, abs(b)) or (math.isnan(a) and math.isnan(b))
    return a == b
