"""What changed since the records of a paper were made, task by task, and stamps that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from reprolib.rerun.checks.trials import NAMES
from reprolib.rerun.records.provenance import NOTHING, TEXTS, Change, change_of
from reprolib.rerun.records.registry import results_directory
from reprolib.rerun.records.tables import load_paper, load_run, load_tasks, write_results
from reprolib.rerun.records.task import Protocol, get_protocol
from reprolib.rerun.tasks.runner import code_of_task
from reprolib.rerun.tasks.selection import Only, tasks_of

#: Names of what changed that a line lists.
LISTED = 6
#: What is said in ``run.json`` of a code that a recomputation has proved.
RECOMPUTED = "stamped anew: recomputed with this code, and equal"


def changes(
    paper: str, directory: Path | None = None, only: Only | None = None
) -> list[tuple[str, Change, int]]:
    """What changed in the code of committed tasks since they were run.

    Parameters
    ----------
    paper : str
        Key of the paper.
    directory : Path, optional
        Results folder; the committed one by default.
    only : Only, optional
        Tell these tasks apart by data set, setting and reading, too.

    Returns
    -------
    list of (str, Change, int)
        Names of the tasks, what changed, and how many tasks there are.
    """
    run, made = load_run(paper, directory), load_tasks(paper, directory)
    protocol = get_protocol(paper)
    columns = ("table", "method") if only is None else NAMES
    counts: Counter[tuple[str, Change]] = Counter()
    for task, stamp in zip(tasks_of(paper, made), made["code"], strict=True):
        if only is None or only.has(task):
            name = "/".join(filter(None, (getattr(task, column) for column in columns)))
            counts[name, change_of(code_of_task(protocol, task), stamp, run)] += 1
    return [(name, change, n) for (name, change), n in sorted(counts.items(), key=_name)]


def _name(item: tuple[tuple[str, Change], int]) -> tuple[str, str]:
    (name, change), _ = item
    return name, change.what


def told(name: str, change: Change, n_tasks: int, everything: bool = False) -> str:
    """One line about tasks of which the same changed.

    Parameters
    ----------
    name : str
        Their names.
    change : Change
        What changed.
    n_tasks : int
        How many there are.
    everything : bool
        Say all that changed, not only the first names.
    """
    names = change.names if everything else change.names[:LISTED]
    left = len(change.names) - len(names)
    more = f" and {left} more" if left else ""
    number = f"{n_tasks} task{'s' * (n_tasks != 1)}"
    return f"{name}, {number}: {replace(change, names=names)}{more}"


def stamp(
    paper: str, protocol: Protocol, proved: Collection[str], commit: str, directory: Path | None
) -> int:
    """Have committed tasks name the code here, where it is proved to give their records.

    Parameters
    ----------
    paper : str
        Key of the paper.
    protocol : Protocol
        Of the paper.
    proved : collection of str
        Names of tasks that were recomputed, and gave the committed records.
    commit : str
        That of the checkout.
    directory : Path or None
        Results folder; the committed one by default.

    Returns
    -------
    int
        How many tasks name another code now.
    """
    run, made = load_run(paper, directory), load_tasks(paper, directory)
    codes = dict(run["code"])
    stamps = []
    for task, old in zip(tasks_of(paper, made), made["code"], strict=True):
        code = code_of_task(protocol, task)
        is_proved = task.id in proved or change_of(code, old, run).what in (NOTHING, TEXTS)
        stamps.append(code.fingerprint if is_proved else old)
        if is_proved and old != code.fingerprint:
            then = codes.get(code.fingerprint, {"commits": [], "note": RECOMPUTED})
            commits = list(dict.fromkeys([*then["commits"], commit]))
            codes[code.fingerprint] = {**code.about(), **then, "commits": commits}
    n_changed = int((made["code"] != stamps).sum())
    if n_changed:
        codes = {name: about for name, about in codes.items() if name in stamps}
        folder = results_directory(paper, directory) / paper
        tasks = made.assign(code=stamps)
        write_results(load_paper(paper, directory), folder, tasks, {**run, "code": codes})
    return n_changed
