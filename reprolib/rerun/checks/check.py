"""What can be wrong with a paper before anything runs: names and claims, trials and splits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun.checks.trials import NAMES, split_faults
from reprolib.rerun.printed.names import nearest
from reprolib.rerun.printed.schema import HEADLINE, Reading
from reprolib.rerun.records.folder import committed_results
from reprolib.rerun.records.registry import printed_name, printed_of, readings_of
from reprolib.rerun.records.rows import Rows
from reprolib.rerun.records.task import Protocol, Task, get_protocol
from reprolib.rerun.tasks.plan import is_as_committed, listed_tasks
from reprolib.rerun.tasks.runner import load_datasets
from reprolib.rerun.verdicts.claim import Claim, Side, claims_of
from reprolib.rerun.verdicts.printed import Number, numbers


@dataclass(frozen=True)
class Known:
    """Names that a protocol knows.

    Parameters
    ----------
    tasks : list of dict
        Table, data set, method, setting and reading of the tasks of the full profile, and of the
        records that they are known to give.
    metrics : mapping of str to set of str
        By table, as far as there are records.
    is_complete : bool
        Whether all tasks are known. Those of a stage that chooses from records are not before the
        first run: then a name is wrong only if it is nearly one of those that are known.
    listed : sequence of Task
        Tasks that were listed on data at hand, where the committed ones are others.
    datasets : mapping of str to Dataset
        Those data.
    """

    tasks: Rows
    metrics: Mapping[str, set[str]]
    is_complete: bool = True
    listed: Sequence[Task] = ()
    datasets: Mapping[str, Dataset] = field(default_factory=dict)

    def missing(self, names: Mapping[str, str]) -> str:
        """The first of some names that no task has, with the nearest; empty if none is wrong."""
        rows = self.tasks
        for column, name in names.items():
            left = [row for row in rows if row[column] == name]
            if not left:
                near = nearest(name, {row[column] for row in rows})
                is_wrong = self.is_complete or "did you mean" in near
                return f"no {column} {name!r}{near}" if is_wrong else ""
            rows = left
        return ""


def check_paper(paper: str) -> list[str]:
    """Check the names in a paper's file and protocol, without running a task.

    Every printed number that is to be run, and both sides of every claim in every row that it is
    about, must select records of the full profile; every reading of the file must be run, and every
    reading that is run must stand in the file; no trial may be beyond the splits of its data.

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
    if is_as_committed(paper):
        known = committed_names(paper)
        faults: list[str] = []
    else:
        protocol = get_protocol(paper)
        if lost := [n for n in protocol.datasets("full") if n not in data_fetch.names()]:
            near = ((name, nearest(name, data_fetch.names())) for name in lost)
            return [f"{paper}: the protocol names the data set {n!r}{advice}" for n, advice in near]
        known = listed_names(protocol)
        faults = list(split_faults(protocol, known.listed, known.datasets))
    if not known.tasks:
        return [f"{paper}: none of its data are at hand, and there are no results to check with"]
    readings = list(readings_of(paper))
    of_file = [*name_faults(paper, known), *faults, *reading_faults(readings, known)]
    return [f"{printed_name(paper)}: {fault}" for fault in of_file]


def committed_names(paper: str) -> Known:
    """Names of the committed tasks and records, which are of the present list of experiments."""
    committed = committed_results(paper)
    names = pd.concat([committed.tasks[NAMES], committed.records[NAMES]]).drop_duplicates()
    return Known(
        _with_beside(readings_of(paper), names, names.iloc[:0]), _metrics(committed.records)
    )


def listed_names(protocol: Protocol) -> Known:
    """Names of the tasks that a protocol lists on data at hand; for other data the committed ones.

    Parameters
    ----------
    protocol : Protocol
        Its tasks are listed.
    """
    records = committed_results(protocol.paper).records
    at_hand = [name for name in protocol.datasets("full") if data_fetch.available(name)]
    datasets = load_datasets(at_hand)[0]
    tasks, _ = listed_tasks(protocol, "full", datasets)
    is_listed_anew = records["dataset"].isin(at_hand)
    listed = {task.id for task in tasks}
    own = records.loc[~is_listed_anew | records["task"].isin(listed), NAMES]
    rows = [
        {**{name: getattr(task, name) for name in NAMES}, "reading": reading}
        for task in tasks
        for reading in (task.reading, *task.params.get("also", ()))
    ]
    names = pd.concat([pd.DataFrame(rows, columns=NAMES), own]).drop_duplicates()
    is_complete = len(records) > 0 or not any(stage.reads for stage in protocol.stages)
    known = _with_beside(protocol.readings, names, records.loc[~is_listed_anew, NAMES])
    return Known(known, _metrics(records), is_complete, tasks, datasets)


def _with_beside(
    readings: Mapping[str, Reading] | None, names: pd.DataFrame, elsewhere: pd.DataFrame
) -> Rows:
    """Names, and those that the readings of the paper's file add to them."""
    own, others = map(rows_of, (names, elsewhere))
    more = [
        {**row, "reading": reading.name}
        for reading in (readings or {}).values()
        for rows, is_measured in ((own, _is_beside), (others, _is_of_headline))
        for row in rows
        if is_measured(reading, row)
    ]
    return list({tuple(row.values()): row for row in [*own, *more]}.values())


def rows_of(names: pd.DataFrame) -> Rows:
    """Rows of a table of names, each once."""
    return [dict(zip(NAMES, row, strict=True)) for row in names.drop_duplicates().to_numpy()]


def _metrics(records: pd.DataFrame) -> dict[str, set[str]]:
    pairs = records[["table", "metric"]].drop_duplicates()
    return {str(table): set(rows["metric"]) for table, rows in pairs.groupby("table")}


def _is_beside(reading: Reading, row: Mapping[Any, Any]) -> bool:
    """Whether the tasks of a row measure a reading too, as the file says."""
    return (
        reading.base(row["method"]) == row["reading"]
        and row["table"] in (reading.tables or (row["table"],))
        and row["dataset"] in (reading.datasets or (row["dataset"],))
    )


def _is_of_headline(reading: Reading, row: Mapping[Any, Any]) -> bool:
    """Whether a reading has tasks where a row of the headline was run, on data not at hand."""
    return row["reading"] == HEADLINE and reading.has_tasks(
        row["table"], row["dataset"], row["method"]
    )


def name_faults(paper: str, known: Known) -> Iterator[str]:
    """Yield what the printed numbers and claims of a paper name that no task has."""
    for number in numbers(paper):
        yield from number_faults(number, known)
    claims = claims_of(printed_of(paper), numbers(paper))
    names = {claim.name for claim in claims}
    for stated in printed_of(paper).printed.claims:
        if stated.not_judged is None and stated.name not in names:
            yield f"claims, {stated.name!r}: no number of its tables is run; say so in not_judged"
    for claim in claims:
        yield from dict.fromkeys(claim_faults(claim, known))


def number_faults(number: Number, known: Known) -> Iterator[str]:
    """Yield what a printed number names that no task has."""
    if number.not_run:
        return
    where = f"tables.{number.table}, {number.row!r}, {number.column!r}"
    select = {name: number.select[name] for name in ("dataset", "method", "setting")}
    select = {"table": number.results, **select}
    if what := known.missing(select):
        yield f"{where}: {what}"
        return
    readings = {row["reading"] for row in known.tasks if select.items() <= row.items()}
    if readings and known.is_complete and HEADLINE not in readings and not number.quoted:
        yield f"{where}: no task of it under the reading {HEADLINE!r}"
    metric, metrics = number.select["metric"], known.metrics.get(number.results, set())
    if metrics and metric not in metrics:
        yield f"{where}: no metric {metric!r}{nearest(metric, metrics)}"


def claim_faults(claim: Claim, known: Known) -> Iterator[str]:
    """Yield what a claim names that no task has, in the rows of the tables that it is about."""
    where = f"claims, {claim.name!r}"
    if not claim.b:
        yield f"{where}: b is empty, so that it is a claim against nobody"
    for name, side in (("a", claim.a), *(("b", b) for b in claim.b)):
        if side.value is not None:
            continue
        if "method" not in side.select:
            yield f"{where}: side {name} names no method"
            continue
        for cell in claim.cells:
            select = {
                "table": cell.results,
                "dataset": cell.dataset,
                "method": side.select["method"],
                **_under(claim, side, cell.setting, known.metrics.get(cell.results, set())),
                **{("table" if k == "results" else k): v for k, v in side.select.items()},
            }
            metric, reading = select.pop("metric", ""), select.pop("reading", "")
            if what := known.missing(select):
                row = f"row {cell.number.row!r} of tables.{cell.number.table}"
                yield f"{where}: side {name} in {row}: {what}"
                continue
            metrics = known.metrics.get(select["table"], set())
            if metric and metrics and metric not in metrics:
                yield f"{where}: side {name}: no metric {metric!r}{nearest(metric, metrics)}"
            run = {row["reading"] for row in known.tasks}
            if reading and reading not in run and known.is_complete:
                yield f"{where}: side {name}: no reading {reading!r}{nearest(reading, run)}"


def _under(claim: Claim, side: Side, setting: str, metrics: Collection[str]) -> dict[str, str]:
    """Setting, metric and reading of a side that says none; a task may measure several settings."""
    under = {"metric": claim.metric, "reading": claim.reading}
    return {"setting": setting, **under} if metrics else under


def reading_faults(readings: Collection[str], known: Known) -> Iterator[str]:
    """Yield readings that only the file has, and readings that only the protocol has."""
    run = {HEADLINE, *(row["reading"] for row in known.tasks)}
    for name in readings:
        if name not in run and known.is_complete:
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
