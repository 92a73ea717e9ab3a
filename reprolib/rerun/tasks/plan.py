"""What a run would do: its tasks, its data, and the time that the same tasks took before."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun.records.folder import committed_results
from reprolib.rerun.records.task import Profile, Protocol, Task, get_protocol
from reprolib.rerun.tasks.experiment import StageError, looked_up, walk
from reprolib.rerun.tasks.listing import listing_of, listing_of_paper
from reprolib.rerun.tasks.runner import code_of_task, load_datasets, needed, waiting
from reprolib.rerun.tasks.selection import Only, tasks_of
from reprolib.rerun.tasks.store import RecordStore

#: Columns by which tasks cost alike, the narrowest first.
ALIKE = (["task"], ["table", "dataset", "method"], ["table", "method"], ["table"])


@dataclass
class Plan:
    """What a run of a protocol would do.

    Parameters
    ----------
    paper : str
        Key of the paper.
    at_hand : list of str
        Data sets that need no download.
    to_fetch : mapping of str to int
        Number of tasks by data set that has to be downloaded first.
    n_tasks, n_stored : int
        Tasks, those on data to be fetched included, and how many of them are finished and stored.
    seconds : float
        Computing time of the other tasks, as the committed results have it; NaN if there are none.
    note : str
        Why the list may be incomplete or out of date; empty if it is certain.
    used : list of str
        Patterns of a selection that select a task.
    """

    paper: str
    at_hand: Sequence[str]
    to_fetch: Mapping[str, int] = field(default_factory=dict)
    n_tasks: int = 0
    n_stored: int = 0
    seconds: float = 0.0
    note: str = ""
    used: Sequence[str] = ()


def plan(
    paper: str,
    profile: Profile,
    *,
    embedded: bool = False,
    store: RecordStore | None = None,
    only: Only | None = None,
    protocol: Protocol | None = None,
) -> Plan:
    """Count the tasks of a run without running or downloading anything.

    The committed tasks are counted where they were made by the present list of experiments; else
    the protocol lists its tasks on the data at hand.

    Parameters
    ----------
    paper : str
        Key of the paper.
    profile : {"quick", "full"}
        A few trials, or all.
    embedded : bool
        Use the embedded counterparts even where the real data are available.
    store : RecordStore, optional
        Of finished tasks; the user's by default.
    only : Only, optional
        Count these tasks only.
    protocol : Protocol, optional
        What would be run; the paper's own by default, which is imported only if it is needed.
    """
    store = RecordStore() if store is None else store
    get = functools.cache(lambda: get_protocol(paper) if protocol is None else protocol)
    made = committed_results(paper).tasks
    unchanged = is_as_committed(paper, protocol) and not embedded
    if only is not None or not unchanged:
        names = needed(get(), profile, only)
    else:
        names = list(dict.fromkeys(made["dataset"]))
    absent = [name for name in names if not (embedded or data_fetch.available(name))]
    present = [name for name in names if name not in absent]
    loaded = functools.cache(lambda: load_datasets(present, embedded=embedded)[0])
    if unchanged:
        all_tasks, note = committed_tasks(paper, made, profile, names), ""
    else:
        all_tasks, note = listed_tasks(get(), profile, loaded())
    tasks = [task for task in all_tasks if only is None or only.has(task)]

    def is_stored(task: Task) -> bool:
        if not store.names or not store.knows(task):
            return False
        return store.has(task, code_of_task(get(), task), exact=not unchanged)

    pending = [task for task in tasks if not is_stored(task)]
    on_data = [task.dataset for task in tasks]
    if unchanged or not absent:
        notes = [note]
    else:
        notes = [note, "Tasks on data to be fetched are not counted"]
    if only is not None and any(stage.reads for stage in get().stages):

        def is_known(task: Task) -> bool:
            return only.has(task) or is_stored(task)

        notes.append(_out_of_reach(get(), profile, loaded(), tasks, is_known))
    return Plan(
        paper,
        at_hand=list(dict.fromkeys(name for name in on_data if name not in absent)),
        to_fetch={name: on_data.count(name) for name in absent},
        n_tasks=len(tasks),
        n_stored=len(tasks) - len(pending),
        seconds=float(costs(pending, made).sum(skipna=False)),
        note=" ".join(filter(None, notes)),
        used=[] if only is None else only.used(tasks),
    )


def is_as_committed(paper: str, protocol: Protocol | None = None) -> bool:
    """Whether the committed results were made by the present list of experiments.

    Parameters
    ----------
    paper : str
        Key of the paper.
    protocol : Protocol, optional
        Has the list; the paper's own by default, which is not imported for this.
    """
    run = committed_results(paper).run
    if not run:
        return False
    listing = listing_of_paper(paper) if protocol is None else listing_of(protocol)
    return bool(run["listing"] == listing)


def committed_tasks(
    paper: str, made: pd.DataFrame, profile: Profile, names: Sequence[str]
) -> list[Task]:
    """Tasks of a profile on some data sets, without their parameters, as they were made."""
    rows = made[made["dataset"].isin(list(names))]
    return tasks_of(paper, rows if profile == "full" else rows[rows["quick"].astype(bool)])


def listed_tasks(
    protocol: Protocol, profile: Profile, datasets: Mapping[str, Dataset]
) -> tuple[list[Task], str]:
    """Tasks as the protocol lists them, its later stages with the committed records."""
    committed = committed_results(protocol.paper)
    try:
        tasks, _ = walk(protocol, profile, datasets, looked_up(committed.records))
    except StageError as error:
        return [], f"Its tasks cannot be listed before a first run ({error})."
    if not committed.run:
        return tasks, ""
    return tasks, "Listed anew: the committed results are of another list of experiments."


def _out_of_reach(
    protocol: Protocol,
    profile: Profile,
    datasets: Mapping[str, Dataset],
    tasks: Sequence[Task],
    is_known: Callable[[Task], bool],
) -> str:
    """Say which of the tasks a run cannot list yet; empty if it reaches all."""
    looked = looked_up(committed_results(protocol.paper).records)

    def records_of(number: int, of_stage: list[Task]) -> pd.DataFrame | None:
        return looked(number, of_stage) if all(map(is_known, of_stage)) else None

    try:
        listed, n_stages = walk(protocol, profile, datasets, records_of)
    except StageError:
        return ""  # said where the tasks are listed
    reached = {task.id for task in listed}
    left = [task for task in tasks if task.dataset in datasets and task.id not in reached]
    if n_stages == len(protocol.stages) or not left:
        return ""
    return f"{len(left)} of these tasks cannot run yet. {waiting(n_stages)}"


def costs(tasks: Sequence[Task], made: pd.DataFrame) -> pd.Series:
    """Seconds that tasks took before, or the mean of those most like them; NaN without any."""
    wanted = pd.DataFrame([{"task": task.id, **vars(task)} for task in tasks])
    seconds = pd.Series(math.nan, index=range(len(tasks)), dtype=float)
    if wanted.empty or made.empty:
        return seconds
    for columns in ALIKE:
        if not seconds.isna().any():
            break
        means = made.groupby(columns, as_index=False)["seconds"].mean()
        seconds = seconds.fillna(wanted[columns].merge(means, how="left")["seconds"])
    return seconds.fillna(made["seconds"].mean())
