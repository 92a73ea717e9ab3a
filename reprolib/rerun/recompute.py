"""Recompute any stored record, as it is or with a parameter changed, for the notebooks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.agreement import KEY
from reprolib.rerun.printed import numbers
from reprolib.rerun.registry import get_protocol
from reprolib.rerun.task import HEADLINE, Protocol, Task
from reprolib.rerun.worker import row_of


def recompute(
    paper: str,
    table: str,
    dataset: str,
    method: str,
    *,
    setting: str = "",
    reading: str = HEADLINE,
    trial: int = 0,
    **changes: Any,
) -> pd.DataFrame:
    """Run one task of a paper's protocol now, and show printed, stored and live values.

    Parameters
    ----------
    paper, table, dataset, method : str
        As in the records (``results/<paper>/<table>.csv``).
    setting : str
        Training size, loss or kernel, where the method is measured under several.
    reading : str
    trial : int
        Realisation, split, fold or seed.
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
    wanted = Task(paper, table, dataset, method, reading, trial, setting=setting)
    names = [name for name in KEY if name not in ("trial", "metric")]
    all_trials = results.select(
        results.load_paper(paper), **{name: getattr(wanted, name) for name in names}
    )
    stored = all_trials[all_trials["trial"] == trial]
    printed = _printed(paper, wanted)
    for task in _tasks(protocol, data, wanted):
        task = _changed(task, changes)
        rows = [row_of(task, m, data.source, 0.0) for m in protocol.run(task, data)]
        live = results.select(results.to_frame(rows), reading=reading, trial=trial, setting=setting)
        if len(live):
            others = all_trials[all_trials["trial"] != trial]
            derived = (
                [] if stored["metric"].duplicated().any() else _derived(protocol, live, others)
            )
            shown = [row for row in derived if row["metric"] in printed]
            now = pd.concat([live, results.to_frame(shown)]) if shown else live
            return _beside(now, stored, printed)
    raise ValueError(
        f"the protocol of {paper!r} has no task {table} / {dataset} / {method} / {setting!r} / "
        f"{reading!r} / trial {trial}; the names are those of the columns of results/{paper}/*.csv"
    )


def _tasks(protocol: Protocol, data: Dataset, wanted: Task) -> Iterator[Task]:
    """Tasks that may measure what is wanted: those that name its reading, then the headline's."""
    committed = results.load_paper(protocol.paper)
    for stage in protocol.stages:
        listed = [
            task
            for task in stage("full", {data.name: data}, committed)
            if (task.table, task.method, task.trial) == (wanted.table, wanted.method, wanted.trial)
            and task.setting in ("", wanted.setting)
        ]
        yield from (t for t in listed if wanted.reading in (t.reading, *t.params.get("also", ())))
        if wanted.reading != HEADLINE:
            yield from (t for t in listed if t.reading == HEADLINE)


def _changed(task: Task, changes: Mapping[str, Any]) -> Task:
    unknown = sorted(set(changes) - set(task.params))
    if unknown:
        known = ", ".join(task.params) or "none"
        raise ValueError(f"the task has no parameter {unknown[0]!r}; its parameters: {known}.")
    return dataclasses.replace(task, params={**task.params, **changes})


def _derived(protocol: Protocol, live: pd.DataFrame, others: pd.DataFrame) -> list[dict[str, Any]]:
    """Statistics over trials that belong to the live one, the other trials being as stored."""
    trial = int(live["trial"].iloc[0])
    rows = protocol.derive(pd.concat([live, others]))
    return [row for row in rows if row["trial"] == trial]


def _printed(paper: str, wanted: Task) -> dict[str, float]:
    names = ("dataset", "method", "setting")
    return {
        number.select["metric"]: number.value / number.scale
        for number in numbers(paper)
        if number.results == wanted.table
        and all(number.select[name] == getattr(wanted, name) for name in names)
    }


def _beside(live: pd.DataFrame, stored: pd.DataFrame, printed: Mapping[str, float]):
    then = stored.drop_duplicates("metric").set_index("metric")["value"]
    now = live.drop_duplicates("metric").set_index("metric")["value"]
    frame = pd.DataFrame({"stored": then.reindex(now.index), "live": now})
    frame.insert(0, "printed", [printed.get(str(metric), np.nan) for metric in frame.index])
    return frame.dropna(how="all")
