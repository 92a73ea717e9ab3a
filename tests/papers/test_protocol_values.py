"""Committed records made again: values, hyperparameters, paths and certificates must agree.

For every method one task, the cheapest on data at hand, and as many other settings and readings
as the budget allows. The rest is left to `reprolib verify`, which draws others every day.
"""

from __future__ import annotations

import pandas as pd
import pytest

from reprolib.rerun import data_cache
from reprolib.rerun.agreement import compare
from reprolib.rerun.registry import get_protocol
from reprolib.rerun.worker import execute
from tests import committed_tasks, golden

#: Seconds that the tasks of one paper took when their records were made, and what is slower.
BUDGET = 8.7
#: Methods that no task within the budget runs.
TOO_SLOW = {"keops": {"keops, convex"}}
KEYS = golden.with_results()


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
    chosen = committed_tasks.within_budget(key, BUDGET)
    if not chosen:
        pytest.skip(f"no data set of {key} is at hand")
    different = []
    for candidate in {id(c): c for c in chosen.values()}.values():
        different += compare(rows_of(candidate), pd.DataFrame(candidate.records))
    assert different == []


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.needs_data(*{n for key in KEYS for n in get_protocol(key).datasets("full")})
def test_every_method_is_recomputed(key):
    listed = {line.split(" | ")[3] for line in golden.lines_of(key, "task")}
    chosen = committed_tasks.within_budget(key, BUDGET)
    assert listed - {group[1] for group in chosen} == TOO_SLOW.get(key, set())
