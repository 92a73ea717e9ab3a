"""What can be wrong with a paper before anything runs: names, in its file and in its protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

import data_fetch
from reprolib.rerun.records.folder import committed_results
from reprolib.rerun.records.registry import nearest, printed_name
from reprolib.rerun.records.task import HEADLINE, Protocol, get_protocol
from reprolib.rerun.tasks.plan import committed_tasks, is_as_committed, listed_tasks
from reprolib.rerun.tasks.runner import load_datasets
from reprolib.rerun.verdicts.printed import Number, numbers, paper_entry


@dataclass(frozen=True)
class Known:
    """Names that a protocol knows.

    Parameters
    ----------
    tasks : DataFrame
        Table, data set, method, setting and reading of the tasks of the full profile, and of the
        records that they are known to give.
    metrics : mapping of str to set of str
        By table, as far as there are records.
    """

    tasks: pd.DataFrame
    metrics: Mapping[str, set[str]]


def check_paper(paper: str) -> list[str]:
    """Check the names in a paper's file and protocol, without running a task.

    Every printed number that is to be run must select records of the full profile, every reading
    of the file must be run, and every reading that is run must stand in the file.

    Parameters
    ----------
    paper : str
        Key of the paper.

    Returns
    -------
    list of str
        One line for every fault.

    Raises
    ------
    ValueError
        If the file has another form than it must, or there is no such paper.
    """
    entry = paper_entry(paper)
    protocol = get_protocol(paper)
    faults = [
        f"{paper}: the protocol names the data set {name!r}{nearest(name, data_fetch.names())}"
        for name in protocol.datasets("full")
        if name not in data_fetch.names()
    ]
    if faults:
        return faults
    known = known_names(protocol)
    if known.tasks.empty:
        return [f"{paper}: none of its data are at hand, and there are no results to check with"]
    file = printed_name(paper)
    faults += [f"{file}: {fault}" for n in numbers(paper) for fault in number_faults(n, known)]
    readings = [reading["name"] for reading in entry.get("readings", [])]
    return faults + [f"{file}: {fault}" for fault in reading_faults(readings, known)]


def known_names(protocol: Protocol) -> Known:
    """Names of the tasks that a protocol lists, and of what its committed records measured."""
    committed = committed_results(protocol.paper)
    records = committed.records
    columns = ["table", "dataset", "method", "setting", "reading"]
    names = list(protocol.datasets("full"))
    if is_as_committed(protocol):
        tasks = committed_tasks(protocol.paper, committed.tasks, "full", names)
        own = records[columns]
    else:
        at_hand = [name for name in names if data_fetch.available(name)]
        tasks, _ = listed_tasks(protocol, "full", load_datasets(at_hand)[0])
        listed_names = {task.id for task in tasks}
        is_listed_anew = records["dataset"].isin(at_hand)
        own = records.loc[~is_listed_anew | records["task"].isin(listed_names), columns]
    listed_rows = [{name: getattr(task, name) for name in columns} for task in tasks]
    measured_too = [
        {**row, "reading": reading}
        for row, task in zip(listed_rows, tasks, strict=True)
        for reading in task.params.get("also", ())
    ]
    frame = pd.concat([pd.DataFrame([*listed_rows, *measured_too], columns=columns), own])
    metrics = {str(table): set(rows["metric"]) for table, rows in records.groupby("table")}
    return Known(frame.drop_duplicates(ignore_index=True), metrics)


def number_faults(number: Number, known: Known) -> Iterator[str]:
    """Yield what a printed number names that no task has."""
    if number.not_run:
        return
    where = f"tables.{number.table}, {number.row!r}, {number.column!r}"
    rows = known.tasks[known.tasks["table"] == number.results]
    if rows.empty:
        yield f"{where}: no table {number.results!r}{nearest(number.results, known.tasks['table'])}"
        return
    for name in ("dataset", "method", "setting"):
        left = rows[rows[name] == number.select[name]]
        if left.empty:
            near = nearest(number.select[name], rows[name])
            yield f"{where}: no {name} {number.select[name]!r}{near}"
            return
        rows = left
    if HEADLINE not in set(rows["reading"]) and not number.quoted:
        yield f"{where}: no task of it under the reading {HEADLINE!r}"
    metric, metrics = number.select["metric"], known.metrics.get(number.results, set())
    if metrics and metric not in metrics:
        yield f"{where}: no metric {metric!r}{nearest(metric, metrics)}"


def reading_faults(readings: Collection[str], known: Known) -> Iterator[str]:
    """Yield readings that only the file has, and readings that only the protocol has."""
    run = {*known.tasks["reading"], HEADLINE}
    for name in readings:
        if name not in run:
            yield f"readings, {name!r}: no task or record is of this reading{nearest(name, run)}"
    for name in sorted(run - {HEADLINE, *readings}):
        yield f"the protocol runs the reading {name!r}, of which the file says nothing"


def require_sound(papers: Iterable[str]) -> None:
    """Raise ValueError if a name in a paper's file or protocol is wrong, before anything runs."""
    if faults := check_papers(papers):
        raise ValueError("\n".join(faults))


def check_papers(papers: Iterable[str]) -> list[str]:
    """Faults of several papers, those of a file that cannot be read included."""
    found: list[str] = []
    for paper in papers:
        try:
            found += check_paper(paper)
        except ValueError as error:
            found += str(error).splitlines()
    return found
