"""Which committed records are cheap enough to be made again in a test, and with which tasks."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.records import Task
from reprolib.rerun.records.task import get_protocol
from tests import full_profile

#: Table, method, setting and reading: of every such group one task is run, if it is cheap enough.
GROUP = ["table", "method", "setting", "reading"]
#: Tables may share the fits of tasks that are equal in these.
FIT = ["dataset", "method", "setting", "reading"]


@functools.cache
def recomputed(paper: str, budget: float, most: float) -> list[Task]:
    """Tasks that a test makes again, on the data sets at hand; see `choose`."""
    names = [n for n in get_protocol(paper).datasets("full") if data_fetch.available(n)]
    same = {
        name: full_profile.load(name) for name in names if full_profile.is_as_committed(paper, name)
    }
    return choose(results.load_tasks(paper), listed(paper, same), budget, most)


def listed(paper: str, datasets: Mapping[str, Dataset]) -> dict[str, Task]:
    """Tasks of the full profile on some data sets, by name."""
    return {task.id: task for task in full_profile.tasks_of(paper, datasets)} if datasets else {}


def choose(made: pd.DataFrame, tasks: Mapping[str, Task], budget: float, most: float) -> list[Task]:
    """The cheapest task of every method, and of other groups within the budget.

    Committed seconds change with every rerun. So whether a method is there does not depend on what
    the other methods took: only a cheapest task above ``most`` seconds is left out. The ``budget``
    bounds what the other groups take in all, the cheapest first.

    A task that found its fit made by another table took less than it takes alone. So one that takes
    more than ``most`` in another table is left out.
    """
    alone = made.groupby(["table", *FIT])["seconds"].min().groupby(FIT).max().rename("alone")
    made = made[made.join(alone, on=FIT)["alone"] <= most]
    by_cost = made[made["task"].isin(list(tasks))].sort_values("seconds", kind="stable")
    of_methods = by_cost.drop_duplicates("method")
    of_methods = of_methods[of_methods["seconds"] <= most]
    others = by_cost.drop_duplicates(GROUP)
    others = others[~others["task"].isin(of_methods["task"])]
    others = others[others["seconds"].cumsum() <= budget]
    return [tasks[name] for name in (*of_methods["task"], *others["task"])]
