"""Recompute any stored record, as it is or with a parameter changed, for the notebooks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

import data_fetch
from reprolib.rerun.records.registry import get_protocol
from reprolib.rerun.records.rows import is_derived, row_of, select, to_frame
from reprolib.rerun.records.tables import load_paper
from reprolib.rerun.records.task import HEADLINE, Protocol, Task
from reprolib.rerun.tasks.experiment import looked_up, walk
from reprolib.rerun.verdicts.printed import printed_values


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
        As in the records (``results/<paper>/<table>.csv.gz``).
    setting : str
        Training size, loss or kernel, where the method is measured under several.
    reading : str
    trial, seed : int
        Realisation, split, fold or repetition, and the seed where it is run under several.
    **changes
        Parameters of the task to change, such as ``D=10``; see ``Task.params`` in the protocol.

    Returns
    -------
    DataFrame
        One row for every metric of the task: printed (the paper's number, over all its trials),
        stored (this trial in the committed results) and live, all in the unit of the records;
        NaN where there is none. A printed statistic over trials, such as the accuracy in the
        dimension of the best mean, has a row, too: of this trial as computed now among the
        other trials as stored.

    Raises
    ------
    ValueError
        If no task of the full protocol is of that name, or it has no such parameter.
    """
    protocol, data = get_protocol(paper), data_fetch.load(dataset)
    committed = load_paper(paper)
    key = {"table": table, "dataset": dataset, "method": method, "setting": setting}
    alike = select(committed, **key, reading=reading, seed=seed)
    stored = alike[alike["trial"] == trial]
    measured = stored[~is_derived(stored)]
    wanted = Task(paper, table, dataset, method, reading, trial, setting=setting, seed=seed)
    name = str(measured["task"].iloc[0]) if len(measured) else wanted.id
    task = _changed(_task(protocol, data, committed, name), changes)
    rows = [row_of(task, m, data.source, 0.0) for m in protocol.run(task, data)]
    live = select(to_frame(rows), reading=reading, setting=setting)
    printed = printed_values(paper, key)
    shown = [row for row in _derived(protocol, live, alike) if row["metric"] in printed]
    now = pd.concat([live, to_frame(shown)]) if shown else live
    return _beside(now, stored, printed)


def _task(protocol: Protocol, data: data_fetch.Dataset, records: pd.DataFrame, name: str) -> Task:
    """Task of the full profile by its name; later stages are listed from the committed records."""
    tasks, _ = walk(protocol, "full", {data.name: data}, looked_up(records))
    for task in tasks:
        if task.id == name:
            return task
    raise ValueError(
        f"the protocol of {protocol.paper!r} has no task {name!r}; the names are those of the "
        f"columns of results/{protocol.paper}/*.csv"
    )


def _changed(task: Task, changes: Mapping[str, Any]) -> Task:
    unknown = sorted(set(changes) - set(task.params))
    if unknown:
        known = ", ".join(task.params) or "none"
        raise ValueError(f"the task has no parameter {unknown[0]!r}; its parameters: {known}.")
    return dataclasses.replace(task, params={**task.params, **changes})


def _derived(protocol: Protocol, live: pd.DataFrame, alike: pd.DataFrame) -> list[dict[str, Any]]:
    """Statistics over trials that belong to the live one, the other trials being as stored."""
    trial = int(live["trial"].iloc[0])
    others = alike[(alike["trial"] != trial) & ~is_derived(alike)]
    rows = protocol.derive(pd.concat([live, others]) if len(others) else live)
    return [row for row in rows if row["trial"] == trial]


def _beside(live: pd.DataFrame, stored: pd.DataFrame, printed: Mapping[str, float]):
    then = stored.drop_duplicates("metric").set_index("metric")["value"]
    now = live.drop_duplicates("metric").set_index("metric")["value"]
    frame = pd.DataFrame({"stored": then.reindex(now.index), "live": now})
    frame.insert(0, "printed", [printed.get(str(metric), np.nan) for metric in frame.index])
    return frame.dropna(how="all")
