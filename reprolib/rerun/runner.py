"""Run a protocol: load its data, run what is not stored yet, give back the records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.local import LocalWorkers, LostWorkError, Workers
from reprolib.rerun.selection import Selection, task_name
from reprolib.rerun.store import RecordStore
from reprolib.rerun.task import Profile, Protocol, Task
from reprolib.rerun.worker import Rows, execute

#: Called with (finished tasks, tasks in all, stage, stages in all) after every task.
Progress = Callable[[int, int, int, int], None]


@dataclass(frozen=True)
class Failure:
    """A record that must not be used.

    Parameters
    ----------
    record : str
        Table, data set, method, reading and trial.
    status : str
        Why.
    traceback : str
        Of the exception that ended the task; empty where the task itself says why.
    """

    record: str
    status: str
    traceback: str = ""


class StageError(ValueError):
    """A stage that cannot list its tasks, mostly as tasks of an earlier one failed."""


class NothingSelectedError(ValueError):
    """A selection of tasks that has none of a protocol's."""


@dataclass(frozen=True)
class Run:
    """Records of one run of a protocol, and what is to be said about it."""

    paper: str
    records: pd.DataFrame
    meta: dict[str, Any]
    substituted: dict[str, str] = field(default_factory=dict)

    @property
    def failures(self) -> pd.DataFrame:
        """Records that must not be used."""
        return self.records[self.records["status"] != "ok"]


def load_datasets(names, *, embedded: bool = False) -> tuple[dict[str, Dataset], dict[str, str]]:
    """Load data sets; where one is not available, its embedded counterparts stand in for it.

    Returns
    -------
    datasets : dict of str to Dataset
        By the name of the data set that was loaded in the end.
    substituted : dict of str to str
        Reason by the name of a data set that is not available.
    """
    datasets: dict[str, Dataset] = {}
    substituted: dict[str, str] = {}
    for name in names:
        if not embedded or name.startswith("embedded/"):
            try:
                datasets[name] = data_fetch.load(name)
                continue
            except data_fetch.DataUnavailableError as error:
                substituted[name] = str(error)
        for other in data_fetch.counterparts(name):
            datasets.setdefault(other, data_fetch.load(other))
    return datasets, substituted


def run_protocol(
    protocol: Protocol,
    profile: Profile,
    *,
    embedded: bool = False,
    store: RecordStore | None = None,
    workers: Workers | None = None,
    only: Selection | None = None,
    progress: Progress | None = None,
    failed: Callable[[Failure], None] | None = None,
) -> Run:
    """Run all stages of a protocol; what is in the store already is not run again.

    Every finished task is stored at once, so that an interrupted run continues where it stopped.
    Failed tasks are reported in the records and never stored.

    Parameters
    ----------
    protocol : Protocol
    profile : {"quick", "full"}
    embedded : bool
        Use the embedded counterparts even where the real data are available.
    store : RecordStore, optional
        Of finished tasks; the user's by default.
    workers : Workers, optional
        Who runs the tasks: this process by default. The records do not depend on it.
    only : Selection, optional
        Run and record these tasks only. A stage that chooses from the records of earlier ones is
        reached if all earlier tasks on the selected data sets are selected too, or stored.
    progress : callable, optional
        Called after every task, see `Progress`.
    failed : callable, optional
        Called at once with every `Failure`, so that none is lost whatever ends the run.

    Raises
    ------
    StageError
        If a stage cannot list its tasks.
    NothingSelectedError
        If ``only`` selects no task.
    LostWorkError
        If tasks cannot be finished, as their processes are gone.
    """
    started = time.perf_counter()
    names = protocol.datasets(profile)
    wanted = needed(names, only)
    if not wanted:
        raise NothingSelectedError(
            f"--only {only} selects no data set of {protocol.paper}; it has {', '.join(names)}."
        )
    datasets, substituted = load_datasets(wanted, embedded=embedded)
    digests = {name: dataset.digest() for name, dataset in datasets.items()}
    run = _Stages(
        protocol=protocol,
        profile=profile,
        datasets=datasets,
        digests=digests,
        store=RecordStore() if store is None else store,
        workers=LocalWorkers() if workers is None else workers,
        only=only,
        progress=progress,
        failed=failed,
    )
    with run.workers.holding({digests[name]: dataset for name, dataset in datasets.items()}):
        rows = run.rows()
    meta = {
        "paper": protocol.paper,
        "profile": profile,
        "protocol_version": protocol.version,
        "date": datetime.now(UTC).date().isoformat(),
        "wall_seconds": round(time.perf_counter() - started, 1),
        "source_notes": {name: dataset.source_note for name, dataset in datasets.items()},
        "data_digests": digests,
        **results.environment(),
        **run.workers.about(),
    }
    # Statistics over a part of the trials would look like those of all.
    derived = protocol.derive(results.to_frame(rows)) if only is None else []
    records = results.to_frame([*rows, *derived])
    return Run(protocol.paper, records, meta, substituted)


def needed(names: Iterable[str], only: Selection | None) -> list[str]:
    """Names of the data sets that selected tasks, or tasks on their counterparts, may need."""
    if only is None:
        return list(names)
    return only.needed({name: data_fetch.counterparts(name) for name in names})


@dataclass(frozen=True)
class _Stages:
    """The stages of a protocol on loaded data."""

    protocol: Protocol
    profile: Profile
    datasets: Mapping[str, Dataset]
    digests: Mapping[str, str]
    store: RecordStore
    workers: Workers
    only: Selection | None
    progress: Progress | None
    failed: Callable[[Failure], None] | None

    def rows(self) -> Rows:
        """Run the selected tasks of all stages, and return their rows."""
        selected_rows: Rows = []
        earlier: Rows = []
        listed: list[Task] = []
        for number in range(1, len(self.protocol.stages) + 1):
            tasks = self._listed(number, results.to_frame(earlier))
            listed += tasks
            selected, others = self._divided(tasks)
            rows = self._run(number, selected)
            selected_rows += rows
            stored = [self._stored(task) for task in others]
            if None in stored:
                break
            earlier += rows + [row for task_rows in stored for row in task_rows or ()]
        if self.only is not None and not selected_rows:
            raise NothingSelectedError(self._nothing_selected(listed, number))
        return selected_rows

    def _divided(self, tasks: list[Task]) -> tuple[list[Task], list[Task]]:
        """Selected tasks, and the others."""
        if self.only is None:
            return tasks, []
        selected = [task for task in tasks if self.only.has(task)]
        return selected, [task for task in tasks if not self.only.has(task)]

    def _nothing_selected(self, listed: list[Task], n_stages: int) -> str:
        """Say what there is to select from."""
        seen = {task.table: task_name(task) for task in reversed(listed)}
        message = (
            f"--only {self.only} selects no task of {self.protocol.paper} on these data; there "
            f"are, for example, {', '.join(map(repr, seen.values())) or 'none'}."
        )
        if n_stages == len(self.protocol.stages):
            return message
        return (
            f"{message} Stage {n_stages + 1} chooses from the records of stage {n_stages}, which "
            "are not all stored yet; run those tasks first: `*/DATASET` selects all of a data set"
        )

    def _key(self, task: Task) -> str:
        return task.key(self.protocol.version, self.digests[task.dataset])

    def _stored(self, task: Task) -> Rows | None:
        """Rows of a finished task."""
        return self.store.get(self._key(task), task.fixed_columns())

    def _run(self, number: int, tasks: list[Task]) -> Rows:
        """Give the rows of tasks, as each finishes to those who listen."""
        rows: Rows = []
        for done, task_rows in enumerate(self._finished(tasks), start=1):
            rows += task_rows
            _report(task_rows, self.failed)
            if self.progress is not None:
                self.progress(done, len(tasks), number, len(self.protocol.stages))
        return rows

    def _finished(self, tasks: list[Task]) -> Iterator[Rows]:
        """Yield the rows of every task: stored ones first, then the others as they finish.

        They are run in the order of their data sets, of which a process keeps only a few.
        """
        pending = []
        for task in tasks:
            rows = self._stored(task)
            if rows is None:
                pending.append(task)
            else:
                yield rows
        order = {name: number for number, name in enumerate(self.datasets)}
        pending.sort(key=lambda task: order[task.dataset])
        calls = ((task, self.digests[task.dataset]) for task in pending)
        try:
            for task, rows in self.workers.results(execute, calls):
                if all(row["status"] == "ok" for row in rows):
                    self.store.put(self._key(task), rows)
                yield rows
        except LostWorkError as error:
            raise LostWorkError(
                f"{error}. Finished tasks are stored; the same command continues from them"
            ) from error

    def _listed(self, number: int, earlier: pd.DataFrame) -> list[Task]:
        """Tasks of a stage."""
        stage = self.protocol.stages[number - 1]
        try:
            return stage(self.profile, self.datasets, earlier)
        except Exception as error:
            n_failed = int((earlier["status"] != "ok").sum())
            raise StageError(
                f"stage {number} of {self.protocol.paper} cannot list its tasks "
                f"({type(error).__name__}: {error}); of the {len(earlier)} records of the stages "
                f"before it {n_failed} failed. Finished tasks are stored"
            ) from error


def _report(rows: Iterable[Mapping[str, Any]], failed: Callable[[Failure], None] | None) -> None:
    """Hand the failures among the rows of one task on."""
    for row in rows:
        if failed is not None and row["status"] != "ok":
            names = ("table", "dataset", "method", "setting", "reading", "trial")
            record = " ".join(str(row[name]) for name in names if row[name] != "")
            failed(Failure(record, row["status"], row.get("traceback", "")))
