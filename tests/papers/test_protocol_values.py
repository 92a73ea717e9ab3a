"""Committed records made again: values, hyperparameters, paths and certificates must agree.

For every method one task, the cheapest on data at hand, and of the other settings and readings as
many as a budget allows. The rest is left to `reprolib verify`, which draws others every day.
"""

from __future__ import annotations

from importlib.metadata import version

import pandas as pd
import pytest

from reprolib.rerun import records as results
from reprolib.rerun.checks.agreement import compare
from reprolib.rerun.records.registry import get_protocol
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks import data_cache
from reprolib.rerun.tasks.worker import execute
from tests import committed_tasks, golden
from tests.committed_tasks import Candidate, choose

#: Committed seconds of a method's cheapest task at most, and of a paper's other tasks in all.
MOST = 60.0
BUDGET = 8.0
KEYS = golden.with_results()
#: Methods whose fits change between versions of scikit-learn: the edges of its histograms do.
OF_SCIKIT_LEARN = {"gradient boosting"}


def is_of_these_versions(key: str, candidate: Candidate) -> bool:
    """Whether scikit-learn is the one that made the records, where their values depend on it."""
    metas = results.load_meta(key)
    made_by = {metas[task.table]["versions"]["scikit-learn"] for task in candidate.tasks}
    methods = {task.method for task in candidate.tasks}
    return not methods & OF_SCIKIT_LEARN or made_by == {version("scikit-learn")}


def rows_of(candidate) -> list[dict]:
    """Run the tasks of a candidate now."""
    made = []
    for task in candidate.tasks:
        dataset = golden.load(task.dataset)
        digest = dataset.digest()
        with data_cache.holding({digest: dataset}):
            made += execute(task, digest)[1]
    return made


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_recomputed_records_agree(key):
    if key in golden.OLDER:
        pytest.skip(f"{key}: {golden.OLDER[key]}")
    chosen = committed_tasks.recomputed(key, BUDGET, MOST)
    if not chosen:
        pytest.skip(f"no data set of {key} is at hand")
    different = []
    for candidate in {id(c): c for c in chosen.values()}.values():
        if is_of_these_versions(key, candidate):
            different += compare(rows_of(candidate), pd.DataFrame(candidate.records))
    assert different == []


def test_only_methods_of_scikit_learn_depend_on_its_version(monkeypatch):
    monkeypatch.setattr("tests.papers.test_protocol_values.version", lambda _: "0.1")
    for method in ("gradient boosting", "svc"):
        task = Task("across", "curves", "raetsch/heart", method)
        assert is_of_these_versions("across", Candidate((task,), [], 1.0)) == (method == "svc")


def found(**seconds: float) -> dict:
    """Candidates of one method each, two of them of the method "slow", by setting."""
    method = {"slow_one": "slow", "slow_two": "slow"}
    return {
        ("table", method.get(name, name), name, "headline"): Candidate((), [], taken)
        for name, taken in seconds.items()
    }


def settings_of(chosen) -> list[str]:
    return sorted(group[2] for group in chosen)


def test_the_cheapest_task_of_a_method_is_chosen_whatever_the_others_took():
    tasks = found(one=50.0, two=59.0, slow_one=40.0, slow_two=39.0)
    assert settings_of(choose(tasks, budget=1.0, most=60.0)) == ["one", "slow_two", "two"]


def test_a_method_beyond_the_cap_is_left_out():
    tasks = found(one=60.0, two=60.1)
    assert settings_of(choose(tasks, budget=1.0, most=60.0)) == ["one"]


def test_the_budget_bounds_the_other_tasks_alone():
    tasks = found(slow_one=1.0, slow_two=3.0)
    assert settings_of(choose(tasks, budget=3.0, most=60.0)) == ["slow_one", "slow_two"]
    assert settings_of(choose(tasks, budget=2.9, most=60.0)) == ["slow_one"]


def test_groups_of_one_candidate_cost_its_seconds_once():
    shared = Candidate((), [], 5.0)
    tasks = {("table", "one", name, "headline"): shared for name in ("a", "b")}
    assert settings_of(choose(tasks, budget=0.0, most=60.0)) == ["a", "b"]


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.needs_data(*{n for key in KEYS for n in get_protocol(key).datasets("full")})
def test_every_method_is_recomputed(key):
    listed = {line.split(" | ")[3] for line in golden.lines_of(key, "task")}
    chosen = committed_tasks.recomputed(key, BUDGET, MOST)
    assert {group[1] for group in chosen} == listed
