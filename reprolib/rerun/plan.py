"""What a run would do: its tasks, its data, and the time that such tasks took before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

import data_fetch
from reprolib.rerun import records as results
from reprolib.rerun import soundness
from reprolib.rerun.runner import load_datasets, needed
from reprolib.rerun.selection import Selection
from reprolib.rerun.store import RecordStore
from reprolib.rerun.task import Profile, Protocol, Task
from reprolib.rerun.worker import Rows

#: Columns by which tasks cost alike, the narrowest first.
ALIKE = (["table", "dataset", "method"], ["table", "method"], ["table"], ["paper"])


@dataclass
class Plan:
    """What a run of a protocol would do.

    Parameters
    ----------
    paper : str
    at_hand : list of str
        Data sets that need no download.
    to_fetch : mapping of str to sequence of str
        Embedded data sets that would stand in, by the data set that has to be downloaded. Tasks
        on it are not counted.
    n_tasks, n_stored : int
        Tasks, and how many of them are finished and stored.
    seconds : float
        Computing time of the other tasks, by that of such tasks in the committed records; NaN if
        there are none.
    unlisted : str
        Why the tasks of the last stages are not counted; empty if they are.
    """

    paper: str
    at_hand: Sequence[str]
    to_fetch: Mapping[str, Sequence[str]]
    n_tasks: int = 0
    n_stored: int = 0
    seconds: float = 0.0
    unlisted: str = ""


def plan(
    protocol: Protocol,
    profile: Profile,
    *,
    embedded: bool = False,
    store: RecordStore | None = None,
    only: Selection | None = None,
) -> Plan:
    """Count the tasks of a run without running or downloading anything.

    A stage that chooses from the records of earlier ones is given the stored and the committed
    ones; its tasks in the run may be others.

    Parameters
    ----------
    protocol : Protocol
    profile : {"quick", "full"}
    embedded : bool
        Use the embedded counterparts even where the real data are available.
    store : RecordStore, optional
        Of finished tasks; the user's by default.
    only : Selection, optional
        Count these tasks only.
    """
    store = RecordStore() if store is None else store
    names = needed(protocol.datasets(profile), only)
    absent = [name for name in names if not (embedded or data_fetch.available(name))]
    datasets, _ = load_datasets([n for n in names if n not in absent], embedded=embedded)
    digests = {name: dataset.digest() for name, dataset in datasets.items()}
    counterparts = {name: data_fetch.counterparts(name) for name in absent}
    found = Plan(protocol.paper, list(datasets), counterparts)
    committed = results.load_paper(protocol.paper)
    earlier = committed.iloc[:0]
    for number, stage in enumerate(protocol.stages, start=1):
        try:
            tasks = stage(profile, datasets, earlier)
            whole = stage("full", datasets, earlier)
        except Exception:
            found.unlisted = f"stage {number} lists its tasks once the stage before it has run"
            break
        stored = [
            store.get(t.key(protocol.version, digests[t.dataset]), t.fixed_columns()) for t in tasks
        ]
        unfinished = [task for task, rows in zip(tasks, stored, strict=True) if rows is None]
        n_selected = len(_selected(tasks, only))
        pending = _selected(unfinished, only)
        found.n_tasks += n_selected
        found.n_stored += n_selected - len(pending)
        found.seconds += sum(cost(task, committed) for task in pending)
        left_out = {task.reading for task in whole} - {task.reading for task in tasks}
        known = _committed_rows(unfinished, committed)
        known = known[~known["reading"].isin(left_out)]
        earlier = pd.concat([earlier, _frame(stored), known], ignore_index=True)
    return found


def _selected(tasks: Iterable[Task], only: Selection | None) -> list[Task]:
    return [task for task in tasks if only is None or only.has(task)]


def _frame(stored: Iterable[Rows | None]) -> pd.DataFrame:
    return results.to_frame([row for rows in stored for row in rows or ()])


def _committed_rows(tasks: Iterable[Task], committed: pd.DataFrame) -> pd.DataFrame:
    """Committed records of the trials that tasks measure."""
    trials = {(t.table, t.dataset, t.method, t.trial) for t in tasks}
    return committed[soundness.of_units(committed, trials)]


def cost(task: Task, committed: pd.DataFrame) -> float:
    """Mean seconds of the committed tasks that are most like a task; NaN if there are none.

    Records without seconds are statistics over others, and no work.

    Parameters
    ----------
    task : Task
    committed : DataFrame
        Records of its paper.
    """
    measured = results.whole_tasks(committed[committed["seconds"] > 0])
    for columns in ALIKE:
        alike = (measured[columns] == [getattr(task, name) for name in columns]).all(axis=1)
        if alike.any():
            tasks = measured[alike].drop_duplicates(["dataset", "reading", "trial", "seconds"])
            return float(tasks["seconds"].mean())
    return math.nan
