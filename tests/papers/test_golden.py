"""The full profile of every protocol, and the keys of the committed records, against a stored list.

A data set, method, reading, setting, metric, trial or parameter that is no longer run or measured,
or newly is, shows here, without running a task.
"""

from __future__ import annotations

import pytest

from reprolib.rerun import records as results
from reprolib.rerun.records.registry import get_protocol
from tests import golden

KEYS = golden.with_results()
#: By data set, so that each is loaded once.
ON_DATA = [
    pytest.param(key, name, marks=pytest.mark.needs_data(name))
    for name, key in sorted((n, key) for key in KEYS for n in get_protocol(key).datasets("full"))
]


def assert_same(key: str, found: list[str], stored: list[str]) -> None:
    changed = [f"- {line}" for line in stored if line not in set(found)]
    changed += [f"+ {line}" for line in found if line not in set(stored)]
    renew = f"if that was meant, renew the list with {golden.renewal(key)}"
    assert found == stored, "\n".join([*changed, renew])


@pytest.mark.parametrize(("key", "dataset"), ON_DATA)
def test_tasks_of_the_full_profile(key, dataset):
    if not golden.is_as_committed(key, dataset):
        pytest.skip(f"{dataset} is of another source here than the committed records")
    found = golden.task_lines(golden.tasks_of(key, {dataset: golden.load(dataset)}))
    assert_same(key, found, golden.lines_of(key, "task", dataset))


@pytest.mark.parametrize("key", KEYS)
def test_list_has_tasks_on_every_data_set_of_the_full_profile_and_no_other(key):
    listed = {line.split(" | ")[2] for line in golden.lines_of(key, "task")}
    assert listed == set(get_protocol(key).datasets("full"))


@pytest.mark.parametrize("key", KEYS)
def test_keys_of_the_committed_records(key):
    found = golden.record_lines(results.load_paper(key))
    assert_same(key, found, golden.lines_of(key, "record"))


@pytest.mark.parametrize("key", KEYS)
def test_constants_of_the_protocol(key):
    assert_same(key, golden.constant_lines(key), golden.lines_of(key, "constant"))


def test_a_line_tells_trials_that_are_missing_or_doubled():
    assert golden._ranges([0, 1, 2, 4, 7, 8]) == "trials 0-2 4 7-8"
    assert golden._ranges([3, 0, 1, 1, 2]) == "trials 0 1 x2 2-3"


def test_a_list_that_is_not_there_says_how_to_write_it():
    with pytest.raises(FileNotFoundError, match="python -m tests.golden nobody"):
        golden.golden("nobody")
