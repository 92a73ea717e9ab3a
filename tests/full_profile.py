"""The tasks of every full profile, beside the committed ones.

``python -m tests.full_profile KEY ...`` is for an experiment that was only written otherwise: if it
lists the committed tasks, ``run.json`` says so, and plans need not list them anew. It needs the
paper's data. Whether the tasks still measure what they did is for ``reprolib verify`` to find.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Collection, Iterable, Mapping

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.records.registry import PAPERS, committed_directory
from reprolib.rerun.records.task import Task, get_protocol
from reprolib.rerun.tasks.experiment import looked_up, walk
from reprolib.rerun.tasks.runner import listing_of, quick_tasks


@functools.cache
def load(name: str) -> Dataset:
    """Data set of that name, loaded once."""
    return data_fetch.load(name)


def is_as_committed(paper: str, name: str) -> bool:
    """Whether the data set at hand is the one that the committed records were made on."""
    return load(name).digest() == results.load_run(paper)["data"].get(name, {}).get("digest")


def with_results() -> list[str]:
    """Papers and studies that have committed records."""
    return [key for key in PAPERS if results.load_run(key)]


def tasks_of(paper: str, datasets: Mapping[str, Dataset]) -> list[Task]:
    """Tasks of the full profile on some of its data sets."""
    records = results.load_paper(paper)
    tasks, _ = walk(get_protocol(paper), "full", datasets, looked_up(records))
    return tasks


def what_changed(paper: str, tasks: Iterable[Task], datasets: Collection[str]) -> str:
    """Tasks on some data sets that only the protocol or only the committed results have."""
    listed = {task.id for task in tasks}
    made = results.load_tasks(paper)
    committed = set(made.loc[made["dataset"].isin(list(datasets)), "task"])
    lost, new = sorted(committed - listed), sorted(listed - committed)
    told = [
        f"{len(names)} {what}, such as {names[0]}"
        for names, what in (
            (lost, "committed tasks are no longer listed"),
            (new, "tasks have no committed record"),
        )
        if names
    ]
    return "; ".join(told)


def say_same(paper: str) -> None:
    """Have ``run.json`` name the present list of experiments, if that is the committed one.

    Raises
    ------
    ValueError
        If tasks or the quick profile are others.
    """
    protocol = get_protocol(paper)
    datasets = {name: load(name) for name in protocol.datasets("full")}
    made = results.load_tasks(paper)
    quick = quick_tasks(protocol, datasets, results.load_paper(paper))
    changed = what_changed(paper, tasks_of(paper, datasets), datasets)
    if changed or quick != set(made.loc[made["quick"], "task"]):
        raise ValueError(f"{paper}: {changed or 'another quick profile'}; run it in full")
    run = {**results.load_run(paper), "listing": listing_of(protocol)}
    records = results.load_paper(paper)
    results.write_results(records, committed_directory(paper) / paper, made, run)


if __name__ == "__main__":
    for key in sys.argv[1:] or with_results():
        say_same(key)
