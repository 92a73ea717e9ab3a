"""The full profile of every protocol lists the tasks that the committed results have."""

from __future__ import annotations

import pytest

from reprolib.rerun import records as results
from reprolib.rerun.records.task import get_protocol
from tests import full_profile

KEYS = full_profile.with_results()
#: By data set, so that each is loaded once.
ON_DATA = [
    pytest.param(key, name, marks=pytest.mark.needs_data(name))
    for name, key in sorted((n, key) for key in KEYS for n in get_protocol(key).datasets("full"))
]


@pytest.mark.parametrize(("key", "dataset"), ON_DATA)
def test_the_protocol_lists_the_committed_tasks(key, dataset):
    """Else the committed results are those of another run."""
    if not full_profile.is_as_committed(key, dataset):
        pytest.skip(f"{dataset} is of another source here than the committed records")
    tasks = full_profile.tasks_of(key, {dataset: full_profile.load(dataset)})
    changed = full_profile.what_changed(key, tasks, [dataset])
    assert not changed, f"{changed}; if that was meant, run `reprolib reproduce {key} --full`"


@pytest.mark.parametrize("key", KEYS)
def test_committed_tasks_are_on_the_data_sets_of_the_full_profile(key):
    assert set(results.load_tasks(key)["dataset"]) == set(get_protocol(key).datasets("full"))


def test_what_changed_is_told_by_name():
    (key, name) = ("kpm", "embedded/twonorm")
    tasks = full_profile.tasks_of(key, {name: full_profile.load(name)})
    assert full_profile.what_changed(key, tasks[1:], [name]) == (
        f"1 committed tasks are no longer listed, such as {tasks[0].id}"
    )
    assert full_profile.what_changed(key, tasks, [name]) == ""
