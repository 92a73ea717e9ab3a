"""Committed records made again: values, hyperparameters, paths and certificates must agree.

For every method one task, the cheapest on data at hand, and of the other settings and readings as
many as a budget allows. The rest is left to `reprolib verify`, which draws others every day.
"""

from __future__ import annotations

import pandas as pd
import pytest

from reprolib.rerun import records as results
from reprolib.rerun.checks.compare import compare
from reprolib.rerun.records.task import Task, get_protocol
from reprolib.rerun.tasks import worker
from reprolib.rerun.tasks.worker import execute
from tests import committed_tasks, full_profile
from tests.committed_tasks import choose

#: Committed seconds of a method's cheapest task at most, and of a paper's other tasks in all.
MOST = 5.0
BUDGET = 4.0
KEYS = full_profile.with_results()


def rows_of(key: str, task: Task) -> list[dict]:
    """Run a task now."""
    dataset = full_profile.load(task.dataset)
    digest = dataset.digest()
    with worker.holding({digest: dataset}):
        return execute(get_protocol(key), task, digest).rows


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_recomputed_records_agree(key):
    tasks = committed_tasks.recomputed(key, BUDGET, MOST)
    if not tasks:
        pytest.skip(f"no data set of {key} is at hand")
    rows = results.to_frame(row for task in tasks for row in rows_of(key, task))
    records = results.load_paper(key)
    committed = records[records["task"].isin([task.id for task in tasks])]
    assert compare(rows, committed) == []


def made(**seconds: float) -> pd.DataFrame:
    """Table of tasks of one method each, two of them of the method "slow", by setting."""
    method = {"slow_one": "slow", "slow_two": "slow"}
    lines = [
        {"task": name, "method": method.get(name, name), "setting": name, "seconds": taken}
        for name, taken in seconds.items()
    ]
    return pd.DataFrame(lines).assign(table="t", dataset="d", reading="headline")


def settings_of(tasks: pd.DataFrame, **limits: float) -> list[str]:
    return sorted(choose(tasks, {name: name for name in tasks["task"]}, **limits))


def test_the_cheapest_task_of_a_method_is_chosen_whatever_the_others_took():
    tasks = made(one=50.0, two=59.0, slow_one=40.0, slow_two=39.0)
    assert settings_of(tasks, budget=1.0, most=60.0) == ["one", "slow_two", "two"]


def test_a_method_beyond_the_cap_is_left_out():
    tasks = made(one=60.0, two=60.1)
    assert settings_of(tasks, budget=1.0, most=60.0) == ["one"]


def test_the_budget_bounds_the_other_tasks_alone():
    tasks = made(slow_one=1.0, slow_two=3.0)
    assert settings_of(tasks, budget=3.0, most=60.0) == ["slow_one", "slow_two"]
    assert settings_of(tasks, budget=2.9, most=60.0) == ["slow_one"]


def test_a_task_that_found_its_fit_made_by_a_table_beyond_the_cap_is_left_out():
    tasks = made(one=50.0, two=0.1, elsewhere=0.2)
    tasks.loc[2, ["method", "setting", "table"]] = ["one", "one", "u"]
    assert settings_of(tasks, budget=1.0, most=60.0) == ["elsewhere", "two"]
    assert settings_of(tasks, budget=1.0, most=40.0) == ["two"]


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.needs_data(*{n for key in KEYS for n in get_protocol(key).datasets("full")})
def test_every_method_is_recomputed(key):
    """But those that take longer in every task: `reprolib verify` draws them."""
    seconds = results.load_tasks(key).groupby("method")["seconds"].min()
    chosen = committed_tasks.recomputed(key, BUDGET, MOST)
    assert {task.method for task in chosen} == set(seconds.index[seconds <= MOST])
    assert (seconds > MOST).sum() <= 1
