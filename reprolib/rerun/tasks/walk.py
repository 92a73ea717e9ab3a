"""The one walk over the stages of a protocol: for runs, plans, checks and single tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from data_fetch import Dataset
from reprolib.rerun.records.rows import COLUMNS
from reprolib.rerun.records.task import Profile, Protocol, Stage, Task

#: (number of the stage, its tasks) -> their records; None where they are not all known.
RecordsOf = Callable[[int, list[Task]], pd.DataFrame | None]


class StageError(ValueError):
    """A stage that cannot list its tasks, mostly as tasks of an earlier one failed."""


def looked_up(records: pd.DataFrame) -> RecordsOf:
    """Have a walk take the records of the tasks from those that are there."""
    return lambda _, tasks: records[records["task"].isin([task.id for task in tasks])]


def walk(
    protocol: Protocol,
    profile: Profile,
    datasets: Mapping[str, Dataset],
    records_of: RecordsOf,
) -> tuple[list[Task], int]:
    """List the tasks of all stages; each stage is given the records of the tables that it reads.

    Parameters
    ----------
    protocol : Protocol
    profile : {"quick", "full"}
    datasets : mapping of str to Dataset
    records_of : callable
        Called with every stage's tasks: runs them, or looks their records up.

    Returns
    -------
    tasks : list of Task
    n_stages : int
        Stages that were reached: the walk ends where a stage reads records that are not known.

    Raises
    ------
    StageError
        If a stage cannot list its tasks, or lists two of one name.
    """
    tasks: list[Task] = []
    known: list[pd.DataFrame] = [pd.DataFrame(columns=COLUMNS)]
    complete = True
    for number, stage in enumerate(protocol.stages, start=1):
        if stage.reads and not complete:
            return tasks, number - 1
        records = pd.concat([k for k in known if len(k)] or known[:1], ignore_index=True)
        of_stage = _tasks_of(protocol.paper, number, stage, profile, datasets, records)
        tasks += of_stage
        _require_single(protocol.paper, tasks)
        measured = records_of(number, of_stage)
        complete = complete and measured is not None
        if measured is not None:
            known.append(measured)
    return tasks, len(protocol.stages)


def _tasks_of(
    paper: str,
    number: int,
    stage: Stage,
    profile: Profile,
    datasets: Mapping[str, Dataset],
    records: pd.DataFrame,
) -> list[Task]:
    read = records[records["table"].isin(stage.reads)].reset_index(drop=True)
    try:
        return stage.tasks(profile, datasets, read)
    except Exception as error:
        n_failed = int((read["status"] != "ok").sum())
        raise StageError(
            f"stage {number} of {paper} cannot list its tasks ({type(error).__name__}: {error}); "
            f"of the {len(read)} records that it reads {n_failed} failed. Finished tasks are stored"
        ) from error


def _require_single(paper: str, tasks: Sequence[Task]) -> None:
    names = pd.Series([task.id for task in tasks])
    if names.duplicated().any():
        raise StageError(
            f"{paper} lists two tasks named {names[names.duplicated()].iloc[0]}; give them "
            "different settings, readings, trials or seeds"
        )
