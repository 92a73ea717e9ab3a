"""The tasks of every full profile, as a digest of their names and parameters.

``python -m tests.full_profile KEY ...`` writes the lines of a paper in ``tests/papers/tasks.toml``
anew, after a change that was meant. It needs the paper's data. ``python -m tests.full_profile
--same KEY ...`` is for an experiment that was only written otherwise: if it lists the committed
tasks with the committed parameters, ``run.json`` says so, and plans need not list them anew.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.records import seal
from reprolib.rerun.records.folders import committed_directory, replace_file
from reprolib.rerun.records.registry import PAPERS, STUDIES, get_protocol
from reprolib.rerun.records.tables import RUN
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks.experiment import looked_up, walk
from reprolib.rerun.tasks.runner import listing_of, quick_tasks

PATH = Path(__file__).parent / "papers/tasks.toml"


@functools.cache
def load(name: str) -> Dataset:
    """Data set of that name, loaded once."""
    return data_fetch.load(name)


def is_as_committed(paper: str, name: str) -> bool:
    """Whether the data set at hand is the one that the committed records were made on."""
    return load(name).digest() == results.load_run(paper)["data"].get(name, {}).get("digest")


def with_results() -> list[str]:
    """Papers and studies that have committed records."""
    return [key for key in (*PAPERS, *STUDIES) if results.load_run(key)]


def tasks_of(paper: str, datasets: Mapping[str, Dataset]) -> list[Task]:
    """Tasks of the full profile on some of its data sets."""
    records = results.load_paper(paper)
    tasks, _ = walk(get_protocol(paper), "full", datasets, looked_up(records))
    return tasks


def digests(tasks: Iterable[Task]) -> dict[str, str]:
    """Number of the tasks of each table on each data set, and a hash of names and parameters."""
    groups: dict[str, list[str]] = {}
    for task in tasks:
        written = json.dumps([task.id, dict(task.params)], sort_keys=True)
        groups.setdefault(f"{task.table} on {task.dataset}", []).append(written)
    return {group: _digest(found) for group, found in sorted(groups.items())}


def _digest(written: list[str]) -> str:
    found = hashlib.sha256("\n".join(sorted(written)).encode()).hexdigest()
    return f"{len(written)} tasks, {found[:12]}"


def stored() -> dict[str, dict[str, str]]:
    """Digests of every paper."""
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def what_changed(paper: str, tasks: Iterable[Task], dataset: str) -> str:
    """Tasks that only the protocol or only the committed results have; else their parameters."""
    listed = {task.id for task in tasks}
    made = results.load_tasks(paper).query("dataset == @dataset")["task"]
    lost, new = sorted(set(made) - listed), sorted(listed - set(made))
    told = [
        f"{len(names)} {what}, such as {names[0]}"
        for names, what in (
            (lost, "committed tasks are no longer listed"),
            (new, "tasks have no committed record"),
        )
        if names
    ]
    return "; ".join(told) or "the same tasks have other parameters"


def write(paper: str) -> None:
    """Write the lines of a paper anew."""
    datasets = {name: load(name) for name in get_protocol(paper).datasets("full")}
    kept = {**stored(), paper: digests(tasks_of(paper, datasets))}
    lines = ["# Full profiles; written by `python -m tests.full_profile KEY`."]
    for key, groups in sorted(kept.items()):
        lines += ["", f"[{key}]", *(f'"{group}" = "{told}"' for group, told in groups.items())]
    replace_file(PATH, "\n".join(lines) + "\n")


def say_same(paper: str) -> None:
    """Have ``run.json`` name the present list of experiments, if that is the committed one.

    Raises
    ------
    ValueError
        If tasks, parameters or the quick profile are others.
    """
    protocol = get_protocol(paper)
    datasets = {name: load(name) for name in protocol.datasets("full")}
    tasks, made = tasks_of(paper, datasets), results.load_tasks(paper)
    quick = quick_tasks(protocol, datasets, results.load_paper(paper))
    if digests(tasks) != stored().get(paper) or quick != set(made.loc[made["quick"], "task"]):
        raise ValueError(f"{paper} lists other tasks or parameters: run it in full")
    folder = committed_directory() / paper
    run = {**results.load_run(paper), "listing": listing_of(protocol)}
    replace_file(folder / RUN, json.dumps(run, indent=1) + "\n")
    seal.write(folder, {name: (folder / name).read_text("utf-8") for name in seal.names(folder)})


if __name__ == "__main__":
    same = sys.argv[1:2] == ["--same"]
    for key in sys.argv[1 + same :] or with_results():
        (say_same if same else write)(key)
