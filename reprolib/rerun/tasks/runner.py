"""Run a protocol: load its data, run what is not stored yet, give back the records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

import data_fetch
from data_fetch import Dataset
from data_fetch.errors import missing_table
from reprolib.rerun.records import fingerprint
from reprolib.rerun.records.fingerprint import Code
from reprolib.rerun.records.provenance import commit_of
from reprolib.rerun.records.registry import can_be_committed, printed_digest
from reprolib.rerun.records.rows import OF_TASK, TASK_COLUMNS, Rows, failures, sources, to_frame
from reprolib.rerun.records.rows import failed as failed_records
from reprolib.rerun.records.tables import write_results
from reprolib.rerun.records.task import Profile, Protocol, Task, measure_of
from reprolib.rerun.tasks.experiment import StageError, looked_up, walk
from reprolib.rerun.tasks.listing import listing_of
from reprolib.rerun.tasks.selection import NothingSelectedError, Only
from reprolib.rerun.tasks.store import RecordStore, Reuse
from reprolib.rerun.tasks.worker import (
    Finished,
    LocalWorkers,
    LostWorkError,
    environment_id,
    execute,
)

#: Called with (finished tasks, tasks in all, stage, stages in all) after every task.
Progress = Callable[[int, int, int, int], None]


@dataclass(frozen=True)
class Failure:
    """A record that must not be used.

    Parameters
    ----------
    record : str
        Name of its task.
    status : str
        Why.
    traceback : str
        Of the exception that ended the task; empty where the task itself says why.
    """

    record: str
    status: str
    traceback: str = ""


@dataclass(frozen=True)
class Run:
    """Records of one run of a protocol, how its tasks were made, and what else there is to say."""

    paper: str
    records: pd.DataFrame
    tasks: pd.DataFrame
    about: dict[str, Any]
    substituted: dict[str, data_fetch.DataUnavailableError] = field(default_factory=dict)
    explained: dict[str, Reuse] = field(default_factory=dict)

    @property
    def failures(self) -> pd.DataFrame:
        """Records that must not be used."""
        return failed_records(self.records)

    @property
    def unfit(self) -> str:
        """Why the run must not replace committed results; empty if it may."""
        if not can_be_committed(self.paper):
            return "reprolib is not run from a checkout; name a folder in REPROLIB_RESULTS"
        if len(self.failures):
            return f"{len(self.failures)} records failed"
        if self.substituted:
            return f"embedded data stood in for {', '.join(self.substituted)}"
        if set(sources(self.records)) == {"embedded"}:
            return "this was a run on embedded data"
        return ""

    def sizes(self) -> str:
        """Say how the numbers of tasks, records and trials hang together."""
        of_number = ["table", "dataset", "method", "setting", "reading"]
        trials = self.records.groupby(of_number)["trial"].nunique()
        n_tasks, most = self.records["task"].nunique(), int(trials.max())
        return (
            f"{self.paper}: {n_tasks} task{'s' * (n_tasks != 1)} (one trial of a method on a data "
            f"set in one variant) gave {len(self.records)} records (one for each thing measured); "
            f"a number of a table is a mean of up to {most} trial{'s' * (most != 1)}"
        )

    def write(self, directory: Path) -> Path:
        """Write the records below a results folder, and say where.

        Raises
        ------
        OSError
            If the folder cannot be written to.
        """
        try:
            return write_results(self.records, directory / self.paper, self.tasks, self.about)
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror}; finished tasks are stored") from error


def load_datasets(
    names, *, embedded: bool = False
) -> tuple[dict[str, Dataset], dict[str, data_fetch.DataUnavailableError]]:
    """Load data sets; where one is not available, its embedded counterparts stand in for it.

    Returns
    -------
    datasets : dict of str to Dataset
        By the name of the data set that was loaded in the end.
    substituted : dict of str to DataUnavailableError
        Reason by the name of a data set that is not available.
    """
    datasets: dict[str, Dataset] = {}
    substituted: dict[str, data_fetch.DataUnavailableError] = {}
    for name in names:
        if not embedded or name.startswith("embedded/"):
            try:
                datasets[name] = data_fetch.load(name)
                continue
            except data_fetch.DataUnavailableError as error:
                substituted[name] = error
        for other in data_fetch.counterparts(name):
            datasets.setdefault(other, data_fetch.load(other))
    return datasets, substituted


def code_of_task(protocol: Protocol, task: Task) -> Code:
    """Code that measures a task, and what the readings change that it measures."""
    measure = measure_of(protocol.measures, task)
    of_method = (protocol.run, measure, *fingerprint.versions().items())
    if of_method not in _codes:
        if measure is None:
            _codes[of_method] = fingerprint.code_of(protocol.run)
        else:
            _codes[of_method] = fingerprint.code_of(measure, protocol.run, protocol.measures)
    readings = protocol.readings
    if readings is None or task.reading not in readings:
        return _codes[of_method]
    measured = readings.measured(task.method, task.reading)
    of_reading = (*of_method, repr(measured))
    if of_reading not in _codes:
        _codes[of_reading] = replace(_codes[of_method], readings=measured)
    return _codes[of_reading]


#: Code by the functions that run and measure a task, versions, and reading.
_codes: dict[Any, Code] = {}


def run_protocol(
    protocol: Protocol,
    profile: Profile,
    *,
    embedded: bool = False,
    store: RecordStore | None = None,
    workers: LocalWorkers | None = None,
    only: Only | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
    failed: Callable[[Failure], None] | None = None,
) -> Run:
    """Run all stages of a protocol; what is in the store already is not run again.

    Every finished task is stored at once, so that an interrupted run continues where it stopped.
    Failed tasks are reported in the records and never stored.

    Parameters
    ----------
    protocol : Protocol
        What is run.
    profile : {"quick", "full"}
        A few trials, or all.
    embedded : bool
        Use the embedded counterparts even where the real data are available.
    store : RecordStore, optional
        Of finished tasks; the user's by default.
    workers : LocalWorkers, optional
        Who runs the tasks: this process by default. The records do not depend on it.
    only : Only, optional
        Run and record these tasks only. A stage that chooses from the records of earlier ones is
        reached if all earlier tasks on the selected data sets are selected too, or stored.
    fresh : bool
        Run all tasks, whatever the store has of them.
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
    DataUnavailableError
        If ``only`` names data that the user must bring, and they are not there.
    LostWorkError
        If tasks cannot be finished, as their processes are gone.
    """
    started = time.perf_counter()
    names = protocol.datasets(profile)
    wanted = needed(protocol, profile, only)
    if not wanted:
        raise NothingSelectedError(
            f"--only {only} selects no data set of {protocol.paper}; it has {', '.join(names)}."
        )
    datasets, substituted = load_datasets(wanted, embedded=embedded)
    for name in protocol.brought:
        if name in substituted:  # asked for by name: nothing stands in
            raise substituted[name]
    run = _Run(
        protocol=protocol,
        commit=commit_of(protocol.paper),
        digests={name: dataset.digest() for name, dataset in datasets.items()},
        store=RecordStore() if store is None else store,
        workers=LocalWorkers() if workers is None else workers,
        only=only,
        fresh=fresh,
        progress=progress,
        failed=failed,
    )
    with run.workers.holding({run.digests[name]: d for name, d in datasets.items()}):
        tasks, n_stages = walk(protocol, profile, datasets, run.records_of)
    if only is not None and not run.finished:
        seen = {task.table: task.id for task in reversed(tasks)}
        message = (
            f"--only {only} selects no task of {protocol.paper} on these data; there "
            f"are, for example, {', '.join(map(repr, seen.values())) or 'none'}."
        )
        if n_stages < len(protocol.stages):
            message = f"{message} {waiting(n_stages)}"
        for missing in missing_table(substituted):
            why = f"{missing.name} is not at hand ({missing.why}); `{missing.command}` may bring it"
            message = f"{message.rstrip('.')}. {why}"
        raise NothingSelectedError(message)
    rows = [row for finished in run.finished for row in finished.rows]
    measured = to_frame(rows)
    # Statistics over a part of the trials would look like those of all.
    cut = {(t.table, t.dataset, t.method) for t in tasks if only is not None and not only.has(t)}
    places = zip(measured["table"], measured["dataset"], measured["method"], strict=True)
    derived = protocol.derive(measured[[place not in cut for place in places]])
    about = {
        "paper": protocol.paper,
        "profile": profile,
        "wall_seconds": round(time.perf_counter() - started, 1),
        "task_seconds": round(sum(f.seconds for f in run.finished), 1),
        "data": {
            name: {"source": d.source, "note": d.source_note, "digest": run.digests[name]}
            for name, d in datasets.items()
        },
        "listing": listing_of(protocol),
        "printed": printed_digest(protocol.paper),
        "environments": {environment_id(f.environment): f.environment for f in run.finished},
        "commit": run.commit,
        "code": codes_of(protocol, run.finished),
    }
    made = task_table(protocol, run.finished, quick_tasks(protocol, datasets, measured))
    records = to_frame([*rows, *derived]) if derived else measured
    return Run(protocol.paper, records, made, about, substituted, run.explained)


def codes_of(protocol: Protocol, finished: Iterable[Finished]) -> dict[str, Any]:
    """What every code was that made tasks, and at which commits, by fingerprint."""
    found: dict[str, Any] = {}
    for done in finished:
        code = code_of_task(protocol, done.task)
        about = found.setdefault(code.fingerprint, {"commits": [], **code.about(), "note": ""})
        if done.commit and done.commit not in about["commits"]:
            about["commits"].append(done.commit)
    return found


def task_table(protocol: Protocol, finished: Iterable[Finished], quick: set[str]) -> pd.DataFrame:
    """One line for every finished task, by name: see `TASK_COLUMNS`."""
    lines = [
        {
            "task": f.task.id,
            **{name: getattr(f.task, name) for name in OF_TASK},
            "quick": f.task.id in quick,
            "seconds": f.seconds,
            "date": f.date,
            "code": code_of_task(protocol, f.task).fingerprint,
            "environment": environment_id(f.environment),
        }
        for f in finished
    ]
    return pd.DataFrame(lines, columns=TASK_COLUMNS).sort_values("task", ignore_index=True)


def quick_tasks(
    protocol: Protocol, datasets: Mapping[str, Dataset], measured: pd.DataFrame
) -> set[str]:
    """Names of the tasks that the quick profile has on the same data."""
    names = protocol.datasets("quick")
    used = {n for name in names for n in (name, *data_fetch.counterparts(name))}
    quick = {name: dataset for name, dataset in datasets.items() if name in used}
    try:
        tasks, _ = walk(protocol, "quick", quick, looked_up(measured))
    except StageError:
        return set()
    return {task.id for task in tasks}


def needed(protocol: Protocol, profile: Profile, only: Only | None) -> list[str]:
    """Names of the data sets that selected tasks, or tasks on their counterparts, may need."""
    names = list(protocol.datasets(profile))
    if only is None:
        return names
    known = {name: data_fetch.counterparts(name) for name in names}
    return only.needed({**known, **dict.fromkeys(protocol.brought, ())})


def waiting(n_stages: int) -> str:
    """Say what the stage after so many waits for."""
    return (
        f"Stage {n_stages + 1} chooses from the records of stage {n_stages}, which "
        "are not all stored yet; run those tasks first: `*/DATASET` selects all of a data set"
    )


@dataclass(frozen=True)
class _Run:
    """A walk over the stages that runs their tasks."""

    protocol: Protocol
    commit: str
    digests: Mapping[str, str]
    store: RecordStore
    workers: LocalWorkers
    only: Only | None
    fresh: bool
    progress: Progress | None
    failed: Callable[[Failure], None] | None
    finished: list[Finished] = field(default_factory=list)
    explained: dict[str, Reuse] = field(default_factory=dict)

    def records_of(self, number: int, tasks: list[Task]) -> pd.DataFrame | None:
        """Run the selected tasks; give the records of all, if the others are stored."""
        chosen = [task for task in tasks if self.only is None or self.only.has(task)]
        others = [task for task in tasks if self.only is not None and not self.only.has(task)]
        rows: Rows = []
        for done, finished in enumerate(self._results(chosen), start=1):
            self.finished.append(finished)
            rows += finished.rows
            if self.failed is not None:
                for failure in failures(finished.rows):
                    self.failed(Failure(*failure))
            if self.progress is not None:
                self.progress(done, len(chosen), number, len(self.protocol.stages))
        stored = [self._stored(task) for task in others]
        if None in stored:
            return None
        return to_frame([*rows, *(row for f in stored if f is not None for row in f.rows)])

    def _stored(self, task: Task) -> Finished | None:
        code = code_of_task(self.protocol, task)
        return self.store.get(task, self.digests[task.dataset], code)

    def _results(self, tasks: list[Task]) -> Iterator[Finished]:
        """Yield every task: stored ones first, then the others as they finish.

        They are run in the order of their data sets, of which a process keeps only a few.
        """
        pending = []
        for task in tasks:
            finished = None if self.fresh else self._stored(task)
            if finished is not None:
                self.explained[task.id] = Reuse.reused(finished.date)
                yield finished
                continue
            pending.append(task)
            self.explained[task.id] = (
                Reuse.to_run("all are run afresh")
                if self.fresh
                else self.store.explain(
                    task, self.digests[task.dataset], code_of_task(self.protocol, task)
                )
            )
        order = {name: number for number, name in enumerate(self.digests)}
        pending.sort(key=lambda task: order[task.dataset])
        calls = ((self.protocol, task, self.digests[task.dataset]) for task in pending)
        try:
            for done in self.workers.results(execute, calls):
                finished = replace(done, commit=self.commit)
                if finished.is_sound:
                    code = code_of_task(self.protocol, finished.task)
                    self.store.put(finished, self.digests[finished.task.dataset], code)
                yield finished
        except LostWorkError as error:
            raise LostWorkError(
                f"{error}. Finished tasks are stored; the same command continues from them"
            ) from error
