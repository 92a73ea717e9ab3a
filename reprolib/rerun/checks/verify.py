"""Recompute committed records: a part of all from scratch, or one task, as it is or changed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import data_fetch
from data_fetch import Dataset
from data_fetch.catalog import default_catalog
from reprolib.rerun.checks.compare import compare
from reprolib.rerun.records.fingerprint import PACKAGES, package_versions
from reprolib.rerun.records.folder import folder_faults, mending, require_whole
from reprolib.rerun.records.registry import printed_digest, results_directory
from reprolib.rerun.records.rows import failures, is_derived, row_of, select, sources, to_frame
from reprolib.rerun.records.tables import load_paper, load_run, load_tasks
from reprolib.rerun.records.task import HEADLINE, Protocol, Task, get_protocol
from reprolib.rerun.tasks.experiment import StageError, looked_up, walk
from reprolib.rerun.tasks.selection import Only
from reprolib.rerun.tasks.worker import LocalWorkers, environment_id, execute
from reprolib.rerun.verdicts.printed import numbers, printed_values

#: Called with (finished tasks, tasks in all).
Progress = Callable[[int, int], None]


@dataclass
class Verification:
    """What became of one paper's check.

    Parameters
    ----------
    paper : str
        Key of the paper.
    n_committed, n_checked : int
        Committed records, and how many of them were recomputed.
    n_wanted : int
        Records of the tasks that were drawn: fewer were recomputed where data are not at hand.
    n_all_tasks, n_tasks : int
        Tasks of the paper, and how many were run.
    differences : list of str
        One line for everything in the committed files that is not as it must be.
    mending : list of str
        Commands that mend the folder, by what is wrong with it.
    unchecked : dict of str to str
        Why records were left out, by what they have in common, with their number.
    proved : set of str
        Tasks that were run and gave the committed records; none if any differs.
    other_versions : dict of str to (str, str)
        Version then and now of packages that were others when the records were made.
    seconds, committed_seconds : float
        Computing time of the tasks now, and when the records were made.
    """

    paper: str
    n_committed: int = 0
    n_checked: int = 0
    n_wanted: int = 0
    n_all_tasks: int = 0
    n_tasks: int = 0
    differences: list[str] = field(default_factory=list)
    mending: list[str] = field(default_factory=list)
    unchecked: dict[str, str] = field(default_factory=dict)
    proved: set[str] = field(default_factory=set)
    other_versions: dict[str, tuple[str, str]] = field(default_factory=dict)
    seconds: float = 0.0
    committed_seconds: float = 0.0

    @property
    def coverage(self) -> float:
        """Share of the records to be recomputed that were."""
        return self.n_checked / self.n_wanted if self.n_wanted else 1.0


def check_fraction(fraction: float, name: str = "fraction") -> None:
    """Raise ValueError unless a fraction is above 0 and at most 1."""
    if not 0 < fraction <= 1:
        raise ValueError(f"{name} is {fraction:g}; it must be above 0 and at most 1.")


def nights(fraction: float) -> int:
    """Samples of this size that cover all tasks, when ``seed`` goes up by one each time."""
    return math.ceil(1 / fraction)


def verify_paper(
    paper: str,
    *,
    fraction: float,
    seed: int,
    directory: Path | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    only: Only | None = None,
) -> Verification:
    """Check all of a paper's committed files, and recompute a part of every table.

    Without running a task: the files must be as they were sealed and as a run writes them, the
    digests of their data those of the catalogue, and records, table of tasks and the protocol's
    list of tasks must name the same tasks. Then a part of the tasks is run (the
    store of finished tasks is not used), and their records are compared with the committed ones:
    see `checks.compare.difference`.

    Parameters
    ----------
    paper : str
        Paper key.
    fraction : float
        Part of the tasks of every table, in (0, 1].
    seed : int
        Which part: `nights` seeds in a row cover all tasks.
    directory : Path, optional
        Results folder; the committed one by default.
    n_jobs : int
        Worker processes on this machine.
    progress : callable, optional
        Called with (finished tasks, tasks in all) after every task.
    only : Only, optional
        Draw from these tasks only.

    Returns
    -------
    Verification
        What differs, what could not be checked, and how much was.

    Raises
    ------
    ValueError
        If ``fraction`` is out of range, or there is no protocol of that name.
    """
    check_fraction(fraction)
    root = results_directory(paper, directory)
    protocol = get_protocol(paper)
    faults = folder_faults(paper, root)
    outcome = Verification(
        paper, differences=list(map(str, faults)), mending=mending(paper, faults, root)
    )
    if any(fault.kind != "changed since sealed" for fault in faults):
        return outcome
    records, run, made = load_paper(paper, root), load_run(paper, root), load_tasks(paper, root)
    outcome.n_committed = len(records)
    now, environments = package_versions(PACKAGES), run.get("environments", {})
    for about in environments.values():
        then = about["versions"]
        outcome.other_versions |= {
            p: (then[p], now[p]) for p in PACKAGES if then.get(p, now[p]) != now[p]
        }
    if (now_printed := printed_digest(paper)) != run.get("printed", ""):
        outcome.unchecked["printed.toml"] = (
            f"run.json has the sha256 {run.get('printed') or 'of none'}, and here it is "
            f"{now_printed or 'missing'}: numbers or texts of the paper were changed since the run"
        )
    datasets = _load(outcome, protocol, records, run)
    outcome.differences += _wrong_sources(records, datasets)
    lost = set(made["environment"]) - environments.keys()
    altered = {name for name, about in environments.items() if environment_id(about) != name}
    outcome.differences += [
        f"run.json: the environment {name} is not as it was" for name in sorted(lost | altered)
    ]
    derived = is_derived(records)
    measured, over_trials = records[~derived], records[derived]
    again = to_frame(protocol.derive(measured))
    outcome.differences += compare(again, over_trials)
    outcome.n_checked, outcome.n_wanted = len(again), len(over_trials)
    tasks = _check_names(outcome, protocol, datasets, measured, made)
    if only is not None:
        selected = {task.id for task in tasks if only.has(task)}
        made = made[made["task"].isin(selected)]
    chosen = sample(made["task"], made["table"], fraction, seed)
    _check_values(outcome, protocol, tasks, chosen, datasets, measured, n_jobs, progress)
    outcome.committed_seconds = float(made.loc[made["task"].isin(chosen), "seconds"].sum())
    outcome.differences.sort()
    return outcome


def _load(
    outcome: Verification, protocol: Protocol, records: pd.DataFrame, run: Mapping
) -> dict[str, Dataset]:
    """Load the data that the records were made on, as the catalogue knows them."""
    datasets: dict[str, Dataset] = {}
    described = run.get("data", {})
    for name, rows in records.groupby("dataset"):
        about, reason = described.get(name, {}), ""
        try:
            dataset = data_fetch.load(str(name))
        except data_fetch.DataUnavailableError as error:
            reason, known = f"the data are not available: {error}", known_digests(str(name))
        except data_fetch.AlteredDataError as error:
            reason, known = "the data at hand are altered", known_digests(str(name))
            outcome.differences.append(str(error))
        else:
            known = known_digests(str(name)) | {dataset.digest()}
            if about.get("digest") != dataset.digest():
                reason = f"made on other data than those at hand ({dataset.source_note})"
            else:
                datasets[str(name)] = dataset
                outcome.differences += [
                    f"run.json: {name} is {about.get(key)!r}, but the data are {actual!r}"
                    for key, actual in (("source", dataset.source), ("note", dataset.source_note))
                    if about.get(key) != actual
                ]
        if about.get("digest") not in known:
            outcome.differences.append(
                f"run.json: {name} has a digest that is not known: {about.get('digest')}"
            )
        if reason:
            outcome.unchecked[f"{len(rows)} records on {name}"] = reason
    on_data = set(records["dataset"])
    outcome.differences += [
        f"run.json: there are no records on {name}" for name in sorted(described.keys() - on_data)
    ]
    # A stand-in that the protocol lists itself has records of its own, so it excuses no other.
    listed = list(protocol.datasets("full"))
    instead = on_data - set(listed)
    outcome.differences += [
        f"there are no records on {name}, which the protocol lists"
        for name in listed
        if name not in on_data and instead.isdisjoint(data_fetch.counterparts(name))
    ]
    if (run.get("paper"), run.get("profile")) != (protocol.paper, "full"):
        outcome.differences.append("run.json does not describe a full run of this paper")
    return datasets


def known_digests(name: str) -> set[str]:
    """Digests that the catalogue has of a data set, of all its versions."""
    catalog = default_catalog()
    if name not in catalog.entries:
        return set()
    entry = catalog.entry(name)
    versions = (v for file in entry.files for v in catalog.versions(entry, file))
    return {digest for digest in (entry.digest, *(v.digest for v in versions)) if digest}


def _wrong_sources(records: pd.DataFrame, datasets: Mapping[str, Dataset]) -> list[str]:
    """Records with another source than their data; a method may draw its own splits."""
    lines = []
    group = ["table", "dataset", "method", "setting", "reading"]
    for name, dataset in datasets.items():
        own = records[records["dataset"] == name]
        drawn = (sources(own) == "resampled") & (dataset.source != "embedded")
        drawn = drawn.groupby([own[column] for column in group]).transform("all")
        lines += [
            f"{table} {name}: {len(rows)} records with source {sources(rows).iloc[0]}, but the "
            f"data are {dataset.source}"
            for table, rows in own[(sources(own) != dataset.source) & ~drawn].groupby("table")
        ]
    return lines


def _check_names(
    outcome: Verification,
    protocol: Protocol,
    datasets: Mapping[str, Dataset],
    records: pd.DataFrame,
    made: pd.DataFrame,
) -> list[Task]:
    """Compare records, table of tasks and the protocol's list; return the tasks it lists."""
    in_table = set(made["task"])
    outcome.n_all_tasks = len(in_table)
    try:
        tasks, _ = walk(protocol, "full", datasets, looked_up(records))
    except StageError as error:
        outcome.differences.append(str(error))
        return []
    listed = {task.id for task in tasks}
    at_hand = set(made.loc[made["dataset"].isin(list(datasets)), "task"])
    outcome.differences += _missing(listed - in_table, "listed by the protocol, but was not run")
    outcome.differences += _missing(at_hand - listed, "was run, but the protocol does not list it")
    return tasks


def _missing(tasks: Iterable[str], why: str) -> list[str]:
    """One line for tasks of one kind, with the first of them."""
    found = sorted(tasks)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return [f"{found[0]}{more}: {why}"] if found else []


def sample(
    tasks: Sequence[str] | pd.Series, tables: Sequence[str] | pd.Series, fraction: float, seed: int
) -> set[str]:
    """Part of the tasks of every table; `nights` seeds in a row have every task once.

    Tasks are put in the order of a hash of their names, so that neighbours are not drawn together.
    """
    n_parts = nights(fraction)
    chosen: set[str] = set()
    frame = pd.DataFrame({"task": list(tasks), "table": list(tables)})
    for _, rows in frame.groupby("table"):
        shuffled = sorted(rows["task"], key=lambda name: hashlib.sha256(name.encode()).digest())
        chosen |= set(shuffled[seed % min(n_parts, len(shuffled)) :: n_parts])
    return chosen


def _check_values(
    outcome: Verification,
    protocol: Protocol,
    tasks: Sequence[Task],
    chosen: set[str],
    datasets: Mapping[str, Dataset],
    records: pd.DataFrame,
    n_jobs: int,
    progress: Progress | None,
) -> None:
    """Run the chosen tasks, and compare their records."""
    outcome.n_wanted += int(records["task"].isin(chosen).sum())
    digests = {name: dataset.digest() for name, dataset in datasets.items()}
    calls = [(protocol, task, digests[task.dataset]) for task in tasks if task.id in chosen]
    rows, sound = [], set()
    workers = LocalWorkers(n_jobs)
    with workers.holding({digests[name]: dataset for name, dataset in datasets.items()}):
        for finished in workers.results(execute, calls):
            outcome.n_tasks += 1
            outcome.seconds += finished.seconds
            if finished.is_sound:
                rows += finished.rows
                sound.add(finished.task.id)
            else:
                broken = failures(finished.rows)
                outcome.differences += [f"{task}: now {status}" for task, status, _ in broken]
            if progress is not None:
                progress(outcome.n_tasks, len(calls))
    committed = records[records["task"].isin(sound)]
    outcome.n_checked += len(committed)
    differing = compare(to_frame(rows), committed)
    outcome.differences += differing
    outcome.proved |= sound if not differing else set()


def recompute_some(
    paper: str, seconds: float, progress: Progress | None = None
) -> tuple[list[Task], list[str]]:
    """Run the first trial behind printed numbers again, the cheapest first, on data at hand.

    Where none of these is cheap enough, first trials of other results are run.

    Parameters
    ----------
    paper : str
        Paper key.
    seconds : float
        As many tasks are run as took so long when the committed records were made, and at least
        one.
    progress : callable, optional
        Called with the number of tasks that are done, and of all.

    Returns
    -------
    tasks : list of Task
        Those that were run; none without data or results.
    differences : list of str
        Where their records are not those that are committed.
    """
    protocol, records, made = get_protocol(paper), load_paper(paper), load_tasks(paper)
    behind = {
        (n.results, n.select["dataset"], n.select["method"], n.select["setting"], n.judged)
        for n in numbers(paper)
        if not n.not_run
    }
    keys = ["table", "dataset", "method", "setting", "reading"]
    first = made.sort_values(["trial", "seconds"]).drop_duplicates(keys)
    # With .loc, as an empty list in brackets is a choice of columns.
    is_behind = [tuple(row) in behind for row in first[keys].to_numpy()]
    of_numbers = first.loc[is_behind].sort_values("seconds")
    others = first[first["reading"] == HEADLINE].sort_values("seconds")
    affordable = [
        set(tasks.loc[tasks["seconds"].cumsum() <= seconds, "task"])
        for tasks in (of_numbers, others)
    ]
    chosen = affordable[0] or affordable[1] or set(of_numbers["task"].iloc[:1])
    names = sorted(set(first.loc[first["task"].isin(chosen), "dataset"]))
    datasets = {name: data_fetch.load(name) for name in names if data_fetch.available(name)}
    measured = records[~is_derived(records)]
    tasks, _ = walk(protocol, "full", datasets, looked_up(measured))
    outcome = Verification(paper)
    _check_values(outcome, protocol, tasks, chosen, datasets, measured, 1, progress)
    return [task for task in tasks if task.id in chosen], outcome.differences


def recompute(
    paper: str,
    table: str,
    dataset: str,
    method: str,
    *,
    setting: str = "",
    reading: str = HEADLINE,
    trial: int = 0,
    seed: int = 0,
    **changes: Any,
) -> pd.DataFrame:
    """Run one task of a paper's protocol now, and show printed, stored and live values.

    Parameters
    ----------
    paper, table, dataset, method : str
        As in the records (``results/<paper>/records.csv.xz``).
    setting : str
        Training size, loss or kernel, where the method is measured under several.
    reading : str
        Name of the reading.
    trial, seed : int
        Realisation, split, fold or repetition, and the seed where it is run under several.
    **changes
        Parameters of the task to change, such as ``D=10``; see ``Task.params`` in the protocol.

    Returns
    -------
    DataFrame
        One row for every metric of the task: printed (the paper's number, over all its trials),
        stored (this trial in the committed results) and live, all in the unit of the records;
        NaN where there is none. A printed statistic that needs all trials, such as the
        accuracy in the dimension of the best mean, has a row, too: its value for this trial, from
        this trial as computed now and the others as stored.

    Raises
    ------
    ValueError
        If no task of the full protocol is of that name, or it has no such parameter.
    """
    require_whole(paper)
    protocol, data = get_protocol(paper), data_fetch.load(dataset)
    committed = load_paper(paper)
    key = {"table": table, "dataset": dataset, "method": method, "setting": setting}
    alike = select(committed, **key, reading=reading, seed=seed)
    stored = alike[alike["trial"] == trial]
    measured = stored[~is_derived(stored)]
    wanted = Task(paper, table, dataset, method, reading, trial, setting=setting, seed=seed)
    name = str(measured["task"].iloc[0]) if len(measured) else wanted.id
    # Tasks of later stages are listed from the committed records.
    tasks, _ = walk(protocol, "full", {data.name: data}, looked_up(committed))
    task = next((task for task in tasks if task.id == name), None)
    if task is None:
        raise ValueError(
            f"the protocol of {paper!r} has no task {name!r}; the names are those of the columns "
            f"of results/{paper}/records.csv.xz"
        )
    if unknown := sorted(set(changes) - set(task.params)):
        known = ", ".join(task.params) or "none"
        raise ValueError(f"the task has no parameter {unknown[0]!r}; its parameters: {known}.")
    task = replace(task, params={**task.params, **changes})
    rows = [row_of(task, m, data.source, 0.0) for m in protocol.run(task, data)]
    live = select(to_frame(rows), reading=reading, setting=setting)
    # Statistics over trials that belong to the live one, the other trials being as stored.
    own_trial = int(live["trial"].iloc[0])
    others = alike[(alike["trial"] != own_trial) & ~is_derived(alike)]
    derived = protocol.derive(pd.concat([live, others]) if len(others) else live)
    printed = printed_values(paper, key)
    shown = [r for r in derived if r["trial"] == own_trial and r["metric"] in printed]
    if shown:
        live = pd.concat([live, to_frame(shown)])
    then, now = (
        records.drop_duplicates("metric").set_index("metric")["value"] for records in (stored, live)
    )
    frame = pd.DataFrame({"stored": then.reindex(now.index), "live": now})
    frame.insert(0, "printed", [printed.get(str(metric), np.nan) for metric in frame.index])
    return frame.dropna(how="all")
