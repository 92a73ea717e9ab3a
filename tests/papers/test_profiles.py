"""What holds of the tasks of every paper and study, whatever its experiment states."""

from __future__ import annotations

import functools

import pytest

import data_fetch
from reprolib.rerun import records as results
from reprolib.rerun.records.readings import readings_of
from reprolib.rerun.records.registry import PAPERS, STUDIES, get_protocol
from reprolib.rerun.records.task import Task
from tests import full_profile

KEYS = (*PAPERS, *STUDIES)


@functools.cache
def first_tasks(key: str, profile: str) -> list[Task]:
    """Tasks that stand on no records, on the embedded counterparts."""
    protocol = get_protocol(key)
    names = protocol.datasets(profile)
    others = [
        o for n in names for o in (data_fetch.counterparts(n) if "embedded" not in n else [n])
    ]
    datasets = {name: full_profile.load(name) for name in dict.fromkeys(others)}
    return protocol.stages[0].tasks(profile, datasets, results.to_frame([]))


@pytest.mark.parametrize("key", KEYS)
def test_the_quick_profile_is_a_part_of_the_full_one(key):
    quick, full = ({task.id for task in first_tasks(key, p)} for p in ("quick", "full"))
    assert quick, "nothing to run"
    assert quick <= full


@pytest.mark.parametrize("key", KEYS)
def test_readings_that_are_run_stand_in_the_file(key):
    assert {task.reading for task in first_tasks(key, "full")} <= set(readings_of(key))
